"""What is computed of one matrix: traces, inverses, determinants, decompositions, powers."""

from __future__ import annotations

import torch

from ms2torch._core.errors import asked
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.tensor import dtype as _dtype

from ._linalg_singular import inverted, inverted_by_rows
from ._math_axis import one_axis
from ._math_norms import check_order, matrix_norm


@op(primitive="Trace", mint=True)
def trace(input):
    """The sum of a matrix's diagonal (``mindspore.ops.trace``)."""
    if input.ndim != 2:
        raise RuntimeError(f"For Primitive[Trace], the rank of the input must be 2, but got {input.ndim}!")
    return torch.trace(input).to(input.dtype)


@method(name="trace")
def _tensor_trace(self, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of the diagonal ``offset`` in two axes; integers give Int64 (``Tensor.trace``)."""
    diagonal = torch.diagonal(self, offset, axis1, axis2)
    if dtype is None and self.dtype in (torch.bool, torch.uint64):
        return diagonal.to(torch.int64).sum(-1).to(self.dtype)
    return torch.sum(diagonal, -1, dtype=_dtype.given(dtype, "TraceV2"))


@op(method=True)
def inverse(input):
    """The inverse of a matrix or of each in a stack (``mindspore.ops.inverse``)."""
    _check_rows("MatrixInverse", input)
    return inverted(_floating(input))


@mint_form(name="inverse")
def _mint_inverse(input):
    """The inverse of a matrix, which may have one element, or of each in a stack."""
    return inverted(_floating(input))


def _check_rows(name: str, matrices) -> None:
    if matrices.shape[-2:-1] == (1,):
        raise ValueError(f"For primitive[{name}], the row size must be greater than or equal to 2, "
                         "but got 1.")


@primitive("MatrixInverse", init={"adjoint": False})
def _matrix_inverse(x, adjoint=False):
    """The inverse of each matrix, of its adjoint where asked (``mindspore.ops.MatrixInverse``)."""
    _check_rows("MatrixInverse", x)
    return inverted(x.mH if adjoint else x)


def _floating(t):
    return t if t.is_floating_point() or t.is_complex() else t.to(torch.float32)


@op(primitive="MatrixDeterminant", alias=("matrix_determinant",), method=("det", "matrix_determinant"))
def det(input):
    """The determinant (``mindspore.ops.det``)."""
    _check_rows("MatrixDeterminant", input)
    return torch.linalg.det(input)


@op(method=True)
def logdet(input):
    """The logarithm of the determinant (``mindspore.ops.logdet``)."""
    return torch.logdet(input)


@op(
    primitive="LogMatrixDeterminant",
    alias=("log_matrix_determinant",),
    method=("slogdet", "log_matrix_determinant"),
)
def slogdet(input):
    """Sign and logarithm of the absolute value of the determinant, in the input's dtype
    (``mindspore.ops.slogdet``)."""
    _check_rows("LogMatrixDeterminant", input)
    sign, log = torch.linalg.slogdet(input)
    return sign, log.to(sign.dtype)


@op(method=True)
def svd(input, full_matrices=False, compute_uv=True):
    """Singular values s, in the input's dtype, and u and v with input = u @ diag(s) @ v.H.

    MindSpore: ``mindspore.ops.svd``; numpy's order is u, s, v.
    """
    if not compute_uv:
        return torch.linalg.svdvals(input).to(input.dtype)
    u, s, vh = torch.linalg.svd(input, full_matrices)
    return s.to(input.dtype), u, vh.mH


@op()
def qr(input, mode="reduced"):
    """input = q @ r with orthogonal q and upper triangular r (``mindspore.ops.qr``)."""
    q, r = torch.linalg.qr(input, mode)
    return q, r


@method(name="qr")
def _tensor_qr(input, some=True):
    """The reduced decomposition, or the complete one where ``some`` is False (``mindspore.Tensor.qr``)."""
    return qr.kernel(input, "reduced" if some else "complete")


@op(primitive="Cholesky", init={"upper": False}, method=True)
def cholesky(input_x, upper=False):
    """The Cholesky factor of positive definite matrices (``mindspore.ops.cholesky``)."""
    try:
        return torch.linalg.cholesky(input_x, upper=upper)
    except torch.linalg.LinAlgError:
        raise asked(RuntimeError("Cholesky expects symmetric positive definite matrices as "
                                 "inputs.")) from None


@op(primitive="CholeskyInverse", init={"upper": False}, method=True)
def cholesky_inverse(input_x, upper=False):
    """The inverse from a Cholesky factor (``mindspore.ops.cholesky_inverse``)."""
    return inverted_by_rows(input_x.mH @ input_x if upper else input_x @ input_x.mH)


@op(method=True)
def cholesky_solve(input, input2, upper=False):
    """Solves A x = input from A's Cholesky factor ``input2`` (``mindspore.ops.cholesky_solve``)."""
    return torch.cholesky_solve(input, input2, upper=upper)


@op(method=True)
def pinv(x, *, atol=None, rtol=None, hermitian=False):
    """The pseudo-inverse (``mindspore.ops.pinv``)."""
    return torch.linalg.pinv(x, atol=atol, rtol=rtol, hermitian=hermitian)


@op(method=True)
def matrix_power(input, n):
    """The n-th power of square matrices (``mindspore.ops.matrix_power``)."""
    return torch.linalg.matrix_power(input, n)


@op(primitive="MatrixExp")
def matrix_exp(input):
    """The matrix exponential (``mindspore.ops.matrix_exp``)."""
    return torch.linalg.matrix_exp(input)


@op()
def matrix_solve(matrix, rhs, adjoint=False):
    """Solves matrix @ x = rhs (``mindspore.ops.matrix_solve``)."""
    return torch.linalg.solve(matrix.mH if adjoint else matrix, rhs)


@op()
def cond(A, p=None):
    """The condition number in the p-norm (``mindspore.ops.cond``)."""
    if p in (None, 2, -2, "nuc"):        # singular values are Float32
        return torch.linalg.cond(A, p).to(torch.float32)
    check_order(p, True)
    return matrix_norm.kernel(A, p) * matrix_norm.kernel(inverted(A), p)


@op(method=True)
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariances of the rows (``mindspore.ops.cov``)."""
    if input.dtype in (torch.float16, torch.bfloat16):
        input = input.float()
    if isinstance(correction, (tuple, list)) and len(correction) == 1:
        correction = correction[0]
    if not isinstance(correction, int) and correction is not None:     # (torch takes whole numbers alone)
        return _corrected(input, correction, fweights, aweights)
    return torch.cov(input, correction=int(correction), fweights=fweights, aweights=aweights)


def _corrected(input, correction, fweights, aweights):
    """``cov`` by a fraction, or by numbers for each column."""
    found = torch.cov(input, correction=0, fweights=fweights, aweights=aweights)
    weights = torch.ones(input.shape[-1] if input.ndim else 1, device=input.device)
    for more in (fweights, aweights):
        weights = weights if more is None else weights * more
    total = weights.sum()
    each = 1 if aweights is None else (weights * aweights).sum() / total
    by = total - torch.as_tensor(correction, device=input.device) * each
    try:
        return (found * (total / by)).to(found.dtype)
    except RuntimeError:
        raise ValueError(f"For 'Div', input1.shape and input2.shape need to broadcast. The value of "
                         f"input1.shape[{found.ndim}] or input2.shape[{by.ndim}] must be 1 or -1 when they "
                         f"are not the same, but got input1.shape = {list(found.shape)} and input2.shape = "
                         f"{list(by.shape)}.") from None


@op(method=True)
def adjoint(x):
    """The conjugate of the transposed matrices (``mindspore.ops.adjoint``)."""
    return x.mH.resolve_conj()


@op(method=True)
def renorm(input, p, axis, maxnorm):
    """Slices along ``axis`` whose p-norm is above ``maxnorm`` brought down to it.

    MindSpore: ``mindspore.ops.renorm``.
    """
    axis = one_axis(axis, input, "Renorm")
    if input.dtype is torch.float32:                       # (its powers may be beyond Float32)
        return _renormed(input.double(), p, axis, maxnorm).float()
    return _renormed(input, p, axis, maxnorm)


def _renormed(t, p, axis, maxnorm):
    if t.ndim == 1:                                        # (torch asks for two axes)
        return torch.renorm(t[:, None], p, axis, maxnorm)[:, 0]
    return torch.renorm(t, p, axis, maxnorm)


@primitive("Renorm", init=("p", "dim", "maxnorm"))
def _renorm(input, p, dim, maxnorm):
    """``renorm`` along ``dim`` (``mindspore.ops.Renorm``)."""
    return renorm.kernel(input, p, dim, maxnorm)
