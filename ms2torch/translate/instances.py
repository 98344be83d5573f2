"""What a run made of a program's own Cells: with which arguments each was made, and first called."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

import torch

from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell

# Of one class, so many instances are kept; of their inputs, tensors of so many elements in all.
_INSTANCES, _ELEMENTS = 8, 1 << 28
# Classes of more instances are small change; so many calls are looked at for one with a gradient.
_MANY, _LOOKS = 512, 64


class Called(NamedTuple):
    """The first call of an instance in one mode: copies of what it was given.

    A call that a gradient goes through is preferred; the inputs that it reaches require one in the copy.
    """

    training: bool
    arguments: tuple
    keywords: dict

    @property
    def differentiates(self) -> bool:
        return _differentiates((self.arguments, self.keywords))


def _differentiates(value) -> bool:
    if isinstance(value, dict):
        return any(map(_differentiates, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_differentiates, value))
    value = value._t if isinstance(value, Tensor) else value
    return isinstance(value, torch.Tensor) and value.requires_grad


class Instance:
    """One Cell of the program's: how it was made, and its first calls."""

    def __init__(self, cell: Cell, arguments: tuple, keywords: dict) -> None:
        self.cell, self.arguments, self.keywords = cell, arguments, keywords
        self.calls: dict[bool, Called] = {}
        self.looked = 0

    @property
    def signature(self) -> tuple:
        """What tells instances that compute alike: the shapes of their parameters and of their inputs."""
        shapes = tuple((name, tuple(p.shape)) for name, p in self.cell.parameters_and_names())
        calls = tuple((mode, repr(_shapes(c.arguments))) for mode, c in sorted(self.calls.items()))
        return shapes, calls, repr(_settings((self.arguments, self.keywords)))


def _settings(value):
    """What of arguments chooses what a Cell is: plain values, and which classes and functions."""
    if isinstance(value, dict):
        return {k: _settings(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_settings(v) for v in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    return getattr(value, "__qualname__", type(value).__qualname__)


def _shapes(value):
    if isinstance(value, torch.Tensor):
        return tuple(value.shape), value.dtype
    if isinstance(value, (list, tuple)):
        return [_shapes(v) for v in value]
    return type(value).__name__


class Instances:
    """The instances of all Cells that are defined in some files."""

    def __init__(self, files: set[str]) -> None:
        self.files = files
        self.made: dict[int, Instance] = {}
        self.watching = False
        self._ours: dict[type, bool] = {}
        self._counts: dict[type, int] = {}
        self._elements = 0

    def install(self) -> None:
        """Look at every Cell that is made and called from now on."""
        call = Cell.__call__

        def __new__(cls, *args, **kwargs):
            cell = object.__new__(cls)
            if self.watching and self._is_ours(cls):
                self._note(cell, args, kwargs)
            return cell

        def __call__(cell, *args, **kwargs):
            if self.watching and id(cell) in self.made:
                self._called(cell, args, kwargs)
            return call(cell, *args, **kwargs)

        Cell.__new__, Cell.__call__ = __new__, __call__
        self.watching = True

    def _is_ours(self, cls: type) -> bool:
        if cls not in self._ours:
            file = getattr(sys.modules.get(cls.__module__), "__file__", None)
            self._ours[cls] = bool(file) and os.path.realpath(file) in self.files
        return self._ours[cls]

    def _note(self, cell: Cell, args: tuple, kwargs: dict) -> None:
        """Every instance is kept, for another may be made with it."""
        self._counts[type(cell)] = self._counts.get(type(cell), 0) + 1
        self.made[id(cell)] = Instance(cell, args, kwargs)

    def _called(self, cell: Cell, args: tuple, kwargs: dict) -> None:
        instance = self.made[id(cell)]
        training = bool(cell.training)
        known = instance.calls.get(training)
        if instance.cell is not cell or self._counts[type(cell)] > _MANY or instance.looked > _LOOKS:
            return
        if known is not None:
            instance.looked += 1
            if known.differentiates or not _differentiates((args, kwargs)):
                return
        self.watching = False
        try:
            instance.calls[training] = Called(training, self._copied(args), self._copied(kwargs))
        except Exception:
            pass  # inside one of torch's transforms there are no values to copy
        finally:
            self.watching = True

    def _copied(self, value):
        """The values of Tensors, as torch tensors; everything else as it is."""
        if isinstance(value, Tensor):
            self._elements += value._t.numel()
            if self._elements > _ELEMENTS:
                raise MemoryError
            return value._t.detach().clone().requires_grad_(value._t.requires_grad)
        if isinstance(value, dict):
            return {k: self._copied(v) for k, v in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._copied(v) for v in value)
        return value

    def by_class(self) -> dict[type, list[Instance]]:
        """Instances that were called, of each class those that differ in shapes; parts before wholes."""
        found: dict[type, dict[tuple, Instance]] = {}
        for instance in self.made.values():
            if instance.calls:
                kept = found.setdefault(type(instance.cell), {})
                if len(kept) < _INSTANCES:
                    kept.setdefault(instance.signature, instance)
        sizes = {cls: max(depth(i.cell) for i in kept.values()) for cls, kept in found.items()}
        return {cls: list(found[cls].values()) for cls in sorted(found, key=sizes.get)}


def depth(cell: Cell) -> int:
    """How many Cells lie within one another."""
    return 1 + max((depth(child) for child in cell._modules.values() if isinstance(child, Cell)), default=0)
