"""``ms2torch plan``: what a program would hold and send on many ranks, for several layouts, without them."""

from __future__ import annotations

import argparse
import ast
import json
import math
import multiprocessing
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ms2torch._core.processes import distributed
from ms2torch.cli import Parser, whole_number

_NAMES = ("program", "dp", "zero1", "zero2", "zero3")
# "start" is the peak until the first step is over, before which each rank has the whole network.
_COLUMNS = ("weights", "gradients", "state", "activations", "peak", "sent", "start")


def parser() -> argparse.ArgumentParser:
    """The parser of ``ms2torch plan``."""
    made = Parser(
        prog="ms2torch plan", usage="ms2torch plan --ranks N [options] train.py [arguments]",
        description="Runs two steps of a program as one rank of N, without memory, data or other processes, "
                    "and tells bytes of memory per rank and bytes that a rank sends in a step; of a program "
                    "with pipeline stages, for each stage.")
    made.add_argument("--ranks", type=whole_number(1), required=True, metavar="N",
                      help="how many processes train together")
    made.add_argument("--strategy", default="all", metavar="NAMES",
                      help=f"layouts, by commas, of {', '.join(_NAMES)} (all of them): 'program' is what the "
                      "program itself sets, with its strategies of operators")
    made.add_argument("--memory", type=_size, metavar="GIB",
                      help="memory of a device: tells what does not fit")
    made.add_argument("--json", action="store_true", help="the table as JSON, in bytes")
    made.add_argument("program", metavar="train.py", help="the script, with its own arguments after it")
    rest = made.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    rest.required = False       # (or it is named among what is missing)
    return made


def _size(text: str) -> float:
    """The type of ``--memory``."""
    try:
        size = float(text)
    except ValueError:
        size = 0.0
    if not 0 < size < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of GiB")
    return size


def plan_layout(program: str, arguments, ranks: int, layout: str) -> dict:
    """What one layout takes, in bytes: `_COLUMNS`, "parameters" (their number), "seconds"; or "error".

    With pipeline stages it is that of the stage with the highest peak; "by_stage" has those of all, of which
    stages that compute alike are run once.
    """
    found = _of_rank(program, arguments, 0, ranks, layout)
    stages = found.get("stages", 1)
    if stages == 1:
        return found if "error" in found else _told(found)
    kinds = found["kinds"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        later = {stage: pool.submit(_of_rank, program, arguments, stage * (ranks // stages), ranks, layout)
                 for stage in sorted({*kinds} - {0})}
        runs = {0: found, **{stage: one.result() for stage, one in later.items()}}
    failed = next((one for one in runs.values() if "error" in one), None)
    if failed:
        return failed
    # (Under 1F1B each stage has one micro-batch less under way than the one before; under GPipe the same.)
    by_stage = [_told(runs[kind], (kind - stage) * (not found["gpipe"])) for stage, kind in enumerate(kinds)]
    return {**max(by_stage, key=lambda one: one["peak"]), "by_stage": by_stage}


def _told(run: dict, more: int = 0) -> dict:
    """What a run found, or what it would have with so many micro-batches more under way."""
    found = {key: one for key, one in run.items() if key not in ("kinds", "gpipe")}
    for name in ("peak", "start"):
        flat, steep, slope = run[name]
        found[name] = max(flat, steep + more * slope)
    kept = found["weights"] + found["gradients"] + found["state"]
    found["activations"] = max(0, found["peak"] - kept)
    return found


def _of_rank(program: str, arguments, rank: int, ranks: int, layout: str) -> dict:
    """What one rank takes."""
    with tempfile.TemporaryDirectory() as folder:
        given = (os.getcwd(), dict(os.environ), layout, rank, ranks, folder, program, arguments)
        process = _processes().Process(target=_plan_there, args=given)
        process.start()
        process.join()
        output, words = Path(folder, "plan.json"), Path(folder, "words")
        said = words.read_text("utf-8", "replace").strip() if words.exists() else ""
        if not output.exists():
            return {"error": (said.splitlines() or [f"exit code {process.exitcode}"])[-1]}
        found = json.loads(output.read_text("utf-8"))
    if "ended" in found:
        found["said"] = said
    return found


def _processes():
    """Where processes are forked, of one that has imported everything, so that this is done once."""
    kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    made = multiprocessing.get_context(kind)
    if kind == "forkserver":
        made.set_forkserver_preload(["ms2torch.shim.plan_worker"])
    return made


def _plan_there(place: str, environment: dict, *given) -> None:
    """`plan_worker.plan` in this process's folder and environment: its parent has those of the first one."""
    from ms2torch.shim import plan_worker

    os.chdir(place)
    os.environ.clear()
    os.environ.update(environment)
    plan_worker.plan(*given)


def _shown(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.2f} {unit}"
        size /= 1024
    return ""


def main(argv: list[str]) -> int:
    """Print the table; 1 where no layout could be planned."""
    options = parser().parse_args(argv)
    names = _NAMES if options.strategy == "all" else tuple(options.strategy.split(","))
    for name in names:
        if name not in _NAMES:
            parser().error(f"--strategy: {name!r} is none of {', '.join(_NAMES)}")
    try:
        distributed.check_release("ms2torch plan")
    except NotImplementedError as error:
        parser().error(str(error))
    try:
        ast.parse(Path(options.program).read_bytes(), options.program)
    except OSError as error:
        parser().error(f"can't open file {os.path.abspath(options.program)!r}: {error.strerror.lower()}")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        parser().error(f"{options.program}:{line}: SyntaxError: {getattr(error, 'msg', error)}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda name: plan_layout(options.program, options.arguments, options.ranks, name),
                         names)
        rows = dict(zip(names, found, strict=True))
    said = {row.pop("said", None) for row in rows.values()}
    if len(said) == 1 and (words := said.pop()):     # (what the program's own parser says of its arguments)
        print(words, file=sys.stderr)
    if options.json:
        print(json.dumps(rows))
    else:
        _print(rows, options)
    return int(all("error" in row for row in rows.values()))


def _print(rows: dict, options) -> None:
    number = next((row["parameters"] for row in rows.values() if "parameters" in row), 0)
    print(f"{options.program} on {options.ranks} ranks, {number:,} parameters; per rank and step")
    print("".join(f"{one:>14}" for one in ("layout", *_COLUMNS)))
    for name, row in rows.items():
        if "error" in row:
            print(f"{name:>14}  not planned: {row['error']}")
            continue
        for stage, one in enumerate(row.get("by_stage", (row,))):
            shown = f"{name}, stage {stage}" if "by_stage" in row else name
            line = f"{shown:>14}" + "".join(f"{_shown(one[column]):>14}" for column in _COLUMNS)
            if options.memory and max(one["peak"], one["start"]) > options.memory * 2**30:
                line += "  does not fit"
            print(line)
