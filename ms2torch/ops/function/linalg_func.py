"""Products of vectors and matrices, and linear algebra.

MindSpore: ``mindspore.ops.function.linalg_func`` and others.
"""

from __future__ import annotations

import torch

from ms2torch._core.checks.kernel_dtypes import not_supported
from ms2torch._core.checks.refusals import cannot_multiply, one_dtype, wrong_dtype
from ms2torch._core.errors import final
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.registry import mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor.dtype import UNSIGNED, promote

from ._linalg_matrices import (
    adjoint,
    cholesky,
    cholesky_inverse,
    cholesky_solve,
    cond,
    cov,
    det,
    inverse,
    logdet,
    matrix_exp,
    matrix_power,
    matrix_solve,
    pinv,
    qr,
    renorm,
    slogdet,
    svd,
    trace,
)
from ._math_norms import at_least
from ._math_reduce import sum as total_of

# ---- products ----------------------------------------------------------------------------------------------


@op(method="matmul(input, tensor2|other)", mint=True)
def matmul(input, other):
    """The matrix product with numpy's rules for vectors and batches.

    MindSpore: ``mindspore.ops.matmul``; torch: ``matmul``.
    """
    if input.dtype is not other.dtype:
        one_dtype("MatMulExt", input, other)
    try:
        return _product(torch.matmul, input, other)
    except RuntimeError as err:
        if not input.ndim or not other.ndim:
            raise ValueError("For 'MatMulExt' op, inputs must be all tensors and rank >= 1") from None
        raise cannot_multiply(err, input, other) from None


def _product(multiply, a, b):
    if a.dtype in UNSIGNED:          # torch multiplies no matrices of these, MindSpore stacks of them alone
        if a.ndim < 3 and b.ndim < 3:
            raise final(TypeError(not_supported("MatMul")))
        return multiply(a.to(torch.int64), b.to(torch.int64)).to(a.dtype)
    return multiply(a, b)


def _turned(t, turn):
    return t.transpose(-1, -2) if turn and t.ndim > 1 else t


@primitive("MatMul", init={"transpose_a": False, "transpose_b": False})
def _matmul(input, mat2, transpose_a=False, transpose_b=False):
    """The product of two matrices, transposed first where asked (``mindspore.ops.MatMul``). ValueError
    unless 2-d.
    """
    return _of_matrices(_turned(input, transpose_a), _turned(mat2, transpose_b))


def _of_matrices(a, b):
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("MatMul inputs should have the same dimension size and equal to 2.")
    if a.shape[1] != b.shape[0]:
        raise ValueError(
            f"For 'MatMul' the input dimensions must be equal, but got 'x1_col': {a.shape[1]} and "
            f"'x2_row': {b.shape[0]}."
        )
    return _product(torch.mm, *one_dtype("MatMul", a, b))


@primitive("BatchMatMul", init={"transpose_a": False, "transpose_b": False})
def _batch_matmul(x, y, transpose_a=False, transpose_b=False):
    """Products of stacks of matrices, transposed first where asked (``mindspore.ops.BatchMatMul``)."""
    a, b = _turned(x, transpose_a), _turned(y, transpose_b)
    return _product(torch.matmul, *one_dtype("BatchMatMul", a, b))


@op(method=True, mint="bmm(input, mat2)")
def bmm(input_x, mat2):
    """Products of two stacks of matrices (``mindspore.ops.bmm``)."""
    if input_x.dtype is mat2.dtype and input_x.ndim == mat2.ndim == 3:
        return _product(torch.bmm, input_x, mat2)
    return _product(torch.matmul, *one_dtype("BatchMatMul", input_x, mat2))


@op(method=True, mint=True)
def mm(input, mat2):
    """The product of two matrices (``mindspore.ops.mm``)."""
    return _of_matrices(input, mat2)


@op(mint="mv(input, vec)")
def mv(mat, vec):
    """The product of a matrix and a vector (``mindspore.ops.mv``)."""
    mat, vec = one_dtype("MatMul", mat, vec)
    return torch.mv(mat, vec.reshape(-1) if vec.ndim == 2 and vec.shape[0] == 1 else vec)


