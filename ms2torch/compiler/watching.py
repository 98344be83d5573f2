"""What of Python's state a step saw while it was traced: guarded from then on, and what it changed.

A trace is one run of a step. It holds as long as the attributes, globals and closures that the step's own
code can read are as they were. A step that writes to them has a side effect that a graph would lose.
"""

from __future__ import annotations

import builtins
import gc
import os
import random
import sys
import sysconfig
import time
import types

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.optim._step import HostValues

_OURS = tuple(os.path.realpath(place) + os.sep for place in (
    os.path.dirname(os.path.dirname(__file__)), os.path.dirname(torch.__file__),
    os.path.dirname(np.__file__)))
_LIBRARY = (sysconfig.get_path("stdlib") + os.sep, "<")
_SITE = sysconfig.get_path("purelib") + os.sep
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_MANY = 256
# What Cells keep for themselves, which changes no number.
_INTERNAL = frozenset({
    "_records", "_children_marked", "_in_slow_construct", "_hosted", "_fresh", "_checked", "_steps",
    "_steps_left", "_late_step", "_listed", "_parameters", "_params", "_buffers", "_ms_buffers",
    "_primitives", "_phase", "_slow", "_scope", "_non_persistent_buffers_set"})
_EFFECTS = {builtins.print: "print", builtins.open: "open", builtins.input: "input",
            time.time: "time.time", time.perf_counter: "time.perf_counter", time.sleep: "time.sleep"}


def is_users(filename: str) -> bool:
    """Whether a file is the program's, or of a package on top of MindSpore: not torch's, Python's or ours."""
    if filename.startswith(_OURS):
        return False
    return filename.startswith(_SITE) or not filename.startswith(_LIBRARY)


def token(value):
    """What tells whether ``value`` is still the same: itself, its items, or who it is."""
    if isinstance(value, _PLAIN):
        return value if value == value else "nan"
    if isinstance(value, (tuple, list, set, frozenset)) and len(value) <= _MANY:
        return value.__class__, tuple(v if isinstance(v, _PLAIN) else id(v) for v in value)
    if isinstance(value, dict) and len(value) <= _MANY:
        return tuple((k, v if isinstance(v, _PLAIN) else id(v)) for k, v in value.items())
    return id(value)


def _is_watched(value) -> bool:
    """Whether ``value`` is an object of a program whose attributes its code may read."""
    return hasattr(value, "__dict__") and not isinstance(
        value, (type, types.ModuleType, types.FunctionType, types.MethodType, torch.Tensor, Tensor))


class _Attributes:
    """The attributes of one object as they were when the trace first saw it."""

    __slots__ = ("kept", "own", "owner", "tokens")

    def __init__(self, owner) -> None:
        self.owner, self.own = owner, owner.__dict__
        self.kept = dict(self.own)
        self.kept.update({k: v.copy() for k, v in self.kept.items() if v.__class__ in (list, dict, set)})
        self.tokens = self._now()

    def _now(self) -> dict:
        kind = type(self.owner)
        if isinstance(self.owner, torch.nn.Module):
            return {name: token(value) for name, value in self.own.items() if name not in _INTERNAL}
        # (Of our own objects, what begins with a line is a cache.)
        ours = kind.__module__.partition(".")[0] == "ms2torch"
        return {name: token(value) for name, value in self.own.items() if not (ours and name[:1] == "_")}

    def changed(self) -> str | None:
        """The name of an attribute that is not as it was."""
        now = self._now()
        if now == self.tokens:
            return None
        names = {*now, *self.tokens}
        return next((n for n in names if now.get(n, self) != self.tokens.get(n, self)), None)

    def restore(self) -> None:
        for name, value in self.kept.items():
            here = self.own.get(name)
            if here.__class__ in (list, dict, set) and here.__class__ is value.__class__ and here != value:
                here.clear()
                here.extend(value) if here.__class__ is list else here.update(value)
            elif here is not value and here.__class__ not in (list, dict, set):
                self.own[name] = value
        for name in self.own.keys() - self.kept.keys():
            if name not in _INTERNAL:
                del self.own[name]


