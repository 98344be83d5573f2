"""Solvers and factors of matrices that torch has under other names, and their Primitives."""

from __future__ import annotations

import torch

from ms2torch._core.devices.device import device
from ms2torch._core.errors import final, unsupported
from ms2torch._core.operators.registry import OPS, REQUIRED, mint_form, op, primitive
from ms2torch._core.tensor import dtype as _dtype

from ._linalg_matrices import svd


@op(primitive="LuSolve", method=True)
def lu_solve(b, LU_data, LU_pivots):
    """The x with A x = ``b``, from the factors and pivots of A (``mindspore.ops.lu_solve``)."""
    if b.ndim < 2:
        raise ValueError("For 'LuSolve', x's dimension must be greater than or equal to 2, "
                         f"but got: {b.ndim}.")
    return torch.linalg.lu_solve(LU_data, LU_pivots, b)


@op(method=True)
def lstsq(input, A):
    """The least-squares x of ``input`` x = ``A`` (``mindspore.ops.lstsq``).

    Of several the shortest one; a vector ``A`` is one column.
    """
    wide = A.unsqueeze(-1) if A.ndim == 1 else A
    if input.shape[0] >= input.shape[1]:
        return torch.linalg.lstsq(input, wide).solution
    return torch.linalg.pinv(input) @ wide


@op(primitive="Ormqr", init={"left": True, "transpose": False},
    method="ormqr(input, input2, input3, left=True, transpose=False)")
def ormqr(input, tau, other, left=True, transpose=False):
    """Q @ ``other``, or ``other`` @ Q, where Q's reflectors are ``input`` and ``tau`` as geqrf gives them.

    MindSpore: ``mindspore.ops.ormqr``, which has no CPU kernel. ``transpose`` takes Q's adjoint.
    """
    return torch.ormqr(input, tau, other, left, transpose)


@primitive("Lstsq", init={"fast": True, "l2_regularizer": 0.0})
def _lstsq(x, a, fast=True, l2_regularizer=0.0):
    """`lstsq`; ``fast`` chooses MindSpore's kernel. NotImplementedError for a regularizer."""
    if l2_regularizer:
        raise unsupported(f"mindspore.ops.Lstsq(l2_regularizer={l2_regularizer})", "it is not supported.",
                          "append sqrt(l2) times the identity to x, and zeros to a.")
    return lstsq.kernel(x, a)


@primitive("MatrixSolve", init={"adjoint": False})
def _matrix_solve(matrix, rhs, adjoint=False):
    """The x with ``matrix`` x = ``rhs``; or with its adjoint."""
    return torch.linalg.solve(matrix.mH if adjoint else matrix, rhs)


@primitive("MatrixTriangularSolve", init={"lower": True, "adjoint": False})
def _matrix_triangular_solve(matrix, rhs, lower=True, adjoint=False):
    """`MatrixSolve` for a triangular matrix, of which the other half is not read."""
    if adjoint:
        return torch.linalg.solve_triangular(matrix.mH, rhs, upper=lower)
    return torch.linalg.solve_triangular(matrix, rhs, upper=not lower)


@primitive("CholeskySolve", init={"upper": False})
def _cholesky_solve(x1, x2, upper=False):
    """The x with A x = ``x1``, from the Cholesky factor ``x2`` of A."""
    return torch.cholesky_solve(x1, x2, upper)


@op(method=True)
def geqrf(input):
    """The packed reflectors and scales of a QR decomposition (``mindspore.ops.geqrf``)."""
    wide = input.float() if input.dtype is torch.float16 else input
    packed, scales = torch.geqrf(wide)
    # A column that begins with 0 is made a positive number, where LAPACK makes it a negative one.
    if bool((scales == 1).any()):
        packed, scales = _reflected(wide)
    return packed.to(input.dtype), scales.to(input.dtype)


def _reflected(matrix):
    """Householder's reflectors, column by column, as MindSpore's kernel makes them."""
    packed, scales = matrix.clone(), []
    for k in range(min(matrix.shape[-2:])):
        column = packed[..., k:, k].clone()
        first, rest = column[..., :1], column[..., 1:]
        length = torch.linalg.vector_norm(column, dim=-1, keepdim=True)
        turned = (rest != 0).any(-1, keepdim=True)
        last = torch.where(turned, torch.where(first > 0, -length, length), first)
        scale = torch.where(turned, (last - first) / last, 0)
        vector = torch.cat([torch.ones_like(first), torch.where(turned, rest / (first - last), 0)], -1)
        behind = packed[..., k:, k + 1 :]
        behind -= (scale * vector).unsqueeze(-1) * (vector.unsqueeze(-2) @ behind)
        packed[..., k:, k] = torch.cat([last, vector[..., 1:]], -1)
        scales.append(scale)
    return packed, torch.cat(scales, -1) if scales else matrix.new_zeros(*matrix.shape[:-2], 0)


