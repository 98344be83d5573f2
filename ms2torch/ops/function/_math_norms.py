"""Norms of vectors and matrices: ``norm``, ``vector_norm``, ``matrix_norm``, ``EuclideanNorm``."""

from __future__ import annotations

from math import inf

import numpy as np
import torch

from ms2torch._core.checks.calls import describe
from ms2torch._core.errors import asked
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.registry import mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import lift
from ms2torch._naming import generations

from ._math_axis import axes, unseen
from ._math_reduce import _cast, _floating, _sum

_LEAST_NORM = 1e-12             # of vectors with a whole ``ord``: dividing by one of zeros gives 0


def at_least(norm):
    """A norm, or the least one. (clamp_min would hold back the gradient of one that is nan.)"""
    return torch.where(norm < _LEAST_NORM, _LEAST_NORM, norm)


def _euclidean(t, where, keepdim):
    """The 2-norm by its formula: its gradient at 0 is nan, as MindSpore's, where torch's norms give 0."""
    if t.is_complex():
        return torch.linalg.vector_norm(t, 2, where, keepdim).to(t.dtype)
    t = t if t.is_floating_point() else t.to(torch.float32)
    return torch.sqrt(torch.sum(torch.square(t), where, keepdim))


@unseen("axis", "p", "keep_dims", "epsilon")
@op(method=True)
@spelled(keepdims="keepdim", input_x="A")
def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None, axis=None, p=None, keep_dims=None,
         epsilon=None):
    """The norm of vectors (one axis) or matrices (two), or of all elements (``mindspore.ops.norm``).

    ``ord`` is None for the 2-norm, a number, inf, -inf, "fro" or "nuc"; of a matrix 1.0 and 2.0 are "fro",
    as MindSpore has them, unlike 1 and 2. Before 2.0 it was norm(input_x, axis, p=2, keep_dims, epsilon), of
    all elements along those axes: told by these names and by a list of axes, else by ``--api``.
    """
    named = not axis is p is keep_dims is epsilon is None
    axes_first = bool(ord) if isinstance(ord, (list, tuple)) else False
    if named or (axes_first and not generations.has_new_meaning("mindspore.ops.norm")) \
            or generations.has_old_meaning("mindspore.ops.norm"):
        if axis is None:
            axis, ord, dim = (dim, None, None) if ord is None else (ord, None, dim)
        order = next((v for v in (p, ord, dim) if v is not None), 2)
        return vector_norm.kernel(A, order, axis, bool(keepdim or keep_dims), dtype=dtype)
    if A.ndim > 2 and dim is None is not ord and not isinstance(ord, (list, tuple)):
        # (MindSpore gives None)
        raise asked(ValueError(f"For norm, 'ord' {ord} is of vectors or matrices: a tensor of {A.ndim} axes "
                               "needs 'dim', one axis or two."))
    if isinstance(dim, tuple) and len(dim) > 1:
        _check_pair(dim, A.ndim)
    matrix = A.ndim == 2 if dim is None else isinstance(dim, tuple) and len(dim) == 2
    ord = ord[()] if isinstance(ord, np.ndarray) else ord
    if isinstance(ord, (int, float, str, list, tuple)):
        check_order(ord, matrix)
    if ord.__class__ is bool:
        ord = _truth(ord, matrix)
    elif isinstance(ord, torch.Tensor) and ord.numel() == 1:
        if matrix and ord.item() not in _MATRIX_ORDERS:
            raise _no_matrix_order(lift(ord))
        ord = None if dim is None or matrix else ord.item()         # (then always the 2-norm)
    t, where = _floating(_cast(A, dtype, "Cast")), axes(dim, A, "ReduceSum" if ord is None else "LpNorm")
    if ord is None or (ord == "fro" and matrix) or (ord == 2 and dim is None and t.ndim == 1):
        return _euclidean(t, where, bool(keepdim))
    if matrix and isinstance(ord, (float, np.number)) and abs(ord) in (1, 2):
        return _euclidean(t, where, keepdim)               # whole orders are meant where they are ints
    if matrix and ord in BY_SINGULAR_VALUES:
        return singular_norm(t, ord, where or (-2, -1), keepdim)
    whole = t is not A and dtype is None                   # of integers
    if whole and not matrix and abs(ord) != inf:
        return _norm_of_integers(A, ord, where, keepdim)
    result = _norm_by_extreme(t, ord, where, keepdim, matrix)
    if result is None and not matrix and ord and (isinstance(ord, float) or ord < 0):
        result = _by_powers(t, ord, where, keepdim)
    elif result is None:
        result = torch.linalg.norm(t, ord, where, keepdim)
        if not matrix and ord > 0:
            result = at_least(result)
    # Of integers these norms are integers.
    if whole and abs(ord) == inf:
        return result.to(A.dtype)
    return result.to(torch.int64) if whole and ord in (0, 1, -1) else result


