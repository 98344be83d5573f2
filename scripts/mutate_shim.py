"""How good is ``ms2torch diff``? Plants one defect at a time in a copy of the package and runs the tool.

    python scripts/mutate_shim.py                    all of scripts/mutants/table.py; writes RESULTS.md
    python scripts/mutate_shim.py --only momentum    those with this in their names
    python scripts/mutate_shim.py --clean            the programs without a defect: false alarms

The reference (``MS2TORCH_REFERENCE_PYTHON`` or ``ms2torch reference install``) runs once for each
program; its traces are kept in ``--traces``. A defect is found if the tool says that the runs differ,
located if it names the stage and the Cell, operator, optimizer or parameter that the table expects.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ms2torch.difftest import reference  # noqa: E402
from scripts.mutants.table import Mutant, mutants  # noqa: E402

PROGRAMS = ROOT / "scripts" / "mutants" / "programs"
RESULTS = ROOT / "scripts" / "mutants" / "RESULTS.md"
STEPS = 6


def trace_of(program: tuple[str, ...], folder: Path) -> Path:
    """The reference's trace of a program with whole Cells at each step; made where it is missing."""
    text = (PROGRAMS / program[0]).read_bytes() + "\0".join(program).encode()
    path = folder / f"{Path(program[0]).stem}-{hashlib.sha256(text).hexdigest()[:16]}.trace"
    if not path.exists():
        steps = range(1, STEPS + 1)
        command = [reference.find(None), str(ROOT / "ms2torch/difftest/recorder.py"), "-o", f"{path}.new",
                   "--adapter", str(ROOT / "ms2torch/difftest/adapter.py"), "--steps", str(STEPS),
                   "--refeed", ",".join(map(str, steps)), str(PROGRAMS / program[0]), *program[1:]]
        done = subprocess.run(command, env=reference.environment(), capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"the reference cannot run {program}:\n{done.stderr[-2000:]}")
        os.replace(f"{path}.new", path)
    return path


class Copy:
    """A scratch copy of the package in which one defect at a time is planted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "ms2torch", folder / "ms2torch", ignore=shutil.ignore_patterns("__pycache__"))

    def judged(self, program: tuple[str, ...], trace: Path, mutant: Mutant | None = None) -> dict:
        """What the tool says, with the defect planted."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        if mutant is not None:
            file = self.folder / "ms2torch" / mutant.file
            text = file.read_text(encoding="utf-8")
            if text.count(mutant.old) != 1:
                raise SystemExit(f"{mutant.name}: its line does not stand in {mutant.file} once")
            file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        try:
            environment = {**os.environ, "PYTHONPATH": str(self.folder), "OMP_NUM_THREADS": "1"}
            command = [sys.executable, "-m", "ms2torch", "diff", "--quiet", "--trace", str(trace),
                       "--json", str(report), str(PROGRAMS / program[0]), *program[1:]]
            done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True)
        finally:
            if mutant is not None:
                file.write_text(text, encoding="utf-8")
        found = json.loads(report.read_text()) if report.exists() else {"equal": None, "first": None}
        return {**found, "code": done.returncode, "said": done.stderr[-1500:]}


def located(mutant: Mutant, first: dict | None) -> bool:
    """Whether the first finding names what the table expects."""
    if first is None or not re.fullmatch(mutant.stage, first["stage"]):
        return False
    names = {first.get("where") or "", first.get("cell") or ""}
    names |= {name.split(".", 1)[1] for name in names if "." in name}
    return not mutant.where or any(re.fullmatch(mutant.where, name) for name in names)


def run(jobs, traces: Path, workers: int):
    """(job, report) for each (program, mutant or None), as they finish."""
    copies: SimpleQueue = SimpleQueue()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(workers) as pool:
        for i in range(workers):
            copies.put(Copy(Path(scratch) / str(i)))

        def judge(job):
            program, mutant = job
            copy = copies.get()
            try:
                return job, copy.judged(program, trace_of(program, traces), mutant)
            finally:
                copies.put(copy)

        list(pool.map(lambda program: trace_of(program, traces), dict.fromkeys(p for p, _ in jobs)))
        yield from pool.map(judge, jobs)


