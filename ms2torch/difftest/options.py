"""The command line of ``ms2torch diff``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

EPILOG = """\
exit code: 0 equal, 1 different, 2 could not run or compare

  ms2torch diff train.py --epochs 1        the script on the real MindSpore and on ms2torch
  ms2torch diff --trace run.trace train.py  the script on ms2torch against a trace made elsewhere with
                                            python recorder.py -o run.trace train.py
  ms2torch diff a.trace b.trace             two traces
"""


@dataclass
class Options:
    """What was asked for."""

    script: list[str] = field(default_factory=list)
    steps: int | None = None
    until: str | None = None
    level: str = "step"
    align: tuple[str, ...] = ()
    json: str | None = None
    html: str | None = None
    repro: str | None = None
    trace: str | None = None
    reference: str = "mindspore"
    reference_python: str | None = None
    reference_device: str | None = None
    api: str | None = None
    device: str | None = None
    seed: int = 1
    timeout: float | None = None
    adapter: bool = True
    refeed: tuple[int, ...] = ()
    keep: str | None = None
    quiet: bool = False


ALIGNABLE = ("weights", "data", "random")


def _align(text: str) -> tuple[str, ...]:
    parts = tuple(p for p in text.split(",") if p and p != "none")
    for part in parts:
        if part not in ALIGNABLE:
            raise argparse.ArgumentTypeError(f"{part!r} is not one of {', '.join(ALIGNABLE)}")
    return parts


def _numbers(text: str) -> tuple[int, ...]:
    numbers = tuple(sorted({int(p) for p in text.split(",")}))
    if not numbers or numbers[0] < 1:
        raise argparse.ArgumentTypeError("steps count from 1")
    return numbers


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def parser() -> argparse.ArgumentParser:
    """The options; everything from the script's name on is the script's own."""
    p = argparse.ArgumentParser(prog="ms2torch diff", epilog=EPILOG, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Run a script on the real MindSpore and on ms2torch and compare "
                                            "every number: equal, or the first that differs.")
    p.add_argument("--steps", type=_positive, metavar="N", help="compare the first N training steps")
    p.add_argument("--until", choices=["first"], help="stop at the first difference")
    p.add_argument("--level", choices=["step", "cell", "op"], default="step",
                   help="what is recorded at each step; cell and op run in PyNative (default: step)")
    p.add_argument("--align", type=_align, default=(), metavar="WHAT",
                   help="take weights, data, random (a comma between) from the reference; default: nothing")
    p.add_argument("--refeed", type=_numbers, default=(), metavar="STEPS",
                   help="steps in which each Cell is judged alone on the reference's inputs; default: chosen")
    p.add_argument("--json", metavar="FILE", help="write the result for machines")
    p.add_argument("--html", metavar="FILE", help="write the report as a page")
    p.add_argument("--repro", metavar="FOLDER", help="where the minimal repro goes; default: diff_repro")
    p.add_argument("--trace", metavar="FILE", help="a trace of the reference instead of running it")
    p.add_argument("--reference", choices=["mindspore", "ms2torch"], default="mindspore",
                   help="what the reference side is; ms2torch: another device or Python of ours")
    p.add_argument("--reference-python", metavar="PYTHON", help="the reference's interpreter")
    p.add_argument("--reference-device", metavar="DEVICE", help="with --reference ms2torch: its device")
    p.add_argument("--api", metavar="RELEASE", help="MindSpore release of the script, as for ms2torch run")
    p.add_argument("--device", metavar="DEVICE", help="the device ms2torch runs on; default: cpu")
    p.add_argument("--seed", type=int, default=1, help="given to both sides if the script sets none")
    p.add_argument("--timeout", type=float, metavar="SECONDS", help="give up after so long")
    p.add_argument("--no-adapter", dest="adapter", action="store_false",
                   help="run the reference without adaptations to the CPU and to its release")
    p.add_argument("--keep", metavar="FOLDER", help="keep the traces there")
    p.add_argument("--quiet", action="store_true", help="no report in the terminal")
    p.add_argument("script", nargs=argparse.REMAINDER, metavar="train.py [arguments]")
    return p


def parse(argv: list[str]) -> Options:
    """Options from the command line; argparse's own message and exit code 2 for a wrong one."""
    p = parser()
    found = p.parse_args(argv)
    if not found.script:
        p.error("which script?")
    options = Options(**vars(found))
    if is_trace(options.script[0]):
        if len(options.script) != 2:
            p.error("two traces are compared: ms2torch diff a.trace b.trace")
    elif not Path(options.script[0]).exists():
        p.error(f"no such script: {options.script[0]}")
    return options


def is_trace(path: str) -> bool:
    """Whether the file is a trace, by its name or its first bytes."""
    if path.endswith(".trace"):
        return True
    try:
        with open(path, "rb") as file:
            return file.read(9) == b"MS2TRACE "
    except OSError:
        return False