@op(primitive="Orgqr", method=True)
def orgqr(input, input2):
    """The orthogonal matrix of what `geqrf` gave (``mindspore.ops.orgqr``)."""
    return torch.orgqr(input, input2)


@primitive("Qr", init={"full_matrices": False})
def _qr(x, full_matrices=False):
    """An orthogonal and an upper triangular matrix whose product is ``x``."""
    return tuple(torch.linalg.qr(x, "complete" if full_matrices else "reduced"))


@op(method=True)
def eigvals(A):
    """The eigenvalues, complex (``mindspore.ops.eigvals``)."""
    return torch.linalg.eigvals(A)


@primitive("ComplexAbs")
def _complex_abs(x):
    """The size of complex numbers."""
    return x.abs()


@primitive("ConjugateTranspose")
def _conjugate_transpose(x, perm):
    """The axes in the order ``perm``, the elements conjugated."""
    return x.permute(tuple(perm.tolist() if isinstance(perm, torch.Tensor) else perm)).conj().resolve_conj()


@op
def bidense(input1, input2, weight, bias=None):
    """``input1`` weight ``input2`` for every output, a bias added (``mindspore.ops.bidense``)."""
    if input1.dtype is not weight.dtype:
        raise TypeError("For 'MatMul', the type of 'x2' should be same as 'x1', but got 'x1' with type "
                        f"Tensor[{_dtype.from_torch(input1.dtype)}] and 'x2' with type "
                        f"Tensor[{_dtype.from_torch(weight.dtype)}].")
    input2 = input2.to(weight.dtype)
    if not weight.is_floating_point() and not weight.is_complex():   # torch's kernel has no integers
        found = torch.nn.functional.bilinear(input1.long(), input2.long(), weight.long())
        return found if bias is None else (found + bias).to(bias.dtype)
    return torch.nn.functional.bilinear(input1, input2, weight, bias)


@primitive("Pdist", init={"p": 2.0})
def _pdist(x, p=2.0):
    """The distances of all pairs of rows."""
    return OPS["pdist"].kernel(x, p)


@primitive("GLU", init={"axis": -1})
def _glu(x, axis=-1):
    """One half of the axis, gated by the other."""
    return torch.nn.functional.glu(x, axis)


def _in_top(x, target, k):
    """Strictly fewer than ``k`` others are larger; never in rows that hold nan or inf."""
    known = (target >= 0) & (target < x.shape[1])
    own = x.gather(1, target.long().clamp(0, x.shape[1] - 1)[:, None])
    return ((x > own).sum(1) < k) & known & x.isfinite().all(1)


@op
def intopk(x1, x2, k):
    """Whether the element at ``x2`` is among the ``k`` largest of its row (``mindspore.ops.intopk``)."""
    return _in_top(x1, x2, k)


@primitive("InTopK", init={"k": REQUIRED})
def _in_top_k(x1, x2, k):
    """Whether the element at ``x2`` is among the ``k`` largest of its row."""
    return _in_top(x1, x2, k)


@primitive("NthElement", init={"reverse": False})
def _nth_element(input, n, reverse=False):
    """The element that stands at ``n`` when the last axis is sorted, upwards or in ``reverse``.

    Elements that are equal to it share its gradient.
    """
    found = torch.sort(input, -1, descending=reverse).values[..., int(n)]
    if not input.requires_grad:
        return found
    finite, equal = found.isfinite(), input == found[..., None]
    shared = torch.where(equal & finite[..., None], input, 0).sum(-1) / equal.sum(-1)
    return torch.where(finite, found.detach() + (shared - shared.detach()), found)


def _triangle(make, row, col, offset, dtype):
    return make(row, col, offset, dtype=_dtype.to_torch(dtype), device=device())


@primitive("TrilIndices", init={"row": REQUIRED, "col": REQUIRED, "offset": 0, "dtype": _dtype.int32})
def _tril_indices(row, col, offset=0, dtype=_dtype.int32):
    """Rows and columns of the elements on and below a diagonal."""
    return _triangle(torch.tril_indices, row, col, offset, dtype)


@primitive("TriuIndices", init={"row": REQUIRED, "col": REQUIRED, "offset": 0, "dtype": _dtype.int32})
def _triu_indices(row, col, offset=0, dtype=_dtype.int32):
    """Rows and columns of the elements on and above a diagonal."""
    return _triangle(torch.triu_indices, row, col, offset, dtype)


