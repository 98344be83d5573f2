"""Cells of public programs on the real MindSpore and on ms2torch: built, called and differentiated alike?

    python scripts/public_cells FOLDER [--sample 300] [--seed 7] [--graph] [--work FOLDER] [--words]

FOLDER has public repositories, one beside the other. Of their files that define Cells a sample is taken; each
class whose arguments have defaults or can be guessed is built with the same seed on both sides, called with
the same inputs (`side`), and what came is compared. The real MindSpore runs through the twin run's adapter,
which has names of earlier releases. A run that was cut goes on where it was, in ``--work``.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))
from tests.reference.real import interpreter  # noqa: E402

DEFINES_CELLS = re.compile(r"^class \w+\(.*(Cell|Loss|LossBase)\)", re.M)
# Of float32, over whole networks; gradients in training, of the largest of all.
NEAR, NEAR_GRADIENTS = 1e-3, 5e-3


def files_with_cells(folder: Path) -> list[str]:
    found = (p for p in sorted(folder.rglob("*.py")) if "/test" not in str(p.relative_to(folder)))
    return [str(p.relative_to(folder)) for p in found if DEFINES_CELLS.search(p.read_text(errors="replace"))]


def run(work: Path, mode: int) -> None:
    """Both sides, one beside the other."""
    real = interpreter()
    if real is None:
        raise SystemExit("no real MindSpore: run scripts/reference_env.sh, or set MS2TORCH_REFERENCE_PYTHON")
    adapter = ROOT / "ms2torch" / "difftest" / "recorder" / "adapter"
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    clean |= {"OMP_NUM_THREADS": "1", "GLOG_v": "4"}
    started = []
    for side, command in (("real", [real, adapter]),
                          ("ours", [sys.executable, "-m", "ms2torch", "--graph", "eager"])):
        (work / side).mkdir(exist_ok=True)
        whole = [*command, HERE / "side.py", work / "files.txt", work / side, str(mode)]
        environment = clean if side == "real" else clean | {"PYTHONPATH": str(ROOT)}
        with open(work / f"{side}.log", "w") as log:
            started.append(subprocess.Popen(whole, env=environment, stdout=log, stderr=log))
    for process in started:
        process.wait()


def largest_of(array: np.ndarray) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0))


def alike(real: list, ours: list, near: float, largest: float | None = None) -> bool:
    """Arrays of `side.kept`: shapes, dtypes, and values up to ``near`` of the largest."""
    if [a[:-1] for a in real] != [a[:-1] for a in ours]:
        return False
    for (*_, a), (*_, b) in zip(real, ours, strict=True):
        top = largest_of(a) if largest is None else largest
        if not np.allclose(b, a, rtol=near, atol=near / 10 * top + 1e-7, equal_nan=True):
            return False
    return True


def compare(real: dict, ours: dict, words: bool):
    """``(what came, of what, more)`` of one class; what is all in capitals is a difference."""
    for side, what in ((real, "the real one takes too long"), (ours, "TOO LONG HERE")):
        if {"too long", "ended"} & side.keys():
            return (yield what, side.get("ended"))
    if "unguessed" in real:
        return (yield "arguments that no guess fits", None)
    if "built" in real or "built" in ours:
        if real.get("built") == ours.get("built"):
            return (yield "refused alike when built", None)
        one_side = "NOT BUILT HERE" if "built" not in real else "BUILT HERE ALONE"
        both = "built" in real and "built" in ours
        return (yield "other words when built" if both else one_side, (real.get("built"), ours.get("built")))
    fits = alike(real["parameters"], ours["parameters"], 1e-5)
    yield ("built alike", None) if fits else ("OTHER PARAMETERS", None)
    # A side ends with the first input that fits it.
    for (name, theirs), (_, mine) in zip(real.get("calls", ()), ours.get("calls", ()), strict=False):
        if (theirs == "fits") != (mine == "fits"):
            what = "CALL REFUSED HERE" if theirs == "fits" else "CALL TAKEN HERE"
            return (yield what, (name, theirs, mine))
        if theirs != "fits":
            yield ("call refused alike", None) if theirs == mine else (
                "call refused in other words", (name, theirs, mine) if words else None)
    if "output" not in real or "output" not in ours:
        return None
    if not alike(real["output"], ours["output"], NEAR):
        return (yield "OTHER OUTPUT", real["calls"][-1][0])
    yield "output alike", None
    if "gradients" in real and "gradients" in ours:
        top = max((largest_of(a[-1]) for a in real["gradients"]), default=0.0)
        if alike(real["gradients"], ours["gradients"], NEAR_GRADIENTS, top):
            yield "gradients alike", None
        elif alike(ours["gradients"], ours["moved"], NEAR_GRADIENTS, top):
            yield "OTHER GRADIENTS", real["calls"][-1][0]
        else:
            yield "gradients that the inputs' last digit moves as far", None
    elif "gradients" in real:
        yield "NO GRADIENTS HERE", ours["no gradients"]
    else:
        yield "no gradients on the real one", real["no gradients"] if words else None


def report(work: Path, words: bool) -> Counter:
    counts: Counter = Counter()
    for answer in sorted((work / "real").glob("*.pkl"), key=lambda p: int(p.stem)):
        other = work / "ours" / answer.name
        if not other.exists():
            continue
        real, ours = pickle.loads(answer.read_bytes()), pickle.loads(other.read_bytes())
        if "import" in real or "import" in ours:
            here_alone = "import" not in real
            counts["IMPORT FAILS HERE" if here_alone else "files that the real one does not import"] += 1
            if here_alone:
                print("IMPORT FAILS HERE", real["file"], *ours["import"])
            continue
        for name, theirs in real["classes"].items():
            for what, more in compare(theirs, ours["classes"].get(name, {"too long": True}), words):
                counts[what] += 1
                if what.isupper() or (words and more):
                    print(what, real["file"], name, more or "")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--graph", action="store_true", help="graph mode; gradients of the outputs' sum")
    parser.add_argument("--work", type=Path, help="where what comes is kept")
    parser.add_argument("--words", action="store_true", help="also show refusals in other words")
    given = parser.parse_args()
    work = given.work or Path(tempfile.mkdtemp(prefix="public_cells_"))
    work.mkdir(parents=True, exist_ok=True)
    files = files_with_cells(given.folder)
    chosen = random.Random(given.seed).sample(files, min(given.sample, len(files)))
    (work / "files.txt").write_text("\n".join([str(given.folder.resolve()), *chosen]))
    print(f"{len(chosen)} of {len(files)} files with Cells; what comes is kept in {work}")
    run(work, 0 if given.graph else 1)
    for what, count in sorted(report(work, given.words).items(), key=lambda pair: -pair[1]):
        print(f"{count:6,}  {what}")


if __name__ == "__main__":
    main()