@op(method=True)
@spelled(x1="input", x2="other")
def dot(input, other):
    """The sum over the last axis of input and the last but one of other, as in numpy.

    Both have at least two axes.
    """
    if input.ndim < 2 or other.ndim < 2:
        raise ValueError(
            r"For \'dot\', the inputs x1, x2 should have \'dimension >= 2\',but got \'len(x1_shape)\': "
            f"({input.ndim}) and \\'len(x2_shape)\\': ({other.ndim})."
        )
    if input.shape[-1] != other.shape[-2]:
        raise ValueError("For 'MatMul' the input dimensions must be equal, but got 'x1_col': "
                         f"{input.shape[-1]} and 'x2_row': {other.shape[-2]}.")
    return torch.tensordot(*promote(input, other), dims=([-1], [-2]))


@mint_form(name="dot")
def _mint_dot(input, other):
    """The product of two vectors, a number."""
    return torch.dot(input, other)


@op()
def batch_dot(x1, x2, axes=None):
    """Sums over one axis of each, sample by sample (``mindspore.ops.batch_dot``)."""
    if axes is None:
        axes = (x1.ndim - 1, 1 if x2.ndim == 2 else x2.ndim - 2)
    i, j = (axes, axes) if isinstance(axes, int) else axes
    x1, x2 = promote(x1.movedim(i, -1), x2.movedim(j, -1))
    rows = x1.reshape(x1.shape[0], -1, x1.shape[-1])
    columns = x2.reshape(x2.shape[0], -1, x2.shape[-1])
    out = torch.bmm(rows, columns.transpose(1, 2)).reshape(*x1.shape[:-1], *x2.shape[1:-1])
    return out.unsqueeze(1) if out.ndim == 1 else out


@op(mint="tensordot")
def tensor_dot(x1, x2, axes):
    """Sums over ``axes``: an int counts axes at the end and the start, a pair lists them.

    MindSpore: ``mindspore.ops.tensor_dot``.
    """
    dims = _summed_axes(x1, x2, axes)
    x1, x2 = one_dtype("MatMul", x1, x2)
    if [x1.shape[d] for d in dims[0]] == [x2.shape[d] for d in dims[1]]:
        return torch.tensordot(x1, x2, dims=dims)
    # The sizes of the second one in turned order: MindSpore sums over the elements as they lie.
    first, second = ([d for d in range(t.ndim) if d not in {k % t.ndim for k in of}]
                     for t, of in zip((x1, x2), dims, strict=True))
    left, right = x1.permute(*first, *dims[0]).flatten(len(first)), x2.permute(*dims[1], *second)
    return torch.tensordot(left, right.flatten(0, len(dims[1]) - 1), dims=1)


def _summed_axes(x1, x2, axes):
    """The axes of both that are summed over, or MindSpore's error."""
    if isinstance(axes, int):
        if axes < 0:
            raise final(ValueError(f"For 'tensor_dot', the 'axes' must be at least 0, but got {axes}."))
        if axes > min(x1.ndim, x2.ndim):
            raise final(ValueError(
                "For 'tensor_dot', the 'axes' cannot be greater than the length of 'x1_shape' and "
                f"'x2_shape', but got 'axes': {axes}, 'x1_shape': {tuple(x1.shape)}, 'x2_shape': "
                f"{tuple(x2.shape)}."))
        axes = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        axes = [[a] if isinstance(a, int) else a for a in axes]
    if len(axes) != 2:
        raise final(ValueError(
            f"For 'tensor_dot', the dimension of 'axes' must be 2, but got 'axes': {axes}."))
    if len(axes[0]) != len(axes[1]):
        raise final(ValueError("For 'tensor_dot', the first and second dim of 'axes' have to be the same "
                               f"size/length, but got 'axes': {axes}."))
    for t, of in ((x1, axes[0]), (x2, axes[1])):
        if len(of) > t.ndim:
            raise final(ValueError(f"For 'tensor_dot', the length of element {of} in 'axes' must be less "
                                   f"than or equal to {t.ndim}, but got {len(of)}."))
        for d in of:
            if not -t.ndim <= d < t.ndim:
                raise final(ValueError("For 'tensor_dot', the value in 'axes' must be in range: "
                                       f"[{-t.ndim}, {t.ndim - 1}], but got {d}."))
    sizes, others = [x1.shape[d] for d in axes[0]], [x2.shape[d] for d in axes[1]]
    if sizes not in (others, others[::-1]):
        raise final(ValueError(
            "For 'tensor_dot', the 'i' should exist such that 'x1_shape[axes[0][i]]' is equal to "
            "'x2_shape[axes[1][i]]' or 'x2_shape[axes[1][len(axes[0])-1-i]]', but got 'x1_shape': "
            f"{tuple(x1.shape)}, 'x2_shape': {tuple(x2.shape)}, 'axes': {axes}."))
    return axes


