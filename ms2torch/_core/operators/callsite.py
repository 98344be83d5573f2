"""Which arguments a program gave by name, read off the instructions of its call.

A form binds its arguments as Python does, which forgets how they were given; MindSpore's errors print those
by name as ``dim=int``. Read after a call has failed, so that good calls pay nothing.
"""

from __future__ import annotations

import dis
import sys
from collections import namedtuple
from collections.abc import Mapping
from functools import lru_cache
from types import FunctionType

_BETWEEN = frozenset(("PRECALL", "CACHE", "PUSH_NULL", "EXTENDED_ARG", "NOP", "COPY_FREE_VARS"))
_Place = namedtuple("_Place", "f_code f_lasti f_globals f_locals")
_OWN = ("ms2torch._core.operators", "ms2torch._core.checks")           # between the program and its form


def keyword_names(err: Exception | None = None) -> tuple[str, ...]:
    """The names in the call of a form that raised ``err``, or is being made, in their order."""
    frame = _calling(err)
    return tuple(_keywords(frame)) if frame is not None else ()


def _calling(err: Exception | None):
    """The frame of the program that called the form."""
    frame = err.__traceback__.tb_frame if err is not None and err.__traceback__ else sys._getframe(2)
    return _outside(frame)


def _outside(frame):
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_OWN):
        frame = frame.f_back
    return frame


def _steps(frame) -> list:
    return [step for step in dis.get_instructions(frame.f_code)
            if step.offset <= frame.f_lasti and step.opname not in _BETWEEN]


def positional_count(err: Exception | None) -> int:
    """How many arguments that call gave by position, a method's Tensor not among them; 0 where it cannot be
    told."""
    frame = _calling(err) if err is not None else None
    steps = _steps(frame) if frame is not None else ()
    if len(steps) < 3:
        return 0
    call = steps[-1]
    if call.opname != "CALL_FUNCTION_EX":
        return (call.arg or 0) - len(_keywords(frame)) if call.opname.startswith("CALL") else 0
    # f(*args), f(*args, **kwargs): the name is loaded before what makes the dict
    loaded = [s for s in steps[-6:-1] if s.opname.startswith("LOAD_") and isinstance(s.argval, str)]
    merged = steps[-2].opname == "DICT_MERGE"
    if len(loaded) <= merged:
        return 0
    known = {**frame.f_globals, **frame.f_locals}
    held, called = known.get(loaded[-1 - merged].argval), known.get(loaded[-2 - merged].argval, len) \
        if len(loaded) > merged + 1 else len
    unbound = isinstance(called, FunctionType) and called.__qualname__.startswith("Tensor.")
    return len(held) - unbound if isinstance(held, (tuple, list)) else 0


@lru_cache(512)
def _named_at(code, last: int) -> tuple[str, ...]:
    return tuple(_keywords(_Place(code, last, {}, {})))


def given_by_name(name: str) -> bool:
    """Whether the call whose definition asks gave its argument ``name`` so. (It is read once for a place in
    a program.)"""
    frame = _outside(sys._getframe(2))
    return frame is not None and name in _named_at(frame.f_code, frame.f_lasti)


def _keywords(frame) -> tuple[str, ...]:
    code, steps = frame.f_code, _steps(frame)
    if len(steps) < 3:
        return ()
    loaded, last, call = steps[-3:]
    if call.opname == "CALL_FUNCTION_EX":                   # f(*args, **kwargs)
        held = {**frame.f_globals, **frame.f_locals}.get(loaded.argval) if last.opname == "DICT_MERGE" else ()
        return tuple(held) if isinstance(held, Mapping) else ()
    if last.opname == "KW_NAMES" or call.opname in ("CALL_KW", "CALL_FUNCTION_KW"):
        return code.co_consts[last.arg]
    return ()
