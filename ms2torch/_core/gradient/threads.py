"""Threads: one differentiates at a time, and Cells of others wait for it.

While a pass is open the slots of its weights hold aliases that require grad, in objects that all threads
share. So a pass begins when no other thread is inside a Cell, and a thread that calls a Cell meanwhile waits
at its door; gradient functions and writes to Parameters wait for the lock itself. A thread that computes with
a Parameter outside any Cell, while another differentiates by it, may see the alias: that is not promised.
A program with one thread pays one look at `guarded` for a Cell's call.
"""

from __future__ import annotations

import sys
import threading
import time

from ms2torch._core import mode

_lock = threading.RLock()
# While a pass is open and other threads exist: Cells ask whether they are its thread's.
guarded = False
# The code of Cell's call, by which a thread that is inside one is known.
cell_calls: set = set()


def keep_others_out() -> None:
    """Wait until no other thread is inside a Cell, and keep it so. The caller holds the lock."""
    global guarded
    if threading.active_count() == 1:
        return
    guarded = True
    while _someone_inside():
        time.sleep(0.0002)


def let_others_in(outer) -> None:
    global guarded
    if outer is None and mode.tracing is None:
        guarded = False


def acquire() -> None:
    """Wait for this thread's turn, and keep it until `release`; turns nest."""
    _lock.acquire()


def release() -> None:
    _lock.release()


class _Held:
    """(Of its own: contextlib's take ten times as long, and every write to a Parameter begins with one.)"""

    __slots__ = ()

    def __enter__(self) -> None:
        acquire()

    def __exit__(self, *exc) -> None:
        release()


_HELD = _Held()


def held() -> _Held:
    """This thread's turn for a block."""
    return _HELD


def wait() -> None:
    """Called at a Cell's door while ``guarded``: another thread's differentiation is waited for."""
    acquire()
    release()


def _someone_inside() -> bool:
    mine = threading.get_ident()
    return any(_inside(frame) for ident, frame in sys._current_frames().items() if ident != mine)


def _inside(frame) -> bool:
    if frame.f_code is acquire.__code__:
        return False        # it waits at a door, where slots may change
    while frame is not None:
        if frame.f_code in cell_calls:
            return True
        frame = frame.f_back
    return False


def reset() -> None:
    """In a forked child: nobody else is there."""
    global _lock, guarded
    _lock, guarded = threading.RLock(), False
    mode.differentiation = None
