"""Faults of processes that train together: who is missing, and who does something else.

When an operation over processes fails or times out, each survivor writes what it was doing into the store
that all share, reads what the others wrote, and raises an error that names them. While all goes well this
costs nothing.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import datetime
import logging
import multiprocessing.util
import os
import signal
import socket
import sys
import time
import traceback

import torch

from ms2torch._core import torch_private
from ms2torch._core.torch_private import says

# Set in the processes that `shim.processes` starts: its process id.
JOB = "MS2TORCH_JOB"
# Where ms2torch, torch and Python itself are: no lines of the program's.
_LIBRARIES = tuple(folder + os.sep for folder in (
    os.path.dirname(os.path.dirname(os.path.dirname(__file__))),
    os.path.dirname(os.path.dirname(torch.__file__)), os.path.dirname(os.__file__)))
_PARENT_DEATH_SIGNAL = 1
_rank: int | None = None
_number = 0
_PATIENCE = 3.0
failed = False
# The process that an uncaught error is ending.
_failing: list[int] = []
# What a survivor waits before it ends, so that its launcher sees the process that failed end first.
_BEHIND = 0.5
_survives = False
# (machine, process id) of every rank.
processes: list[tuple[str, int]] = []


def start_reporting(rank: int) -> None:
    """From now on the others can learn how this process ends."""
    global _rank
    if _rank is None:
        before = sys.excepthook

        def tell_and_show(kind, value, trace):
            global failed
            failed = True
            if issubclass(kind, Exception):
                _failing.append(os.getpid())
            report("ended", f"{kind.__name__}: {value}")
            if not _told_briefly(kind, value, trace):
                before(kind, value, trace)

        sys.excepthook = tell_and_show
        _end_with_job()
    _rank = rank


def _end_with_job() -> None:
    """Let a process of a job end when the job is killed and can end none itself: one that trained on would
    write over what the next job does. (Linux sends the signal.)"""
    job = os.environ.get(JOB)
    if sys.platform == "linux" and job == str(os.getppid()):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if job != str(os.getppid()):
            os.kill(os.getpid(), signal.SIGTERM)


def _told_briefly(kind, value, trace) -> bool:
    """In a job of many processes (`shim.processes`) what another rank did to this one is a line, not a stack,
    and of an interrupt the job itself tells."""
    if JOB not in os.environ:
        return False
    if issubclass(kind, Exception):
        told = getattr(value, "of_another_rank", None)
        if told is None:
            return False
        places = [f"{os.path.basename(frame.filename)}:{frame.lineno}: "
                  for frame in traceback.extract_tb(trace)
                  if not frame.filename.startswith(("<", *_LIBRARIES))]
        print(f"[ms2torch] {''.join(places[-1:])}{told}", file=sys.stderr, flush=True)
    return issubclass(kind, (Exception, KeyboardInterrupt))


def _end_at_once() -> None:
    """End after an uncaught error without taking torch down: its threads may wait for ranks that are gone,
    and abort a process that ends in the usual way."""
    if _rank is not None and os.getpid() in _failing:
        if _survives:
            time.sleep(_BEHIND)
        multiprocessing.util._exit_function()
        logging.shutdown()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(1)


# Registered early, so that what programs register runs before.
atexit.register(_end_at_once)


def stop_reporting() -> None:
    """The processes part: nothing is told any more."""
    global _rank
    _rank = None


def _store():
    with contextlib.suppress(Exception):
        return torch_private.default_store()
    return None


def report(kind: str, text: str) -> None:
    """Write into the store that all ranks share."""
    store = None if _rank is None else _store()
    if store is not None:
        with contextlib.suppress(Exception):
            store.set(f"ms2torch/{kind}/{_rank}", text)


def report_exit():
    """Say that this process's program ends; the store, where this process keeps it for all."""
    report("left", f"operation {_number}")
    keeps = _rank == 0 and os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True"
    return _store() if keeps else None


def hold_store(store, ranks: list[int], wait: float) -> None:
    """Keep the ``store`` until all ``ranks`` have left or ended, at most ``wait`` seconds."""
    until = time.monotonic() + wait
    while store is not None and time.monotonic() < until:
        if all(_gone(r) or any(reported(how, r, store) is not None for how in ("left", "ended"))
               for r in ranks):
            return
        time.sleep(0.05)


