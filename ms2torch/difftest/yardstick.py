"""How much may differ: the same step once more in float64 tells rounding from a defect.

The judge knows three arrays of one value: the reference's r, ours o, and t, ours computed in float64 from
the very same inputs. Our own rounding is |o - t|. If both sides mean the same computation, |r - t| is
rounding too, so it is of that size; if they do not, t is as far from r as o is, however exact t may be. So a
value differs when the greater of the two distances is more than ``K`` times the smaller plus a floor of
``FLOOR`` units in the last place of the dtype that was computed in.
"""

from __future__ import annotations

import numpy as np

from .compare import norm_of

K = 8.0
FLOOR = 40.0
# Below this many units in the last place no float64 re-run is asked for.
CHEAP = 4.0
_EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float64": 2.0**-52, "complex128": 2.0**-52}


def epsilon(dtype: str) -> float:
    """The unit in the last place of 1.0 in ``dtype``, float32's for what has no own."""
    return _EPSILON.get(dtype.lower(), 2.0**-23)


def distance(a, b) -> float:
    """|a - b| over the finite values, in float64."""
    return norm_of(np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64))


def judge(reference, ours, truth, dtype: str) -> tuple[float, float]:
    """(error, tolerance), both relative to the reference's norm: different when error > tolerance.

    Without ``truth`` (the float64 run had no such value) rounding is taken for 100 units in the last place.
    """
    size = norm_of(reference) or norm_of(ours) or 1.0
    unit = epsilon(dtype)
    if truth is None:
        return distance(ours, reference) / size, 100 * unit
    theirs, mine = distance(reference, truth), distance(ours, truth)
    low, high = sorted((theirs, mine))
    return high / size, K * low / size + FLOOR * unit
