"""Which arguments a program gave by name, read off the instructions of its call.

A form binds its arguments as Python does, which forgets how they were given; MindSpore's errors print those
by name as ``dim=int``. Read after a call has failed, so that good calls pay nothing.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Mapping

_BETWEEN = frozenset(("PRECALL", "CACHE", "PUSH_NULL", "EXTENDED_ARG", "NOP", "COPY_FREE_VARS"))
_OWN = ("ms2torch._core.operators", "ms2torch._core.checks")           # between the program and its form


def keyword_names(err: Exception | None = None) -> tuple[str, ...]:
    """The names in the call of a form that raised ``err``, or is being made, in their order."""
    frame = err.__traceback__.tb_frame if err is not None and err.__traceback__ else sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_OWN):
        frame = frame.f_back
    return tuple(_keywords(frame)) if frame is not None else ()


def _keywords(frame) -> tuple[str, ...]:
    code = frame.f_code
    steps = [step for step in dis.get_instructions(code)
             if step.offset <= frame.f_lasti and step.opname not in _BETWEEN]
    if len(steps) < 3:
        return ()
    loaded, last, call = steps[-3:]
    if call.opname == "CALL_FUNCTION_EX":                   # f(*args, **kwargs)
        held = {**frame.f_globals, **frame.f_locals}.get(loaded.argval) if last.opname == "DICT_MERGE" else ()
        return tuple(held) if isinstance(held, Mapping) else ()
    if last.opname == "KW_NAMES" or call.opname in ("CALL_KW", "CALL_FUNCTION_KW"):
        return code.co_consts[last.arg]
    return ()
