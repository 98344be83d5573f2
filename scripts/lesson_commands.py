"""``python -m ms2torch ...`` as the lessons call it, in forks of a process that has imported ms2torch.

Importing torch alone takes seconds, and a lesson makes up to ten such calls.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path

_OURS = [sys.executable, "-m", "ms2torch"]


@contextlib.contextmanager
def forked():
    """``subprocess.run`` forks where it is asked for ms2torch. To be entered before anything is computed."""
    if sys.platform != "linux":
        yield
        return
    asked, ask = os.pipe()
    told, tell = os.pipe()
    server = os.fork()
    if not server:
        os.close(ask)
        _serve(os.fdopen(asked), os.fdopen(tell, "w"))
    os.close(asked)
    os.close(tell)
    requests, answers, run = os.fdopen(ask, "w"), os.fdopen(told), subprocess.run

    def forking(command, **options):
        if list(map(str, command[:3])) != _OURS:
            return run(command, **options)
        with tempfile.TemporaryDirectory() as folder:
            said = [Path(folder, name) for name in ("stdout", "stderr")]
            request = {"arguments": list(map(str, command[3:])), "said": list(map(str, said)),
                       "cwd": str(options.get("cwd") or Path.cwd()),
                       "env": dict(options.get("env") or os.environ)}
            print(json.dumps(request), file=requests, flush=True)
            code = int(answers.readline())
            return subprocess.CompletedProcess(command, code, *(f.read_text(encoding="utf-8") for f in said))

    subprocess.run = forking
    try:
        yield
    finally:
        subprocess.run = run
        requests.close()
        os.waitpid(server, 0)


def _serve(requests, answers) -> None:
    """Fork for each request; never returns."""
    import ms2torch.cli  # noqa: F401 - what all forks begin with

    for line in requests:
        child = os.fork()
        if not child:
            _become(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)
    os._exit(0)


def _become(request: dict) -> None:
    """Do as ``python -m ms2torch`` with these arguments; never returns."""
    from ms2torch import __main__ as program
    from ms2torch import cli

    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    for stream, path in ((1, request["said"][0]), (2, request["said"][1])):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream)
    sys.argv, sys.path[0] = [program.__file__, *request["arguments"]], request["cwd"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    code = 1
    try:
        code = cli.main() or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
