"""How much two results may differ by rounding, measured as the twin run does (difftest/yardstick.py).

The case runs again here in float64, once as it stands and twice with its operands moved by half a unit in the
last place of their dtype. The nearer of both sides to float64 is one measure of rounding, how far float64
moved is another; the sides differ where they are further apart than the yardstick's multiple of the greater.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ms2torch.difftest.yardstick import epsilon, tolerance
from scripts.fuzz.case import Case, run
from tests.reference.encoding import _numbers

_NARROW = re.compile(r"\b(np|ms|mindspore)\.(b?float(?:16|32))\b")


def explained(case: Case, theirs: dict, ours: dict) -> bool:
    """Whether rounding explains the difference between two outcomes of the same structure."""
    wide = replace(case, setup=tuple(map(_widened, case.setup)), call=_widened(case.call),
                   steps=tuple(map(_widened, case.steps)))
    if wide == case:
        return False
    dtypes = [d for d in case.facts["dtypes"] if "float" in d]
    unit = max(map(epsilon, dtypes), default=epsilon("float32"))
    try:
        exact = run(*wide.asked())
        moved = [run(*wide.asked(), move=_mover(sign * unit / 2)) for sign in (1, -1)]
    except Exception:
        return False
    return all(_part(part, theirs, ours, exact, moved) for part in ("value", "gradient") if part in theirs)


def _widened(text: str) -> str:
    return _NARROW.sub(lambda m: f"{m[1]}.float64", text.replace("ms.bfloat16", "ms.float64"))


def _mover(by: float):
    def move(x):
        count = int(np.prod(x.shape))
        uneven = np.where(np.arange(count) % 2, 1 + by, 1 - by).reshape(x.shape)
        return x * type(x)(uneven)
    return move


def _part(part, theirs, ours, exact, moved) -> bool:
    if part not in exact or any(part not in m for m in moved):
        return False
    sides = [arrays(side[part]) for side in (theirs, ours, exact, *moved)]
    if len({len(side) for side in sides}) > 1:
        return False
    return all(_near(*one) for one in zip(*sides, strict=True))


def _near(theirs, ours, exact, *moved) -> bool:
    (dtype, r), (_, o), (_, t), *others = theirs, ours, exact, *moved
    if r.shape != o.shape or r.dtype != o.dtype:
        return False
    if r.dtype.kind not in "fc":
        return bool((r == o).all())
    if t.shape != r.shape or not np.array_equal(np.isfinite(r), np.isfinite(o)):
        return False
    held = np.isfinite(r) & np.isfinite(t)
    if not np.array_equal(r[~held], o[~held], equal_nan=True):
        return False
    r, o, t = (x[held].astype(complex if x.dtype.kind == "c" else float) for x in (r, o, t))
    if not r.size:
        return True
    norm = max(float(np.abs(r).max()), 1e-30)
    shift = max(float(np.abs(x.astype(t.dtype)[held] - t).max()) if x.shape == held.shape else 0.0
                for _, x in others)
    nearer = min(float(np.abs(r - t).max()), float(np.abs(o - t).max()))
    return float(np.abs(o - r).max()) <= norm * tolerance(max(nearer, shift) / norm, epsilon(dtype))


def arrays(encoded) -> list:
    """Dtype and numbers of each array in an encoded result."""
    if isinstance(encoded, dict):
        ((kind, content),) = encoded.items()
        if kind in ("Tensor", "Parameter", "ndarray"):
            if content[0].startswith(("str", "bytes")):
                return []
            return [(content[0], _numbers(*content[:3]))]
        return [("float64", np.array(float(content)))] if kind == "float" else arrays(content)
    return [a for e in encoded for a in arrays(e)] if isinstance(encoded, list) else []
