"""How good is ``ms2torch diff``? Plants one defect at a time in a copy of the package and runs the tool.

    python scripts/mutate_shim.py                    everything; writes RESULTS.md, and it in Chinese
    python scripts/mutate_shim.py --only momentum    mutants and programs with this in their names
    python scripts/mutate_shim.py --clean            the programs without a defect: false alarms
    python scripts/mutate_shim.py --programs         the whole programs of tests/programs, at two levels
    python scripts/mutate_shim.py --seed 7 8 9       fresh trials, one a seed: generated programs and defects

RESULTS.md is written by a run of everything, of one tree and one reference; a run of a part prints its table.
The reference (``MS2TORCH_REFERENCE_PYTHON`` or ``ms2torch reference install``) runs once for each
program; its traces are kept in ``--traces`` as long as the recorder is the same. A defect is found if
the tool says that the runs differ, located if it names the stage and the Cell, operator, optimizer or
parameter that the table expects.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.mutants import chinese, forked, trials  # noqa: E402
from scripts.mutants.table import Mutant, mutants  # noqa: E402
from tests.programs.record import HERE as TRAINED  # noqa: E402
from tests.programs.record import PROGRAMS as WHOLE_PROGRAMS  # noqa: E402

DIFFTEST = ROOT / "ms2torch" / "difftest"
PROGRAMS = ROOT / "scripts" / "mutants" / "programs"
RESULTS = ROOT / "scripts" / "mutants" / "RESULTS.md"
STEPS = 6
# Of the whole programs, which run as a user runs them, at each of these levels.
FIRST_STEPS, LEVELS = 3, ("step", "cell")
# Programs of many layers, operators or optimizers, for false alarms alone.
WHOLE = ("layers.py", "losses.py", "operators.py", "optimizers.py", "sequences.py", "training.py")


def trace_of(program: tuple[str, ...], folder: Path) -> Path:
    """Where the reference's trace of a program, made by today's recorder, is kept."""
    made_by = [file.read_bytes() for file in sorted((DIFFTEST / "recorder").rglob("*.py"))]
    text = b"".join([(PROGRAMS / program[0]).read_bytes(), "\0".join(program).encode(), *made_by])
    return folder / f"{Path(program[0]).stem}-{hashlib.sha256(text).hexdigest()[:16]}.trace"


def record(programs, folder: Path, strict: bool = True) -> None:
    """Make the traces that are missing: each program's first steps with whole Cells. Unless ``strict``, a
    program may be one that the reference does not run."""
    jobs = []
    for program in programs:
        steps = 81 if program == ("optimizers.py",) else STEPS
        trace = trace_of(program, folder)
        if not trace.exists():
            # Operators have records of their own, so that the place is the operator, not the Cell around it.
            deep = ["--level", "op"] if program[0] == "one_operator.py" else []
            jobs.append([str(trace), ["--adapter", *deep, "--steps", str(steps),
                                      "--refeed", ",".join(map(str, range(1, steps + 1))),
                                      str(PROGRAMS / program[0]), *program[1:]]])
    if not jobs:
        return
    # By its path: no ms2torch may be in this process, whose forks import the copies.
    spec = importlib.util.spec_from_file_location("reference", DIFFTEST / "reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(jobs, file)
        file.flush()
        command = [reference.find(None), forked.__file__, str(DIFFTEST), file.name]
        subprocess.run(command, env=reference.environment(), cwd=folder, check=True)
    for trace, arguments in jobs:
        if strict and not Path(trace).exists():
            said = Path(trace + ".log").read_text(errors="replace")[-2000:]
            raise SystemExit(f"the reference cannot run {arguments}:\n{said}")


class Copy:
    """A scratch copy of the package in which one defect at a time is planted."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.place = folder, folder / "place"
        shutil.copytree(ROOT / "ms2torch", folder / "ms2torch", ignore=shutil.ignore_patterns("__pycache__"))
        self.place.mkdir()
        self.job = self.process = self.planted = None

    def fits(self, mutant: Mutant | None) -> bool:
        """Whether the defect's line stands in the source once."""
        if mutant is None:
            return True
        return (self.folder / "ms2torch" / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1

    def begin(self, job, trace: Path) -> None:
        """Plant the job's defect and start the tool."""
        program, mutant = self.job = job
        self.report = self.folder / "report.json"
        self.report.unlink(missing_ok=True)
        if mutant is not None:
            file = self.folder / "ms2torch" / mutant.file
            text = file.read_text(encoding="utf-8")
            self.planted = file, text
            file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        arguments = ["--quiet", "--trace", str(trace), "--json", str(self.report),
                     str(PROGRAMS / program[0]), *program[1:]]
        self.process = forked.diff(str(self.folder), str(self.place), arguments, str(self.folder / "log"))

    def result(self) -> dict:
        """What the tool said; the copy is whole again."""
        if self.planted:
            file, text = self.planted
            file.write_text(text, encoding="utf-8")
            self.planted = None
        empty = {"equal": None, "first": None}
        found = json.loads(self.report.read_text()) if self.report.exists() else empty
        said = (self.folder / "log").read_text(errors="replace")[-1500:]
        return {**found, "code": self.process.returncode, "said": said}


def run(jobs, traces: Path, workers: int):
    """(job, report) for each (program, mutant or None), as they finish."""
    import torch

    torch.set_num_threads(1)
    record(dict.fromkeys(program for program, _ in jobs), traces)
    with tempfile.TemporaryDirectory() as scratch:
        free = [Copy(Path(scratch) / str(i)) for i in range(min(workers, len(jobs)))]
        waiting, busy = list(reversed(jobs)), []
        while waiting or busy:
            while waiting and free:
                job = waiting.pop()
                if not free[-1].fits(job[1]):
                    print(f"     left out: {job[1].name}: its line does not stand in {job[1].file} once")
                    continue
                copy = free.pop()
                copy.begin(job, trace_of(job[0], traces))
                busy.append(copy)
            time.sleep(0.02)
            for copy in [c for c in busy if c.process.poll() is not None]:
                busy.remove(copy)
                free.append(copy)
                yield copy.job, copy.result()


def whole_programs(names, workers: int):
    """(program, level, report) for each program of tests/programs: ``ms2torch diff`` as from the shell."""
    import os
    from concurrent.futures import ThreadPoolExecutor

    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}

    def one(job):
        name, level = job
        script, *arguments = WHOLE_PROGRAMS[name]
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [sys.executable, "-m", "ms2torch", "diff", "--quiet", "--steps", str(FIRST_STEPS),
                       "--level", level, "--json", str(report), str(TRAINED / script), *arguments]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            found = json.loads(report.read_text()) if report.exists() else {"first": None, "adaptations": []}
        return name, level, {**found, "code": done.returncode, "said": done.stderr[-1500:]}

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(one, [(name, level) for name in names for level in LEVELS])


