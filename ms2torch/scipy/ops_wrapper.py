"""``mindspore.scipy.ops_wrapper``."""

from __future__ import annotations

from ms2torch.ops.function._array_bands import matrix_set_diag as _set

__all__ = ["matrix_set_diag"]


def matrix_set_diag(input_x, diagonal, k=0, alignment="RIGHT_LEFT"):
    """`mindspore.ops.matrix_set_diag`, whose ``align`` is called ``alignment`` here
    (``mindspore.scipy.ops_wrapper.matrix_set_diag``)."""
    return _set(input_x, diagonal, k, alignment)
