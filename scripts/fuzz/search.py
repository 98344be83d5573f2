"""Runs the examples of an operator on both sides, sorts the differences by kind and shrinks one of each."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from scripts.fuzz import rounding
from scripts.fuzz.case import Case, run
from scripts.fuzz.known import Known
from scripts.fuzz.reference import Reference
from scripts.fuzz.table import TOLERANCES, cases, table
from tests.reference.encoding import differences

SHRINK_SECONDS = 40                      # for one difference
_ZERO = re.compile(r"(?<![\w.])0(\.0)?(?![\w.])")


@dataclass
class Difference:
    """One kind of difference of an operator: its smallest case so far, and both outcomes."""

    name: str
    kind: str
    case: Case
    lines: list[str]
    count: int = 0

    def __str__(self) -> str:
        said = "\n".join(self.lines)
        return f"== {self.name}: {self.kind} ({self.count} examples)\n{self.case.source()}\n{said}\n"


@dataclass
class Report:
    """What a run over one operator gave."""

    name: str
    examples: int = 0
    gradients: int = 0
    raised: int = 0
    listed: int = 0
    differences: dict[str, Difference] = field(default_factory=dict)


def fuzz(name: str, reference: Reference, known: list[Known], examples=100, start=0, shrink=True) -> Report:
    """Run ``examples`` cases of an operator, no two alike; what ``known`` covers is counted alone."""
    report = Report(name)
    reference.forget()
    seen: set[Case] = set()

    def look(case: Case) -> None:
        if len(seen) == examples:
            raise _Found
        if case in seen:                 # hypothesis draws some twice
            return
        seen.add(case)
        theirs, kind, lines, entry = judged(name, case, reference, known)
        report.examples += 1
        report.gradients += "gradient" in theirs
        report.raised += "error" in theirs
        if kind is None:
            return
        if entry is not None:
            entry.met += 1
            entry.at.add(name)
            report.listed += 1
            return
        found = report.differences.setdefault(kind, Difference(name, kind, case, lines))
        found.count += 1
        if len(case.source()) < len(found.case.source()):
            found.case, found.lines = case, lines

    with suppress(_Found):
        _drive(name, look, examples, start, (Phase.generate,))
    if shrink:
        for difference in report.differences.values():
            _shrink(name, difference, reference, known, examples, start)
    return report


def _listed(name, case: Case, kind, lines, known, outcomes) -> Known | None:
    given = "\n".join([*case.setup, case.call]).replace(".swapaxes(0, -1)", "")
    facts = {**case.facts, "kind": kind, "call": case.call,
             "text": "\n".join([*case.setup, *case.steps, case.call]),
             "zero": bool(_ZERO.search(given)), "finite": _finite(kind, *outcomes),
             "apart": _apart(kind, *outcomes), "theirs": lines[0], "ours": lines[-1]}
    return next((k for k in known if k.covers(name, facts)), None)


def _finite(kind: str, theirs: dict, ours: dict) -> bool:
    """Whether numbers differ that are finite on both sides, by more than rounding."""
    pairs = _pairs(kind, theirs, ours)
    if pairs is None:
        return True
    for dtype, r, o in pairs:
        near, held = 2e-2 if "16" in dtype else 1e-3, np.isfinite(r) & np.isfinite(o)
        if r.dtype.kind in "fc" and not np.isclose(r, o, near, near)[held].all():
            return True
    return False


def _apart(kind: str, theirs: dict, ours: dict) -> float:
    """How far numbers are apart at most, as a share of the largest one of their array, or of 0.01 where all
    are smaller; infinite where others differ than finite numbers."""
    shares, pairs = [0.0], _pairs(kind, theirs, ours)
    for _, r, o in pairs if pairs is not None else ():
        held = np.isfinite(r) & np.isfinite(o)
        if r.dtype.kind not in "fc" or not np.array_equal(r[~held], o[~held], equal_nan=True):
            return np.inf
        if held.any():
            shares.append(float(np.abs(r[held] - o[held]).max() / max(np.abs(r[held]).max(), 1e-2)))
    return np.inf if pairs is None else max(shares)


def _pairs(kind: str, theirs: dict, ours: dict):
    """Dtype and numbers of both sides for each array of what differs; None where shapes do."""
    part = "gradient" if kind.startswith("gradient") else "value"
    sides = [rounding.arrays(side[part]) for side in (theirs, ours) if part in side]
    if len(sides) < 2:
        return []
    if [r.shape for _, r in sides[0]] != [o.shape for _, o in sides[1]]:
        return None
    return [(dtype, r, o) for (dtype, r), (_, o) in zip(*sides, strict=True)]


def judged(name: str, case: Case, reference: Reference, known: list[Known]):
    """Both sides run a case: the real outcome, the kind of difference or None, its lines, its known entry."""
    reference.ask(case)
    ours = run(*case.asked())
    kinds = ("*", table()[name].kind, name)
    tolerances = {k: v for n in kinds for k, v in TOLERANCES.get(n, {}).items()}
    theirs = reference.answer(case)
    kind, lines = difference_of(theirs, ours, tolerances)
    entry = _listed(name, case, kind, lines, known, (theirs, ours)) if kind else None
    if kind and (entry is None or "raises" not in kind):  # not a size that a kernel kept of an earlier call
        theirs = reference.afresh(case)
        kind, lines = difference_of(theirs, ours, tolerances)
        if kind in ("value", "gradient value") and rounding.explained(case, theirs, ours):
            kind, lines = None, []
        entry = _listed(name, case, kind, lines, known, (theirs, ours)) if kind else None
    return theirs, kind, lines, entry


def difference_of(theirs: dict, ours: dict, tolerances):
    """The first kind of difference between two outcomes, and the lines that tell it; (None, []) if none."""
    for part, failed in (("value", "error"), ("gradient", "gradient error")):
        prefix = "gradient " if part == "gradient" else ""
        if failed in theirs or failed in ours:
            kind, lines = _failures(theirs.get(failed), ours.get(failed))
            return (prefix + kind, lines) if kind else (None, [])
        if part not in theirs and part not in ours:
            return None, []
        lines = _differences(theirs.get(part), ours.get(part), tolerances, part)
        if lines:
            return prefix + _kind(theirs.get(part), ours.get(part), lines), lines
    return None, []


def _failures(theirs, ours):
    if theirs == ["Crash", "no answer in time"]:     # nothing to compare with
        return None, []
    if theirs and ours:
        # A NotImplementedError is a RuntimeError; what kills the real process may well raise here.
        same = {theirs[0], ours[0]} <= {"RuntimeError", "NotImplementedError"}
        if theirs[0] == ours[0] or same or theirs[0] == "Crash":
            return None, []
        kind = "error type"
    else:
        kind = "only MindSpore raises" if theirs else "only ms2torch raises"
    return kind, [f"  {side}: {': '.join(said) if said else 'a value'}"
                  for side, said in (("MindSpore", theirs), ("ms2torch", ours))]


def _differences(theirs, ours, tolerances, path) -> list[str]:
    """`differences` with each tensor's tolerance by its dtype."""
    if isinstance(theirs, dict) and theirs.keys() == getattr(ours, "keys", dict)() and "tuple" in theirs:
        theirs, ours = theirs["tuple"], ours["tuple"]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return [line for i, (a, b) in enumerate(zip(theirs, ours, strict=True))
                for line in _differences(a, b, tolerances, f"{path}[{i}]")]
    dtype = next((dtype.lower() for dtype, _ in _tensors(theirs)), "")
    return differences(theirs, ours, *tolerances.get(dtype, (None, None)), path)


