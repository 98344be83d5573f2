"""Primitives between dense tensors and sparse ones, given as places, values and a shape."""

from __future__ import annotations

import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import primitive

from ._array_index import has_numbers
from ._array_shape import ints

__all__: list[str] = []


def _dense(indices, values, shape):
    out = torch.zeros(ints(shape), dtype=values.dtype, device=values.device)
    return out.index_put(tuple(indices.long().mT), values, accumulate=True)


@primitive("SparseToDense")
def _sparse_to_dense(indices, values, sparse_shape):
    """The dense tensor (``mindspore.ops.SparseToDense``); equal places add up."""
    if has_numbers(indices):
        size = torch.tensor(ints(sparse_shape), device=indices.device)
        for row, axis in torch.nonzero((indices < 0) | (indices >= size))[:1].tolist():
            raise final(ValueError(f"For 'SparseToDense', the {row}th value in {axis}th dimension index: "
                                   f"{int(indices[row, axis])} of 'output' out of bounds: [0, "
                                   f"{int(size[axis])})"))
    return _dense(indices, values, sparse_shape)


@primitive("SparseTensorDenseMatmul", init={"adjoint_st": False, "adjoint_dt": False})
def _sparse_matmul(indices, values, sparse_shape, dense, adjoint_st=False, adjoint_dt=False):
    """A sparse matrix times a dense one, adjoint if asked (``mindspore.ops.SparseTensorDenseMatmul``)."""
    rows, columns = indices.long().unbind(1)
    height, width = ints(sparse_shape)
    if adjoint_st:
        rows, columns, height, values = columns, rows, width, values.conj()
    dense = dense.mH if adjoint_dt else dense
    out = torch.zeros(height, dense.shape[1], dtype=dense.dtype, device=dense.device)
    return out.index_add(0, rows, dense[columns] * values[:, None])


@primitive("SparseTensorDenseAdd")
def _sparse_add(x1_indices, x1_values, x1_shape, x2):
    """A sparse tensor plus a dense one (``mindspore.ops.SparseTensorDenseAdd``)."""
    return x2.index_put(tuple(x1_indices.long().mT), x1_values, accumulate=True)


@primitive("SparseSlice")
def _sparse_slice(indices, values, shape, start, size):
    """The part of a sparse tensor from ``start`` on, of ``size`` (``mindspore.ops.SparseSlice``)."""
    end = torch.minimum(start + size, shape)
    kept = ((indices >= start) & (indices < end)).all(1)
    return indices[kept] - start, values[kept], (end - start).clamp(min=0)


@primitive("Coalesce")
def _coalesce(x_indices, x_values, x_shape):
    """A sparse tensor's places sorted, with the values of equal places added."""
    made = torch.sparse_coo_tensor(x_indices, x_values, tuple(x_shape.tolist()),
                                   check_invariants=True).coalesce()
    return made.indices(), made.values(), x_shape
