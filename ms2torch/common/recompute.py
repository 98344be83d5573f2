"""Saving memory of the forward pass (``mindspore.common.recompute``)."""

from __future__ import annotations

import functools

import torch

from ms2torch._core import mode
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import lower, wrap

__all__ = ["recompute", "register_saved_tensors_hooks", "saved_tensors_hooks"]


def recompute(block, *args, use_reentrant=True, output_recompute=False, early_stop=True, context_fn=None,
              **kwargs):
    """Call a Cell so that the backward pass runs it again instead of keeping its intermediate values.

    MindSpore: ``mindspore.recompute``. Numbers do not change. TypeError for anything but a Cell;
    ``context_fn`` is not supported.
    """
    from ms2torch.nn._cell_call import checkpointed
    from ms2torch.nn.cell import Cell

    if not isinstance(block, Cell):
        raise TypeError("Recompute function now only support block which inherited from Cell when "
                        "use_reentrant=True!")
    if context_fn is not None:
        raise unsupported("mindspore.recompute(context_fn=)", "it is not supported.", "leave it out.")
    return checkpointed(block, args, kwargs) if mode.differentiation is not None else block(*args, **kwargs)


class saved_tensors_hooks:
    """Within it, ``pack_hook(x)`` gives what is kept of a Tensor, ``unpack_hook`` the Tensor from that.

    MindSpore: ``mindspore.saved_tensors_hooks``. TypeError for hooks that are no functions.
    """

    def __init__(self, pack_hook, unpack_hook) -> None:
        for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
            if not callable(hook):
                raise TypeError(f"{name} must be callable, but got {type(hook)}.")
        self._hooks = torch.autograd.graph.saved_tensors_hooks(
            lambda t: pack_hook(wrap(t)), lambda packed: lower(unpack_hook(packed)))

    def __enter__(self):
        self._hooks.__enter__()
        return self

    def __exit__(self, *error):
        return self._hooks.__exit__(*error)


def register_saved_tensors_hooks(pack_hook, unpack_hook):
    """Decorator: `saved_tensors_hooks` around a function (``mindspore.register_saved_tensors_hooks``)."""

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return function(*args, **kwargs)

        return call

    return decorate


def __getattr__(name: str):
    if name != "_RecomputeCell":
        raise AttributeError(name)
    from ms2torch.nn.cell import Cell

    class _RecomputeCell(Cell):
        """A Cell around another one, whose backward pass runs that again."""

        def __init__(self, block) -> None:
            super().__init__(auto_prefix=False)
            self.net = block

        def construct(self, *args, **kwargs):
            kwargs.pop("save_rng_state", None)
            return recompute(self.net, *args, **kwargs)

    globals()[name] = _RecomputeCell
    return _RecomputeCell
