"""Linear algebra with torch's signatures (``mindspore.mint.linalg``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators.lowering import lowered
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._naming.surface import install_lazy
from ms2torch.ops.function import math_func
from ms2torch.ops.function._math_norms import BY_SINGULAR_VALUES, singular_norm


@lowered
def inv(input):
    """The inverse of a matrix or of each in a stack (``mindspore.mint.linalg.inv``)."""
    return torch.linalg.inv(input)


def _maybe(dtype):
    return _dtype.given(dtype, "LinalgVectorNorm")


@lowered
def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The norm of vectors (one axis) or matrices (two), or of all elements.

    MindSpore: ``mindspore.mint.linalg.norm``.
    """
    axes = range(A.ndim) if dim is None else dim
    if ord in BY_SINGULAR_VALUES and not isinstance(axes, int) and len(axes) == 2:
        return singular_norm(A, ord, axes, keepdim)
    return torch.linalg.norm(A, ord, dim, keepdim, dtype=_maybe(dtype))


math_func.linalg_norm = norm              # MindSpore keeps it there


@lowered
def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The norm of vectors along some axes, or of all elements (``mindspore.mint.linalg.vector_norm``)."""
    return torch.linalg.vector_norm(x, ord, dim, keepdim, dtype=_maybe(dtype))


@lowered
def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """The norm of the matrices in two axes (``mindspore.mint.linalg.matrix_norm``)."""
    if ord in BY_SINGULAR_VALUES:
        return singular_norm(A, ord, dim, keepdim)
    return torch.linalg.matrix_norm(A, ord, dim, keepdim, dtype=_maybe(dtype))


@lowered
def qr(A, mode="reduced"):
    """A = q @ r with orthogonal q and upper triangular r (``mindspore.mint.linalg.qr``)."""
    q, r = torch.linalg.qr(A, mode)
    return q, r


install_lazy(__name__, globals())
