"""Decompositions and solvers of matrices (``mindspore.scipy.linalg``), on torch.linalg.

Integers are computed in Float64. ``overwrite_*``, ``check_finite`` and ``debug`` change nothing, as in
MindSpore.
"""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import lowered

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "solve_triangular",
]


def _matrix(a, api: str, square: bool = True):
    if not isinstance(a, torch.Tensor):
        raise TypeError(f"For '{api}', the type of `a` should be Tensor, but got {type(a)}.")
    if api == "inv" and a.ndim != 2:
        raise ValueError(f"For 'inv', the dimension of 'a' should be 2, but got {a.ndim}.")
    if a.ndim < 2:
        raise ValueError(f"For '{api}', the dimension of 'a' should be 2, but got {a.ndim}.")
    if square and a.shape[-1] != a.shape[-2]:
        raise ValueError(f"For '{api}', the matrix 'a' should be a square matrix like (N, N), "
                         f"but got {tuple(a.shape)}.")
    return a if a.is_floating_point() or a.is_complex() else a.double()


@lowered
def block_diag(*arrs):
    """A matrix with the given ones along its diagonal (``mindspore.scipy.linalg.block_diag``)."""
    return torch.block_diag(*arrs)


@lowered
def inv(a, overwrite_a=False, check_finite=True):
    """The inverse of a matrix (``mindspore.scipy.linalg.inv``)."""
    return torch.linalg.inv(_matrix(a, "inv"))


@lowered
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The upper triangle R with R^T R = a, or the lower L with L L^T = a
    (``mindspore.scipy.linalg.cholesky``)."""
    return torch.linalg.cholesky(_matrix(a, "cholesky"), upper=not lower)


@lowered
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """`cholesky` and ``lower``, for `cho_solve` (``mindspore.scipy.linalg.cho_factor``)."""
    return torch.linalg.cholesky(_matrix(a, "cho_factor"), upper=not lower), lower


@lowered
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """The x of a x = b from what `cho_factor` gave (``mindspore.scipy.linalg.cho_solve``)."""
    c, lower = c_and_lower
    columns = b[:, None] if b.ndim == 1 else b
    return torch.cholesky_solve(columns.to(c.dtype), c, upper=not lower).reshape(b.shape)


@lowered
def eigh(
    a,
    b=None,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    turbo=True,
    eigvals=None,
    type=1,
    check_finite=True,
):
    """Eigenvalues, rising, and eigenvectors of a Hermitian matrix (``mindspore.scipy.linalg.eigh``)."""
    if b is not None or eigvals is not None:
        raise unsupported(
            "mindspore.scipy.linalg.eigh(b=, eigvals=)",
            "they are not supported, as in MindSpore.",
            "leave them out.",
        )
    a, half = _matrix(a, "eigh"), "L" if lower else "U"
    return torch.linalg.eigvalsh(a, half) if eigvals_only else tuple(torch.linalg.eigh(a, half))


@lowered
def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """P (Int32), L, U with a = P L U, or with ``permute_l`` (P L, U) (``mindspore.scipy.linalg.lu``)."""
    p, lower, upper = torch.linalg.lu(_matrix(a, "lu", square=False))
    return (p @ lower, upper) if permute_l else (p.real.to(torch.int32), lower, upper)


@lowered
def lu_factor(a, overwrite_a=False, check_finite=True):
    """L and U in one matrix, and the row that each row was swapped with, Int32.

    MindSpore: ``mindspore.scipy.linalg.lu_factor``; rows count from 0, torch's from 1.
    """
    packed, pivots = torch.linalg.lu_factor(_matrix(a, "lu_factor"))
    return packed, pivots - 1


@lowered
def lstsq(A, B, rcond=None, driver=None):
    """The x of least |A x - B|: x, its residuals, the rank and the singular values.

    MindSpore: ``mindspore.scipy.linalg.lstsq``.
    """
    columns = B[..., None] if B.ndim == A.ndim - 1 else B
    x, residuals, rank, values = torch.linalg.lstsq(A, columns, rcond=rcond, driver=driver or "gelsd")
    return (x[..., 0] if columns is not B else x), residuals, rank, values


@lowered
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None, check_finite=True
):
    """The x of a x = b, a^T x = b (``trans`` 1 or "T") or a^H x = b (2 or "C") for a triangle a.

    MindSpore: ``mindspore.scipy.linalg.solve_triangular``.
    """
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(
            f"For 'SolveTriangular', 'trans' must be in [0, 1, 2, 'N', 'T', 'C'], but got {trans}."
        )
    a = _matrix(a, "solve_triangular")
    if trans in (1, "T"):
        a, lower = a.mT, not lower
    elif trans in (2, "C"):
        a, lower = a.mH, not lower
    columns = b[..., None] if b.ndim == a.ndim - 1 else b
    x = torch.linalg.solve_triangular(a, columns.to(a.dtype), upper=not lower, unitriangular=unit_diagonal)
    return x.reshape(b.shape)
