"""How much may differ: the same step in float64, once still and once trembling, tells rounding from a defect.

The reference's value r and ours o of one thing are known, and t, ours computed in float64 from the very
same inputs (double.py). If both sides mean the same computation, r and o are about as far from t as
rounding brings them; if they do not, r is as far from t as from o, and if one of them lost digits (half
precision inside), it is far from t and the other is not. So the nearer of the two to t is a measure of
rounding. Another is how far t moves when every result on the way is moved by what a float32 kernel may be
wrong by: it knows of sums that cancel, roots of differences, long sums and approximate kernels. A value
differs where |o - r| is more than ``K + 1`` times the greater of the two measures plus ``FLOOR`` units in
the last place of its dtype, all relative to the norm of r. What the step wrote into a parameter is measured
by the change that it made.
"""

from __future__ import annotations

K = 8.0
# In the real one's own layers, losses, operators and optimizers (scripts/mutants/programs) the two measures
# explain every difference without it; it is for places where both are exact by luck.
FLOOR = 8.0
# Below this many units in the last place no float64 re-run is asked for.
CHEAP = 4.0
# Units in the last place by which that may differ of which float64 tells nothing.
UNTOLD = 100.0
_EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float64": 2.0**-52, "complex128": 2.0**-52}


def tolerance(rounding: float, unit: float) -> float:
    """How far apart the two sides may be where rounding explains ``rounding``; as parts of the norm."""
    return (K + 1) * rounding + FLOOR * unit


def epsilon(dtype: str) -> float:
    """The unit in the last place of 1.0 in ``dtype``, float32's for what has no own."""
    return _EPSILON.get(dtype.lower(), 2.0**-23)