_MATRIX_ORDERS = (2, -2, 1, -1, inf, -inf)


def _check_pair(dim, rank: int) -> None:
    """Refuse more than two axes, and one axis twice."""
    if len(dim) > 2:
        raise asked(ValueError("For norm, the dimensions is out of range."))
    if all(isinstance(d, int) and -rank <= d < rank for d in dim) and (dim[0] - dim[1]) % rank == 0:
        raise asked(ValueError("For norm, the elements of dim can not be duplicate."))


def check_order(ord, matrix: bool) -> None:
    """Refuse an order that there is not."""
    if matrix and ord not in (*_MATRIX_ORDERS, "fro", "nuc") and ord is not False:
        raise _no_matrix_order(ord)
    if not matrix and isinstance(ord, str):
        raise asked(TypeError(f"For norm, ord mode can not be str for vectors, but got {ord}."))
    if not matrix and isinstance(ord, (list, tuple)):
        raise asked(TypeError(f'Failed calling pow with "pow({describe(ord)})".'))


def _no_matrix_order(ord) -> ValueError:
    return asked(ValueError("For norm, the ord mode must be in [2, -2, 1, -1, float('inf'), -float('inf'), "
                            f"'fro', 'nuc', None] for matrices, but got {ord}."))


def _truth(ord: bool, matrix: bool) -> int:
    """A truth as an order: True of matrices and False of vectors are numbers."""
    if ord is matrix:
        return int(ord)
    if matrix:
        raise _no_matrix_order(ord)
    raise asked(TypeError("For 'LpNorm', the type of 'p' should be 'int', but got type 'bool'."))


@mint_form(name="norm")
def _mint_norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """The p-norm of all elements or over the axes ``dim``, whatever their number."""
    return torch.norm(_floating(input), p, dim, keepdim, dtype=_dtype.given(dtype, "LinalgVectorNorm"))


@op()
def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None):
    """The norm of vectors along some axes, or of all elements (``mindspore.ops.vector_norm``)."""
    where, dtype = axes(axis, x, "Norm"), _dtype.given(dtype, "Cast")
    if ord == 2:
        return _euclidean(x if dtype is None else x.to(dtype), where, keepdims)
    x = x if dtype is None else x.to(dtype)
    if not x.is_floating_point() and not x.is_complex():
        return _norm_of_integers(x, ord, where, keepdims)
    found = _norm_by_extreme(x, ord, where, keepdims, False) if x.is_floating_point() else None
    if found is None and ord and abs(ord) != inf and not x.is_complex():
        found = _by_powers(x, ord, where, keepdims)
    return torch.linalg.vector_norm(x, ord, where, keepdims) if found is None else found


def _by_powers(t, ord, where, keepdim):
    """The root of the sum of powers, each as ``ops.pow`` takes it: a broken exponent is Float32's, of Float64
    too, and the gradient of the root of 0 is nan."""
    return arithmetic.pow(arithmetic.pow(t.abs(), ord).sum(where, keepdim), 1 / ord)


