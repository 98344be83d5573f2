"""Python's state as a step finds it: told by tokens, kept by copies, put back."""

from __future__ import annotations

from collections import deque
from collections.abc import MutableMapping
from typing import NamedTuple
from zlib import crc32

import numpy as np
import torch

from ms2torch._core.live_numbers import Live

from .places import Place, can_hold

PLAIN = (bool, int, float, complex, str, bytes, type(None))
# Containers of more items are told by which objects are in them, arrays by a checksum; containers in
# containers are looked into to this depth, and nothing that is larger than `HUGE` is.
MANY, DEEP, HUGE = 256, 3, 65_536
# Of objects with more attributes than this, those matter that the step's code names.
FEW = 8
_FILLED = (list, dict, set, deque, np.ndarray)
# Containers whose numbers may be inputs.
_ITEMS = (list, dict, tuple)
# Dicts that every Cell has, which change by calls that `mode.changes` counts.
_OF_ALL = frozenset(vars(torch.nn.Module())) | {"_func_graph_flags"}
# What Cells keep for themselves, which changes no number.
INTERNAL = frozenset({
    "_records", "_children_marked", "_evaluated", "_in_slow_construct", "_hosted", "_fresh", "_checked",
    "_compiled_step", "_steps_left", "_late_step", "_listed", "_parameters", "_params", "_buffers",
    "_ms_buffers", "_primitives", "_phase", "_slow", "_scope", "_non_persistent_buffers_set"})


def token(value, deep: int = DEEP, free: tuple = ()):
    """What tells whether ``value`` is still the same: itself, its items, or who it is. The numbers that the
    paths ``free`` lead to may be others."""
    kind = value.__class__
    if free and (() in free or not isinstance(value, _ITEMS)):
        return kind
    if free:
        items = [(key, token(item, deep - 1, below(free, key))) for key, item in items_of(value)]
        return kind, tuple(items if kind is dict else [item for _, item in items])
    if kind is int or kind is str:
        return value
    if kind is Live:            # (it would be asked whether it is the same)
        return id(value)
    if isinstance(value, PLAIN):
        return kind, value if value == value else "nan"
    if isinstance(value, (tuple, list, set, frozenset, deque)):
        if len(value) > MANY or not deep:
            return _by_objects(value, value)
        return kind, tuple([token(v, deep - 1) for v in value])
    if isinstance(value, dict):
        if len(value) > MANY or not deep:
            return _by_objects(value, value.values())
        return kind, tuple([(k, token(v, deep - 1)) for k, v in value.items()])
    if kind is np.ndarray and value.size <= HUGE:
        content = value.tobytes()
        return id(value), value.dtype, value.shape, content if value.size <= MANY else crc32(content)
    return id(value)


def _by_objects(container, items) -> tuple:
    """What tells whether a long or deep container has other items."""
    known = hash(tuple(map(id, items))) if len(container) <= HUGE else None
    return container.__class__, id(container), len(container), known


def is_huge(value) -> bool:
    """Whether nothing tells that other numbers stand in a container."""
    if isinstance(value, np.ndarray):
        return value.size > HUGE
    return isinstance(value, (list, tuple, dict)) and len(value) > HUGE


def items_of(container) -> list[tuple]:
    """The keys and items of a list, tuple or dict."""
    return list(container.items() if isinstance(container, dict) else enumerate(container))


def below(paths: tuple, key) -> tuple:
    """What is left of the ``paths`` that begin with ``key``."""
    return tuple([path[1:] for path in paths if path[0] == key])


def moved_in(was, value, free: tuple = (), deep: int = DEEP) -> list[tuple] | None:
    """The paths of the numbers by which ``value`` is not what the token ``was`` tells; None where anything
    else differs."""
    if token(value, deep, free) == was:
        return []
    kind = value.__class__
    if kind is int or kind is float or kind is Live:
        number = was.__class__ is int if kind is not float else was.__class__ is tuple and was[0] is float
        return [()] if number else None
    if kind not in _ITEMS or was.__class__ is not tuple or was[0] is not kind or len(was) != 2:
        return None
    known, items = was[1], items_of(value)
    if len(known) != len(items) or (kind is dict and [key for key, _ in known] != [key for key, _ in items]):
        return None
    found: list[tuple] = []
    for one, (key, item) in zip(known, items, strict=True):
        inner = moved_in(one[1] if kind is dict else one, item, below(free, key), deep - 1)
        if inner is None:
            return None
        found += [(key, *path) for path in inner]
    return found


