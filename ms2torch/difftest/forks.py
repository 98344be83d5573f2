"""A process that begins with what this one has imported: torch takes seconds, and a twin run many."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path


def _threads() -> int:
    """The system's threads of this process, those of libraries too."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return -1


# Those that importing began (OpenBLAS ends its own in a fork).
_AT_FIRST = _threads()


def can_fork() -> bool:
    """Whether a fork of this process can do as one that begins anew: on Linux, as long as nothing was
    computed on several threads. (OpenMP's, which a fork lacks, would be waited for without end.)"""
    return sys.platform == "linux" and threading.active_count() == 1 and _threads() <= _AT_FIRST


class Fork:
    """``function()`` in a fork, with a session and a folder of its own; its result is the exit code.

    It answers what `subprocess.Popen` is asked for here.
    """

    def __init__(self, function, place: Path, log: Path) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self.returncode: int | None = None
        self.pid = os.fork()
        if not self.pid:
            _run(function, place, log)

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""
        limit = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if limit is not None and time.monotonic() > limit:
                raise subprocess.TimeoutExpired("fork", timeout)
            time.sleep(0.005)
        return self.returncode


def _run(function, place: Path, log: Path) -> None:
    """In the fork; never returns."""
    code = 1
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        for stream, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, output), (2, output)):
            os.dup2(source, stream)
        before = os.getcwd()
        os.chdir(place)
        sys.path[:] = [str(place) if path in ("", before) else path for path in sys.path]
        code = function()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)
