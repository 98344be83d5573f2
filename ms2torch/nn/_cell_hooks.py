"""The hooks of a Cell and how they are registered; `_cell_call` calls them. Mixed into Cell."""

from __future__ import annotations

import itertools
from collections import OrderedDict

from ms2torch._checkparam import check_hook_fn

_hook_ids = itertools.count()


class HookHandle:
    """What registering a hook returns; ``remove()`` takes the hook away."""

    def __init__(self, table: dict, key: int) -> None:
        self._table, self.handle_id = table, key

    def remove(self) -> None:
        self._table.pop(self.handle_id, None)


class CellHooks:
    """Registering what is called before and after ``construct``, and with its gradients."""

    _cell_hooks = None

    def _add_hook(self, kind: str, hook, front: bool = False, **how) -> HookHandle:
        check_hook_fn(hook)
        if self._cell_hooks is None:
            self.__dict__["_cell_hooks"] = {}
        table = self._cell_hooks.setdefault(kind, OrderedDict())
        key = next(_hook_ids)
        table[key] = (hook, how)
        if front:
            table.move_to_end(key, last=False)
        self._mark_slow()
        return HookHandle(table, key)

    def register_forward_pre_hook(
        self, hook_fn, *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Call ``hook_fn(cell, args)`` before ``construct``; a result replaces the arguments."""
        return self._add_hook("forward_pre", hook_fn, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self, hook_fn, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> HookHandle:
        """Call ``hook_fn(cell, args, output)`` after ``construct``; a result replaces the output."""
        return self._add_hook("forward", hook_fn, prepend, with_kwargs=with_kwargs)

    def register_parameter_forward_hook(self, hook) -> None:
        """Compute this Cell with ``hook(param)`` in the place of Parameters.

        ``hook`` is for all parameters, or a list of ``{"params": [...], "hook": function}``. TypeError for
        anything else.
        """
        if not callable(hook) and not isinstance(hook, list):
            raise TypeError("Hook must be a callable function or a list of dictionaries, but got "
                            f"{type(hook)}.")
        if callable(hook) and not hasattr(hook, "construct") and "_parameter_hook_cell" in self.__dict__:
            raise TypeError("Sub cell '__parameter_forward_hook__' already exists in network, can not assign "
                            f"this type: '{type(hook)}' as a cell.")
        if hasattr(hook, "construct"):
            self.__dict__["_parameter_hook_cell"] = hook
        groups = hook if isinstance(hook, list) else [{"params": list(self.get_parameters()), "hook": hook}]
        for group in groups:
            if not isinstance(group, dict):
                raise TypeError(f"Each item in the hook list must be a dictionary, but got {type(group)}.")
        table = {id(p): (p, g["hook"]) for g in groups for p in g["params"]}
        self.__dict__["_parameter_hooks"] = list(table.values())
        self._mark_slow()

    def register_backward_pre_hook(self, hook_fn) -> HookHandle:
        """Call ``hook_fn(cell, grad_output)`` with the gradient of the output; a result replaces it."""
        return self._add_hook("backward_pre", hook_fn)

    def register_backward_hook(self, hook_fn) -> HookHandle:
        """Call ``hook_fn(cell, grad_input, grad_output)`` with the inputs' and output's gradients; a result
        replaces the inputs' gradients."""
        return self._add_hook("backward", hook_fn)
