"""The command line of ``ms2torch diff``."""

from __future__ import annotations

import argparse
import ast
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from ms2torch._core.errors import notice
from ms2torch.cli import Parser, release, whole_number

EPILOG = """\
exit code: 0 equal, 1 different, 2 could not run or compare

  ms2torch diff train.py --epochs 1        the script on the real MindSpore and on ms2torch
  ms2torch diff --trace run.trace train.py  the script on ms2torch against a trace made elsewhere with
                                            python recorder -o run.trace train.py
  ms2torch diff a.trace b.trace             two traces
  ms2torch diff --torch port.py --align weights train.py
                                            MindSpore's script (or its trace) and a PyTorch port by hand
"""


@dataclass
class Options:
    """What was asked for."""

    script: list[str] = field(default_factory=list)
    steps: int | None = None
    until: str | None = None
    level: str | None = None
    align: tuple[str, ...] = ()
    json: str | None = None
    html: str | None = None
    repro: str | None = None
    trace: str | None = None
    torch: str | None = None
    reference: str = "mindspore"
    reference_python: str | None = None
    reference_device: str | None = None
    api: str | None = None
    device: str | None = None
    seed: int | None = None
    timeout: float | None = None
    adapter: bool = True
    refeed: tuple[int, ...] = ()
    keep: str | None = None
    quiet: bool = False
    cells: tuple[str, ...] = ()
    only_step: int | None = None  # taken from a given trace
    updates: int | None = None  # taken from a given trace


ALIGNABLE = ("weights", "data", "random")


def _align(text: str) -> tuple[str, ...]:
    parts = tuple(dict.fromkeys(p for p in text.split(",") if p and p != "none"))
    for part in parts:
        if part not in ALIGNABLE:
            raise argparse.ArgumentTypeError(f"{part!r} is not one of {', '.join(ALIGNABLE)}, none")
    return parts


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(sorted({whole_number(1)(p) for p in text.split(",")}))


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds")
    return number


def _file(text: str) -> str:
    folder = Path(text).resolve().parent
    if Path(text).is_dir() or not folder.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: no such folder" if not folder.is_dir() else
                                         f"{text} is a folder")
    return text


def parser() -> argparse.ArgumentParser:
    """The options; everything from the script's name on is the script's own."""
    p = Parser(prog="ms2torch diff", epilog=EPILOG, usage="ms2torch diff [options] train.py [arguments]",
               formatter_class=argparse.RawDescriptionHelpFormatter,
               description="Run a script on the real MindSpore and on ms2torch and compare every number: "
                           "equal, or the first that differs.")
    p.add_argument("--steps", type=whole_number(1), metavar="N",
                   help="compare the first N training steps: turns of the script's own loop, also where "
                        "several optimizers are called in each")
    p.add_argument("--until", choices=["first"], help="stop at the first difference")
    p.add_argument("--level", choices=["step", "cell", "op"],
                   help="what is recorded at each step; cell and op run in PyNative (default: step)")
    p.add_argument("--cells", type=lambda text: tuple(text.split(",")), default=(), metavar="NAMES",
                   help="level op: look at the operators of these Cells only (patterns, a comma between)")
    p.add_argument("--align", type=_align, default=(), metavar="WHAT",
                   help="take weights, data, random (a comma between) from the reference; default: nothing")
    p.add_argument("--refeed", type=_numbers, default=(), metavar="STEPS",
                   help="steps in which each Cell is judged alone on the reference's inputs; default: chosen")
    p.add_argument("--json", type=_file, metavar="FILE", help="write the result for machines")
    p.add_argument("--html", type=_file, metavar="FILE", help="write the report as a page")
    p.add_argument("--repro", metavar="FOLDER", help="where the minimal repro goes; default: diff_repro")
    p.add_argument("--trace", metavar="FILE", help="a trace of the reference instead of running it")
    p.add_argument("--torch", metavar="PORT",
                   help="a PyTorch script (with its arguments, in quotes) in place of ms2torch: a port")
    p.add_argument("--reference", choices=["mindspore", "ms2torch"], default="mindspore",
                   help="what the reference side is; ms2torch: another device or Python of ours")
    p.add_argument("--reference-python", metavar="PYTHON", help="the reference's interpreter")
    p.add_argument("--reference-device", metavar="DEVICE", help="with --reference ms2torch: its device")
    p.add_argument("--api", type=release, metavar="RELEASE",
                   help="MindSpore release of the script, as for ms2torch run")
    p.add_argument("--device", metavar="DEVICE", help="the device ms2torch runs on; default: cpu")
    p.add_argument("--seed", type=whole_number(0), metavar="N",
                   help="given to both sides if the script sets none; default: 1")
    p.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="give up after so long")
    p.add_argument("--no-adapter", dest="adapter", action="store_false",
                   help="run the reference without adaptations to the CPU and to its release")
    p.add_argument("--keep", metavar="FOLDER", help="keep the traces there")
    p.add_argument("--quiet", action="store_true", help="no report in the terminal")
    p.add_argument("script", nargs=argparse.REMAINDER, metavar="train.py [arguments]",
                   help="the script; what follows it is its own")
    return p


