"""What of Python's state a step saw while it was traced: guarded from then on, and what it changed.

A trace is one run of a step. It holds as long as the attributes, globals and closures that the step's own
code can read are as they were. A step that writes to them has a side effect that a graph would lose.
"""

from __future__ import annotations

import dis
import gc
import sys
import threading
import types

import torch

from ms2torch._core import mode
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.optim._step import HostValues

from . import effects
from .classes import Classes, holds_settings
from .effects import ENGINE, USERS, Draws, Stopped, owner_of
from .places import Place
from .state import DEEP, INTERNAL, MANY, PLAIN, Attributes, Contents, Held, has_slots, is_huge, token

# Methods that change what they belong to, and ways to set an attribute by its name.
_CHANGING = frozenset({
    "append", "extend", "insert", "pop", "remove", "clear", "update", "add", "discard", "setdefault", "sort",
    "reverse", "appendleft", "popleft", "popitem", "setattr", "delattr", "__dict__", "vars"})


# Ways to read an attribute that no code names.
_READING = frozenset({"getattr", "vars", "__dict__", "asdict", "attrgetter"})
# What may hold objects of a program.
_HELD = (type, list, tuple, dict)
# Methods of a program's classes that others than its own code call.
_CALLED = frozenset({"construct", "bprop"})
# Where a Cell keeps its Parameters and buffers.
_STORES = ("_params", "_buffers", "_ms_buffers")
# How code reads and assigns globals.
_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")
_AROUND = "a name of the function around it"


def is_users(filename: str) -> bool:
    """Whether a file is the program's, or of a package on top of MindSpore: not torch's, Python's or ours."""
    return owner_of(filename) is USERS


def _globals_of(code: types.CodeType) -> list[str]:
    """The globals that a function's code reads or assigns."""
    return list(dict.fromkeys([step.argval for step in dis.get_instructions(code)
                               if step.opname in _GLOBALS]))


def _file_of(module) -> str:
    return getattr(module, "__file__", None) or ""


def _is_watched(value) -> bool:
    """Whether ``value`` is an object of a program whose attributes its code may read."""
    return (hasattr(value, "__dict__") or has_slots(value)) and not isinstance(
        value, (type, types.ModuleType, types.FunctionType, types.MethodType, torch.Tensor, Tensor))


