"""``mindspore.scipy.utils``."""

from __future__ import annotations

from ms2torch._core.operators.lowering import lowered


@lowered
def _nd_transpose(a):
    """Matrices (..., M, N) turned, (..., N, M)."""
    return a.mT
