"""``ms2torch diff``: the same script on the reference and on ms2torch, two processes, one verdict.

First pass: both runs in the script's own mode, one record per value and step. If everything has the same
bits, that is all. Else some steps are run again, re-fed: each Cell of ours gets the reference's inputs, and
float64 says how much rounding may differ (replay.py, locate.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from . import checks, compare, departures, first_pass, locate, ours, port, reference, repro, trace
from .finding import CannotCompare, Finding, Verdict
from .options import Options, is_trace, parse
from .workplace import Run, Workplace, terminate, wait

HERE = Path(__file__).parent
# The recorder's exit code when the trace cannot be written; less room than this is a full disk.
_UNWRITTEN, _SCARCE = 74, 1 << 16
# From this step on steps between the re-fed ones are worth compiling.
_LATE = 8
_ONE_SIDED = ("missing", "extra")


def command(argv: list[str]) -> int:
    """`main`, in a process that has done nothing else."""
    return main(argv, fresh=True)


def main(argv: list[str], fresh: bool = False) -> int:
    """Run the command line; 0 equal, 1 different, 2 could not run or compare."""
    options = parse(argv)
    verdict = Verdict()
    try:
        run(options, verdict, fresh)
    except (KeyboardInterrupt, Exception) as error:
        verdict.failure = checks.error_as_json(error)
        first_pass.drop_unjudged(verdict)
    verdict.notes += departures.notes(verdict)
    try:
        _report(options, verdict)
    except OSError as error:
        print(f"ms2torch diff: the report could not be written: {error}", file=sys.stderr)
        return 2
    return 2 if verdict.failure else 0 if verdict.equal else 1


def _report(options: Options, verdict: Verdict) -> None:
    verdict.number()
    if verdict.failure:
        print(f"ms2torch diff: {verdict.failure['text']}", file=sys.stderr)
        if verdict.compared:
            found = verdict.first
            outcome = f"the first difference: {found.sentence()}" if found else \
                "no difference but some that were not judged yet" if verdict.unjudged else "no difference"
            print(f"until then {verdict.compared:,} records of {verdict.length} compared; {outcome}",
                  file=sys.stderr)
        if verdict.unjudged:
            print(f"not judged: {verdict.unjudged[0].sentence()}, and {len(verdict.unjudged) - 1} more; that "
                  "may be rounding", file=sys.stderr)
    elif not options.quiet:
        from . import report

        report.show(verdict)
    if options.json:
        text = json.dumps(verdict.as_json(), indent=1, allow_nan=False)
        Path(options.json).write_text(text + "\n", encoding="utf-8")
    if options.html:
        from . import html

        html.write(verdict, options.html)


def run(options: Options, verdict: Verdict, fresh: bool = False) -> Verdict:
    """The twin run; fills and returns ``verdict``. CannotCompare where there is nothing to compare."""
    if is_trace(options.script[0]) and not options.torch:
        return _traces(options.script[0], options.script[1], options, verdict)
    with Workplace(fresh) as place:
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
    ported = port.reference_first(reference, ours)
    if ported:
        return port.compare_traces(*ported, verdict, options.steps)
    first_pass.same_kind(reference, ours)
    first_pass.describe(verdict, reference, ours)
    last = reference.last_in(options.steps)
    found = compare.compare(reference, ours, last)
    first_pass.fill_verdict(verdict, found, reference, ours)
    verdict.notes.append("traces alone: floats differ from "
                         f"{compare.BOUND:g} of their norm on; with the script, --trace judges by float64")
    checks.check_completed(reference, ours, verdict, last)
    return verdict


class Twin:
    """One twin run in its workplace."""

    def __init__(self, options: Options, place: Workplace, verdict: Verdict) -> None:
        self.options, self.place, self.verdict = replace(options), place, verdict
        self.deadline = time.monotonic() + options.timeout if options.timeout else None
        # How a side ended that left its trace unfinished.
        self.fates: dict[str, checks.Failed] = {}

    def judged(self) -> Verdict:
        """Both passes."""
        options, verdict = self.options, self.verdict
        if options.torch:
            return port.run(self)
        if options.trace:
            refed = self._as_recorded(trace.open(options.trace))
            if refed:
                return self._by_refeeding(options.trace, refed, compare.Comparison())
        left, right = self._until_first() if options.until == "first" else self._both()
        reference, ours = trace.open(left), trace.open(right)
        first_pass.same_kind(reference, ours)
        first_pass.describe(verdict, reference, ours)
        if options.reference == "ms2torch":
            places = ((options.reference_device, options.reference_python), (options.device, None))
            verdict.sides = tuple(" ".join(filter(None, [name, "on", device or "cpu", python])) for name,
                                  (device, python) in zip(verdict.sides, places, strict=True))
        last = options.updates or reference.last_in(options.steps)
        found = compare.compare(reference, ours, last)
        self._without_aligned(found)
        first_pass.fill_verdict(verdict, found, reference, ours)
        checks.check_completed(reference, ours, verdict, last, self.fates)
        if not found.suspects and not found.certain:
            verdict.notes.append("every value has the same bits")
            return verdict
        if first_pass.is_conclusive(verdict.findings):
            return verdict
        steps = tuple(reference.updates_in(options.refeed)) or first_pass.steps_to_refeed(found)
        if not steps:
            return verdict
        if options.trace:
            verdict.notes.append("the trace holds no whole Cells; made with --refeed "
                                 f"{','.join(map(str, steps))} it would say which Cell")
            return verdict
        refed = self._recorded_again(steps, reference)
        again = trace.open(refed)
        if again.steps < max(steps) and checks.has_failed(again):
            said = ((again.end or {}).get("message") or "its run was cut off").strip().splitlines()[0]
            said = f"the reference does not run in PyNative mode, in which steps are re-fed ({said})"
            if verdict.findings:
                raise checks.Failed("script", f"{said}, so a difference cannot be told from rounding",
                                    checks.REFERENCE)
            verdict.notes.append(f"{said}; no float differs by {compare.BOUND:g} of its norm or more")
            return verdict
        return self._by_refeeding(refed, steps, found)

    def _recorded_again(self, steps: tuple[int, ...], reference: trace.Trace) -> str:
        """The path of a trace of the reference that holds these steps Cell by Cell, for which they run in
        PyNative mode. Steps between them run as the graphs that they are, where they are (three times as
        fast), if the reference gets through with that."""
        path = str(self.place.folder / "refed.trace")
        if reference.in_graphs and max(steps) > _LATE:
            with contextlib.suppress(checks.Failed):
                self.finish((self.start_reference(path, refeed=steps, compiled=True), path))
                if trace.open(path).steps >= max(steps):
                    return path
        self.finish((self.start_reference(path, refeed=steps), path))
        return path

    def _as_recorded(self, reference: trace.Trace) -> tuple[int, ...]:
        """Give our run the options that the trace was recorded with; the steps that it holds whole."""
        options, header = self.options, reference.header
        checks.same_script(reference, options.script[0], options.script[1:], self.verdict)
        checks.can_align(reference, options.align)
        level, made = header.get("level", "step"), header.get("options", {})
        if options.level not in (None, level):
            raise checks.Failed("trace", f"the trace is of level {level}; it cannot be compared at level "
                                         f"{options.level}")
        options.level, options.seed = level, made.get("seed") if options.seed is None else options.seed
        options.only_step, options.cells = made.get("only_step"), tuple(made.get("cells") or ())
        if checks.ended_at(reference) is None:  # it was told to end, or ended early: no use in going on
            last = reference.last_in(options.steps) or reference.steps
            options.updates = min(last, reference.steps) or None
        if options.refeed:
            return ()
        last = options.updates or reference.last_in(options.steps) or reference.steps
        asked = (step for step in made.get("refeed") or () if step <= last)
        return tuple(asked)

    def _without_aligned(self, found) -> None:
        """What was taken over from the reference differed and is no finding."""
        for what, stage in (("weights", "initial"), ("data", "data"), ("random", "random")):
            if what in self.options.align:
                differed = any(f.stage == stage for f in (*found.certain, *found.suspects))
                found.certain = [f for f in found.certain if f.stage != stage]
                found.suspects = [f for f in found.suspects if f.stage != stage]
                if differed:
                    self.verdict.notes.append(f"{what} differed and were taken over from the reference")

    # ---- the second pass -------------------------------------------------------------------------------

    def _by_refeeding(self, path: str, steps, found) -> Verdict:
        verdict, options = self.verdict, self.options
        reference = trace.open(path)
        if not verdict.cells:
            first_pass.describe(verdict, reference, None)
        events = self._replay(path, steps, "replay")
        self._complete(events, steps, path, reference)
        guilty, verdict.tolerated, verdict.forgiven = self._judged(path, steps, events, reference)
        verdict.refed = list(steps)  # not before: until here nothing is judged
        aligned = {"weights": "initial", "data": "data", "random": "random"}
        guilty = [f for f in guilty if f.stage not in {aligned.get(what) for what in options.align}]
        verdict.compared += events.seen
        verdict.steps = max(verdict.steps, *steps)
        if guilty:
            verdict.findings = guilty
            guilty, events, reference = self._operators(guilty, events, reference)
            verdict.findings = guilty
            first = guilty[0]
            verdict.repro = repro.write(options.repro, first, reference.step(first.step), events,
                                        reference.optimizers)
            if verdict.repro and first.stage == "backward" and not first.judge:
                first.judge = repro.which_is_wrong(verdict.repro)
            return verdict
        grown = [f for f in verdict.findings if f.kind in ("value", "nan") and not first_pass.is_exact(f)]
        excused = set(grown)
        parted = next((f for f in grown if f.step == first_pass.divergence_step(found.outputs)), None)
        draws = sum("Dropout" in cell["class"] for cell in verdict.cells)
        # The real one's sixth mask and those after it are not the same in each run, in either mode.
        if parted is not None and draws * parted.step > 5:
            verdict.notes.append(f"from step {parted.step} on the dropout masks differ: on a CPU the real "
                                 "MindSpore does not draw them reproducibly; --align random takes them over")
        elif parted is not None:
            parted.note = ("not by growth of rounding, and re-fed the step agrees. What is left is state "
                           "that no Parameter holds: random numbers, or the mode (re-feeding is PyNative)")
            parted.stage = "random" if draws else parted.stage
            verdict.findings = [f for f in verdict.findings if f not in excused or f.step >= parted.step]
            return verdict
        verdict.findings = [f for f in verdict.findings if f not in excused]
        if grown and not (parted is not None and grown[0].step >= parted.step):
            verdict.notes.append(
                f"at step {grown[0].step} {grown[0].where} is {grown[0].error:.2g} of its norm apart: grown "
                f"from rounding, for steps {verdict.named(steps)} agree when re-fed")
        else:
            verdict.notes.append(f"steps {verdict.named(steps)} re-fed: every Cell within rounding")
        return verdict

    def _operators(self, guilty, events, reference):
        """Where a Cell's own construct is to blame, its step again, operator by operator: the first that
        differs goes in front. With the findings, what the repro is made of."""
        first, cell = guilty[0], locate.cell_to_expand(guilty[0], events)
        if cell and self.options.trace:
            self.verdict.notes.append(f"recorded with --level op --cells {cell} --refeed {first.step} the "
                                      "trace would name the operator")
        if not cell or self.options.trace:
            return guilty, events, reference
        path = str(self.place.folder / "operators.trace")
        self.finish((self.start_reference(path, refeed=(first.step,), cells=(cell,)), path))
        looked = self._replay(path, (first.step,), "operators", cells=[cell])
        opened = trace.open(path)
        deeper, *_ = self._judged(path, (first.step,), looked, opened, [cell])
        named = next((f for f in deeper if f.line), None)
        if named is None:
            first.note += "; its operators agree one by one, so look at the Python between them"
            return guilty, events, reference
        locate.name_operator(first, named, self.options.script[0])
        return [named, *guilty], looked, opened

    def _judged(self, path: str, steps, events, reference, cells=None):
        """What `locate.find_culprits` says, by float64 and where needed by shaken float64."""
        name, truth, shaken = "-operators" if cells else "", None, None
        wanted = locate.needing_float64(events)
        if wanted:
            truth = self._replay(path, steps, "double" + name, wanted, cells)
            wanted = locate.needing_perturbation(events, truth)
        if wanted:
            shaken = self._replay(path, steps, "shaken" + name, wanted, cells)
        return locate.find_culprits(events, truth, self.verdict.cells, reference, shaken)

    @staticmethod
    def _miscounted(path: str, step: int, kind: str) -> Finding:
        """Steps too many or too few: of data, or updates that a loss scale skipped on one side."""
        scaled = any(r.get("stage") == "loss_scale" for r in trace.open(path))
        return Finding(step, "loss_scale" if scaled else "data", "step", kind)

    def _complete(self, events, steps, path: str, reference) -> None:
        verdict = self.verdict
        if events.status == "error":
            verdict.compared, verdict.steps = verdict.compared + events.seen, events.step
            said = self.said
            found, *_ = self._judged(path, steps, events, reference)
            verdict.refed = list(steps)
            # What the failed step did not come to is no difference.
            verdict.findings = [f for f in found if f.step <= events.steps or f.kind not in _ONE_SIDED]
            if events.failed:
                verdict.findings.append(Finding(events.step, "forward", events.failed, "error",
                                                ours=events.error, cell=events.failed))
            raise checks.Failed("script", f"the script failed on ms2torch:\n{said}", checks.OURS)
        if events.steps < max(steps):
            verdict.findings = [self._miscounted(path, events.steps + 1, "missing")]
            raise checks.Failed("steps", f"the reference made {max(steps)} training steps or more, ms2torch "
                                         f"{events.steps}")
        if events.steps > max(steps):
            verdict.findings = [self._miscounted(path, events.steps, "extra")]
            raise checks.Failed("steps", f"the reference made {max(steps)} training steps, ms2torch more")

    def _replay(self, path: str, steps, name: str, wanted=None, cells=None):
        out, how = str(self.place.folder / name), "replay" if wanted is None else name.partition("-")[0]
        run = self._start_ours(how, out=out, reference=path, refeed=list(steps), wanted=wanted,
                               cells=cells or list(self.options.cells), level="op" if cells else self.level,
                               beyond=int(checks.ended_at(trace.open(path)) == max(steps)))
        self.finish((run, out + ".events"))
        self.said = run.output()
        return locate.Events(out)

    # ---- processes -------------------------------------------------------------------------------------

    def _until_first(self) -> tuple[str, str]:
        """Both runs of the first steps, then of four times as many, until they differ or end."""
        wanted, self.options.steps = self.options.steps, 2
        while True:
            if wanted is not None:
                self.options.steps = min(self.options.steps, wanted)
            left, right = self._both()
            reference, ours = trace.open(left), trace.open(right)
            ended = min(reference.length, ours.length) < self.options.steps or self.options.steps == wanted
            last = reference.last_in(self.options.steps)
            if ended or first_pass.outside_bounds(compare.compare(reference, ours, last)):
                return left, right
            self.options.steps *= 4

    def _both(self) -> tuple[str, str]:
        """The traces of both sides; the reference's may be there already."""
        left, right = (str(self.place.folder / f"{side}.trace") for side in ("reference", "ours"))
        theirs = None
        if self.options.trace:
            left = self.options.trace
        else:
            theirs = self.start_reference(left)
        if theirs and self.options.align:  # ours takes over what the reference has recorded
            self.finish((theirs, left))
            theirs = None
        ours = self._start_ours("record", out=right, reference=left if self.options.align else None)
        try:
            self.finish(*[(theirs, left)] * bool(theirs), (ours, right))
        except KeyboardInterrupt:
            with contextlib.suppress(trace.TraceError, CannotCompare):
                self._so_far(*filter(None, (theirs, ours)), left=left, right=right)
            raise
        return left, right

    def _so_far(self, *runs: Run, left: str, right: str) -> None:
        """Compare what two runs have recorded that are to be ended now."""
        for run in runs:
            run.ended = True
            terminate(run.process)
        reference, ours = trace.open(left), trace.open(right)
        first_pass.describe(self.verdict, reference, ours)
        whole = min(reference.steps, ours.steps)
        found = compare.compare(reference, ours, whole)
        first_pass.fill_verdict(self.verdict, found, reference, ours)

    @property
    def level(self) -> str:
        """The level that both sides are recorded at."""
        if "random" in self.options.align and self.options.level in (None, "step"):
            return "cell"  # masks are seen where each Cell's output is
        return self.options.level or "step"

    def start_reference(self, out: str, refeed=(), cells=(), compiled=False, turns: int | None = None) -> Run:
        """The reference, recorded up to the last re-fed step, or for ``turns`` of the script's loop."""
        o = self.options
        stages = {"weights": "initial/*", "data": "data/*", "random": "random/*"}
        whole = [stages[what] for what in o.align]
        if o.reference == "ms2torch":
            return self._start_ours("record", out=out, refeed=list(refeed), turns=turns,
                                    side=checks.REFERENCE, cells=list(cells or o.cells), align=[], full=whole,
                                    level="op" if cells else self.level,
                                    python=o.reference_python, device=o.reference_device or "cpu")
        level = "op" if cells else "cell" if refeed else self.level
        command = [reference.find(o.reference_python), str(HERE / "recorder"), "-o", out, "--level", level,
                   "--seed", str(_seed(o))]
        if o.adapter:
            command += ["--adapter"]
        if refeed:
            command += ["--refeed", ",".join(map(str, refeed))]
            command += [] if turns else ["--updates", str(max(refeed))]
            command += ["--only-step", str(max(refeed))] if cells else []
            command += ["--refed-alone"] if not o.torch else []
            command += ["--compiled"] if compiled else []
        last = min(filter(None, (o.steps if not refeed or o.torch else None, turns)), default=None)
        command += ["--steps", str(last)] if last else []
        for pattern in whole:
            command += ["--full", pattern]
        for pattern in cells or o.cells:
            command += ["--cells", pattern]
        command += [os.path.abspath(o.script[0]), *o.script[1:]]
        return self.place.start(checks.REFERENCE, Path(out).stem, command, reference.environment())

    def _start_ours(self, how: str, *, out: str, side: str = checks.OURS, python: str | None = None,
                    device: str | None = None, **spec) -> Run:
        o = self.options
        spec = {"how": how, "out": out, "script": [os.path.abspath(o.script[0]), *o.script[1:]], "api": o.api,
                "device": device or o.device or "cpu", "steps": o.steps, "updates": o.updates,
                "seed": _seed(o), "level": self.level, "only_step": o.only_step, "cells": list(o.cells),
                "align": list(o.align), **spec}
        if spec.get("refeed"):
            last = max(spec["refeed"]) + spec.pop("beyond", 0)
            turns = spec.pop("turns", None)
            spec["steps"], spec["updates"] = turns, None if turns else last
            if spec["level"] != "op":
                spec["level"] = "cell" if how == "record" else "step"
        file = self.place.folder / f"{Path(out).stem}.json"
        file.write_text(json.dumps(spec))
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(
            [str(HERE.parent.parent), *filter(None, [environment.get("PYTHONPATH")])])
        command = [python or sys.executable, "-m", "ms2torch.difftest.ours", str(file)]
        here = python is None or python == sys.executable
        return self.place.start(side, Path(out).stem, command, environment,
                                (lambda: ours.main(json.loads(file.read_text()))) if here else None)

    def finish(self, *runs: tuple[Run, str]) -> None:
        """Wait for runs and what each has to write. A trace is compared as far as it goes; Failed where there
        is none."""
        paths = {run.log: path for run, path in runs}
        first, late = wait([run for run, _ in runs], self.deadline, lambda run: _steps(paths[run.log]) > 0)
        fates = {run.side: self._fate(run, late) for run, _ in runs if run.process.poll()}
        for run, path in runs:
            if path.endswith(".trace"):
                usable = _steps(path) >= 0
            else:
                usable = fates.get(run.side) is None and os.path.exists(path)
            if not usable:  # and who failed first is the reason
                run = late or first or run
                raise fates.get(run.side) or checks.Failed(
                    "script", f"{run.side} cannot run the script (exit code {run.process.poll()}):\n"
                              f"{run.output()}", run.side)
        self.fates.update({side: fate for side, fate in fates.items() if fate is not None})

    def _fate(self, run: Run, late: Run | None) -> checks.Failed | None:
        """Why a run ended before its time, if not by the script itself."""
        side, code = run.side, run.process.poll()
        if run is late:
            return checks.Failed("timeout", f"{side} did not finish in {self.options.timeout:g} s; give "
                                            "--timeout SECONDS or --steps N", side)
        if code == _UNWRITTEN or shutil.disk_usage(self.place.folder).free < _SCARCE:
            return checks.Failed("disk", f"{side} could not write to {self.place.folder} (TMPDIR names "
                                         f"another place)\n{run.output(3)}".rstrip(), side)
        if code < 0 and not run.ended:
            name = signal.Signals(-code).name
            why = " (the system does that when memory runs out)" if name == "SIGKILL" else ""
            said = f"{side} was killed by {name}{why}\n{run.output(5)}"
            return checks.Failed("killed", said.rstrip(), side)
        return None


def _seed(options: Options) -> int:
    return 1 if options.seed is None else options.seed


def _steps(path: str) -> int:
    """How many whole steps a trace holds; -1 where nothing can be read."""
    try:
        return trace.open(path).steps
    except trace.TraceError:
        return -1
