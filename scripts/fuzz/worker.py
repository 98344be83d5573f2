"""The real MindSpore as a server: python -m scripts.fuzz.worker; a JSON list, `Case.asked`, a line.

A forked child answers until it dies of a case or reads the line ``null``; the next child goes on. Operators
run in turn, for an exception in MindSpore's pipeline of threads leaves the process unsound, and its threads
spin while they wait: a gradient costs 0.2 ms of a processor this way, 8 that way. MindSpore is imported
before the fork, and starts no threads until its first operator.

Its optimizers are compiled anew for each object, which takes twenty times what their steps take; the
compiler sees one case in four, the same kernels run the others operator by operator.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import sys
import tempfile
from zlib import crc32

from scripts.fuzz.case import run

INPUT_ENDED = 3
SECONDS = int(os.environ.get("FUZZ_SECONDS", "30"))          # for one case


def serve(answers, seconds) -> None:
    """Answer lines of standard input until one is ``null`` or the input ends; ``seconds`` for each."""
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    while line := _line():
        if line == b"null\n":
            os.write(answers, line)
            os._exit(0)
        os.environ["MS_JIT"] = "0" if b"optimizer = " in line and crc32(line) % 4 else "1"
        signal.alarm(seconds)
        outcome = run(*json.loads(line))
        signal.alarm(0)
        os.write(answers, (json.dumps(outcome) + "\n").encode())
    os._exit(INPUT_ENDED)


def _line() -> bytes:
    """One line, and not a byte more: the next child reads on."""
    parts = []
    while not parts or not parts[-1].endswith(b"\n"):
        part = os.read(0, 1 << 16)       # the client waits for each answer, so no second line is here yet
        if not part:
            return b""
        parts.append(part)
    return b"".join(parts)


def main() -> None:
    """Fork children one after another; a child that died in a case is answered for."""
    answers = os.dup(1)
    os.dup2(2, 1)
    import mindspore

    mindspore.set_context(pynative_synchronize=True)
    folder = tempfile.mkdtemp(prefix="fuzz_")        # some kernels leave files where they run
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
    os.write(answers, (json.dumps(mindspore.__version__) + "\n").encode())
    seconds = SECONDS
    while True:
        child = os.fork()
        if child == 0:
            serve(answers, seconds)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == INPUT_ENDED:
            sys.exit(0)
        # Where one case never ends others of the same line will not either.
        seconds = max(seconds // 3, 3) if code == -signal.SIGALRM else seconds if code else SECONDS
        if code:
            late = code == -signal.SIGALRM
            told = {"error": ["Crash", "no answer in time" if late else f"the process died with code {code}"]}
            os.write(answers, (json.dumps(told) + "\n").encode())


if __name__ == "__main__":
    main()