def markdown(rows: list[tuple[Mutant, dict]], alarms: list[tuple[tuple[str, ...], dict]]) -> str:
    """RESULTS.md."""
    found = [m for m, r in rows if r["first"]]
    right = [m for m, r in rows if r["first"] and located(m, r["first"])]
    false = [p for p, r in alarms if r["code"]]
    lines = ["# What `ms2torch diff` finds", "",
             "One defect at a time planted in a copy of ms2torch (`scripts/mutants/table.py`), judged "
             "against the real MindSpore's trace by `python scripts/mutate_shim.py`.", "",
             f"- planted: {len(rows)}",
             f"- found: {len(found)} ({len(found) / max(len(rows), 1):.1%})",
             f"- of the found, located: {len(right)} ({len(right) / max(len(found), 1):.1%})",
             f"- false alarms on the programs without a defect: {len(false)} of {len(alarms)}", "",
             "| defect | difference no. | program | found | named first | error |",
             "|---|---|---|---|---|---|"]
    for mutant, report in rows:
        first = report["first"] or {}
        verdict = "no" if not first else "yes" if located(mutant, first) else "elsewhere"
        named = " ".join(filter(None, [first.get("stage"), f"`{first['where']}`" if first else "",
                                       first.get("kind")]))
        error = first.get("error")
        program = " ".join(mutant.program[1:]).replace("|", "\\|")
        lines.append(f"| {mutant.name} | {mutant.rank or ''} | `{program}` | {verdict} | {named} | "
                     f"{'' if error is None else f'{error:.2g}'} |")
    lines += ["", "## Without a defect", "", "| program | says |", "|---|---|"]
    for program, report in alarms:
        said = "equal" if report["code"] == 0 else f"**{_short(report)}**"
        lines.append(f"| `{' '.join(program)}` | {said} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="mutants (or programs) with this in their names")
    parser.add_argument("--clean", action="store_true", help="run the programs without a defect only")
    parser.add_argument("--no-clean", action="store_true", help="leave the programs without a defect out")
    parser.add_argument("--traces", type=Path, default=ROOT / ".reference" / "traces")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help=f"default for a full run: {RESULTS.name}")
    options = parser.parse_args()
    options.traces.mkdir(parents=True, exist_ok=True)
    chosen = [m for m in mutants() if options.only.lower() in m.name.lower()]
    programs = list(dict.fromkeys(m.program for m in chosen))
    rows, alarms, start = [], [], time.monotonic()
    if not options.clean:
        for (_, mutant), report in run([(m.program, m) for m in chosen], options.traces, options.workers):
            rows.append((mutant, report))
            mark = ("missed" if not report["first"]
                    else "located" if located(mutant, report["first"]) else "elsewhere")
            print(f"{len(rows):4} {mark:9} {mutant.name}: {_short(report)}", flush=True)
    if not options.no_clean:
        for (program, _), report in run([(p, None) for p in programs], options.traces, options.workers):
            alarms.append((program, report))
            print(f"{len(alarms):4} {'equal' if report['code'] == 0 else 'ALARM':9} {' '.join(program)}"
                  f"{'' if report['code'] == 0 else ': ' + _short(report)}", flush=True)
    text = markdown(rows, alarms)
    print("\n".join(text.splitlines()[4:8]), f"\n{time.monotonic() - start:.0f} s")
    if options.out or not (options.only or options.clean or options.no_clean):
        (options.out or RESULTS).write_text(text, encoding="utf-8")


def _short(report: dict) -> str:
    first = report["first"]
    if first:
        return f"{first['stage']} {first['where']} {first['kind']} {first.get('error')}"
    return report["said"].strip().splitlines()[-1] if report["said"].strip() else "equal"


if __name__ == "__main__":
    main()
