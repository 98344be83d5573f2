"""Where the two runs take place: folders of their own, processes that end with the twin run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from . import forks

_SMALL = 1 << 18
_MANY = 2000
# Seconds.
_PATIENCE, _DAY = 30.0, 86400.0


class Workplace:
    """A temporary folder with everything that the runs write; gone, with their processes, at the end.

    Two runs of one script would write the same checkpoints. So each side's current folder is a mirror of the
    real one, in which relative paths lead to the same data (``../data`` too) and new files stay apart.
    """

    def __init__(self, fresh: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ms2torch-diff-"))
        self._running: list[subprocess.Popen | forks.Fork] = []
        # Whether nothing has happened in this process yet but imports, so that forks can be made of it.
        self._fresh = fresh
        self._before: dict = {}

    def __enter__(self) -> Workplace:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                self._before[number] = signal.signal(number, _leave)
            self._before[signal.SIGINT] = signal.getsignal(signal.SIGINT)
        return self

    def __exit__(self, kind, value, trace) -> None:
        for number in self._before:  # a second Ctrl-C does not leave half of it behind
            signal.signal(number, signal.SIG_IGN)
        for process in self._running:
            terminate(process)
        for patience in (0.0, 0.1, 0.5, 2.0):  # a killed process may finish a write
            time.sleep(patience)
            shutil.rmtree(self.folder, ignore_errors=True)
            if not self.folder.exists():
                break
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def start(self, side: str, name: str, command: list[str], environment: dict[str, str],
              function=None) -> Run:
        """Start a process in a session of its own, in a mirror of the current folder.

        Where ``function()`` does the same as the command, a fork may run it.
        """
        place = self.folder / "places" / f"{name}-{len(self._running)}"
        log = self.folder / f"{name}.log"
        if function is not None and self._fresh and forks.can_fork():
            fork = forks.Fork(function, mirror(place, Path.cwd()), log)
            self._running.append(fork)
            return Run(side, fork, log)
        with open(log, "wb") as file:
            process = subprocess.Popen(command, cwd=mirror(place, Path.cwd()), env=environment, stdout=file,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                       start_new_session=True)
        self._running.append(process)
        return Run(side, process, log)


class Run:
    """One run of a side; ``ended`` once it was ended from here."""

    def __init__(self, side: str, process: subprocess.Popen | forks.Fork, log: Path) -> None:
        self.side, self.process, self.log, self.ended = side, process, log, False

    def output(self, lines: int = 30) -> str:
        """The end of what it printed."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def wait(runs: list[Run], deadline: float | None, useful) -> tuple[Run | None, Run | None]:
    """Wait until all have ended. When one fails, the others get as long as it had and a little more, for what
    both did can still be compared; no time at all unless ``useful(run)``. Returns the run that failed first,
    and the one that was ended because its time was over, or None."""
    running, began, limit, first, late = list(runs), time.monotonic(), deadline, None, None
    while running:
        for run in [run for run in running if run.process.poll() is not None]:
            running.remove(run)
            if run.process.poll() and not run.ended:
                first, now = first or run, time.monotonic()
                more = max(_PATIENCE, now - began) if useful(run) else 0.0
                limit = min(limit or now + _DAY, now + more)
        if running and limit is not None and time.monotonic() > limit:
            late = running[0] if limit == deadline else None
            for run in running:
                run.ended = True
                terminate(run.process)
        elif running:
            time.sleep(0.05)
    return first, late


def _leave(number, frame) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)


def terminate(process: subprocess.Popen | forks.Fork) -> None:
    """End a process and all that it started."""
    for number, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0)):
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):
            break
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    process.poll()


def mirror(root: Path, folder: Path) -> Path:
    """``folder`` again under ``root``: its parents' entries as links, its own small files as copies.

    Returns the new folder. Bigger files and folders of many files are links to the originals.
    """
    here = root
    here.mkdir(parents=True, exist_ok=True)
    parts = folder.resolve().parts[1:]
    real = Path("/")
    for part in parts:
        _link_all(real, here, but=part)
        real, here = real / part, here / part
        here.mkdir(exist_ok=True)
    _copy_small(real, here, root)
    return here


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _link_all(real: Path, here: Path, but: str) -> None:
    for entry in _entries(real)[:_MANY * 5]:
        if entry.name != but:
            (here / entry.name).symlink_to(entry)


def _copy_small(real: Path, here: Path, root: Path) -> None:
    budget = _MANY

    def copy(source: Path, target: Path, depth: int) -> None:
        nonlocal budget
        entries = _entries(source)
        for entry in entries:
            budget -= 1
            goal = target / entry.name
            if root.is_relative_to(entry):
                continue
            inside = entry.is_dir() and not entry.is_symlink() and not entry.name.startswith(".git")
            if inside and depth and budget > 0 and len(_entries(entry)) < 200:
                goal.mkdir()
                copy(entry, goal, depth - 1)
            elif entry.is_file() and budget > 0 and entry.stat().st_size < _SMALL:
                shutil.copy2(entry, goal)
            else:
                goal.symlink_to(entry)

    copy(real, here, 2)
