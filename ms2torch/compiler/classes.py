"""Attributes of the program's classes: ``Net.temperature = 2`` between steps, and what a step sets there."""

from __future__ import annotations

import argparse
import sys
import types

from .effects import USERS, owner_of
from .places import Place
from .state import DEEP, Contents, numbers_at, token

# Objects of Python's own that programs keep their settings in.
_HOLDERS = (types.SimpleNamespace, argparse.Namespace)


def holds_settings(value) -> bool:
    """Whether ``value`` is an object of a program whose attributes a step may read."""
    return isinstance(value, _HOLDERS) or is_users_class(type(value))


def is_users_class(cls: type) -> bool:
    """Whether a class is the program's, or of a package on top of MindSpore."""
    if cls.__module__ in sys.builtin_module_names:
        return False
    return owner_of(getattr(sys.modules.get(cls.__module__), "__file__", None) or "") is USERS


def _token(value, free: tuple = ()):
    """What tells whether an attribute is the same; graph mode's form of a method is the method."""
    if isinstance(value, types.FunctionType):
        return id(getattr(value, "_graph_source", value))
    return token(value, DEEP, free)


_NOTHING = object()     # in the place of an attribute that is not there


class Classes:
    """The attributes of classes, and of those that they derive from, as the trace first saw them."""

    def __init__(self) -> None:
        self._kept: dict[type, dict[str, tuple]] = {}       # (token, value) by name
        self._sizes: dict[type, int] = {}
        self._names: set[str] | None = None                 # those that matter, once it is known
        self._free: dict[tuple, tuple] = {}     # by class and name: the paths to numbers that may change
        self._contents = Contents()

    def watch(self, cls: type) -> None:
        """Watch ``cls``."""
        for one in cls.__mro__ if cls not in self._kept else ():
            if one in self._kept or not is_users_class(one):
                continue
            self._kept[one] = kept = {}
            self._sizes[one] = len(vars(one))
            for name, value in vars(one).items():
                if not name.startswith("__"):
                    kept[name] = _token(value), value
                    self._contents.remember(value)

    def changed(self) -> list[tuple]:
        """What is not as it was: pairs of a class and a name."""
        found = []
        for cls, kept in self._kept.items():
            own = cls.__dict__
            found += [(cls, name) for name, (was, _) in kept.items()
                      if name not in own or _token(own[name], self._free.get((cls, name), ())) != was]
            if len(own) != self._sizes[cls]:
                found += [(cls, name) for name in own.keys() - kept.keys() if not name.startswith("__")
                          and (self._names is None or name in self._names)]
        return found

    def numbers(self, cls: type, name: str) -> list[Place] | None:
        """The places of the numbers by which an attribute is not as it was."""
        was, value = self._kept[cls].get(name, (None, _NOTHING))
        return numbers_at(cls, name, f"{cls.__name__}.{name}", was, value, self._free.get((cls, name), ()))

    def leads_to(self, place: Place) -> bool:
        """Whether the containers on the way to an item were there before."""
        return self._contents.leads_to(place)

    def put_back(self, names: set | None) -> None:
        """Make them as they were; those of ``names`` only, and what stands in them only with None in it."""
        for cls, name in self.changed():
            value = self._kept[cls].get(name, (None, _NOTHING))[1]
            if (names is None or name in names) and cls.__dict__.get(name, _NOTHING) is not value:
                delattr(cls, name) if value is _NOTHING else setattr(cls, name, value)
        if names is None or None in names:
            self._contents.put_back()

    def settle(self, names: set | None) -> None:
        """Go on with those of ``names`` alone, which the step's code reads; None: with all."""
        self._names = names
        if names is None:
            return
        self._kept = {cls: {name: kept[name] for name in kept.keys() & names}
                      for cls, kept in self._kept.items()}

    def release(self, paths: dict[tuple, tuple]) -> None:
        """From here on the numbers that ``paths`` lead to, by the class's id and the name, may change."""
        for cls, kept in self._kept.items():
            for name, (_, value) in kept.items():
                free = paths.get((id(cls), name))
                if free is not None:
                    self._free[cls, name] = free
                    kept[name] = _token(cls.__dict__.get(name), free), value
