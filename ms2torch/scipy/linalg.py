"""Decompositions and solvers of matrices (``mindspore.scipy.linalg``), on torch.linalg.

Integers are computed in Float64. ``overwrite_*``, ``check_finite`` and ``debug`` change nothing, as in
MindSpore.
"""

from __future__ import annotations

from functools import wraps

import numpy as np
import torch

from ms2torch._core.checks.calls import wrong_inputs
from ms2torch._core.errors import final
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.tensor.dtype import from_torch
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function._linalg_singular import inverted
from ms2torch.ops.function._linalg_solve import eigenpairs

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
]


def _of_a_matrix(kernel):
    """`lowered`, for a function of one matrix ``a``, which MindSpore takes no Parameter for."""
    form = lowered(kernel)

    @wraps(form)
    def call(*args, **kwargs):
        a = args[0] if args else kwargs.get("a")
        if isinstance(a, Parameter):
            raise TypeError(f"For '{form.__name__}', the type of 'a' should be Tensor, but got '{a}' with "
                            "type Parameter.")
        return form(*args, **kwargs)

    return call


_REAL = (torch.int32, torch.int64, torch.float32, torch.float64)


def _of_kind(api: str, kind: type, **given) -> None:
    for name, value in given.items():
        if not isinstance(value, kind):
            raise final(TypeError(f"For '{api}', the type of '{name}' should be {kind.__name__}, but got "
                                  f"'{value}' with type {type(value).__name__}."))


def _matrix(api: str, a, dtypes=_REAL, name: str = "a", square: bool = True, **flags):
    """``a``, integers as Float64, once it and the flags that came with it are what ``api`` takes."""
    _of_kind(api, torch.Tensor, **{name: a})
    _of_kind(api, bool, **flags)
    if a.dtype not in dtypes:
        names = ", ".join(f"mindspore.{str(from_torch(d)).lower()}" for d in dtypes)
        raise final(TypeError(f"For '{api}', the data type of '{name}' should be one of [{names}], but got "
                              f"{from_torch(a.dtype)}."))
    if a.ndim != 2:
        raise final(ValueError(f"For '{api}', the dimension of '{name}' should be 2, but got {a.ndim}."))
    if square and a.shape[0] != a.shape[1]:
        raise final(ValueError(f"For '{api}', the matrix '{name}' should be a square matrix like (N, N), but "
                               f"got {tuple(a.shape)}."))
    return a if a.is_floating_point() or a.is_complex() else a.double()


def _system(api: str, name: str, matrix, b, **flags):
    """A square ``matrix``, which is called ``name``, and the columns of ``b``, once they fit each other."""
    _of_kind(api, torch.Tensor, **{name: matrix, "b": b})
    whole = _matrix(api, matrix, name=name, **flags)
    if matrix.dtype is not b.dtype:
        raise final(TypeError(f"For '{api}', the data type of '{name}' and 'b' should be the same, but got "
                              f"the data type of '{name}' is {from_torch(matrix.dtype)} and the data type "
                              f"of 'b' is {from_torch(b.dtype)}."))
    if b.ndim not in (1, 2):
        raise final(ValueError(f"For '{api}', the dimension of 'b' should be one of (1, 2), but got "
                               f"{b.ndim}."))
    if b.shape[0] != matrix.shape[0]:
        raise final(ValueError(f"For '{api}', the last two dimensions of '{name}' and 'b' should be matched, "
                               f"but got shape of {tuple(matrix.shape)} and {tuple(b.shape)}. Please make "
                               f"sure that the shape of '{name}' and 'b' be like (N, N) X (N, M) or (N, N) X "
                               "(N)."))
    return whole, (b[:, None] if b.ndim == 1 else b).to(whole.dtype)


@lowered
def block_diag(*arrs):
    """A matrix with the given ones along its diagonal (``mindspore.scipy.linalg.block_diag``)."""
    for t in arrs:
        if isinstance(t, (bool, int, float)):
            raise final(AttributeError(f"'{type(t).__name__}' object has no attribute 'ndim'"))
    if any(t.ndim > 2 for t in arrs):
        raise final(ValueError("Arguments to mindspore.scipy.linalg.block_diag must have at most 2 "
                               "dimensions."))
    common = None
    for t in arrs:
        if common is not None and common is not t.dtype and (common.is_complex or t.is_complex()):
            raise final(TypeError(f"input dtype: {from_torch(common)}, {from_torch(t.dtype)} are not all "
                                  "mindspore datatypes."))
        common = t.dtype if common is None else torch.promote_types(common, t.dtype)
    return torch.block_diag(*arrs)


@_of_a_matrix
def inv(a, overwrite_a=False, check_finite=True):
    """The inverse of a matrix (``mindspore.scipy.linalg.inv``)."""
    return inverted(_matrix("inv", a, overwrite_a=overwrite_a, check_finite=check_finite))


@_of_a_matrix
def det(a, overwrite_a=False, check_finite=True):
    """The determinant of a matrix (``mindspore.scipy.linalg.det``)."""
    return torch.linalg.det(_matrix("det", a, overwrite_a=overwrite_a, check_finite=check_finite))


