"""What lets a Cell be a torch.nn.Module although its users own every attribute name.

MindSpore programs assign ``self.train = True``, ``self.type = "x"``, ``self.modules = [...]``: names that are
methods of torch's Module. Such a name is guarded: the program reads what it assigned, torch's own code finds
torch's method.
"""

from __future__ import annotations

import sys
from inspect import getattr_static

import torch

from ms2torch._core.tensor.tensor import Tensor, lift, lower


class Guarded:
    """A public name of torch's Module on Cell: the user's value for the user, torch's method for torch."""

    __slots__ = ("default", "name", "original", "overridden")

    def __init__(self, name: str, original, default=None, overridden: bool = True) -> None:
        self.name, self.original, self.default, self.overridden = name, original, default, overridden

    def __get__(self, cell, owner=None):
        if cell is None:
            hidden = self.default is None or (not self.overridden and _called_by_torch())
            return self.original if hidden else self.default
        if _called_by_torch():
            return self.original.__get__(cell, owner)
        own, name = cell.__dict__, self.name
        try:
            return own[name]
        except KeyError:
            if name in own.get("_modules", ()) or name in own.get("_params", ()):
                return cell.__getattr__(name)
            chosen = self.original if self.default is None else self.default
            return chosen.__get__(cell, owner) if hasattr(chosen, "__get__") else chosen

    def __set__(self, cell, value) -> None:
        cell.__dict__[self.name] = value

    def __delete__(self, cell) -> None:
        try:
            del cell.__dict__[self.name]
        except KeyError:
            raise AttributeError(self.name) from None


def is_torchs(cls: type, name: str) -> bool:
    """Whether Cells of ``cls`` have ``name`` from torch's Module alone, so that it is free for programs."""
    found = getattr_static(cls, name, None)
    return found is not None and ((isinstance(found, Guarded) and found.default is None)
                                  or found is getattr_static(torch.nn.Module, name, None))


def _called_by_torch() -> bool:
    name = sys._getframe(2).f_globals.get("__name__", "")
    return name == "torch" or name.startswith("torch.")


def guard(cls: type, names) -> None:
    """Guard torch's methods ``names`` on ``cls`` itself."""
    for name in names:
        original, own = getattr(torch.nn.Module, name), getattr_static(cls, name)
        setattr(cls, name, Guarded(name, original, None if own is original else own, overridden=False))


def guard_overrides(cls: type, base: type) -> None:
    """A subclass that defines a guarded name itself gets the same guard around its definition.

    So does one that inherits it from a class behind ``base``, which in MindSpore has no such name.
    """
    behind = [one for one in cls.__mro__[cls.__mro__.index(base):] if one not in base.__mro__]
    for one in behind:
        for name in base.__dict__.keys() & one.__dict__.keys():
            if isinstance(base.__dict__[name], Guarded) and getattr_static(cls, name) is base.__dict__[name]:
                setattr(cls, name, one.__dict__[name])
    for name, value in list(cls.__dict__.items()):
        known = base.__dict__.get(name)
        if isinstance(known, Guarded) and not isinstance(value, Guarded):
            setattr(cls, name, Guarded(name, known.original, value))


def speak_tensor(module: torch.nn.Module) -> None:
    """A plain torch module inside a Cell: Tensors are lowered on the way in and lifted on the way out."""
    if getattr(module, "_ms2torch_speaks", False):
        return
    module._ms2torch_speaks = True
    depth: list[bool] = []

    def enter(_module, args, kwargs):
        ours = any(isinstance(x, Tensor) for x in (*args, *kwargs.values())) or any(
            isinstance(y, Tensor) for x in args if isinstance(x, (tuple, list)) for y in x)
        depth.append(ours)
        return (tuple(lower(a) for a in args), lower(kwargs)) if ours else None

    def leave(_module, args, kwargs, output):
        return lift(output) if depth.pop() else output

    module.register_forward_pre_hook(enter, with_kwargs=True)
    module.register_forward_hook(leave, with_kwargs=True)