@op(method=True)
def inner(input, other):
    """Sums over the last axes (``mindspore.ops.inner``)."""
    if not isinstance(other, torch.Tensor) or not input.ndim or not other.ndim:
        return arithmetic.mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise ValueError(
            f"For 'inner', the last dimension of 'input' and 'other' must be the same, "
            f"{' ' * 25}but got input.shape: {tuple(input.shape)} and other.shape: {tuple(other.shape)}."
        )
    return torch.inner(*one_dtype("MatMul", input, other))


@op(method=True, mint=True)
def outer(input, vec2):
    """All products of an element of each (``mindspore.ops.outer``)."""
    return arithmetic.mul(input.reshape(-1, 1), vec2)


@op(method=True)
def ger(input, vec2):
    """The outer product of two vectors (``mindspore.ops.ger``)."""
    return torch.outer(input, vec2)


@op()
def kron(input, other):
    """The Kronecker product (``mindspore.ops.kron``)."""
    # (Not `contiguous` alone: that leaves the strides of axes of length 1, by which torch.kron fails.)
    return torch.kron(*(x.reshape(-1).reshape(x.shape) for x in promote(input, other)))


@op()
def einsum(equation, *operands):
    """Sums of products in Einstein's notation (``mindspore.ops.einsum``); TypeError for other than floats.

    The notation is a text, or a list of numbers behind each operand and at the end.
    """
    if isinstance(equation, torch.Tensor):
        return _of_one_axis(torch.einsum(equation, *operands))
    _check_equation(equation, operands)
    return _sums_of_products(equation, operands)


@mint_form(name="einsum")
def _mint_einsum(equation, *operands):
    """Sums of products in Einstein's notation."""
    if not isinstance(equation, torch.Tensor):
        _check_equation(equation, operands)
    return torch.einsum(equation, *operands)


def _of_one_axis(total):
    """The sum of all as MindSpore's operator has it: of one axis."""
    return total if total.ndim else total.reshape(1)


def _check_equation(equation, operands) -> None:
    """TypeError and ValueError, in MindSpore's words, for an equation of other operands."""
    if not isinstance(equation, str):
        raise TypeError("the equation must be str!")
    terms = equation.replace(" ", "").split("->")[0].split(",")
    if len(terms) < len(operands):
        raise ValueError("For 'Einsum', the number of inputs must be equal to the number of equation's "
                         "operand.")
    if len(terms) > len(operands):
        raise ValueError("For 'Einsum', the number of inputs must be equal to the number of inputs and "
                         "equation's operand.")
    for k, (term, operand) in enumerate(zip(terms, operands, strict=True)):
        if "." not in term and len(term) != operand.ndim:
            raise ValueError(f"For 'Einsum', the number of subscript in {k} operand in the eqaution does not "
                             f"match inputs[{k}].dim().")


def _sums_of_products(equation, operands):
    if operands[0].dtype not in _EINSUM_DTYPES:
        raise wrong_dtype("Einsum", "out_type", operands[0].dtype, _EINSUM_DTYPES)
    return _of_one_axis(torch.einsum(equation, *operands))


_EINSUM_DTYPES = (torch.float16, torch.float32, torch.float64)