def parse(argv: list[str]) -> Options:
    """Options from the command line; argparse's own message and exit code 2 for a wrong one."""
    p = parser()
    found = p.parse_args(argv)
    if not found.script:
        p.error(f"--torch {found.torch} is the port; MindSpore's script or its trace is missing, which comes "
                f"last: ms2torch diff --torch {found.torch} train.py" if found.torch else "which script?")
    options = Options(**vars(found))
    script = options.script[0]
    if options.torch and not is_trace(options.torch):
        _check_script(p, shlex.split(options.torch)[0])
    if options.torch and is_trace(script):
        options.trace = script
    elif is_trace(script):
        if len(options.script) != 2:
            p.error("two traces are compared: ms2torch diff a.trace b.trace")
        _useless(p, found, "between two traces", "trace", "reference_python", "reference_device", "align",
                 "level", "refeed", "until", "api", "device", "cells", "seed")
    else:
        _check_script(p, script)
        _ours_behind(p, options.script)
    if options.trace:
        _useless(p, found, "with --trace", "reference_device")
    if options.reference != "ms2torch":
        _useless(p, found, "without --reference ms2torch", "reference_device")
    if options.cells and options.level != "op":
        p.error("--cells is for --level op")
    return options


def _check_script(p: argparse.ArgumentParser, script: str) -> None:
    """End with a message where a script is not there or no Python."""
    if not Path(script).is_file():
        p.error(f"no such script: {script}")
    try:
        ast.parse(Path(script).read_bytes(), script)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        p.exit(2, f"ms2torch diff: {script}:{line}: SyntaxError: {getattr(error, 'msg', error)}\n")


def _ours_behind(p: argparse.ArgumentParser, script: list[str]) -> None:
    """Say where an option of ours stands behind a script that has no such text; end where it is --torch,
    without which another program would be called equal."""
    text = Path(script[0]).read_text(encoding="utf-8", errors="replace")
    for option in dict.fromkeys(a.partition("=")[0] for a in script[1:]):
        if not option.startswith("--") or option not in p._option_string_actions or option in text:
            continue
        said = f"{option} stands behind {script[0]}, and what stands there is the script's own"
        if option == "--torch":
            p.error(f"{said}: ms2torch diff --torch port.py {script[0]}")
        notice(f"diff {option}", f"{said}; diff's options come before it.")


def _useless(p: argparse.ArgumentParser, found: argparse.Namespace, where: str, *names: str) -> None:
    """End with a message where an option is given that would have no effect."""
    for name in names:
        if getattr(found, name) != p.get_default(name):
            p.error(f"--{name.replace('_', '-')} has no effect {where}")


def is_trace(path: str) -> bool:
    """Whether the file is a trace, by its name or its first bytes."""
    if path.endswith(".trace"):
        return True
    try:
        with open(path, "rb") as file:
            return file.read(9) == b"MS2TRACE "
    except OSError:
        return False