@_of_a_matrix
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The upper triangle R with R^T R = a, or the lower L with L L^T = a
    (``mindspore.scipy.linalg.cholesky``)."""
    a = _matrix("cholesky", a, lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return torch.linalg.cholesky(a, upper=not lower)


@_of_a_matrix
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """`cholesky` and ``lower``, for `cho_solve` (``mindspore.scipy.linalg.cho_factor``)."""
    a = _matrix("cho_factor", a, lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return torch.linalg.cholesky(a, upper=not lower), lower


@lowered
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """The x of a x = b from what `cho_factor` gave (``mindspore.scipy.linalg.cho_solve``)."""
    c, lower = c_and_lower
    c, columns = _system("cho_solve", "c", c, b, lower=lower, overwrite_b=overwrite_b,
                         check_finite=check_finite)
    c = c.tril() if lower else c.triu()            # the other triangle has no part in it, nor a gradient
    return torch.cholesky_solve(columns, c, upper=not lower).reshape(b.shape)


@_of_a_matrix
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
    _of_kind("eigh", int, type=type)
    a = _matrix("eigh", a, (*_REAL, torch.complex64, torch.complex128), lower=lower,
                eigvals_only=eigvals_only, overwrite_a=overwrite_a, overwrite_b=overwrite_b, turbo=turbo,
                check_finite=check_finite)
    for name, value in (("b", b), ("eigvals", eigvals)):
        if value is not None:
            raise final(ValueError(f"For 'eigh', currently only case {name}=None of 'eigh' is implemented."))
    return eigenpairs(a, not eigvals_only, lower)


@_of_a_matrix
def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """P (Int32), L, U with a = P L U, or with ``permute_l`` (P L, U) (``mindspore.scipy.linalg.lu``)."""
    a = _matrix("lu", a, square=False, permute_l=permute_l, overwrite_a=overwrite_a,
                check_finite=check_finite)
    if a.shape[0] > a.shape[1]:
        raise final(ValueError("last two dimensions of LU decomposition must be row less or equal to col."))
    p, lower, upper = torch.linalg.lu(a)
    return (p @ lower, upper) if permute_l else (p.to(torch.int32), lower, upper)


@_of_a_matrix
def lu_factor(a, overwrite_a=False, check_finite=True):
    """L and U in one matrix, and the row that each row was swapped with, Int32.

    MindSpore: ``mindspore.scipy.linalg.lu_factor``; rows count from 0, torch's from 1.
    """
    a = _matrix("lu_factor", a, overwrite_a=overwrite_a, check_finite=check_finite)
    packed, pivots, _ = torch.linalg.lu_factor_ex(a)         # (a singular matrix too has these)
    return packed, pivots - 1


@lowered
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """The x of a x = b, a^T x = b (``trans`` 1) or a^H x = b (2) from what `lu_factor` gave.

    MindSpore: ``mindspore.scipy.linalg.lu_solve``.
    """
    packed, pivots = lu_and_piv
    packed, columns = _system("lu_solve", "lu_matrix", packed, b, overwrite_b=overwrite_b,
                              check_finite=check_finite)
    _of_kind("lu_solve", torch.Tensor, pivot=pivots)
    if pivots.dtype is not torch.int32:
        raise final(TypeError("For 'lu_solve', the data type of 'pivot' should be [mindspore.int32], but got "
                              f"{from_torch(pivots.dtype)}."))
    if trans not in (0, 1, 2):
        raise final(ValueError("For 'lu_solve', the value of 'trans' should be one of (0, 1, 2), but got "
                               f"{trans}."))
    return torch.linalg.lu_solve(packed, pivots + 1, columns, adjoint=trans > 0).reshape(b.shape)


_DRIVERS = ("gels", "gelsy", "gelss", "gelsd")


@lowered
def lstsq(A, B, rcond=None, driver=None):
    """The x of least |A x - B|: x, its residuals, the rank and the singular values, each as the LAPACK
    ``driver`` ("gelsy" by default) gives them: empty where it does not.

    MindSpore: ``mindspore.scipy.linalg.lstsq``; ``rcond`` has no effect, as there.
    """
    driver = "gelsy" if driver is None else driver
    if not isinstance(driver, str):
        raise final(TypeError(f"For 'LstsqV2', the input 'driver' should be a str, but got {type(driver)}."))
    if driver not in _DRIVERS:
        raise final(ValueError(f"Failed to convert the value \"{driver}\" of input 'driver' of 'LstsqV2' to "
                               "enum."))
    half = A.dtype is B.dtype is torch.float16
    a, b = (A.float(), B.float()) if half else (A, B)
    columns = b[..., None] if b.ndim == a.ndim - 1 else b
    x, residuals, rank, values = torch.linalg.lstsq(a, columns, driver=driver)
    if driver in ("gelss", "gelsd") and a.shape[-2] > a.shape[-1]:       # torch's are of full ranks alone
        residuals = (a @ x - columns).square().sum(-2)
    x = x[..., 0] if columns is not b else x
    return tuple(t.half() if half and t.is_floating_point() else t for t in (x, residuals, rank, values))


@lowered
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None, check_finite=True
):
    """The x of a x = b, a^T x = b (``trans`` 1 or "T") or a^H x = b (2 or "C") for a triangle a.

    MindSpore: ``mindspore.scipy.linalg.solve_triangular``.
    """
    if isinstance(trans, (float, np.floating, np.bool_, np.ndarray)) or lower.__class__ is not bool:
        raise final(wrong_inputs("SolveTriangular", a=a, b=b, trans=trans, lower=lower,
                                 unit_diagonal=unit_diagonal))
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(
            f"For 'SolveTriangular', 'trans' must be in [0, 1, 2, 'N', 'T', 'C'], but got {trans}."
        )
    dtype = a.dtype if a.is_floating_point() or a.is_complex() else torch.float32
    a = a.float() if dtype is torch.float16 else a if a.dtype is dtype else a.double()
    if trans in (1, "T"):
        a, lower = a.mT, not lower
    elif trans in (2, "C"):
        a, lower = a.mH, not lower
    columns = b[..., None] if b.ndim == a.ndim - 1 else b
    x = torch.linalg.solve_triangular(a, columns.to(a.dtype), upper=not lower, unitriangular=unit_diagonal)
    return x.reshape(b.shape).to(dtype)
