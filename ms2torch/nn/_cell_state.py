"""The state of a Cell: buffers, ``state_dict``, ``load_state_dict`` and their hooks. Mixed into Cell.

Keys are places in the tree, not ``param.name``. The hooks are torch's, whose signatures MindSpore has too;
torch's own code finds torch's methods (see ``_core/module.py``).
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Mapping

import torch

from ms2torch._core import torch_private
from ms2torch._core.tensor.tensor import Tensor, lift, lower, wrap
from ms2torch._core.torch_private import EXTRA_STATE, IncompatibleKeys

from ._cell_hooks import HookHandle

_registration_hooks: OrderedDict = OrderedDict()
_registrations = itertools.count()


def register_cell_buffer_registration_hook(hook) -> HookHandle:
    """Call ``hook(cell, name, buffer)`` at every ``register_buffer``; a result replaces the buffer."""
    key = next(_registrations)
    _registration_hooks[key] = hook
    return HookHandle(_registration_hooks, key)


class CellState:
    """Buffers of a Cell, and its state as a dict."""

    register_state_dict_post_hook = torch_private.register_state_dict_post_hook
    register_load_state_dict_pre_hook = torch_private.register_load_state_dict_pre_hook

    # ---- buffers ---------------------------------------------------------------------------------------

    def register_buffer(self, name: str, tensor, persistent: bool = True) -> None:
        """Keep a Tensor that is state but not a Parameter; saved with ``state_dict`` where ``persistent``."""
        if "_params" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Cell.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"buffer name should be a string.But got this type: {type(name)}")
        if "." in name:
            raise KeyError('buffer name can\'t contain "."')
        if name == "":
            raise KeyError('buffer name can\'t be empty string ""')
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor)}' object to buffer '{name}' (mindspore Tensor or None "
                "required)"
            )
        for hook in _registration_hooks.values():
            replaced = hook(self, name, tensor)
            tensor = tensor if replaced is None else replaced
        self._keep_buffer(name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def _keep_buffer(self, name: str, tensor: Tensor | None) -> None:
        if tensor is not None:
            tensor._is_buffer = True
        self._buffers[name] = raw = None if tensor is None else tensor._t
        self._ms_buffers[name] = (tensor, raw)

    def _tied_buffer(self, name: str):
        """The Tensor of buffer ``name``; a tensor that torch has put into ``_buffers`` meanwhile wins over a
        new value of the Tensor's own."""
        tensor, known = self._ms_buffers.get(name, (None, None))
        raw = self._buffers[name]
        if raw is None:
            return None
        if tensor is None or raw is not known:
            self._keep_buffer(name, wrap(raw))
        elif tensor._t is not raw and not tensor._t.requires_grad:
            self._keep_buffer(name, tensor)
        return self._ms_buffers[name][0]

    def get_buffer(self, target: str):
        """The buffer at a dotted path; AttributeError where there is none."""
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        if not hasattr(cell, name):
            raise AttributeError(f"{cell._get_name()} has no attribute `{name}`")
        if name not in cell._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return cell._tied_buffer(name)

    def buffers(self, recurse: bool = True):
        """All buffers as Tensors."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True):
        """All buffers as Tensors with their dotted names."""
        seen: set[int] = set()
        for name, cell in self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]:
            for key in cell._buffers:
                buffer = cell._tied_buffer(key)
                if buffer is None or (remove_duplicate and id(buffer) in seen):
                    continue
                seen.add(id(buffer))
                yield (f"{name}.{key}" if name else key), buffer

    # ---- saving ----------------------------------------------------------------------------------------

    def state_dict(self, *args, destination=None, prefix: str = "", keep_vars: bool = False) -> OrderedDict:
        """Parameters and persistent buffers by their places in the tree; they are the Cell's own, no copies.

        Unlike torch's, which gives detached tensors. TypeError for a ``destination`` that is no dict.
        """
        given = (*args, *(destination, prefix, keep_vars)[len(args):])
        for name, value, kind, word in zip(("destination", "prefix", "keep_vars"), given,
                                           (dict, str, bool), ("OrderedDict", "string", "bool"), strict=True):
            if not isinstance(value, kind) and not (name == "destination" and value is None):
                raise TypeError(f"The type of {name} must be {word}, but got {type(value)}")
        destination, prefix, keep_vars = given
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        about = {}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = about
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        destination.update((prefix + name, value) for name, value in _own(self).items())
        if type(self).get_extra_state is not CellState.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()
        for name, child in self._modules.items():
            if isinstance(child, CellState):
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
            elif child is not None:
                destination.update(lift(child.state_dict(prefix=f"{prefix}{name}.")))
        for hook in self._state_dict_hooks.values():
            if hook(self, destination, prefix, about) is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def get_extra_state(self):
        """What ``state_dict`` holds of this Cell besides; override it with ``set_extra_state``."""
        raise RuntimeError(
            "Reached a code path in Cell.get_extra_state() that should never be called."
        )

    def set_extra_state(self, state) -> None:
        """Takes what ``get_extra_state`` gave."""
        raise RuntimeError(
            "Reached a code path in Cell.set_extra_state() that should never be called."
        )

    # ---- loading ---------------------------------------------------------------------------------------

    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False):
        """Copy what ``state_dict`` gave into parameters and buffers, in their dtypes.

        Returns what was missing and what was unexpected; with ``strict`` these are RuntimeErrors, as are
        other shapes. ``assign`` is torch's: the given tensors take the parameters' places.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        if assign:
            return torch.nn.Module.load_state_dict(self, lower(dict(state_dict)), strict, assign)
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None) or {}
        _load(self, OrderedDict(state_dict), "", metadata, (missing, unexpected, errors))
        if strict:
            for what, keys in (("Missing", missing), ("Unexpected", unexpected)):
                if keys:
                    listed = ", ".join(f'"{k}"' for k in keys)
                    errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")
        if errors:
            found = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{found}")
        return IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(self, state_dict, prefix, metadata, strict, missing, unexpected, errors):
        """torch takes what is before a key's first dot for the child's name; MindSpore's may hold dots."""
        found: list[str] = []
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, found, errors)
        dotted = tuple(f"{prefix}{name}." for name in self._modules if "." in name)
        unexpected.extend(key for key in found if not key.startswith(dotted))