class Watch:
    """``with Watch(entry)``: notes what the step's own code can see; `holds` tells later whether it is so.

    What the step itself changed is put back, for the step will run. What other threads changed stays.
    """

    def __init__(self, *entries) -> None:
        self._objects: dict[int, Attributes] = {}
        self._names: list[Held] = []        # globals, and containers among attributes
        self._cells: list[Held] = []        # cells of closures
        self._contents = Contents()         # of globals and closures
        self._classes = Classes()
        self._read_names: set[str] = set()  # all names in the step's own code
        self._codes: dict = {}
        self._reached: set = set()          # codes of functions whose closures are watched, and those in them
        self._draws = Draws()
        self.effect: str | None = None
        self.written: dict[tuple, tuple] = {}       # numbers that the step wrote: (Place, value) by its key
        self._seen: set[int] = set()
        self._huge = ["an argument" for entry in entries if is_huge(entry)]
        for entry in entries:
            self._reach(entry)

    # ---- while the trace runs ------------------------------------------------------------------------------

    def __enter__(self) -> Watch:
        # (A collection calls whoever asked for it, in the middle of the step: that is not the step's code.)
        self._collects = gc.isenabled()
        gc.disable()
        self._before = sys.getprofile()
        sys.setprofile(self._see)
        return self

    def __exit__(self, *exc) -> None:
        sys.setprofile(None)
        if self._collects:
            gc.enable()
        drawn = self._draws.settle()
        self.effect = self.effect or drawn
        self._put_back(None if threading.active_count() == 1 else self._stored())
        _profile_again(self._before)

    def _see(self, frame, event, arg) -> None:
        code = frame.f_code
        kind = self._codes.get(code)
        if kind is None:
            kind = owner_of(code.co_filename)
            if kind is USERS and effects.is_incidental(frame):
                return
            self._codes[code] = kind
            if kind is USERS or code.co_filename[:1] == "<":        # (what dataclasses make of a class)
                self._read_names.update(code.co_names, [c for c in code.co_consts if c.__class__ is str])
            if kind is USERS:
                self._read(frame, code)
        if kind is ENGINE:
            return
        if event == "c_call":
            effect = effects.effect_of(frame, arg)
            if effect is not None:
                self.effect = self.effect or effect
                raise Stopped(effect)
        elif event == "call" and kind is USERS and code.co_argcount:
            self._reach(frame.f_locals.get(code.co_varnames[0]))

    def _read(self, frame, code) -> None:
        space = frame.f_globals
        names = [name for name in _globals_of(code) if name in space]
        if effects.draws(code.co_names, [space[name] for name in names]):
            self.effect = self.effect or f"{code.co_name}() draws from numpy.random"
            raise Stopped(self.effect)
        for name in names:
            self._name(space, name)
            if isinstance(space[name], types.ModuleType) and is_users(_file_of(space[name])):
                held = vars(space[name])        # a module of settings
                for inner in code.co_names:
                    if inner in held:
                        self._name(held, inner)
        if code.co_freevars and code not in self._reached:      # a function that something of ours holds
            for function in gc.get_referrers(code):
                if isinstance(function, types.FunctionType):
                    self._reach(function)

    def _put_back(self, stored: set | None) -> None:
        """Undo what the step changed; ``stored``: the names that it can have changed, None for any."""
        for found in self._objects.values():
            for name in found.changed():
                if stored is None or (None if found.holds(name) else name) in stored:
                    self._wrote(found.numbers(name), found, f"it sets {found.called(name)}")
            found.restore(stored)
        for held in self._names:
            here, value = held.holder.get(held.name, self), held.value
            by = None if here is value else held.name       # (its items, or itself)
            if (stored is None or by in stored) and token(here) != held.was:
                self._wrote(held.numbers(), self._contents, f"it changes {held.called}")
                if here is not value:
                    held.holder[held.name] = value
        for cls, name in self._classes.changed():
            if stored is None or name in stored:
                self._wrote(self._classes.numbers(cls, name), self._classes, f"it sets {cls.__name__}.{name}")
        self._classes.put_back(stored)
        for held in self._cells:
            cell, value = held.holder, held.value
            by = None if cell.cell_contents is value else _AROUND
            if (stored is None or by in stored) and token(cell.cell_contents) != held.was:
                self._wrote(held.numbers(), self._contents, f"it changes {_AROUND}")
                cell.cell_contents = value
        if stored is None or None in stored:
            self._contents.put_back()

    def _wrote(self, places: list[Place] | None, contents, effect: str) -> None:
        """The step wrote something: numbers at places, which is no effect that a graph would lose. (A list
        that it made anew is one: others may have the old one.)"""
        if places is None or not all(map(contents.leads_to, places)):
            self.effect = self.effect or effect
        else:
            self.written |= {place.key: (place, place.get()) for place in places}

    def _stored(self) -> set:
        """The attributes and globals that the step's own code assigns; with None it may change items, with
        `_AROUND` names of the functions around it."""
        found: set = set()
        for code, kind in self._codes.items():
            if kind is USERS or "ms2torch" in code.co_filename:
                for step in dis.get_instructions(code):
                    if step.opname in ("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL"):
                        found.add(step.argval)
                    elif kind is USERS and (step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR")
                                            or step.argval in _CHANGING):
                        found.add(None)
                    elif step.opname == "STORE_DEREF" and step.argval in code.co_freevars:
                        found.add(_AROUND)
        return found

    # ---- what can be reached -------------------------------------------------------------------------------

    def _name(self, space: dict, name: str) -> None:
        value = space[name]
        if isinstance(value, type):
            self._classes.watch(value)
            return
        if isinstance(value, types.ModuleType):
            return
        self._names.append(Held.now(space, name, f"the global {name}"))
        self._contents.remember(value)
        self._reach(value)

    def _reach(self, value) -> None:
        """Watch ``value``, what its closure holds, and the Cells below it."""
        if id(value) in self._seen or isinstance(value, PLAIN):
            return
        self._seen.add(id(value))
        if isinstance(value, type):
            self._classes.watch(value)
            return
        if isinstance(value, types.MethodType):
            self._reach(value.__self__)
            value = value.__func__
        inner = getattr(value, "__dict__", {}).get("_graph_source")
        if isinstance(inner, types.FunctionType):
            self._reach(inner)
        if isinstance(value, types.FunctionType):
            if is_users(value.__code__.co_filename):
                self._note(value.__code__)
                for cell in value.__closure__ or ():
                    try:
                        content = cell.cell_contents
                    except ValueError:
                        continue
                    self._cells.append(Held.now(cell, None, _AROUND))
                    self._contents.remember(content)
                    self._reach(content)
            return
        if isinstance(value, (list, tuple, dict)):
            if len(value) <= MANY:
                for item in value.values() if isinstance(value, dict) else value:
                    self._reach(item)
            if value.__class__ in (list, tuple, dict):
                return
        if effects.is_generator(value):
            self._draws.watch(value)
            return
        if not _is_watched(value) or isinstance(value, HostValues):
            return          # (an optimizer's own part of a step runs at each step)
        self._objects[id(value)] = Attributes(value)
        self._classes.watch(type(value))
        if isinstance(value, torch.nn.Module):
            for child in value.__dict__.get("_modules", {}).values():
                self._reach(child)
            for name, item in list(value.__dict__.items()):
                if name not in INTERNAL and (effects.is_generator(item) or isinstance(item, _HELD)
                                             or (_is_watched(item) and holds_settings(item))):
                    self._reach(item)
        elif holds_settings(value):
            for item in list(self._objects[id(value)].own.values()):
                self._reach(item)

    def _note(self, code: types.CodeType) -> None:
        """A function's code, and those of the functions that it makes: they share its closure."""
        self._reached.add(code)
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                self._note(inner)

    def modules(self) -> list:
        """The Cells that the step can reach."""
        return [found.owner for found in self._objects.values()
                if isinstance(found.owner, torch.nn.Module)]

    # ---- afterwards ----------------------------------------------------------------------------------------

    def settle(self) -> None:
        """From here on `holds` compares; what is looked at at each step is as little as there is."""
        names = self._read_names | _CALLED if _READING.isdisjoint(self._read_names) else None
        self._loose = [f for f in self._objects.values() if not isinstance(f.owner, torch.nn.Module)
                       and holds_settings(f.owner) and f.narrow(names)]
        self._names += [held for f in self._objects.values()
                        if isinstance(f.owner, torch.nn.Module) and holds_settings(f.owner)
                        for held in f.containers(names)]
        self._classes.settle(names)
        huge = [*self._huge, *[held.called for held in (*self._names, *self._cells) if is_huge(held.value)],
                *[f.called(name) for f in self._loose for name in f.tokens if is_huge(f.own.get(name))]]
        if huge:
            self.effect = f"{huge[0]} is too large to be looked at in each step"
        self._stores = [(store, dict(store)) for module in self.modules()
                        for store in map(module.__dict__.get, _STORES) if store is not None]
        self._children = [(module._modules, dict(module._modules)) for module in self.modules()]
        self._changes = mode.changes
        self._codes = {}

    def holds(self) -> bool:
        """Whether everything is as the trace saw it."""
        for space, name, _, was, value, free, still in self._names:
            here = space.get(name, self)
            if not (still and here is value) and token(here, DEEP, free) != was:
                return False
        for cell, _, _, was, value, free, still in self._cells:
            here = cell.cell_contents
            if not (still and here is value) and token(here, DEEP, free) != was:
                return False
        for found in self._loose:
            if found.now() != found.tokens:
                return False
        if self._classes.changed():
            return False
        for store, kept in self._children:      # (containers and programs write to it without a word)
            if store != kept:
                return False
        if self._changes != mode.changes:
            if any(found.changed() for found in self._objects.values()) or self._replaced():
                return False
            self._changes = mode.changes
        return True

    def _replaced(self) -> bool:
        """Whether a Cell has another Parameter or buffer under a name: the graph reads those that it had."""
        return any(store.keys() != kept.keys() or any(store[name] is not kept[name] for name in kept)
                   for store, kept in self._stores)

    def moved(self) -> list[Place] | None:
        """The places of the numbers that are others now; None where anything else is not as it was."""
        found = [held.numbers() for held in (*self._names, *self._cells) if held.changed()]
        for attributes in self._objects.values():
            found += map(attributes.numbers, attributes.changed())
        found += [self._classes.numbers(*one) for one in self._classes.changed()]
        if None in found:
            return None
        return list({place.key: place for places in found for place in places}.values())

    def release(self, places: list[Place]) -> None:
        """From here on the numbers at ``places`` may change."""
        paths: dict[tuple, tuple] = {}
        for place in places:
            at = id(place.holder), place.name
            paths[at] = (*paths.get(at, ()), place.path)

        def released(held: Held) -> Held:
            return held.releasing(paths.get((id(held.holder), held.name), ()))

        self._names, self._cells = list(map(released, self._names)), list(map(released, self._cells))
        for found in self._objects.values():
            for (holder, name), free in paths.items():
                if holder == id(found.own):
                    found.release(name, free)
        self._classes.release(paths)

    def write(self, numbers: list[tuple]) -> None:
        """Write numbers that may change, pairs of a Place and a value; other steps may have taken them for
        constants."""
        nothing_else = self._changes == mode.changes
        for place, value in numbers:
            place.set(value)
        mode.changes += 1
        if nothing_else:
            self._changes = mode.changes


def _profile_again(profiler) -> None:
    """Have ``profiler`` go on: a function, or cProfile's object before Python 3.12."""
    if profiler is None or callable(profiler):
        sys.setprofile(profiler)
    elif hasattr(profiler, "enable"):
        profiler.enable()