@primitive("MatrixLogarithm")
def _matrix_logarithm(x):
    """The matrix whose exponential is ``x``, by its eigenvectors."""
    values, vectors = torch.linalg.eig(x)
    return vectors @ torch.diag_embed(values.log()) @ torch.linalg.inv(vectors)


@primitive("MultiMarginLoss", init={"p": 1, "margin": 1.0, "reduction": "mean"})
def _multi_margin_loss(x, target, weight=None, p=1, margin=1.0, reduction="mean"):
    """How far other classes come within a margin of the target's."""
    return torch.nn.functional.multi_margin_loss(x, target, p, margin, weight, reduction=reduction)


@primitive("CheckNumerics")
def _check_numerics(x):
    """``x``; RuntimeError where it holds nan or inf."""
    if not bool(x.isfinite().all()):
        raise RuntimeError("For 'CheckNumerics', there is nan or inf in the input.")
    return x


@op
def eps(x):
    """The distance from 1 to the next number of the dtype, in the shape of ``x`` (``mindspore.ops.eps``)."""
    return torch.full_like(x, torch.finfo(x.dtype).eps)


@primitive("MatrixSolveLs", init={"fast": True})
def _matrix_solve_ls(matrix, rhs, l2, fast=True):
    """The least squares of matrix @ x - rhs and ``l2`` times x (``mindspore.ops.MatrixSolveLs``)."""
    if not fast:
        return torch.linalg.lstsq(matrix, rhs).solution
    rows, columns = matrix.shape[-2:]
    adjoint = matrix.mH
    size = min(rows, columns)
    ridge = torch.eye(size, dtype=matrix.dtype, device=matrix.device) * l2.to(matrix.dtype)
    if rows >= columns:
        return torch.linalg.solve(adjoint @ matrix + ridge, adjoint @ rhs)
    return adjoint @ torch.linalg.solve(matrix @ adjoint + ridge, rhs)


@primitive("Svd", init={"full_matrices": False, "compute_uv": True})
def _svd(input, full_matrices=False, compute_uv=True):
    """Singular values, and the vectors on both sides (``mindspore.ops.Svd``); their signs are free."""
    if not compute_uv:
        nothing = torch.zeros(1, dtype=input.dtype, device=input.device)
        return svd.kernel(input, full_matrices, False), nothing, nothing.clone()
    return svd.kernel(input, full_matrices)


@primitive("TridiagonalMatMul")
def _tridiagonal_matmul(superdiag, maindiag, subdiag, rhs):
    """The product of a matrix with three diagonals and ``rhs`` (``mindspore.ops.TridiagonalMatMul``).

    The diagonals are (..., 1, M): the last of the upper and the first of the lower one do not count.
    """
    for name, diagonal in (("superdiag", superdiag), ("maindiag", maindiag), ("subdiag", subdiag)):
        if diagonal.ndim < 2:
            raise final(
                ValueError(
                    f"For primitive[TridiagonalMatMul], the dimension of '{name}' must be greater "
                    f"than or equal to 2 , but got {diagonal.ndim}."
                )
            )
    upper, main, lower = superdiag.mT, maindiag.mT, subdiag.mT
    below = torch.nn.functional.pad(rhs[..., 1:, :], (0, 0, 0, 1))
    above = torch.nn.functional.pad(rhs[..., :-1, :], (0, 0, 1, 0))
    return main * rhs + upper * below + lower * above


@op(primitive="LuUnpack", init=("unpack_data", "unpack_pivots"))
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """The permutation and both triangles of a packed LU decomposition (``mindspore.ops.lu_unpack``).

    The tuple is (pivots, L, U), with None for what is not asked for.
    """
    p, lower, upper = torch.lu_unpack(LU_data, LU_pivots.to(torch.int32), unpack_data, unpack_pivots)
    return p if unpack_pivots else None, *((lower, upper) if unpack_data else (None, None))


@mint_form(name="triangular_solve")
def _mint_triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """``X`` of ``A @ X = b``, or of ``A.T @ X = b``, for a triangular ``A``; and ``A``
    (``mindspore.mint.triangular_solve``)."""
    matrix = A.transpose(-2, -1) if transpose else A
    solved = torch.linalg.solve_triangular(matrix, b, upper=upper != transpose, unitriangular=unitriangular)
    return solved, A.clone()


def eigenpairs(a, vectors: bool, lower: bool):
    """Eigenvalues, in the matrix's own dtype, and vectors; the gradient is of the triangle that is read."""
    half = a.tril() if lower else a.triu()
    a = half + (a.tril(-1) if lower else a.triu(1)).mH
    if not vectors:
        return torch.linalg.eigvalsh(a).to(a.dtype)
    values, v = torch.linalg.eigh(a)
    return values.to(a.dtype), v
