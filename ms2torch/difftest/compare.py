"""Two traces, record by record, in order of time.

Both sides name things alike by construction, so a record's key (step, update, stage, where, role, index,
call) is all the pairing there is. Integers and bools are equal or not. Floats with the same hash are equal;
others give a relative difference, judged by re-feeding where that is possible and by ``BOUND`` where it is
not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .finding import STAGES, CannotCompare, Finding

# Traces alone, without re-feeding: a difference of this part of the norm counts. Rounding of one float32
# step stays far below, growth over many steps need not; the report says which it was.
BOUND = 1e-3
HALF_BOUND = 2e-2
_ORDER = {stage: i for i, stage in enumerate(STAGES)}


def order(stage: str) -> int:
    """Where a stage stands within a step."""
    return _ORDER.get(stage, len(STAGES))



@dataclass
class Comparison:
    """What two traces show: what differs for certain, and float differences that are still to be judged."""

    certain: list[Finding] = field(default_factory=list)
    suspects: list[Finding] = field(default_factory=list)
    compared: int = 0
    steps: int = 0
    losses: tuple[list, list] = field(default_factory=lambda: ([], []))
    drift: list = field(default_factory=list)
    # Per step: the greatest relative difference of an output.
    outputs: list = field(default_factory=list)


def compare(reference, ours, steps: int | None = None) -> Comparison:
    """Compare iterables of records (dicts), step by step; at most ``steps`` steps."""
    result = Comparison()
    theirs, mine = _by_step(reference), _by_step(ours)
    for (number, left), (other, right) in zip(theirs, mine, strict=False):
        if steps is not None and number > steps:
            break
        if number != other:
            raise CannotCompare(f"step {number} of the reference stands beside step {other} of ms2torch; "
                                "were both traces made with the same --only-step?")
        _step(number, left, right, result)
        result.steps = max(result.steps, number)
    return result


def pairing_key(record: dict) -> tuple:
    """What pairs a record with the other side's, within a step."""
    return (record.get("update", 0), record["stage"], record["where"], record.get("role", "value"),
            record.get("index", 0), record.get("call", 0))


def _by_step(records):
    """(step, records by key) for each step, in order; only one step is in memory at a time."""
    number, kept = None, {}
    for record in records:
        if record["kind"] != "tensor":
            continue
        if record["step"] != number:
            if kept:
                yield number, kept
            number, kept = record["step"], {}
        kept[pairing_key(record)] = record
    if kept:
        yield number, kept


def _step(number: int, left: dict, right: dict, result: Comparison) -> None:
    drift, output, loss = 0.0, 0.0, (math.nan, math.nan)
    keys = [*left, *(k for k in right if k not in left)]
    losses = any(k[1] == "loss" for k in left)
    for k in sorted(keys, key=lambda k: (k[0], _ORDER.get(k[1], 99))):  # stable: recorded order within
        a, b = left.get(k), right.get(k)
        result.compared += 1
        found = difference(a, b)
        if k[1] == "loss" and k[4] == 0 and a and b:
            loss = (a["stats"]["mean"], b["stats"]["mean"])
        if found is None:
            continue
        found.step = number
        doubtful = found.kind == "value" and found.error < math.inf
        (result.suspects if doubtful else result.certain).append(found)
        # Of Cells within the network, some outputs are rounding alone.
        if k[1] == ("loss" if losses else "forward") and k[3] == "output" and found.kind == "value":
            output = max(output, found.error)
        if k[1] == "parameter" and found.kind == "value":
            drift = max(drift, found.error)
    if any(k[1] in ("optimizer", "parameter", "gradient") for k in left):  # else only an evaluation
        result.drift.append(drift)
        result.outputs.append(output)
        result.losses[0].append(loss[0])
        result.losses[1].append(loss[1])


