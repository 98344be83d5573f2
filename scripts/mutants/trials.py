"""Trials of ``ms2torch diff`` on generated programs and defects (generated.py).

A defect counts if it can be seen at all: if ms2torch with it computes somewhere, in the first step that it
changes, something that lies more than ``SEEN`` of its norm from what it computes without.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from scripts.mutants import forked, generated

ROOT = Path(__file__).resolve().parents[2]
SEEN = 2e-6
_EACH = 5


class Trial:
    """One defect in one program, or none: first whether it can be seen, then what the tool says."""

    def __init__(self, script: Path, trace: Path, clean: Path, defect, folder: Path) -> None:
        self.script, self.trace, self.clean, self.defect, self.folder = script, trace, clean, defect, folder
        self.report, self.seen = folder / "report.json", True
        (folder / "place").mkdir(parents=True)
        self.process, self.stage = None, "waiting"

    def advance(self) -> bool:
        """Start what comes next; whether all is done."""
        if self.process is not None and self.process.poll() is None:
            return False
        planted, place = self.defect, str(self.folder / "place")
        if self.stage == "waiting" and planted is not None:
            self.stage, out = "recording", self.folder / "wrong.trace"
            self.process = forked.recorded(str(ROOT), place, str(out), str(self.script), planted,
                                           str(self.folder / "log"))
            return False
        if self.stage == "recording":
            self.seen = _differs(self.clean, self.folder / "wrong.trace")
            if not self.seen:
                return True
        if self.stage != "judging":
            arguments = ["--quiet", "--trace", str(self.trace), "--json", str(self.report), str(self.script)]
            self.stage = "judging"
            self.process = forked.diff(str(ROOT), place, arguments, str(self.folder / "log"), planted)
            return False
        return True

    def result(self) -> dict:
        """The tool's report."""
        found = json.loads(self.report.read_text()) if self.report.exists() else {"first": None}
        return {**found, "code": self.process.returncode,
                "said": (self.folder / "log").read_text(errors="replace")[-800:]}


def _differs(clean: Path, wrong: Path) -> bool:
    from ms2torch.difftest import compare, trace

    try:
        left, right = trace.open(clean), trace.open(wrong)
    except trace.TraceError:
        return True  # it does not even run
    found = compare.compare(left, right)
    first = min((f.step for f in (*found.certain, *found.suspects)), default=None)
    return any(not f.error <= SEEN for f in (*found.certain, *found.suspects) if f.step == first)


def located(defect: generated.Defect, first: dict) -> bool:
    """Whether the first finding names the part that is wrong."""
    if first["stage"] not in defect.stages:
        return False
    if not defect.places or defect.places == (".*",):
        return True
    return any(re.fullmatch(place, name) for place in defect.places
               for name in (first.get("where") or "", first.get("cell") or ""))


def run(seed: int, count: int, traces: Path, scratch: Path, workers: int, record):
    """(program's number, defect or None, seen, report) of each trial, as they finish."""
    forked.import_everything()
    programs = {}
    for i in range(-(-count // _EACH)):
        made = generated.program(1000 * seed + i)
        script = traces / f"generated-{seed}-{i}.py"
        script.write_text(made.text, encoding="utf-8")
        programs[i] = made, script
    files = record([(str(script),) for _, script in programs.values()])
    waiting = []
    for i, (made, script) in programs.items():
        if files[str(script)] is None:
            yield i, None, False, {"first": None, "code": None, "said": "the reference does not run it"}
            continue
        clean = scratch / f"clean-{i}.trace"
        forked.recorded(str(ROOT), str(scratch), str(clean), str(script), None, f"{clean}.log").wait()
        found = generated.defects(1000 * seed + i, made.parts, min(_EACH, count - _EACH * i))
        for n, defect in enumerate([None, *found]):
            trial = Trial(script, files[str(script)], clean, defect, scratch / f"{i}-{n}")
            waiting.append((i, trial))
    waiting.reverse()
    busy: list = []
    while waiting or busy:
        while waiting and len(busy) < workers:
            busy.append(waiting.pop())
        for item in list(busy):
            i, trial = item
            if trial.advance():
                busy.remove(item)
                report = trial.result() if trial.seen else {"first": None, "code": 0}
                yield i, trial.defect, trial.seen, report
        time.sleep(0.02)


def summary(seed: int, rows) -> list[str]:
    """What a seed's trials came to, and each that was not as it should be."""
    planted = [(i, d, r) for i, d, seen, r in rows if d is not None and seen]
    unseen = sum(d is not None and not seen for _, d, seen, _ in rows)
    clean = [(i, r) for i, d, seen, r in rows if d is None and seen]
    found = [(i, d, r) for i, d, r in planted if r["first"]]
    right = [1 for _, d, r in found if located(d, r["first"])]
    alarms = [(i, r) for i, r in clean if r["code"]]
    lines = [f"- seed {seed}: {len(planted)} defects in {len(clean)} programs ({unseen} more change nothing "
             f"that can be seen); found {len(found)} ({len(found) / max(len(planted), 1):.0%}), of these "
             f"located {len(right)} ({len(right) / max(len(found), 1):.0%}); false alarms {len(alarms)} of "
             f"{len(clean)}"]
    lines += [f"  - program {i}: false alarm: {_short(r)}" for i, r in alarms]
    lines += [f"  - program {i}, {d.name}: {_short(r)}" for i, d, r in planted
              if not r["first"] or not located(d, r["first"])]
    return lines


def _short(report: dict) -> str:
    first = report["first"]
    if not first:
        return f"nothing (exit code {report['code']})"
    return f"{first['stage']} {first.get('where')} {first['kind']} {first.get('error') or ''}".strip()