def _own(cell: CellState) -> dict:
    """The Parameters and persistent buffers of this Cell alone, by attribute."""
    state = {name: cell._params.tied(name) for name in cell._params}
    kept = (name for name in cell._buffers if name not in cell._non_persistent_buffers_set)
    state.update((name, cell._tied_buffer(name)) for name in kept)
    return {name: value for name, value in state.items() if value is not None}


def _load(cell: CellState, state: dict, prefix: str, metadata: dict, notes: tuple) -> None:
    missing, unexpected, errors = notes
    about = metadata.get(prefix[:-1], {})
    for hook in cell._load_state_dict_pre_hooks.values():
        hook(state, prefix, about, True, missing, unexpected, errors)
    own = _own(cell)
    for name, target in own.items():
        if prefix + name in state:
            _copy(target, state[prefix + name], prefix + name, errors)
        else:
            missing.append(prefix + name)
    extra = prefix + EXTRA_STATE
    has_extra = type(cell).set_extra_state is not CellState.set_extra_state
    if has_extra and extra in state:
        cell.set_extra_state(state[extra])
    elif has_extra:
        missing.append(extra)
    children = {f"{prefix}{name}.": child for name, child in cell._modules.items() if child is not None}
    places = {prefix + name for name in own} | ({extra} if has_extra else set())
    unexpected.extend(key for key in state if key not in places and not key.startswith(tuple(children)))
    for place, child in children.items():
        below = {key: value for key, value in state.items() if key.startswith(place)}
        if isinstance(child, CellState):
            _load(child, below, place, metadata, notes)
        else:
            found = child.load_state_dict({k[len(place):]: v for k, v in lower(below).items()}, strict=False)
            missing.extend(place + key for key in found.missing_keys)
            unexpected.extend(place + key for key in found.unexpected_keys)
    for hook in cell._load_state_dict_post_hooks.values():
        if hook(cell, IncompatibleKeys(missing, unexpected)) is not None:
            raise RuntimeError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are notexpected to return new "
                "values, if incompatible_keys need to be modified,it should be done inplace."
            )


def _copy(target: Tensor, value, key: str, errors: list[str]) -> None:
    value = lift(value)
    if not isinstance(value, Tensor):
        errors.append(
            f'While copying the parameter named "{key}", expected Tensor or Tensor-like object from '
            f"checkpoint but received {type(value)}"
        )
    elif value.shape != target.shape:
        errors.append(
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {target.shape}."
        )
    else:
        target.assign_value(wrap(value._t.detach().to(target._t.dtype, copy=True)))
