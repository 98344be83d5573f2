"""What ``ms2torch translate`` makes of the programs of tests/programs and of the guide.

Each program runs, is translated and proved, in a folder of its own; a line for each, and the figures of
all. ``--keep FOLDER`` leaves the translations and reports there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.programs.record import ONE_FILE  # noqa: E402

# Name: what is translated, and the command that runs it.
PROGRAMS = {
    **{name: (f"tests/programs/{name}.py", f"{name}.py") for name in ONE_FILE.split()},
    "resnet": ("tests/programs/resnet", "train.py"),
    "guide: first run": ("migration_guide/01_first_run/old_names.py", "old_names.py"),
    "guide: seven years": ("migration_guide/07_seven_years/seven_years.py", "seven_years.py"),
    "guide: many devices": ("migration_guide/08_many_devices/train.py", "train.py"),
    "guide: trust": ("migration_guide/09_trust/train.py migration_guide/09_trust/parts.py", "train.py"),
    "guide: LeNet": ("migration_guide/lenet/train.py", "train.py --epochs 1"),
}


def translated(source: str, run: str, folder: Path, limit: float) -> dict:
    """The report on one program."""
    place = gathered(source, folder)
    if "lenet/train.py" in source:  # which reads files
        digits = [sys.executable, str(ROOT / "scripts/make_digits.py"), "data/digits"]
        subprocess.run(digits, cwd=folder, check=True, capture_output=True)
    out = folder / ("out" if place.is_dir() else "out.py")
    command = [sys.executable, "-m", "ms2torch", "translate", str(place), "-o", str(out), "--force"]
    command += ["--run", run, "--json", str(folder / "report.json"), "--html", str(folder / "report.html")]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    began = time.perf_counter()
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"failed": f"more than {limit:g} s"}
    if done.returncode == 2 or not (folder / "report.json").exists():
        return {"failed": (done.stderr.strip().splitlines() or ["?"])[-1]}
    report = json.loads((folder / "report.json").read_text())
    warnings = list((ruff(out) - ruff(place)).elements())
    return {
        "sites": report["sites"],
        "translated": report["translated"],
        "free": not any(f["needs_ms2torch"] for f in report["files"]),
        "cells": len(report["cells"]),
        "proved": report["proved"],
        "taken": len(report["taken_back"]),
        "ran": not (report["program"]["run"]["code"] or report["program"]["run"]["error"]),
        "agrees": report["program"]["differs"] == "",
        "differs": report["program"]["differs"],
        "left": len({line.partition(": ")[0] for line in report["left"]}),
        "todo": report["left"],
        "ruff": warnings,
        "seconds": time.perf_counter() - began,
    }


def gathered(source: str, folder: Path) -> Path:
    """What is translated: a place in the repository, or several files in a folder of their own."""
    files = [ROOT / name for name in source.split()]
    if len(files) == 1:
        return files[0]
    (folder / "source").mkdir(exist_ok=True)
    for file in files:
        shutil.copy(file, folder / "source")
    return folder / "source"


def ruff(place: Path) -> Counter:
    """How often each of ruff's default rules has something to say."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "-q",
        "--output-format",
        "json",
        str(place),
    ]
    # Elsewhere than here, where ms2torch is the project's own package, which import sorters set apart.
    shown = subprocess.run(command, cwd=place.parent, capture_output=True, text=True).stdout
    return Counter(found["code"] for found in json.loads(shown))


def line(name: str, found: dict) -> str:
    if "failed" in found:
        return f"{name:20} {found['failed']}"
    agrees = "agrees" if found["agrees"] else "differs" if found["differs"] else "not compared"
    return (
        f"{name:20} {found['translated']:4} of {found['sites']:4} sites, {found['proved']:2} of "
        f"{found['cells']:2} Cells, {'free' if found['free'] else 'needs ms2torch':14} {agrees:12} "
        f"{found['left']:3} left, {len(found['ruff'])} of ruff, {found['seconds']:.0f} s"
    )


def figures(found: dict[str, dict]) -> list[str]:
    """The figures of all."""
    rows = [row for row in found.values() if "failed" not in row]
    sites, done = sum(r["sites"] for r in rows), sum(r["translated"] for r in rows)
    free = [r for r in rows if r["free"]]
    both = sum(r["agrees"] for r in free)
    return [
        f"{len(rows)} of {len(found)} programs were translated",
        f"{done} of {sites} sites ({done / max(sites, 1):.1%})",
        f"{len(free)} of {len(found)} programs import neither mindspore nor ms2torch any more "
        f"({len(free) / len(found):.0%}), of which {both} print and train the same",
        f"{sum(r['agrees'] for r in rows)} of {len(found)} programs print and train the same",
        f"{sum(r['proved'] for r in rows)} of {sum(r['cells'] for r in rows)} Cells proved",
        f"{sum(r['left'] for r in rows)} lines are left for a hand",
        f"{sum(not r['ruff'] for r in rows)} of {len(rows)} translations please ruff as their originals do",
    ]


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    p.add_argument("names", nargs="*", help="programs; default: all")
    p.add_argument("--keep", metavar="FOLDER", help="leave translations and reports there")
    p.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="for one program")
    asked = p.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name in asked.names or PROGRAMS:
            folder = Path(asked.keep or temporary, name.replace(": ", "_").replace(" ", "_")).resolve()
            folder.mkdir(parents=True, exist_ok=True)
            found[name] = translated(*PROGRAMS[name], folder, asked.limit)
            (folder / "figures.json").write_text(json.dumps(found[name], indent=1))
            print(line(name, found[name]), flush=True)
    print(*figures(found), sep="\n")


if __name__ == "__main__":
    main()