class Watch:
    """``with Watch(entry)``: notes what the step's own code can see; `broken` tells later what changed."""

    def __init__(self, *entries) -> None:
        self._objects: dict[int, _Attributes] = {}
        self._names: list[tuple] = []       # (namespace, name, token)
        self._cells: list[tuple] = []       # (closure cell, token)
        self._codes: dict = {}
        self.effect: str | None = None
        self._seen: set[int] = set()
        for entry in entries:
            self._reach(entry)

    # ---- while the trace runs ------------------------------------------------------------------------------

    def __enter__(self) -> Watch:
        self._random = random.getstate(), np.random.get_state()
        # (A collection calls whoever asked for it, in the middle of the step: that is not the step's code.)
        self._collects = gc.isenabled()
        gc.disable()
        self._before = sys.getprofile()
        sys.setprofile(self._see)
        return self

    def __exit__(self, *exc) -> None:
        sys.setprofile(self._before)
        if self._collects:
            gc.enable()
        python, numpy = self._random
        if python != random.getstate():
            random.setstate(python)
            self.effect = self.effect or "it draws from Python's random"
        state = np.random.get_state()
        if numpy[2:] != state[2:] or not np.array_equal(numpy[1], state[1]):
            np.random.set_state(numpy)
            self.effect = self.effect or "it draws from numpy.random"
        for found in self._objects.values():
            name = found.changed()
            if name is not None:
                kind = type(found.owner).__name__
                self.effect = self.effect or f"it sets {kind}.{name}"
            found.restore()
        for space, name, was in self._names:
            if name not in space or token(space[name]) != was:
                self.effect = self.effect or f"it changes the global {name}"

    def _see(self, frame, event, arg) -> None:
        code = frame.f_code
        users = self._codes.get(code)
        if users is None:
            users = self._codes[code] = is_users(code.co_filename)
            if users:
                self._read(frame, code)
        if users:
            if event == "c_call" and self.effect is None:
                try:
                    name = _EFFECTS.get(arg)
                except TypeError:
                    return
                if name is not None:
                    place = f"{os.path.basename(code.co_filename)}:{frame.f_lineno}"
                    self.effect = f"{place} calls {name}"
            elif event == "call" and code.co_argcount:
                self._reach(frame.f_locals.get(code.co_varnames[0]))

    def _read(self, frame, code) -> None:
        space = frame.f_globals
        for name in code.co_names:
            if name in space:
                self._name(space, name)

    # ---- what can be reached -------------------------------------------------------------------------------

    def _name(self, space: dict, name: str) -> None:
        value = space[name]
        if isinstance(value, (types.ModuleType, type)):
            return
        self._names.append((space, name, token(value)))
        self._reach(value)

    def _reach(self, value) -> None:
        """Watch ``value``, what its closure holds, and the Cells below it."""
        if id(value) in self._seen or isinstance(value, _PLAIN):
            return
        self._seen.add(id(value))
        if isinstance(value, types.MethodType):
            self._reach(value.__self__)
            value = value.__func__
        inner = getattr(value, "_graph_source", None)
        if isinstance(inner, types.FunctionType):
            self._reach(inner)
        if isinstance(value, types.FunctionType):
            if is_users(value.__code__.co_filename):
                for cell in value.__closure__ or ():
                    try:
                        content = cell.cell_contents
                    except ValueError:
                        continue
                    self._cells.append((cell, token(content)))
                    self._reach(content)
            return
        if isinstance(value, (list, tuple)) and len(value) <= _MANY:
            for item in value:
                self._reach(item)
            return
        if not _is_watched(value) or isinstance(value, HostValues):
            return          # (an optimizer's own part of a step runs at each step)
        self._objects[id(value)] = _Attributes(value)
        if isinstance(value, torch.nn.Module):
            for child in value.__dict__.get("_modules", {}).values():
                self._reach(child)
        elif is_users(getattr(sys.modules.get(type(value).__module__), "__file__", None) or ""):
            for item in list(value.__dict__.values()):
                self._reach(item)

    def modules(self) -> list:
        """The Cells that the step can reach."""
        return [found.owner for found in self._objects.values()
                if isinstance(found.owner, torch.nn.Module)]

    # ---- afterwards ----------------------------------------------------------------------------------------

    def settle(self) -> None:
        """From here on `holds` compares; what is looked at at each step is as little as there is."""
        self._loose = [f for f in self._objects.values() if not isinstance(f.owner, torch.nn.Module)
                       and is_users(getattr(sys.modules.get(type(f.owner).__module__), "__file__", "") or "")]
        self._changes = mode.changes
        self._codes = {}

    def holds(self) -> bool:
        """Whether everything is as the trace saw it."""
        for space, name, was in self._names:
            if name not in space or token(space[name]) != was:
                return False
        for cell, was in self._cells:
            if token(cell.cell_contents) != was:
                return False
        for found in self._loose:
            if found._now() != found.tokens:
                return False
        if self._changes != mode.changes:
            if any(found.changed() for found in self._objects.values()):
                return False
            self._changes = mode.changes
        return True