def located(mutant: Mutant, first: dict | None) -> bool:
    """Whether the first finding names what the table expects."""
    if first is None or not re.fullmatch(mutant.stage, first["stage"]):
        return False
    names = {first.get("where") or "", first.get("cell") or ""}
    names |= {name.split(".", 1)[1] for name in names if "." in name}
    return not mutant.where or any(re.fullmatch(mutant.where, name) for name in names)


def markdown(rows: list[tuple[Mutant, dict]], alarms: list[tuple[tuple[str, ...], dict]],
             whole: list[tuple[str, str, dict]]) -> str:
    """RESULTS.md."""
    found = [m for m, r in rows if r["first"]]
    right = [m for m, r in rows if r["first"] and located(m, r["first"])]
    false = [p for p, r in alarms if r["code"]]
    lines = ["# What `ms2torch diff` finds", "", "[中文](RESULTS.zh-CN.md)", "",
             "One defect at a time planted in a copy of ms2torch (`scripts/mutants/table.py`), judged "
             "against the real MindSpore's trace; then programs without a defect, the small ones of "
             "`scripts/mutants/programs` and the whole ones of `tests/programs`. All of one run of "
             f"`python scripts/mutate_shim.py` beside {_sides(whole)}.", "",
             f"- planted: {len(rows)}",
             f"- found: {len(found)} ({len(found) / max(len(rows), 1):.1%})",
             f"- of the found, located: {len(right)} ({len(right) / max(len(found), 1):.1%})",
             f"- false alarms on the programs without a defect: {len(false)} of {len(alarms)}",
             *_counted(whole), "",
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
        lines.append(f"| `{' '.join(program)}` | {_said(report)} |")
    lines += ["", "## Whole programs", "",
              f"`ms2torch diff --steps {FIRST_STEPS} --level LEVEL` of the programs of `tests/programs`. "
              "*Adapted*: in how many places the real MindSpore had to be (devices, dropped names) to run "
              "the program at all.", "",
              f"| program | adapted | {' | '.join(LEVELS)} | records |", "|---" * (len(LEVELS) + 3) + "|"]
    for name in dict.fromkeys(name for name, _, _ in whole):
        reports = [r for n, _, r in whole if n == name]
        records = " + ".join(f"{r.get('compared', 0):,}" for r in reports)
        lines.append(f"| `{' '.join(WHOLE_PROGRAMS[name])}` | {_adapted(reports) or ''} | "
                     + " | ".join(map(_said, reports)) + f" | {records} |")
    return "\n".join(lines) + "\n"


def _counted(whole: list[tuple[str, str, dict]]) -> list[str]:
    """The false alarms on whole programs: on those that the reference runs as they are, and adapted ones."""
    by_name: dict[str, list[dict]] = {}
    for name, _, report in whole:
        by_name.setdefault(name, []).append(report)
    lines = []
    for what, wanted in (("that the reference runs as they are", False), ("that it runs adapted", True)):
        chosen = [reports for reports in by_name.values() if bool(_adapted(reports)) is wanted]
        alarms = sum(any(r["code"] for r in reports) for reports in chosen)
        lines.append(f"- false alarms on whole programs {what}: {alarms} of {len(chosen)}")
    return lines


def _adapted(reports: list[dict]) -> int:
    return max((len({a["name"] for a in r.get("adaptations", ())}) for r in reports), default=0)


def _sides(whole: list[tuple[str, str, dict]]) -> str:
    names = {r["sides"][0].removesuffix(" (adapted)") for _, _, r in whole if r.get("sides")}
    return " and ".join(sorted(names)) or "the reference"


def _said(report: dict) -> str:
    return "equal" if report["code"] == 0 else f"**{_short(report)}**"


def fresh(seeds, count: int, traces: Path, workers: int) -> list[str]:
    """Trials of generated programs and defects; the summary of each seed."""
    def recorded(programs):
        record(programs, traces, strict=False)
        files = {program[0]: trace_of(program, traces) for program in programs}
        return {name: file if file.exists() else None for name, file in files.items()}

    import torch

    torch.set_num_threads(1)
    lines = []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as scratch:
            rows = []
            for row in trials.run(seed, count, traces, Path(scratch), workers, recorded):
                rows.append(row)
                number, defect, seen, report = row
                mark = "unseen" if not seen else "clean" if defect is None else \
                    "missed" if not report["first"] else \
                    "located" if trials.located(defect, report["first"]) else "elsewhere"
                name, said = defect.name if defect else "without a defect", _short(report) if seen else ""
                print(f"{len(rows):4} {mark:9} program {number}, {name}: {said}", flush=True)
            lines += trials.summary(seed, rows)
    return lines


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="mutants and programs with this in their names")
    parser.add_argument("--clean", action="store_true", help="the small programs without a defect only")
    parser.add_argument("--programs", action="store_true", help="the whole programs of tests/programs only")
    parser.add_argument("--traces", type=Path, default=ROOT / ".reference" / "traces")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, nargs="+", default=(), help="fresh trials instead, one a seed")
    parser.add_argument("--trials", type=int, default=100, help="defects of each seed; default: 100")
    parser.add_argument("--out", type=Path, help="the table; default: RESULTS.md after a run of everything")
    options = parser.parse_args()
    everything = not (options.only or options.clean or options.programs)
    options.traces.mkdir(parents=True, exist_ok=True)
    options.traces = options.traces.resolve()  # the tool runs in folders of its own
    if options.seed:
        text = "\n".join(fresh(options.seed, options.trials, options.traces, options.workers)) + "\n"
        if options.out:
            options.out.write_text(text, encoding="utf-8")
        print(text, end="")
        return
    wanted = options.only.lower()
    chosen = [m for m in mutants() if wanted in m.name.lower()]
    programs = [*dict.fromkeys(m.program for m in chosen), *((name,) for name in WHOLE if wanted in name)]
    rows, alarms, whole, start = [], [], [], time.monotonic()
    if not options.clean and not options.programs:
        for (_, mutant), report in run([(m.program, m) for m in chosen], options.traces, options.workers):
            rows.append((mutant, report))
            mark = ("missed" if not report["first"]
                    else "located" if located(mutant, report["first"]) else "elsewhere")
            print(f"{len(rows):4} {mark:9} {mutant.name}: {_short(report)}", flush=True)
    if not options.programs:
        for (program, _), report in run([(p, None) for p in programs], options.traces, options.workers):
            alarms.append((program, report))
            _say(len(alarms), " ".join(program), report)
    if not options.clean:
        names = [name for name in WHOLE_PROGRAMS if wanted in name]
        for name, level, report in whole_programs(names, options.workers):
            whole.append((name, level, report))
            _say(len(whole), f"{name} at level {level}", report)
    order = {m.name: i for i, m in enumerate(mutants())}
    rows.sort(key=lambda row: order[row[0].name])
    alarms.sort(key=lambda alarm: programs.index(alarm[0]))
    text = markdown(rows, alarms, whole)
    out = options.out or (RESULTS if everything else None)
    if out is not None:
        out.write_text(text, encoding="utf-8")
    if out == RESULTS:
        RESULTS.with_suffix(".zh-CN.md").write_text(chinese.page(text), encoding="utf-8")
    print("\n".join(line for line in text.splitlines() if line.startswith("- ")))
    print(f"{time.monotonic() - start:.0f} s; {out or 'no file written'}")


def _say(number: int, what: str, report: dict) -> None:
    print(f"{number:4} {'ALARM' if report['code'] else 'equal':9} {what}"
          f"{': ' + _short(report) if report['code'] else ''}", flush=True)


def _short(report: dict) -> str:
    first = report["first"]
    if first:
        return f"{first['stage']} {first['where']} {first['kind']} {first.get('error')}"
    return report["said"].strip().splitlines()[-1] if report["said"].strip() else "equal"


if __name__ == "__main__":
    main()