def difference(a: dict | None, b: dict | None) -> Finding | None:
    """How record ``b`` of ours differs from ``a`` of the reference; None where it does not.

    ``error`` is relative to the norm; infinite where integers or bools differ.
    """
    record = a or b
    found = Finding(record["step"], record["stage"], record["where"], "value",
                    role=record.get("role", "value"), index=record.get("index", 0),
                    call=record.get("call", 0), update=record.get("update", 0))
    if a is None or b is None:
        # The real one's hooks also fire for inputs that are not differentiated (a loss's labels).
        if (found.stage, found.role) == ("backward", "grad_input"):
            return None
        found.kind = "extra" if a is None else "missing"
        return found
    # A sens of shape () for an output of shape (1,) comes as it is in PyNative mode before 2.10.
    came = (found.stage, found.role) == ("backward", "grad_output")
    same_size = came and a["stats"]["n"] == b["stats"]["n"]
    for kind in ("dtype", "shape"):
        if a[kind] != b[kind] and not (kind == "shape" and same_size):
            found.kind, found.reference, found.ours = kind, _plain(a[kind]), _plain(b[kind])
            return found
    left, right = a["stats"], b["stats"]
    if left["hash"] == right["hash"]:
        return None
    special = [(left.get(k, 0), right.get(k, 0)) for k in ("nan", "posinf", "neginf")]
    if any(x != y for x, y in special):
        found.kind = "nan"
        found.reference, found.ours = (_specials(s) for s in (left, right))
        return found
    found.reference, found.ours = (f"norm {s['norm']:.6g}, mean {s['mean']:.6g}" for s in (left, right))
    if not is_float(a["dtype"]) and found.role != "mask":
        found.error, found.tolerance = math.inf, 0.0
        return found
    found.error = relative(a, b)
    found.tolerance = HALF_BOUND if a["dtype"].lower() in ("float16", "bfloat16") else BOUND
    return None if found.error == 0.0 else found


def is_float(dtype: str) -> bool:
    """Whether a dtype's values carry rounding."""
    return dtype.lower().lstrip("b").startswith(("float", "complex"))


def relative(a: dict, b: dict) -> float:
    """The difference of two float records as a part of the norm: of the whole arrays where both traces have
    them, else the greatest of what norm, mean, extremes and the sample show."""
    left, right = a.get("array"), b.get("array")
    if left is not None and right is not None:
        return norm_of(right.astype(np.float64) - left) / (norm_of(left) or 1.0)
    left, right = a["stats"], b["stats"]
    size = left["norm"] or right["norm"]
    if not size:
        return 0.0
    count = max(left["n"], 1)
    typical = size / math.sqrt(count)
    shown = [abs(left["norm"] - right["norm"]) / size]
    for k in ("mean", "min", "max"):
        shown.append(abs((left[k] or 0.0) - (right[k] or 0.0)) / max(typical, abs(left[k] or 0.0)))
    one, two = (np.asarray(s["sample"], dtype=np.float64) for s in (left, right))
    if one.shape == two.shape and one.size:
        fine = np.isfinite(one) & np.isfinite(two)
        gap = norm_of(one[fine] - two[fine])
        shown.append(gap / max(norm_of(one[fine]), typical * math.sqrt(one.size)))
    return max(shown)


def norm_of(array) -> float:
    """The 2-norm of the finite values, in float64."""
    flat = np.asarray(array).astype(np.complex128 if np.iscomplexobj(array) else np.float64).ravel()
    return float(np.linalg.norm(flat[np.isfinite(flat)]))


def other_mask(theirs, mine) -> bool:
    """Whether two arrays differ as two draws of one dropout do: as many zeros, elsewhere, and where both are
    not zero the same values."""
    if theirs is None or mine is None or theirs.shape != mine.shape:
        return False
    left, right = theirs == 0, mine == 0
    both = ~(left | right)
    share = float(left.mean())
    spread = math.sqrt(2 * max(share * (1 - share), 0.25 / mine.size) / mine.size)
    return bool(left.any() and not np.array_equal(left, right) and abs(share - right.mean()) < 3 * spread
            and np.allclose(theirs[both], mine[both], rtol=1e-3))


def _plain(value) -> str:
    return str(tuple(value)) if isinstance(value, list) else str(value)


def _specials(stats: dict) -> str:
    shown = [f"{stats[k]} {name}" for k, name in (("nan", "nan"), ("posinf", "inf"), ("neginf", "-inf"))
             if stats.get(k)]
    return ", ".join(shown) or "finite values only"