def reported(kind: str, rank: int, store=None) -> str | None:
    """What a rank wrote; None where it wrote nothing, or where the store is gone."""
    key = f"ms2torch/{kind}/{rank}"
    with contextlib.suppress(Exception):
        store = store or _store()
        return store.get(key).decode() if store.check([key]) else None
    return None


@contextlib.contextmanager
def diagnosing(what: str, members=None):
    """A failure inside becomes an error that says which ranks did not take part in ``what``."""
    global _number
    _number += 1
    try:
        yield
    except RuntimeError as err:
        if getattr(err, "from_user", False) or not _of_communication(err):
            raise
        raise diagnose(err, what, members) from err


def _of_communication(err: RuntimeError) -> bool:
    if isinstance(err, torch.distributed.DistError):
        return True
    return says(err, "communication")


def diagnose(err: Exception, what: str, members=None) -> RuntimeError:
    """The error that names the ranks because of which ``what`` failed."""
    if _rank is None:
        return RuntimeError(f"{what}: {err}")
    here = f"{what}, operation {_number}"
    report("at", here)
    ranks = [r for r in (members or range(torch.distributed.get_world_size())) if r != _rank]
    found = _reports(ranks, here)
    report("saw", here)
    if _rank == 0:
        _stay(ranks)
    global _survives
    _survives = bool(found)
    lines = "; ".join(found) or "all ranks were there"
    told = f"Rank {_rank} failed in {here}: {lines}."
    error = RuntimeError(f"{told} ({str(err).strip().splitlines()[0]})")
    error.from_user = True
    error.of_another_rank = told if found else None
    return error


def _reports(ranks: list[int], here: str) -> list[str]:
    """What is known of the other ranks, after a little patience."""
    store = _store()
    if store is None or not _reachable(store):
        named = [f"rank {r} (process {processes[r][1]}) is gone" for r in ranks if _gone(r)]
        return named or ["the process that keeps the ranks' store (rank 0, or the launcher) is gone"]
    found: dict[int, str] = {}
    until = time.monotonic() + _PATIENCE
    while len(found) < len(ranks) and time.monotonic() < until:
        for rank in ranks:
            if rank not in found and (report := _report(rank, here)) is not None:
                found[rank] = report
        # A dead rank is the cause; the others only suffer from it.
        if any(" ended " in text or " is gone" in text for text in found.values()):
            break
        time.sleep(0.05)
    for rank in ranks:
        found.setdefault(rank, f"rank {rank} did not come")
    gone = [text for text in found.values() if " ended " in text or " is gone" in text]
    return gone or [found[r] for r in ranks if found[r]]


def _stay(ranks: list[int]) -> None:
    """Rank 0 may keep the store: it lets the others read before it ends."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        if all(reported("saw", r) is not None or reported("ended", r) is not None or _gone(r) for r in ranks):
            return
        time.sleep(0.05)


def _report(rank: int, here: str) -> str | None:
    """What one rank said of itself, or that its process is gone; "" where it is in the same operation."""
    suffers = reported("saw", rank) is not None      # of the same fault as this one
    if not suffers and (text := reported("ended", rank)) is not None:
        return f"rank {rank} ended with {text}"
    if not suffers and (text := reported("left", rank)) is not None:
        return f"rank {rank} left: its program ended after {text}"
    if (text := reported("at", rank)) is not None:
        return "" if text == here else f"rank {rank} is in {text}"
    return f"rank {rank} (process {processes[rank][1]}) is gone" if _gone(rank) else None


def _gone(rank: int) -> bool:
    """Whether the process of a rank on this machine has ended."""
    host, pid = processes[rank]
    return host == socket.gethostname() and not _alive(pid)


def _reachable(store) -> bool:
    try:
        store.set_timeout(datetime.timedelta(seconds=_PATIENCE))
        store.check(["ms2torch"])
    except RuntimeError:    # torch's errors of networks and stores: the process that holds the store is gone
        return False
    return True


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        return not os.path.isdir("/proc/self")
    except OSError:
        return True