def _norm_of_integers(x, ord, where, keepdim):
    """The extreme ones in the dtype of ``x``, a count in Int64, others in Float32; a negative whole power of
    an integer is one, 0 but for 1, as MindSpore's is."""
    if abs(ord) == inf:
        return torch.linalg.vector_norm(x.double(), ord, where, keepdim).to(x.dtype)
    whole = x.double().abs()
    powers = (whole == 1).double() if isinstance(ord, int) and ord < 0 else whole ** ord
    total = powers.sum(where, keepdim)
    return total.to(torch.int64) if ord == 0 else (total ** (1.0 / ord)).float()


def _norm_by_extreme(t, ord, where, keepdim, matrix: bool):
    """Norms that are the largest or the smallest of some numbers, whose gradient is the first one's; None for
    other norms, and over several axes."""
    axes = (-2, -1) if where is None and matrix else where
    if not t.ndim and ord in (inf, -inf):
        return t.abs()
    if not t.ndim or abs(ord if isinstance(ord, (int, float)) else 0) not in (
            (1, inf) if matrix else (inf,)):
        return None
    sizes, first = t.abs(), torch.max if ord > 0 else torch.min
    if matrix:
        rows, columns = axes
        summed, axis = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sizes = sizes.sum(summed, keepdim=True)
    if not sizes.numel():
        raise asked(ValueError(f"ArgM{'ax' if ord > 0 else 'in'}WithValue cannot deal with empty input. "
                               "Please try other inputs"))
    if matrix:
        found = first(sizes, axis, keepdim=True).values
        return found if keepdim else found.squeeze(tuple(axes))
    if axes is None:
        found = first(sizes.reshape(-1), 0).values
        return found.reshape((1,) * t.ndim) if keepdim else found
    if isinstance(axes, tuple):
        if len(axes) != 1:
            return None
        axes = axes[0]
    return first(sizes, axes, keepdim).values


BY_SINGULAR_VALUES = (2, -2, "nuc")


def singular_norm(A, ord, axes, keepdims):
    """The norms of matrices by their singular values, which are Float32 whatever the matrix is."""
    if not A.numel():
        raise asked(RuntimeError("For Svd, the input can not be a empty tensor, but got: [const vector]"
                                 f"{{{', '.join(map(str, A.shape))}}}"))
    A = A if A.dtype is torch.float64 or A.is_complex() else A.to(torch.float32)
    return torch.linalg.matrix_norm(A, ord, tuple(axes), keepdims).to(torch.float32)


@op()
def matrix_norm(A, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None):
    """The norm of the matrices in two axes (``mindspore.ops.matrix_norm``)."""
    dtype = _dtype.given(dtype, "Cast")
    if ord == "fro":
        return _euclidean(A if dtype is None else A.to(dtype), tuple(axis), keepdims)
    if ord in BY_SINGULAR_VALUES:
        return singular_norm(A, ord, axis, keepdims)
    if ord not in _MATRIX_ORDERS:
        raise asked(ValueError("For matrix_norm, the ord mode must be in [2, -2, 1, -1, float('inf'), "
                               f"float('-inf'), 'fro', 'nuc'] but got {ord}."))
    A = A if dtype is None else A.to(dtype)
    if A.is_floating_point() or A.is_complex():
        return _norm_by_extreme(A, ord, tuple(axis), keepdims, True)
    return _norm_by_extreme(A.long(), ord, tuple(axis), keepdims, True).to(
        A.dtype if abs(ord) == inf else torch.int64)


@primitive("EuclideanNorm", init={"keep_dims": False})
def _euclidean_norm(x, axes_, keep_dims=False):
    """The 2-norm along some axes, of integers an integer (``mindspore.ops.EuclideanNorm``)."""
    return torch.sqrt(_sum(torch.square(x), axes_, keep_dims, "EuclideanNorm")).to(x.dtype)


__all__ = ["matrix_norm", "norm", "vector_norm"]
