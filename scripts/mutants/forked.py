"""Processes that begin with torch, or the real MindSpore, imported: a fork each in place of a start each.

As a program, run by the reference's interpreter: ``forked.py FOLDER JOBS.json`` records each job
``[trace, arguments of the recorder]`` in a fork of one process that has imported MindSpore.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import traceback
from pathlib import Path


def call(function, log: str) -> int:
    """``function()`` in a fork with its output in a file; the process id."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(target, stream)
        code = function()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


class Process:
    """A fork, as far as `subprocess.Popen` is asked for here."""

    def __init__(self, pid: int) -> None:
        self.pid, self.returncode = pid, None

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("fork", timeout)
            time.sleep(0.005)
        return self.returncode


def diff(package: str, place: str, arguments: list[str], log: str, planted=None) -> Process:
    """``ms2torch diff`` of the copy of ms2torch in ``package``, run in ``place``; its passes are forks of the
    process that has imported the copy, with a defect of generated.py where one is given."""
    def run() -> int:
        _enter(package, place, planted)
        from ms2torch.difftest import twin

        return twin.command(arguments)

    return Process(call(run, log))


def recorded(package: str, place: str, out: str, script: str, planted, log: str) -> Process:
    """A run of ms2torch alone, recorded Cell by Cell."""
    def run() -> int:
        _enter(package, place, planted)
        from ms2torch.difftest import ours

        return ours.main({"how": "record", "out": out, "script": [script], "level": "cell", "device": "cpu"})

    return Process(call(run, log))


def import_everything() -> None:
    """What a fork would else import, each for itself: all of the mirror that programs use, and what torch
    imports when a mode first sees an operator."""
    import torch._dynamo  # noqa: F401

    from ms2torch import dataset, experimental, mint, nn, ops, train  # noqa: F401
    from ms2torch.difftest import ours, replay, twin  # noqa: F401
    from ms2torch.shim import alias  # noqa: F401


def _enter(package: str, place: str, planted) -> None:
    sys.dont_write_bytecode = True
    sys.path.insert(0, package)
    os.chdir(place)
    if planted is not None:
        from scripts.mutants import generated

        generated.plant(planted)


def main(folder: str, jobs: str) -> None:
    """Record all jobs, two at a time."""
    os.environ.update(MS_JIT="0", GLOG_v="3")
    sys.path.append(folder)
    import mindspore  # noqa: F401 - for all forks
    import recorder

    running = []
    for trace, arguments in json.loads(Path(jobs).read_text()):
        def record(trace=trace, arguments=arguments) -> int:
            code = recorder.run(recorder.parse(["-o", trace + ".new", *arguments]))
            if not code:
                os.replace(trace + ".new", trace)
            return code

        running.append(Process(call(record, trace + ".log")))
        while len(running) > 1:
            running = [p for p in running if p.poll() is None]
            time.sleep(0.05)
    for process in running:
        process.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
