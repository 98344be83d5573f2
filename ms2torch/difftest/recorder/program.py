"""A program run under a recorder, from a command line of its own."""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import runpy
import signal
import sys
import traceback

import numpy as np

from .seeing import Recorder
from .steps import Enough
from .writing import DiskFull, Writer

LEVELS = ("step", "cell", "op")


def record(path, argv, make=Recorder, **options):
    """Run a script under a recorder; the program's own exit code. ``options`` as `parse` gives them."""
    settings = parse(["-o", options.pop("out"), path, *argv])
    vars(settings).update(options)
    return run(settings, make)


def parse(argv):
    """Records what a MindSpore program computes, step by step, into a trace."""
    parser = argparse.ArgumentParser(prog="recorder", description=parse.__doc__)
    add = parser.add_argument
    add("-o", "--out", required=True, help="the trace to write")
    add("--level", choices=LEVELS, default="step", help="how deep to look (default: step)")
    add("--steps", type=int, help="end the program after this many steps of its loop, each with all its "
        "optimizers")
    add("--updates", type=int, help="end the program after this many updates")
    add("--only-step", type=int, help="record this step alone")
    add("--refeed", type=_numbers, default=frozenset(), help="steps (1,2,5) at level cell with whole arrays")
    add("--refed-alone", action="store_true", help="record nothing of other steps than those of --refeed")
    add("--compiled", action="store_true", help="run other steps than those of --refeed in graph mode (for "
        "programs whose steps are graphs)")
    add("--full", action="append", default=[],
        help="keep whole arrays of what matches this pattern of a name, or of stage/name")
    add("--cells", action="append", default=[],
        help="level op: the Cells (patterns) whose operators are recorded")
    add("--seed", type=int, default=1, help="for programs that set none (default: 1)")
    add("--adapter", action="store_true", help="supply what the program needs and this MindSpore lacks")
    add("--torch", action="store_true", help="the program is written for PyTorch")
    add("script")
    add("argv", nargs=argparse.REMAINDER)
    return parser.parse_args(argv)


def _numbers(text):
    return frozenset(int(n) for n in text.split(",") if n)


def run(options, make=Recorder):
    """Run ``options.script``; write the trace; the exit code."""
    options.pynative = options.level != "step" or bool(options.refeed)
    try:
        with open(options.script, "rb") as file:
            options.sha256 = hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        print("recorder: %s" % error, file=sys.stderr)
        return 2
    if options.pynative:
        os.environ["MS_JIT"] = "0"
    try:
        writer = Writer(options.out)
    except (OSError, DiskFull) as error:
        print("recorder: %s" % error, file=sys.stderr)
        return 74
    recorder, early = None, []
    if options.adapter:
        from . import adapter

        tell = early.append
        adapter.install(report=lambda *said: tell(said))
    frame = _frame(options.torch)
    recorder = make(writer, options, frame)
    for said in early:
        recorder.adapted(*said)
    tell = lambda said: recorder.adapted(*said)  # noqa: E731 - the adapter goes on telling
    frame.install(recorder)
    return _execute(options, recorder)


def _frame(torch):
    """What answers for the framework."""
    if torch:
        from .torch_frame import Torch

        return Torch()
    from .mindspore_frame import MindSpore

    return MindSpore()


def _execute(options, recorder):
    random.seed(options.seed)
    np.random.seed(options.seed)
    recorder.frame.seed(options.seed)
    sys.argv = [options.script, *options.argv]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    status, error, code = "ok", None, 0
    try:
        runpy.run_path(options.script, run_name="__main__")
        recorder.settle()
    except Enough:
        pass
    except DiskFull as problem:
        print("recorder: %s" % problem, file=sys.stderr)
        return 74
    except KeyboardInterrupt as problem:
        status, error, code = "interrupted", problem, 130
    except SystemExit as problem:
        code = problem.code if isinstance(problem.code, int) else 0 if problem.code is None else 1
        if code:
            status, error = ("interrupted" if code == 143 else "error"), problem
    except BaseException as problem:
        status, error, code = "error", problem, 1
        traceback.print_exc()
    recorder.done = True
    try:
        recorder.finish(status, error)
    except DiskFull as problem:
        print("recorder: %s" % problem, file=sys.stderr)
        return code or 74
    return code


def main(argv=None):
    """The command; ends with the program's exit code."""
    sys.stdout.flush()
    raise SystemExit(run(parse(argv)))