@primitive("Einsum", init=("equation",))
def _einsum(operands, equation):
    """Sums of products of a tuple of tensors (``mindspore.ops.Einsum``)."""
    return _sums_of_products(equation, operands)


def _fused(input, other, *product: int) -> bool:
    """Whether torch's kernel takes these: what is added has the dtype of the product, whose shape is
    ``product``, and does not widen it."""
    return isinstance(input, torch.Tensor) and input.dtype is other.dtype and \
        input.ndim <= len(product) and all(n in (1, m) for n, m in zip(input.shape[::-1], product[::-1],
                                                                       strict=False))


def as_tensor(input, like):
    """A tensor as it is, a list as a tensor; MindSpore converts these implicitly."""
    return torch.as_tensor(input, device=like.device) if isinstance(input, (list, tuple)) else input


@op(method=True, mint=True)
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """beta * input + alpha * mat1 @ mat2 (``mindspore.ops.addmm``)."""
    if not _fused(input, mat1, mat1.shape[0], mat2.shape[-1]):
        return beta * as_tensor(input, mat1) + alpha * (mat1 @ mat2)
    return torch.addmm(input, mat1, mat2, beta=beta, alpha=alpha)


@op(method=True, mint=True)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """beta * input + alpha * the sum of all batch1 @ batch2 (``mindspore.ops.addbmm``).

    Of two matrices it is the sum of the rows of their product, as in MindSpore.
    """
    if batch1.dtype in UNSIGNED:
        wide = [t.to(torch.int64) for t in (as_tensor(input, batch1), batch1, batch2)]
        return addbmm.kernel(*wide, beta=beta, alpha=alpha).to(batch1.dtype)
    if batch1.ndim == 2 or not batch1.is_floating_point() or \
            not _fused(input, batch1, batch1.shape[-2], batch2.shape[-1]):
        total = batch1 @ batch2
        total = total_of.kernel(total.reshape(-1, *total.shape[-2:]) if batch1.ndim > 2 else total, 0)
        return beta * as_tensor(input, batch1) + alpha * total
    return torch.addbmm(input, batch1, batch2, beta=beta, alpha=alpha)


@op(method=True, mint=True)
def addmv(input, mat, vec, *, beta=1, alpha=1):
    """beta * input + alpha * mat @ vec (``mindspore.ops.addmv``)."""
    if vec.ndim != 1 or not _fused(input, mat, mat.shape[0]):
        return beta * as_tensor(input, mat) + alpha * mv.kernel(mat, vec)
    return torch.addmv(input, mat, vec, beta=beta, alpha=alpha)


@op(method="addr(input, vec1, vec2, beta=1, alpha=1)", mint=True)
def addr(x, vec1, vec2, *, beta=1, alpha=1):
    """beta * x + alpha * the outer product (``mindspore.ops.addr``)."""
    if vec1.ndim != 1 or vec2.ndim != 1 or not _fused(x, vec1, len(vec1), len(vec2)):
        return beta * as_tensor(x, vec1) + alpha * (vec1.reshape(-1, 1) * vec2.reshape(1, -1))
    return torch.addr(x, vec1, vec2, beta=beta, alpha=alpha)


@op(method=True, mint="baddbmm(input, batch1, batch2, *, beta=1, alpha=1)")
def baddbmm(input, batch1, batch2, beta=1, alpha=1):
    """beta * input + alpha * batch1 @ batch2, for stacks (``mindspore.ops.baddbmm``)."""
    if batch1.ndim == 2:
        return beta * input + alpha * (batch1 @ batch2)
    if batch1.ndim == batch2.ndim == 3 and isinstance(input, torch.Tensor) and \
            not _fused(input, input, *batch1.shape[:2], batch2.shape[2]):
        return beta * input + alpha * torch.bmm(batch1, batch2)
    return torch.baddbmm(input, batch1, batch2, beta=beta, alpha=alpha)


@op(method=True)
def vecdot(x, y, *, axis=-1):
    """Sums of products along ``axis`` (``mindspore.ops.vecdot``)."""
    if x.dtype is y.dtype and (x.is_floating_point() or x.is_complex()):
        return torch.linalg.vecdot(x, y, dim=axis)
    return total_of.kernel(x * y, axis)         # torch's takes no integers


