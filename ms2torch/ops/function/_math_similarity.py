"""Cosine similarity, and the eigenvalues of general matrices."""

from __future__ import annotations

import math

import torch

from ms2torch._core.operators.registry import op, primitive
from ms2torch._core.tensor import dtype as _dtype

from ._math_norms import norm


def _length(x, dim):
    if dim is None or isinstance(dim, tuple):
        return norm.kernel(x, 2, dim)           # of two axes the norm of a matrix, as MindSpore has it
    return torch.linalg.vector_norm(x, dim=dim) if x.ndim else x.abs()


@op
def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    """The cosine of the angle between vectors along ``dim`` (``mindspore.ops.cosine_similarity``).

    The product of the norms is not let below ``eps`` (torch: each norm). Each norm is taken before the shapes
    are broadcast, unlike torch's. TypeError unless both are Float16 or Float32,
    ValueError for an axis out of range.
    """
    rank = max(x1.ndim, x2.ndim)
    if dim is not None and not isinstance(dim, tuple) and not -rank <= dim < rank:
        raise ValueError(f"For primitive[SumExt], the axis value must be in [-{rank},{rank}), but got {dim}.")
    for x in (x1, x2):
        if x.dtype not in (torch.float16, torch.float32):
            raise TypeError("For primitive[LpNorm], the input argument[input] must be a type of "
                            "{Tensor[Float16], Tensor[Float32]}, but got "
                            f"Tensor[{_dtype.from_torch(x.dtype)}].")
    norms = math.prod(_length(x, dim) for x in (x1, x2))
    return torch.sum(x1 * x2, dim) / norms.clamp_min(eps)


def _square(A):
    if A.ndim < 2:
        raise ValueError(f"For Eig, x should be at lease 2, but got a {A.ndim}-D Tensor.")
    if A.shape[-1] != A.shape[-2]:
        raise ValueError(f"For Eig, x should be square(squares), but got {A.shape[-2]}  {A.shape[-1]} "
                         "matrix(matrices).")
    return A


@op
def eig(A):
    """Eigenvalues and eigenvectors of square matrices, always complex (``mindspore.ops.eig``).

    ValueError unless they are square.
    """
    return tuple(torch.linalg.eig(_square(A)))


@primitive("Eig", init={"compute_v": False})
def _eig(x, compute_v=False):
    """(eigenvalues, eigenvectors) of square matrices (``mindspore.ops.Eig``).

    Without ``compute_v`` the second is an empty place: a 0-d Tensor that means nothing.
    """
    if compute_v:
        return tuple(torch.linalg.eig(_square(x)))
    values = torch.linalg.eigvals(_square(x))
    return values, values.new_zeros(())
