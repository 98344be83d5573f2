"""Work shared among processes, without threads, locks or queues that a process could wait for in vain."""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import BinaryIO

# How long a child may go on when its parent has done as large a share: so many times as long, and these
# seconds.
_TIMES, _SECONDS = 4, 30


def shared(function: Callable, items: Sequence, processes: int) -> list:
    """``[function(item) for item in items]``, every ``processes``-th item by a process of its own.

    A forked child writes what it found into a pipe and ends; this process does the first share meanwhile.
    The share of a child that ends otherwise (it was killed, memory was short) or that hangs (on a lock that
    another thread held while it was forked) is done here.
    """
    began = time.monotonic()
    shares = [items[i::processes] for i in range(min(processes, len(items)))]
    children: list[tuple[int, BinaryIO]] = []
    found: list = [None] * len(items)
    try:
        for share in shares[1:]:
            children.append(_child(function, share, [pipe for _, pipe in children]))
        found[::processes] = [function(item) for item in shares[0]]
        patience = _SECONDS + _TIMES * (time.monotonic() - began)
        for i, (_, pipe) in enumerate(children, 1):
            results = _results(pipe, patience)
            found[i::processes] = [function(item) for item in shares[i]] if results is None else results
    finally:
        for pid, pipe in children:
            pipe.close()
            with suppress(ProcessLookupError):  # it ended long ago, or waits for a reader that is gone
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
    return found


def _child(function: Callable, share: Sequence, others: list[BinaryIO]) -> tuple[int, BinaryIO]:
    """A child at work on a share: its process id, and the pipe that its results come through."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, os.fdopen(reading, "rb")
    try:
        # An interrupt from the keyboard reaches all processes; the parent is the one that tells of it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.close(reading)
        for pipe in others:
            os.close(pipe.fileno())
        with os.fdopen(writing, "wb") as out:
            pickle.dump([function(item) for item in share], out)
    finally:
        os._exit(0)


def _results(pipe: BinaryIO, patience: float) -> list | None:
    """What a child found; None if it ended before it had told all, or told nothing for so many seconds."""
    try:
        return pickle.load(pipe) if select.select([pipe], [], [], patience)[0] else None
    except (EOFError, pickle.UnpicklingError):
        return None
