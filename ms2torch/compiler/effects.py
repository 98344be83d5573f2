"""What a step does beside computing, which a graph would lose: stopped before it happens while it is traced.

The trace runs in the thread that calls the step. Other threads, the program's signal handlers and finalizers
are no part of it: what they do meanwhile is done.
"""

from __future__ import annotations

import builtins
import contextlib
import datetime
import io
import logging
import os
import random
import signal
import sys
import sysconfig
import threading
import time
import types

import numpy as np
import torch


def _places(*folders: str) -> tuple[str, ...]:
    """How the names of files in ``folders`` may begin: as they were imported, and without symbolic links."""
    forms = (os.path.abspath, os.path.realpath)
    return tuple({form(folder) + os.sep for folder in folders for form in forms})


_HOUSE = os.path.dirname(os.path.dirname(__file__))
_LANGUAGE = _places(os.path.join(_HOUSE, "language"))
_OURS = _places(_HOUSE, os.path.dirname(torch.__file__), os.path.dirname(np.__file__))
_LIBRARY = (sysconfig.get_path("stdlib") + os.sep, "<")
_IMPORTING = "<frozen importlib._bootstrap>"
_TYPED = ("<stdin>", "<ipython", "<input>", "<console>")
_SITE = sysconfig.get_path("purelib") + os.sep
# What torch itself computes with while it traces.
_OURS += _places(*(_SITE + name for name in (
    "sympy", "mpmath", "networkx", "optree", "torchgen", "functorch")))
_OURS += (os.path.realpath(_SITE + "typing_extensions.py"),)

# Whose code a file is: the program's (or of a package on top of MindSpore), the engine's, or Python's own
# library's and graph mode's language, which act for who called them.
USERS, ENGINE, LIBRARY = "users", "engine", "library"

_EFFECTS = {getattr(of, name): f"{of.__name__}.{name}" for of, names in (
    (time, "time time_ns perf_counter monotonic process_time sleep"), (os, "urandom system write"),
    (datetime.datetime, "now today utcnow")) for name in names.split()}
_EFFECTS |= {getattr(builtins, name): name for name in ("print", "open", "input", "breakpoint")}


class Stopped(BaseException):
    """The step was about to do what a graph would lose. (Programs that catch Exception let it pass.)"""


def owner_of(filename: str) -> str:
    """Whose code a file is."""
    if filename.startswith(_LANGUAGE):
        return LIBRARY
    if filename.startswith(_OURS):
        return ENGINE
    if filename.startswith(_LIBRARY) and not filename.startswith((_SITE, *_TYPED)):
        return LIBRARY
    return USERS


def effect_of(frame, function) -> str | None:
    """What a call of ``function``, about to begin in ``frame``, does for the program; None: nothing."""
    try:
        name = _EFFECTS.get(function)
    except TypeError:           # a method of something that has no hash
        name = None
    if name is None:
        owner = getattr(function, "__self__", None)
        if owner is random._inst:
            what = "draws from Python's random"
        elif (isinstance(owner, io.IOBase) and function.__name__ == "write"
                and not isinstance(owner, (io.StringIO, io.BytesIO))):
            what = "writes to a file"
        else:
            return None
    else:
        what = f"calls {name}"
    below = None
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code.co_filename.endswith(("warnings.py", _IMPORTING)):
            return None         # once in an object's life, at a line, in a run: it will not come again
        kind = owner_of(code.co_filename)
        if kind is USERS:
            if below is not None and not below.f_code.co_filename.startswith(_LANGUAGE):
                what = f"calls {below.f_globals.get('__name__')}.{below.f_code.co_name}"
            return f"{os.path.basename(code.co_filename)}:{frame.f_lineno} {what}"
        if kind is ENGINE:
            return None
        below, frame = frame, frame.f_back
    return None


def is_incidental(frame) -> bool:
    """Whether ``frame`` runs because a module is imported or a handler of logs was told something."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name == _IMPORTING or name == logging.__file__:
            return True
        frame = frame.f_back
    return False


# ---- random numbers ----------------------------------------------------------------------------------------

_NUMPY = np.random.mtrand._rand
_DRAWING = frozenset(name for name, value in vars(np.random).items()
                     if getattr(value, "__self__", None) is _NUMPY)
_BOUND = (types.BuiltinMethodType, types.MethodType)
_GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)


def draws(names: tuple, values) -> bool:
    """Whether code of these names and global values names a draw from numpy's global generator."""
    if any(isinstance(v, _BOUND) and v.__self__ is _NUMPY for v in values):
        return True
    if any(v is np for v in values):
        return "random" in names
    return any(v is np.random for v in values) and not _DRAWING.isdisjoint(names)


class Draws:
    """Generators that are not MindSpore's, as they were when the trace began.

    A draw from Python's own is stopped before it happens, and so is code that names a draw from numpy's. What
    was drawn without that is put back, from the global generator only while there is one thread: a number
    that another thread drew must not come twice.
    """

    def __init__(self) -> None:
        self._global, self._own = np.random.get_state(), {}

    def watch(self, generator) -> None:
        """A generator that the step can reach."""
        if id(generator) not in self._own and generator is not _NUMPY:
            self._own[id(generator)] = generator, _state(generator)

    def settle(self) -> str | None:
        """Put back what was drawn; says so."""
        effect = None
        for generator, before in self._own.values():
            if repr(_state(generator)) != repr(before):
                _set_state(generator, before)
                effect = f"it draws from a {type(generator).__name__} of its own"
        now, before = np.random.get_state(), self._global
        if (now[2:] != before[2:] or not np.array_equal(now[1], before[1])) and threading.active_count() == 1:
            np.random.set_state(before)
            effect = "it draws from numpy.random"
        return effect


def is_generator(value) -> bool:
    return isinstance(value, _GENERATORS)


def _state(generator):
    if isinstance(generator, random.Random):
        return generator.getstate()
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.bit_generator.state


def _set_state(generator, state) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    else:
        generator.bit_generator.state = state


# ---- signals -----------------------------------------------------------------------------------------------


class Interrupted(BaseException):
    """What a signal handler of the program raised while its step was made ready."""


class Handlers:
    """The program's signal handlers while its step is traced and compiled.

    They wait for the end of the trace, where they would be taken for the step's code. Later they run at once,
    and what they raise passes through whatever they interrupted.
    """

    def __init__(self) -> None:
        self._kept: dict = {}
        self._came: list = []
        self._waiting = False

    def __enter__(self) -> Handlers:
        if threading.current_thread() is threading.main_thread():
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler) and handler is not signal.default_int_handler:
                    self._kept[number] = handler
                    signal.signal(number, self._arrived)
        return self

    def __exit__(self, *exc) -> None:
        for number, handler in self._kept.items():
            if signal.getsignal(number) == self._arrived:
                signal.signal(number, handler)

    def _arrived(self, number, frame) -> None:
        if self._waiting:
            self._came.append(number)
            return
        try:
            self._kept[number](number, frame)
        except Exception as error:
            raise Interrupted from error

    @contextlib.contextmanager
    def waiting_for(self):
        """A block that handlers wait for."""
        self._waiting = True
        try:
            yield
        finally:
            self._waiting = False
            while self._came:
                self._arrived(self._came.pop(0), sys._getframe())