def _kind(theirs, ours, lines) -> str:
    if "values differ" in lines[0]:
        return "value"
    pairs = zip(_tensors(theirs), _tensors(ours), strict=False)
    for (dtype, shape), (our_dtype, our_shape) in pairs:
        if dtype != our_dtype:
            return "dtype"
        if shape != our_shape:
            return "shape"
    return "structure"


def _tensors(encoded) -> list[tuple[str, list[int]]]:
    """Dtype and shape of each tensor in an encoded result."""
    if isinstance(encoded, dict):
        ((kind, content),) = encoded.items()
        if kind in ("Tensor", "Parameter", "ndarray"):
            return [(content[0], content[1])]
        return _tensors(content)
    return [t for e in encoded for t in _tensors(e)] if isinstance(encoded, list) else []


def _drive(name, test, examples, start, phases) -> None:
    quiet = settings(max_examples=3 * examples, database=None, deadline=None, phases=phases, print_blob=False,
                     suppress_health_check=list(HealthCheck), report_multiple_bugs=False)
    seed(start)(quiet(given(cases(name))(test)))()


class _Found(Exception):
    """Tells hypothesis that a case shows the difference which is being shrunk, or that all are seen."""


def _shrink(name, difference: Difference, reference, known, examples, start) -> None:
    """Let hypothesis make the case smaller. The same seed gives the same examples, with known answers."""
    until = time.monotonic() + SHRINK_SECONDS

    def again(case: Case) -> None:
        if not reference.knows(case) and time.monotonic() > until:
            return
        _, kind, lines, entry = judged(name, case, reference, known)
        if kind != difference.kind or entry is not None:
            return
        if len(case.source()) <= len(difference.case.source()):
            difference.case, difference.lines = case, lines
        raise _Found

    with suppress(_Found):
        _drive(name, again, examples, start, (Phase.generate, Phase.shrink))
