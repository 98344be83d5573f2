"""What the first pass says: both traces side by side, and which steps are worth a closer look."""

from __future__ import annotations

import itertools

from . import checks, compare
from .finding import CannotCompare, Finding, Verdict

# Stages whose values do not come from long sums: what differs here differs for a reason.
_EXACT = {"learning_rate": 1e-6, "loss_scale": 1e-6, "initial": 1e-6, "data": 1e-6}
_REFEEDS = 4
# So many of the differences that the bounds alone tolerate are remembered.
_NEAREST = 20
_SOON = 32
# More than rounding grows in one step.
_GROWTH = 1e4
# A drift that grows so much in one step may have been written.
_SUDDEN = 100.0


def same_kind(reference, ours) -> None:
    """CannotCompare unless both traces are of one script."""
    left, right = reference.header.get("sha256"), ours.header.get("sha256")
    if left and right and left != right:
        raise CannotCompare(
            f"the traces are of different scripts: {reference.header.get('script')} and "
            f"{ours.header.get('script')} are not the same text")


def describe(verdict: Verdict, reference, ours) -> None:
    verdict.cells, verdict.turns = list(reference.cells or ()), reference.turns()
    verdict.adaptations = list(getattr(reference, "adaptations", None)
                               or reference.header.get("adaptations") or ())
    names = []
    for opened in (reference, ours):
        header = opened.header if opened is not None else {"side": "ms2torch"}
        side = {"mindspore": "MindSpore", "torch": "PyTorch"}.get(header.get("side"), header.get("side"))
        names.append(f"{side} {header.get('version') or ''}".strip())
    if verdict.adaptations:
        names[0] += " (adapted)"
    if names[0] == names[1]:
        names = [f"{names[0]} (reference)", names[1]]
    verdict.sides = (names[0], names[1])


def fill_verdict(verdict: Verdict, found: compare.Comparison, reference, ours) -> None:
    """What the first pass says. What a side lacks in a step that it did not finish is no finding."""
    whole = min(reference.steps, ours.steps)
    if reference.steps != ours.steps or checks.has_failed(reference) or checks.has_failed(ours):
        found.certain = [f for f in found.certain
                         if f.step <= whole or f.kind not in ("missing", "extra") or f.stage == "initial"]
    verdict.compared, verdict.steps = found.compared, min(found.steps, whole)
    verdict.losses, verdict.drift = found.losses, found.drift
    verdict.findings = outside_bounds(found)
    within = [f for f in found.suspects if 0 < f.error <= _bound(f)]
    verdict.tolerated = sorted(within, key=lambda f: f.error / _bound(f), reverse=True)[:_NEAREST]
    checks.same_parameters(found.certain)


def _bound(f: Finding) -> float:
    """How much may differ. What is first seen in a later step may have been trained: statistics of BatchNorm
    that an evaluation shows."""
    return f.tolerance if f.stage == "initial" and f.step > 1 else _EXACT.get(f.stage, f.tolerance)


def is_exact(f: Finding) -> bool:
    return f.stage in _EXACT and f.error > _bound(f)


def outside_bounds(found) -> list[Finding]:
    """What differs by the bounds alone, in order of time."""
    grown = [s for s in found.suspects if not s.error <= _bound(s)]
    return sorted([*found.certain, *grown], key=lambda f: (f.step, f.update, compare.order(f.stage)))


def is_conclusive(findings: list[Finding]) -> bool:
    """Whether the first difference is one that re-feeding has nothing to add to."""
    if not findings:
        return False
    first = findings[0]
    return (first.stage, first.step) == ("initial", 1) or first.kind in ("missing", "extra")


def divergence_step(outputs) -> int | None:
    """The step at which the outputs part at once, from rounding to far more; None where they do not.

    (Outputs: a parameter that has no effect on them, a bias before BatchNorm under Adam, may jump.)
    """
    before = 1e-7
    for step, gap in enumerate(outputs, 1):
        if gap > max(_GROWTH * before, compare.BOUND):
            return step
        before = max(before, gap)
    return None


def steps_to_refeed(found) -> tuple[int, ...]:
    """The steps worth re-feeding: where a difference is first seen, first counts, and grows most."""
    # Many a rule shows from the second step on, when there is a state: moments, counters, statistics.
    steps = [f.step for f in found.suspects[:1]] + [s for s in (1, 2) if s <= found.steps]
    found_first = outside_bounds(found)[:1]
    steps += [f.step for f in found_first]
    # A jump after the first difference that counts, or long after the start, says no more than they do.
    horizon = found_first[0].step if found_first else _SOON
    drift = found.drift
    jumps = [(after / max(before, 1e-8), i + 2) for i, (before, after) in
             enumerate(itertools.pairwise(drift)) if after > 1e-6 and i + 2 <= horizon]
    jump = sorted(jumps, reverse=True)[:1]
    steps += [step for _, step in jump]
    chosen = sorted({max(s, 1) for s in steps})[:_REFEEDS]
    # With the step before such a one, what the program writes to weights between the two is judged.
    sudden = [step for ratio, step in jump if ratio > _SUDDEN] + [f.step for f in found_first]
    return tuple(sorted({*chosen, *(s - 1 for s in sudden if s > 1 and s in chosen)}))


def drop_unjudged(verdict: Verdict) -> None:
    """After a failure: what differs by a bound alone, and was not judged by re-feeding, is no finding."""
    if verdict.refed:
        return
    open_ = [f for f in verdict.findings if f.kind == "value" and f.error < float("inf") and not is_exact(f)]
    verdict.unjudged = open_
    later = set(open_)
    verdict.findings = [f for f in verdict.findings if f not in later]