class Held(NamedTuple):
    """What stands at a place, as it was."""

    holder: object
    name: str | None
    called: str
    was: object
    value: object
    free: tuple = ()
    still: bool = False     # whether the same object is the same value

    @classmethod
    def now(cls, holder, name: str | None, called: str, free: tuple = ()) -> Held:
        """What stands there now."""
        value = Place(holder, name, called).get()
        still = not isinstance(value, (list, tuple, dict, set, frozenset, deque, np.ndarray))
        return cls(holder, name, called, token(value, DEEP, free), value, free, still)

    def numbers(self) -> list[Place] | None:
        """The places of the numbers by which it is not as it was; None where anything else differs."""
        return numbers_at(self.holder, self.name, self.called, self.was, self.value, self.free)

    def changed(self) -> bool:
        """Whether it is not as it was."""
        return token(Place(self.holder, self.name, self.called).get(), DEEP, self.free) != self.was

    def releasing(self, paths: tuple) -> Held:
        """The same, where the numbers that ``paths`` lead to may change."""
        return Held.now(self.holder, self.name, self.called, paths) if paths else self


def numbers_at(holder, name: str | None, called: str, was, old, free: tuple = ()) -> list[Place] | None:
    """The places of the numbers by which what stands at a place is not ``old``, which the token ``was``
    tells; None where anything else differs."""
    here = Place(holder, name, called).get()
    if can_hold(old, here):
        return [Place(holder, name, called)]
    alike = here.__class__ in _ITEMS and here.__class__ is old.__class__
    paths = moved_in(was, here, free) if alike else None
    return None if paths is None else [Place(holder, name, called, path) for path in paths]


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

    def leads_to(self, place: Place) -> bool:
        """Whether the containers on the way to an item were there before."""
        way = [Place(place.holder, place.name, "", place.path[:n]).get() for n in range(len(place.path))]
        return all(one.__class__ is tuple or id(one) in self._kept for one in way)

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
        self.free: dict[str, tuple] = {}    # names that may change, or the paths to numbers there
        self.names: set[str] | None = None  # those that matter; None: all
        self._kept, self._contents = dict(self.own), Contents()
        for name, value in self._kept.items():
            self._contents.remember(value, 0 if name in INTERNAL else DEEP)
        self.tokens = self.now()

    def now(self) -> dict:
        """What tells whether the attributes are as they were."""
        free = self.free
        if isinstance(self.owner, torch.nn.Module):
            return {name: token(value, DEEP, free.get(name, ())) for name, value in self.own.items()
                    if name not in INTERNAL}
        # (Of our own objects, what begins with a line is a cache.)
        ours, names = type(self.owner).__module__.partition(".")[0] == "ms2torch", self.names
        return {name: token(value, DEEP, free.get(name, ())) for name, value in self.own.items()
                if not (ours and name[:1] == "_") and (names is None or name in names)}

    def narrow(self, names: set | None) -> bool:
        """From here on those of ``names`` matter (None: all); whether there are any."""
        if names is not None and len(self.tokens) > FEW:
            self.names = names
            self.tokens = {name: was for name, was in self.tokens.items() if name in names}
        return bool(self.tokens)

    def called(self, name: str) -> str:
        """An attribute as a notice names it."""
        return f"{type(self.owner).__name__}.{name}"

    def containers(self, names: set | None) -> list[Held]:
        """What can change unseen: lists, dicts and arrays among ``names``."""
        return [Held.now(self.own, name, self.called(name)) for name in self.tokens
                if isinstance(self.own.get(name), _FILLED) and (names is None or name in names)
                and name not in _OF_ALL]

    def release(self, name: str, paths: tuple) -> None:
        """From here on the numbers in attribute ``name`` that ``paths`` lead to may change."""
        self.free[name] = paths
        if name in self.tokens:
            self.tokens[name] = token(self.own.get(name), DEEP, paths)

    def changed(self) -> list[str]:
        """The names of the attributes that are not as they were."""
        now = self.now()
        if now == self.tokens:
            return []
        return [n for n in {**self.tokens, **now} if now.get(n, self) != self.tokens.get(n, self)]

    def numbers(self, name: str) -> list[Place] | None:
        """The places of the numbers by which an attribute is not as it was."""
        return numbers_at(self.own, name, self.called(name), self.tokens.get(name), self._kept.get(name),
                          self.free.get(name, ()))

    def leads_to(self, place: Place) -> bool:
        """Whether the containers on the way to an item were there before."""
        return self._contents.leads_to(place)

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