# ---- distances ---------------------------------------------------------------------------------------------


@op(primitive="Cross", init={"dim": -65530}, method=True, mint=True)
def cross(input, other, dim=None):
    """The vector product along ``dim``, by default the first axis of length 3 (``mindspore.ops.cross``)."""
    if dim is None or dim == -65530:
        dim = next((i for i, n in enumerate(input.shape) if n == 3), None)
        if dim is None:
            raise ValueError("For 'Cross', the size of inputs dim must contain 3, but got [const vector]"
                             f"{{{', '.join(map(str, input.shape))}}}.")
    if not (input.ndim and other.ndim):
        raise ValueError("For cross, each input must have at least one dimension, but got input_1 with dim "
                         f"{input.ndim}, input_2 with dim {other.ndim}")
    input, other = promote(input, other)
    if input.ndim != other.ndim:
        input, other = torch.broadcast_tensors(input, other)
    return torch.linalg.cross(input, other, dim=dim)


@op(method=True)
def dist(input, other, p=2):
    """The p-norm of the difference (``mindspore.ops.dist``)."""
    if isinstance(p, float) and p not in (0.0, 1.0, 2.0, float("inf")):
        raise TypeError("For 'LpNorm', the type of 'p' should be 'int', but got type 'float'.")
    input, other = promote(input, other)
    if p == 0:
        gap = input - other             # nothing flows back from a count; of a 0-d tensor it is no count
        return torch.dist(input.detach(), other.detach(), 0) + 0 * gap.sum() if gap.ndim else gap.abs()
    distance = torch.dist(input, other, p)
    return at_least(distance) if input.ndim or other.ndim else distance


@op(primitive="Cdist", init={"p": 2.0})
def cdist(x1, x2, p=2.0):
    """The p-norms between all pairs of rows (``mindspore.ops.cdist``)."""
    return torch.cdist(x1, x2, float(p), "donot_use_mm_for_euclid_dist")


@mint_form(name="cdist")
def _mint_cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norms of the differences of all pairs of rows."""
    return torch.cdist(x1, x2, float(p))                # (the mode says how MindSpore would compute it)


@op()
def pdist(input, p=2.0):
    """The p-norms between all pairs of rows of one matrix, each pair once (``mindspore.ops.pdist``)."""
    if input.dtype is torch.float16:               # of which torch has no derivative
        return torch.nn.functional.pdist(input.float(), p).half()
    return torch.nn.functional.pdist(input, p)


__all__ = [
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "adjoint",
    "baddbmm",
    "batch_dot",
    "bmm",
    "cdist",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cond",
    "cov",
    "cross",
    "det",
    "dist",
    "dot",
    "einsum",
    "ger",
    "inner",
    "inverse",
    "kron",
    "logdet",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "matrix_solve",
    "mm",
    "mv",
    "outer",
    "pdist",
    "pinv",
    "qr",
    "renorm",
    "slogdet",
    "svd",
    "tensor_dot",
    "trace",
    "vecdot",
]


# ---- Primitives of the definitions above whose arguments differ --------------------------------------------


@primitive("Ger")
def _ger(x1, x2):
    """The outer product of two vectors (``mindspore.ops.Ger``)."""
    return torch.outer(x1, x2)


@primitive("MatrixPower", init=("n",))
def _matrix_power(x, n):
    """The n-th power of square matrices (``mindspore.ops.MatrixPower``)."""
    return torch.linalg.matrix_power(x, n)


@primitive("LpNorm", init=("axis", "p", "keep_dims", "epsilon"))
def _lp_norm(input_x, axis, p=2, keep_dims=False, epsilon=1e-12):
    """The p-norm along some axes, at least ``epsilon`` (``mindspore.ops.LpNorm``)."""
    return torch.linalg.vector_norm(input_x, p, axis, keep_dims).clamp_min(epsilon)


@mint_form(name="vdot")
def _mint_vdot(input, other):
    """The dot product of two vectors, the first one conjugated (``mindspore.mint.vdot``)."""
    return torch.vdot(input, other)
