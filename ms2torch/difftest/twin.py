"""``ms2torch diff``: the same script on the reference and on ms2torch, two processes, one verdict.

First pass: both runs in the script's own mode, one record per value and step. If everything has the same
bits, that is all. Else some steps are run again, re-fed: each Cell of ours gets the reference's inputs, and
float64 says how much rounding may differ (replay.py, locate.py).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import sys
import time
from pathlib import Path

from . import compare, locate, reference, repro, trace
from .finding import CannotCompare, Finding, Verdict
from .options import Options, is_trace, parse
from .workplace import Run, Workplace

HERE = Path(__file__).parent
# Stages whose values do not come from long sums: what differs here differs for a reason.
_EXACT = {"learning_rate": 1e-6, "loss_scale": 1e-6, "initial": 1e-6, "data": 1e-6, "random": 1e-6}
_REFEEDS = 4
# More than rounding grows in one step.
_GROWTH = 1e4


def main(argv: list[str]) -> int:
    """Run the command line; 0 equal, 1 different, 2 could not run or compare."""
    options = parse(argv)
    verdict = Verdict()
    try:
        run(options, verdict)
    except (CannotCompare, trace.TraceError, reference.NoReference) as err:
        _report(options, verdict, failure=str(err))
        return 2
    except OSError as err:
        _report(options, verdict, failure=f"{err.filename or 'files'}: {err.strerror or err}")
        return 2
    except KeyboardInterrupt:
        print("ms2torch diff: interrupted; both runs were ended", file=sys.stderr)
        return 2
    _report(options, verdict)
    return 0 if verdict.equal else 1


def _report(options: Options, verdict: Verdict, failure: str | None = None) -> None:
    if failure:
        print(f"ms2torch diff: {failure}", file=sys.stderr)
        if verdict.compared:
            outcome = f"the first difference: {verdict.first.sentence()}" if verdict.first else "all equal"
            print(f"until then {verdict.compared:,} records of {verdict.steps} steps compared; {outcome}",
                  file=sys.stderr)
    elif not options.quiet:
        from . import report

        report.show(verdict)
    if options.json:
        found = verdict.as_json()
        if failure:
            found.update(equal=None, failure=failure)
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.html and not failure:
        from . import html

        html.write(verdict, options.html)


def run(options: Options, verdict: Verdict) -> Verdict:
    """The twin run; fills and returns ``verdict``. CannotCompare where there is nothing to compare."""
    if is_trace(options.script[0]):
        return _traces(options.script[0], options.script[1], options, verdict)
    with Workplace() as place:
        try:
            return Twin(options, place, verdict).judged()
        finally:
            if options.keep:
                Path(options.keep).mkdir(parents=True, exist_ok=True)
                for file in [*place.folder.glob("*.trace"), *place.folder.glob("*.log")]:
                    shutil.copy2(file, options.keep)


def _traces(left: str, right: str, options: Options, verdict: Verdict) -> Verdict:
    """Two finished traces; differences of floats are judged by bounds, for nothing can be run again."""
    reference, ours = trace.open(left), trace.open(right)
    _same_kind(reference, ours)
    _describe(verdict, reference, ours)
    found = compare.compare(reference, ours, options.steps)
    _take(verdict, found)
    verdict.findings = _standing(found)
    verdict.notes.append("traces alone: floats differ from "
                         f"{compare.BOUND:g} of their norm on; with the script, --trace judges by float64")
    _ended(reference, ours, verdict)
    return verdict


class Twin:
    """One twin run in its workplace."""

    def __init__(self, options: Options, place: Workplace, verdict: Verdict) -> None:
        self.options, self.place, self.verdict = options, place, verdict
        self.deadline = time.monotonic() + options.timeout if options.timeout else None

    def judged(self) -> Verdict:
        """Both passes."""
        options, verdict = self.options, self.verdict
        given = options.trace
        if given:
            reference = trace.open(given)
            _same_script(reference, options.script[0])
            refed = _refed_steps(reference)
            if refed and not options.refeed:
                return self._by_refeeding(given, refed, compare.Comparison())
            left, right = given, self._record_ours()
        else:
            left, right = self._until_first() if options.until == "first" else self._both(options.level)
        reference, ours = trace.open(left), trace.open(right)
        _same_kind(reference, ours)
        _describe(verdict, reference, ours)
        found = compare.compare(reference, ours, options.steps)
        self._without_aligned(found)
        _take(verdict, found)
        verdict.findings = _standing(found)
        _ended(reference, ours, verdict)
        if not found.suspects and not found.certain:
            verdict.notes.append("every value has the same bits")
            return verdict
        if _explained(verdict.findings):
            return verdict
        steps = options.refeed or chosen(found)
        if not steps:
            return verdict
        if given:
            verdict.notes.append("the trace holds no whole Cells; made with --refeed "
                                 f"{','.join(map(str, steps))} it would say which Cell")
            return verdict
        refed = str(self.place.folder / "refed.trace")
        self._finish(self._start_reference(refed, "cell", refeed=steps), refed)
        return self._by_refeeding(refed, steps, found)

    def _without_aligned(self, found) -> None:
        """What was taken over from the reference differed and is no finding."""
        for what, stage in (("weights", "initial"), ("data", "data")):
            if what in self.options.align:
                differed = [f for f in (*found.certain, *found.suspects) if f.stage == stage]
                found.certain = [f for f in found.certain if f not in differed]
                found.suspects = [f for f in found.suspects if f not in differed]
                if differed:
                    self.verdict.notes.append(f"{what} differed and were taken over from the reference")

    # ---- the second pass -------------------------------------------------------------------------------

    def _by_refeeding(self, path: str, steps, found) -> Verdict:
        verdict, options = self.verdict, self.options
        reference = trace.open(path)
        if not verdict.cells:
            _describe(verdict, reference, None)
        verdict.refed = list(steps)
        events = self._replay(path, steps, "replay")
        self._complete(events, steps, path)
        wanted = locate.doubtful(events)
        truth = self._replay(path, steps, "double", wanted) if wanted else None
        guilty, worst = locate.guilty(events, truth, verdict.cells, reference)
        aligned = {"weights": "initial", "data": "data"}
        guilty = [f for f in guilty if f.stage not in {aligned.get(what) for what in options.align}]
        verdict.compared += events.seen
        verdict.steps = max(verdict.steps, *steps)
        verdict.worst = worst
        if guilty:
            verdict.findings = guilty
            verdict.repro = repro.write(options.repro, guilty[0], reference.step(guilty[0].step), events)
            return verdict
        grown = [f for f in verdict.findings if f.kind in ("value", "nan") and not _exact(f)]
        parted = next((f for f in grown if f.step == _jump(found.outputs)), None)
        draws = sum("Dropout" in cell["class"] for cell in verdict.cells)
        # The real one's sixth mask and those after it are not the same in each run, in either mode.
        if parted is not None and draws * parted.step > 5:
            verdict.notes.append(f"from step {parted.step} on the dropout masks differ: on a CPU the real "
                                 "MindSpore does not draw them reproducibly; --align random takes them over")
        elif parted is not None:
            parted.note = ("not by growth of rounding, and re-fed the step agrees. What is left is state "
                           "that no Parameter holds: random numbers, or the mode (re-feeding is PyNative)")
            parted.stage = "random" if draws else parted.stage
            verdict.findings = [f for f in verdict.findings if f not in grown or f.step >= parted.step]
            return verdict
        verdict.findings = [f for f in verdict.findings if f not in grown]
        if grown and not (parted is not None and grown[0].step >= parted.step):
            verdict.notes.append(
                f"at step {grown[0].step} {grown[0].where} is {grown[0].error:.2g} of its norm apart: grown "
                f"from rounding, for steps {', '.join(map(str, steps))} agree when re-fed")
        else:
            verdict.notes.append(f"steps {', '.join(map(str, steps))} re-fed: every Cell within rounding")
        return verdict

    @staticmethod
    def _miscounted(path: str, step: int, kind: str) -> Finding:
        """Steps too many or too few: of data, or updates that a loss scale skipped on one side."""
        scaled = any(r.get("stage") == "loss_scale" for r in trace.open(path).step(1))
        return Finding(step, "loss_scale" if scaled else "data", "step", kind)

    def _complete(self, events, steps, path: str) -> None:
        verdict = self.verdict
        if events.status == "error":
            verdict.compared, verdict.steps = verdict.compared + events.seen, events.step
            verdict.findings, _ = locate.guilty(events, None, verdict.cells)
            if events.failed:
                verdict.findings.append(Finding(events.step, "forward", events.failed, "error",
                                                ours=events.error, cell=events.failed))
            raise CannotCompare(f"the script failed on ms2torch:\n{self.said}")
        if events.steps < max(steps):
            verdict.findings = [self._miscounted(path, events.steps + 1, "missing")]
            raise CannotCompare(f"the reference made {max(steps)} training steps or more, "
                                f"ms2torch {events.steps}")
        if events.steps > max(steps):
            verdict.findings = [self._miscounted(path, events.steps, "extra")]
            raise CannotCompare(f"the reference made {max(steps)} training steps, ms2torch more")

    def _replay(self, path: str, steps, how: str, wanted=None):
        out = str(self.place.folder / how)
        run = self._start_ours(how, out=out, reference=path, refeed=list(steps), wanted=wanted,
                                beyond=int(_last(trace.open(path)) == max(steps)))
        code = run.wait(self.deadline)
        self.said = run.output()
        if not os.path.exists(out + ".events"):
            raise CannotCompare(f"re-feeding failed in {run.name} (exit code {code}):\n{self.said}")
        return locate.Events(out)

    # ---- processes -------------------------------------------------------------------------------------

    def _until_first(self) -> tuple[str, str]:
        """Both runs of the first steps, then of four times as many, until they differ or end."""
        wanted, self.options.steps = self.options.steps, 2
        while True:
            if wanted is not None:
                self.options.steps = min(self.options.steps, wanted)
            left, right = self._both(self.options.level)
            reference, ours = trace.open(left), trace.open(right)
            ended = min(reference.steps, ours.steps) < self.options.steps or self.options.steps == wanted
            if ended or _standing(compare.compare(reference, ours)):
                return left, right
            self.options.steps *= 4

    def _both(self, level: str) -> tuple[str, str]:
        left, right = (str(self.place.folder / f"{side}.trace") for side in ("reference", "ours"))
        if "random" in self.options.align and level == "step":
            level = "cell"  # masks are seen where each Cell's output is
        needs_reference = bool(self.options.align)
        theirs = self._start_reference(left, level)
        if needs_reference:
            self._finish(theirs, left)
        ours = self._start_ours("record", out=right, level=level,
                                reference=left if needs_reference else None)
        if not needs_reference:
            self._finish(theirs, left)
        self._finish(ours, right)
        return left, right

    def _record_ours(self) -> str:
        right = str(self.place.folder / "ours.trace")
        self._finish(self._start_ours("record", out=right, level=self.options.level,
                                      reference=self.options.trace if self.options.align else None), right)
        return right

    def _start_reference(self, out: str, level: str, refeed=()) -> Run:
        o = self.options
        if o.reference == "ms2torch":
            return self._start_ours("record", out=out, level=level, refeed=list(refeed), name="reference",
                                    python=o.reference_python, device=o.reference_device or "cpu")
        command = [reference.find(o.reference_python), str(HERE / "recorder.py"), "-o", out, "--level", level,
                   "--seed", str(o.seed)]
        if o.adapter:
            command += ["--adapter", str(HERE / "adapter.py")]
        if refeed:
            command += ["--refeed", ",".join(map(str, refeed)), "--steps", str(max(refeed))]
        elif o.steps:
            command += ["--steps", str(o.steps)]
        whole = {"weights": "initial/*", "data": "data/*", "random": "forward/*"}
        for what in o.align:
            command += ["--full", whole[what]]
        script = [os.path.abspath(o.script[0]), *o.script[1:]]
        return self.place.start(f"reference-{Path(out).stem}", [*command, *script], reference.environment())

    def _start_ours(self, how: str, *, out: str, name: str = "", python: str | None = None,
                    device: str | None = None, **spec) -> Run:
        o = self.options
        spec = {"how": how, "out": out, "script": [os.path.abspath(o.script[0]), *o.script[1:]], "api": o.api,
                "device": device or o.device or "cpu", "steps": o.steps, "seed": o.seed,
                "align": list(o.align), **spec}
        if spec.get("refeed"):
            spec["steps"] = max(spec["refeed"]) + spec.pop("beyond", 0)
        file = self.place.folder / f"{name or how}.json"
        file.write_text(json.dumps(spec))
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(
            [str(HERE.parent.parent), *filter(None, [environment.get("PYTHONPATH")])])
        command = [python or sys.executable, "-m", "ms2torch.difftest.ours", str(file)]
        return self.place.start(name or f"ms2torch-{how}", command, environment)

    def _finish(self, run: Run, path: str) -> None:
        """Wait for a side; a script that fails leaves a trace, which is compared as far as it goes."""
        code = run.wait(self.deadline)
        if code and not _readable(path):
            raise CannotCompare(f"{_side(run)} cannot run the script (exit code {code}):\n{run.output()}")


def _side(run: Run) -> str:
    return "the reference" if run.name.startswith("reference") else "ms2torch"


def _readable(path: str) -> bool:
    try:
        return trace.open(path).header is not None
    except (OSError, trace.TraceError):
        return False


def _same_script(reference, script: str) -> None:
    """CannotCompare unless the trace was made of this very script."""
    wanted = reference.header.get("sha256")
    if wanted and hashlib.sha256(Path(script).read_bytes()).hexdigest() != wanted:
        raise CannotCompare(f"the trace is of another script: {reference.header.get('script')} as it was "
                            f"then is not {Path(script).name} as it is now; record it again")


def _same_kind(reference, ours) -> None:
    """CannotCompare unless both traces are of one script."""
    left, right = reference.header.get("sha256"), ours.header.get("sha256")
    if left and right and left != right:
        raise CannotCompare(
            f"the traces are of different scripts: {reference.header.get('script')} and "
            f"{ours.header.get('script')} are not the same text")


def _ended(reference, ours, verdict: Verdict) -> None:
    """CannotCompare where a side ended early."""
    for side, opened in (("the reference", reference), ("ms2torch", ours)):
        last = opened.end
        if last is None:
            raise CannotCompare(f"{side}'s trace is cut off: the run was killed or the disk was full")
        if last.get("status") == "error":
            said = last.get("traceback") or last.get("message")
            raise CannotCompare(f"the script failed on {side}:\n{said}")
    left, right = reference.end.get("steps"), ours.end.get("steps")
    if left != right:
        kind = "missing" if left > right else "extra"
        verdict.findings.append(Finding(min(left, right) + 1, "data", "step", kind))
        raise CannotCompare(f"the reference made {left} training steps, ms2torch {right}")
    if not left:
        raise CannotCompare("no training step was seen: no Optimizer was called")


def _describe(verdict: Verdict, reference, ours) -> None:
    verdict.cells = list(reference.cells or ())
    verdict.adaptations = list(getattr(reference, "adaptations", None)
                               or reference.header.get("adaptations") or ())
    names = []
    for opened in (reference, ours):
        header = opened.header if opened is not None else {"side": "ms2torch"}
        side = {"mindspore": "MindSpore", "torch": "PyTorch"}.get(header.get("side"), header.get("side"))
        names.append(f"{side} {header.get('version') or ''}".strip())
    if names[0] == names[1]:
        names = [f"{names[0]} (reference)", names[1]]
    verdict.sides = (names[0], names[1])


def _take(verdict: Verdict, found) -> None:
    verdict.compared, verdict.steps = found.compared, found.steps
    verdict.losses, verdict.drift = found.losses, found.drift


def _exact(f: Finding) -> bool:
    return f.stage in _EXACT and f.error > _EXACT[f.stage]


def _standing(found) -> list[Finding]:
    """What differs by the bounds alone, in order of time."""
    grown = [s for s in found.suspects if not s.error <= _EXACT.get(s.stage, s.tolerance)]
    return sorted([*found.certain, *grown], key=lambda f: (f.step, f.update, compare.order(f.stage)))


def _explained(findings: list[Finding]) -> bool:
    """Whether the first difference is one that re-feeding has nothing to add to."""
    if not findings:
        return False
    first = findings[0]
    return first.stage in ("initial", "data") or first.kind in ("missing", "extra")


def _jump(outputs) -> int | None:
    """The step at which the outputs part at once, from rounding to far more; None where they do not.

    (Outputs: a parameter that has no effect on them, a bias before BatchNorm under Adam, may jump.)
    """
    before = 1e-7
    for step, gap in enumerate(outputs, 1):
        if gap > max(_GROWTH * before, compare.BOUND):
            return step
        before = max(before, gap)
    return None


def chosen(found) -> tuple[int, ...]:
    """The steps worth re-feeding: where a difference is first seen, first counts, and grows most."""
    # Many a rule shows from the second step on, when there is a state: moments, counters, statistics.
    steps = [f.step for f in found.suspects[:1]] + [s for s in (1, 2) if s <= found.steps]
    standing = _standing(found)
    steps += [f.step for f in standing[:1]]
    drift = found.drift
    jumps = [(after / max(before, 1e-8), i + 2) for i, (before, after) in
             enumerate(itertools.pairwise(drift)) if after > 1e-6]
    steps += [step for _, step in sorted(jumps, reverse=True)[:1]]
    return tuple(sorted({max(s, 1) for s in steps}))[:_REFEEDS]


def _refed_steps(reference) -> tuple[int, ...]:
    asked = reference.header.get("options", {}).get("refeed") or ()
    return tuple(step for step in asked if step <= reference.steps)


def _last(reference) -> int | None:
    """The step after which the reference's script ended by itself; None where it was told to end there."""
    limit = reference.header.get("options", {}).get("steps")
    whole = reference.end is not None and reference.end.get("status") == "ok"
    return reference.steps if whole and (limit is None or reference.steps < limit) else None
