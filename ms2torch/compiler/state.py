"""Python's state as a step finds it: told by tokens, kept by copies, put back."""

from __future__ import annotations

from collections import deque
from collections.abc import MutableMapping

import numpy as np
import torch

from ms2torch._core.live_numbers import Live

from .places import Place, can_hold

PLAIN = (bool, int, float, complex, str, bytes, type(None))
# Containers of more items are told by their length, and containers in containers to this depth.
MANY, DEEP = 256, 3
# Of objects with more attributes than this, those matter that the step's code names.
FEW = 8
_FILLED = (list, dict, set, deque, np.ndarray)
# Dicts that every Cell has, which change by calls that `mode.changes` counts.
_OF_ALL = frozenset(vars(torch.nn.Module())) | {"_func_graph_flags"}
# What Cells keep for themselves, which changes no number.
INTERNAL = frozenset({
    "_records", "_children_marked", "_in_slow_construct", "_hosted", "_fresh", "_checked", "_compiled_step",
    "_steps_left", "_late_step", "_listed", "_parameters", "_params", "_buffers", "_ms_buffers",
    "_primitives", "_phase", "_slow", "_scope", "_non_persistent_buffers_set"})


def token(value, deep: int = DEEP):
    """What tells whether ``value`` is still the same: itself, its items, or who it is."""
    kind = value.__class__
    if kind is int or kind is str:
        return value
    if kind is Live:            # (it would be asked whether it is the same)
        return id(value)
    if isinstance(value, PLAIN):
        return kind, value if value == value else "nan"
    if isinstance(value, (tuple, list, set, frozenset, deque)):
        if len(value) > MANY or not deep:
            return kind, id(value), len(value)
        return kind, tuple([token(v, deep - 1) for v in value])
    if isinstance(value, dict):
        if len(value) > MANY or not deep:
            return kind, id(value), len(value)
        return kind, tuple([(k, token(v, deep - 1)) for k, v in value.items()])
    if kind is np.ndarray and value.size <= MANY:
        return id(value), value.dtype, value.tobytes()
    return id(value)


class Contents:
    """What stands in a container, and in the containers in it; `put_back` makes it so again."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[int, tuple] = {}

    def remember(self, value, deep: int = DEEP) -> None:
        if isinstance(value, (list, dict, set, deque)):
            if id(value) in self._kept:
                return
            self._kept[id(value)] = value, list(value.items() if isinstance(value, dict) else value)
        elif value.__class__ is np.ndarray:
            if value.size <= MANY:
                self._kept[id(value)] = value, value.copy()
            return
        elif not isinstance(value, tuple):
            return
        if deep and len(value) <= MANY:
            for item in value.values() if isinstance(value, dict) else value:
                self.remember(item, deep - 1)

    def put_back(self) -> None:
        for value, kept in self._kept.values():
            if value.__class__ is np.ndarray:
                if value.flags.writeable:
                    value[...] = kept
            elif isinstance(value, dict):
                if not _same([x for pair in value.items() for x in pair], [x for pair in kept for x in pair]):
                    dict.clear(value)
                    dict.update(value, kept)
            elif not _same(list(value), kept):
                value.clear()
                (value.update if isinstance(value, set) else value.extend)(kept)


def _same(one: list, other: list) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


class Slots(MutableMapping):
    """The attributes of an object whose class has ``__slots__``, as other objects have them in a dict."""

    def __init__(self, owner) -> None:
        self._owner = owner
        self._names = [name for cls in type(owner).__mro__ for name in _slots_of(cls)]

    def __iter__(self):
        return (name for name in self._names if hasattr(self._owner, name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str):
        try:
            return getattr(self._owner, name)
        except AttributeError:
            raise KeyError(name) from None

    def __setitem__(self, name: str, value) -> None:
        object.__setattr__(self._owner, name, value)

    def __delitem__(self, name: str) -> None:
        object.__delattr__(self._owner, name)


def _slots_of(cls: type) -> tuple:
    names = cls.__dict__.get("__slots__", ())
    return (names,) if isinstance(names, str) else tuple(names)


def has_slots(value) -> bool:
    """Whether attributes of ``value`` are in slots, and nowhere else."""
    return not hasattr(value, "__dict__") and any(map(_slots_of, type(value).__mro__))


class Attributes:
    """The attributes of one object as they were when the trace first saw it."""

    __slots__ = ("_contents", "_kept", "free", "names", "own", "owner", "tokens")

    def __init__(self, owner) -> None:
        self.owner, self.own = owner, Slots(owner) if has_slots(owner) else owner.__dict__
        self.free: set[str] = set()         # names that may change
        self.names: set[str] | None = None  # those that matter; None: all
        self._kept, self._contents = dict(self.own), Contents()
        for name, value in self._kept.items():
            self._contents.remember(value, 0 if name in INTERNAL else DEEP)
        self.tokens = self.now()

    def now(self) -> dict:
        """What tells whether the attributes are as they were."""
        free = self.free
        if isinstance(self.owner, torch.nn.Module):
            return {name: token(value) for name, value in self.own.items()
                    if name not in INTERNAL and name not in free}
        # (Of our own objects, what begins with a line is a cache.)
        ours, names = type(self.owner).__module__.partition(".")[0] == "ms2torch", self.names
        return {name: token(value) for name, value in self.own.items()
                if not (ours and name[:1] == "_") and name not in free and (names is None or name in names)}

    def narrow(self, names: set | None) -> bool:
        """From here on those of ``names`` matter (None: all); whether there are any."""
        if names is not None and len(self.tokens) > FEW:
            self.names = names
            self.tokens = {name: was for name, was in self.tokens.items() if name in names}
        return bool(self.tokens)

    def containers(self, names: set | None) -> list[tuple]:
        """What can change unseen: (attributes, name, token) of lists, dicts and arrays among ``names``."""
        return [(self.own, name, was) for name, was in self.tokens.items()
                if isinstance(self.own.get(name), _FILLED) and (names is None or name in names)
                and name not in _OF_ALL]

    def release(self, name: str) -> None:
        """From here on attribute ``name`` may change."""
        self.free.add(name)
        self.tokens.pop(name, None)

    def changed(self) -> list[str]:
        """The names of the attributes that are not as they were."""
        now = self.now()
        if now == self.tokens:
            return []
        return [n for n in {**self.tokens, **now} if now.get(n, self) != self.tokens.get(n, self)]

    def number(self, name: str) -> Place | None:
        """The place of an attribute that was a number and is another one now."""
        if not can_hold(self._kept.get(name), self.own.get(name)):
            return None
        return Place(self.own, name, f"{type(self.owner).__name__}.{name}")

    def holds(self, name: str) -> bool:
        """Whether an attribute is the same object, whatever is in it now."""
        return self.own.get(name, self) is self._kept.get(name)

    def restore(self, names: set | None = None) -> None:
        """Make them as they were; those of ``names`` only, and what stands in them only with None in it."""
        for name, value in self._kept.items():
            here = self.own.get(name, self)
            if here is not value and (names is None or name in names) and not (
                    name in INTERNAL and isinstance(here, (list, dict, set))):
                self.own[name] = value
        for name in self.own.keys() - self._kept.keys() - INTERNAL:
            if names is None or name in names:
                del self.own[name]
        if names is None or None in names:
            self._contents.put_back()
