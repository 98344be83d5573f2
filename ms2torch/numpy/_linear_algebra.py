"""Products of vectors and matrices (part of ``mindspore.numpy.math_ops``)."""

from __future__ import annotations

import itertools

import numpy as np
import torch

from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import OPS
from ms2torch._core.tensor import dtype as _dtype
from ms2torch.ops.function import math_func  # noqa: F401  (registers the definitions)

from .utils import (
    arrays,
    as_array,
    cast,
    common_shape,
    floating,
    length_of,
    refusal,
    shared,
)

__all__ = [
    "cross", "dot", "inner", "kron", "matmul", "matrix_power", "multi_dot", "norm", "outer", "tensordot",
]


@arrays(1)
def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors (one axis) or matrices (two), or of all elements (``mindspore.numpy.norm``)."""
    if isinstance(ord, (torch.Tensor, np.generic)) and not isinstance(ord, (float, str)) and \
            abs(ord) != float("inf"):
        raise refusal(ValueError, "invalid value for `ord`")
    if ord in ("fro", "nuc") and (x.ndim == 1 if axis is None else isinstance(axis, int)):
        raise refusal(ValueError, "Frobenius norm and nuclear norm are only defined for vectors")
    _ask_order(x, ord, axis)
    return torch.linalg.norm(floating(x), ord, axis, keepdims)


def _ask_order(x, ord, axis) -> None:
    """What MindSpore says of an order that norms of these axes have not, singular values' among them."""
    if axis is None and x.ndim not in (1, 2) and ord is not None:
        raise refusal(ValueError, "for None axis, array must a vector or a 2-D matrix")
    count = x.ndim if axis is None else len(axis) if isinstance(axis, (tuple, list)) else 1
    if count > 2 and axis is not None:
        raise refusal(ValueError, "invalid number of dimensions to norm")
    if count != 2 or ord is None:
        return
    if ord == "nuc":
        raise refusal(NotImplementedError, "nuclear norm is not implemented")
    if ord in (2, -2):
        raise refusal(NotImplementedError, "2-norm is not implemented for matrices")
    if isinstance(ord, (int, float)) and ord and abs(ord) not in (1, float("inf")):
        raise refusal(ValueError, "invalid norm order for matrices")


@lowered
def matmul(x1, x2, dtype=None):
    """The matrix product (``mindspore.numpy.matmul``)."""
    return cast(OPS["matmul"].kernel(as_array(x1), as_array(x2)), dtype)


def _product(name, function, text):
    def call(a, b):
        return function(*_dtype.promote(a, b))

    call.__name__ = name
    call.__doc__ = f"{text} (``mindspore.numpy.{name}``)."
    return arrays(2)(call)


def _dot(a, b):
    if not a.ndim or not b.ndim:
        return a * b
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:                   # (torch turns one against many)
        raise ValueError("shapes are not aligned")
    return torch.tensordot(a, b, dims=([-1], [-2 if b.ndim > 1 else 0]))


dot = _product("dot", _dot, "Sums over the last axis of a and the last but one of b")
inner = _product("inner", torch.inner, "Sums over the last axes")
outer = _product(
    "outer", lambda a, b: torch.outer(a.reshape(-1), b.reshape(-1)), "All products of two elements"
)
kron = _product("kron", torch.kron, "The Kronecker product")


@arrays(2)
def tensordot(a, b, axes=2):
    """Sums over ``axes`` (``mindspore.numpy.tensordot``)."""
    if isinstance(axes, range):
        raise refusal(TypeError, "For 'tensor dot', the type of 'axes' should be one of '['int', 'tuple', "
                                 "'list']', but got type 'range'.")
    return OPS["tensor_dot"].kernel(a, b, axes)


@arrays(2)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product of vectors of length 3 or 2, whose third component is 0; of two of length 2 that
    third component alone (``mindspore.numpy.cross``)."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = shared(a.movedim(int(axisa), -1), b.movedim(int(axisb), -1))
    kind = a.dtype
    a, b = (x.to(torch.int8) if kind is torch.bool else x for x in (a, b))
    sizes = a.shape[-1], b.shape[-1]
    if not {2, 3}.issuperset(sizes):
        raise ValueError("incompatible dimensions for cross product (dimension must be 2 or 3)")
    a, b = (torch.nn.functional.pad(x, (0, 3 - x.shape[-1])) for x in (a, b))
    common_shape(a.shape[:-1], b.shape[:-1])
    product = torch.linalg.cross(*torch.broadcast_tensors(a, b)).to(kind)
    return product[..., 2] if sizes == (2, 2) else product.movedim(-1, int(axisc))


@lowered
def multi_dot(arrays):
    """The product of many matrices (``mindspore.numpy.multi_dot``)."""
    if length_of(arrays) < 2:
        raise refusal(ValueError, "Expecting at least 2 arrays")
    arrays = [as_array(a) for a in arrays]
    if any(a.ndim and b.ndim and a.shape[-1] != b.shape[0] for a, b in itertools.pairwise(arrays)):
        said = f"Shapes{tuple(tuple(a.shape) for a in arrays)}" if len(arrays) > 2 else "shapes"
        raise refusal(ValueError, f"{said} are not aligned")
    return torch.linalg.multi_dot(arrays)


@arrays(1)
def matrix_power(a, n):
    """The n-th power of square matrices (``mindspore.numpy.matrix_power``)."""
    if not isinstance(n, int):
        raise refusal(TypeError, "exponent must be an integer")
    if a.ndim < 2:
        raise refusal(ValueError, "Array must be at least two-dimensional")
    if a.shape[-2] != a.shape[-1]:
        raise refusal(ValueError, "Last 2 dimensions of the array must be square")
    if n < 0:
        raise refusal(ValueError, "n < 0 is not supported now.")
    return torch.linalg.matrix_power(a, int(n))
