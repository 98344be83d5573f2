"""Bands of diagonals: several neighbouring diagonals of matrices, packed as the rows of one array.

Row m of the packed form holds diagonal ``k1 - m``; shorter diagonals stand at its left or right end, as
``align`` says first for those above and then for those below the main one.
"""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import REQUIRED, op, primitive
from ms2torch._core.tensor.dtype import promote

_ALIGN = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _bounds(k, name: str = "MatrixDiagV3") -> tuple[int, int]:
    """``k`` as (lowest, highest) diagonal: a number, one or two of them; errors call the operator ``name``.
    """
    k = k.reshape(-1).tolist() if isinstance(k, torch.Tensor) else [k] if isinstance(k, int) else list(k)
    low, high = int(k[0]), int(k[-1])
    if low > high:
        told = "can not be greater than k[1]."
        if name == "MatrixDiagV3":
            told = f"must not be greater than k[1], but got k[0] is {low}, k[1] is {high}."
        raise final(ValueError(f"For {name}, k[0] {told}"))
    return low, high


def _places(rows: int, cols: int, low: int, high: int, align: str):
    """The longest diagonal, and arrays: row and column in the packed form, row and column in the matrix."""
    if align not in _ALIGN:
        raise final(ValueError(f"For primitive[MatrixDiagV3], the align must be in {_ALIGN}, "
                               f"but got {align}."))
    above, below = (side == "LEFT" for side in align.split("_"))
    lengths = {d: max(min(rows + min(d, 0), cols - max(d, 0)), 0) for d in range(low, high + 1)}
    longest = max(lengths.values())
    found = []
    for d, n in lengths.items():
        left = (d >= 0 and above) or (d <= 0 and below)
        steps = np.arange(n)
        found.append((np.full(n, high - d), steps + (0 if left else longest - n),
                      steps - min(d, 0), steps + max(d, 0)))
    return longest, tuple(np.concatenate(column) for column in zip(*found, strict=True))


def _number(value) -> int:
    return int(value.reshape(-1)[0]) if isinstance(value, torch.Tensor) else int(value)


def _banded(x, k, num_rows, num_cols, padding_value, align):
    low, high = _bounds(k)
    if low < high and (x.ndim < 2 or x.shape[-2] != high - low + 1):
        raise final(ValueError("For MatrixDiagV3, the input x_shape[-2] doesn't match with k value."))
    longest = x.shape[-1]
    rows, cols = _number(num_rows), _number(num_cols)
    least_rows, least_cols = longest - min(high, 0), longest + max(low, 0)
    if rows == cols == -1:
        rows = cols = max(least_rows, least_cols)
    rows, cols = rows if rows != -1 else least_rows, cols if cols != -1 else least_cols
    for name, count, least in (("rows", rows, least_rows), ("columns", cols, least_cols)):
        if count < least:
            raise final(ValueError(f"For MatrixDiagV3, the number of {name} is too small."))
    packed = x if low < high else x.unsqueeze(-2)
    _, (m, n, i, j) = _places(rows, cols, low, high, align)
    if not isinstance(padding_value, torch.Tensor):
        padding_value = torch.as_tensor(padding_value or 0)
    out = padding_value.detach().reshape(()).to(x).expand(*packed.shape[:-2], rows, cols).clone()
    out[..., i, j] = packed[..., m, n]
    return out


@op
def matrix_diag(x, k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with ``x`` on diagonal ``k``, and ``padding_value`` elsewhere (``mindspore.ops.matrix_diag``).

    For a band ``k=(low, high)`` the last two axes of ``x`` are the packed diagonals.
    """
    return _banded(x, k, num_rows, num_cols, padding_value, align)


@primitive("MatrixDiagV3", init=("align",))
def _matrix_diag(x, k, num_rows, num_cols, padding_value, align="RIGHT_LEFT"):
    """The rows of ``x`` on the diagonals ``k`` of matrices filled with ``padding_value``."""
    return _banded(x, k, num_rows, num_cols, padding_value, align)


@op(primitive="MatrixDiagPartV3", init=("align",))
def matrix_diag_part(x, k, padding_value, align="RIGHT_LEFT"):
    """Diagonal ``k`` of matrices, or the packed diagonals of a band (``mindspore.ops.matrix_diag_part``).

    ``padding_value`` stands where a diagonal is shorter than the longest one.
    """
    low, high = _bounds(k, "MatrixDiagPartV3")
    longest, (m, n, i, j) = _places(*x.shape[-2:], low, high, align)
    if not isinstance(padding_value, torch.Tensor):
        padding_value = torch.as_tensor(padding_value)
    out = padding_value.detach().reshape(()).to(x).expand(*x.shape[:-2], high - low + 1, longest).clone()
    out[..., m, n] = x[..., i, j]
    return out if low < high else out.squeeze(-2)


def _fit(x, diagonal, count: int, longest: int) -> None:
    """ValueError unless ``diagonal`` holds ``count`` packed diagonals for each matrix of ``x``."""
    said = "For MatrixSetDiagV3, diagonal"
    if diagonal.shape[: x.ndim - 2] != x.shape[:-2]:
        raise final(ValueError(f"{said} shape value don't match with x shape value."))
    if diagonal.ndim != x.ndim - (count == 1):
        raise final(ValueError(f"{said} rank size don't match with x rank size."))
    if count > 1 and diagonal.shape[-2] != count:
        raise final(ValueError(f"{said}.shape[-2] is not equal to num_diags calculated by k[1] - k[0] + 1, "
                               f"which value is {count} in this case, but got diagonal.shape[-2]: "
                               f"{diagonal.shape[-2]} in this case."))
    if diagonal.shape[-1] != longest:
        raise final(ValueError(
            f"{said}.shape[-1] is not equal to max_diag_len calculated by min(x.shape[-2] + min(k[1], 0), "
            f"x.shape[-1] + min(-k[0], 0)), which value is {longest} in this case, but got "
            f"diagonal.shape[-1]: {diagonal.shape[-1]} in this case."))


@op(primitive="MatrixSetDiagV3", init=("align",))
def matrix_set_diag(x, diagonal, k=0, align="RIGHT_LEFT"):
    """``x`` with other diagonals, packed as `matrix_diag_part`'s (``mindspore.ops.matrix_set_diag``)."""
    low, high = _bounds(k, "MatrixSetDiagV3")
    longest, (m, n, i, j) = _places(*x.shape[-2:], low, high, align)
    _fit(x, diagonal, high - low + 1, longest)
    if not x.is_complex() and not diagonal.is_complex():
        x, diagonal = promote(x, diagonal)
    out = x.clone()
    out[..., i, j] = (diagonal if low < high else diagonal.unsqueeze(-2))[..., m, n]
    return out


@primitive("FillDiagonal", init={"fill_value": REQUIRED, "wrap": False})
def _fill_diagonal(input_x, fill_value, wrap=False):
    """A copy with ``fill_value`` on the main diagonal; ``wrap`` begins it anew under a square."""
    return input_x.clone().fill_diagonal_(fill_value, wrap)
