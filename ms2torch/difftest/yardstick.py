"""How much may differ: the same step once more in float64 tells rounding from a defect.

The reference's value r and ours o of one thing are known, and t, ours computed in float64 from the very same
inputs (double.py). Our own rounding is |o - t|. If both sides mean the same computation, r is about as far
from t; if they do not, it is as far from t as from o, however exact t may be. So a value differs where
|o - r| is more than ``K + 1`` times |o - t| plus a floor of units in the last place of its dtype, all
relative to the norm of r. What the step wrote into a parameter is measured by the change that it made.
"""

from __future__ import annotations

K = 8.0
# Not less: MindSpore's exp, tanh and erf on a CPU are approximations, and a sum's order is free.
FLOOR = 100.0
# Powers and roots in an optimizer's kernels are less exact than sums of products, FTRL's differences of roots
# least of all.
FLOOR_OF_UPDATE = 1024.0
# Below this many units in the last place no float64 re-run is asked for.
CHEAP = 4.0
_EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float64": 2.0**-52, "complex128": 2.0**-52}


def epsilon(dtype: str) -> float:
    """The unit in the last place of 1.0 in ``dtype``, float32's for what has no own."""
    return _EPSILON.get(dtype.lower(), 2.0**-23)
