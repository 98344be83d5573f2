"""Sparse matrices in compressed rows, as five tensors: the dense shape, where each batch begins, where each
row begins (for each batch one more than rows), columns and values.

They are read as coordinates, computed on, and compressed again.
"""

from __future__ import annotations

import torch


def _coordinates(shape, rows, columns):
    """(batch, row, column) of every value; rows tell the batches."""
    count = int(shape[-2])
    lengths = rows.reshape(-1, count + 1).long().diff().flatten()
    places = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
    return places // count, places % count, columns.long()


def _compressed(shape: list[int], batch, row, column, values, kind):
    """The five tensors of coordinates that are in order."""
    count, batches = shape[-2], shape[0] if len(shape) == 3 else 1
    per_row = torch.bincount(batch * count + row, minlength=batches * count).reshape(batches, count)
    rows = torch.nn.functional.pad(per_row.cumsum(1), (1, 0))
    begins = torch.nn.functional.pad(per_row.sum(1).cumsum(0), (1, 0))
    shape = torch.tensor(shape, dtype=kind)
    return shape, begins.to(kind), rows.flatten().to(kind), column.to(kind), values


def _to_coordinates(shape, batches, rows, columns, values):
    batch, row, column = _coordinates(shape, rows, columns)
    parts = (batch, row, column) if len(shape) == 3 else (row, column)
    return torch.stack(parts, 1).to(shape.dtype), values, shape


def _of_coordinates(indices, values, shape):
    batched = indices.shape[1] == 3
    batch = indices[:, 0].long() if batched else torch.zeros(len(indices), dtype=torch.long)
    row, column = indices[:, -2].long(), indices[:, -1].long()
    return _compressed(shape.tolist(), batch, row, column, values, indices.dtype)


def _to_dense(shape, batches, rows, columns, values):
    size = shape.tolist()
    batch, row, column = _coordinates(shape, rows, columns)
    dense = values.new_zeros(size if len(size) == 3 else (1, *size))
    dense = dense.index_put((batch, row, column), values, accumulate=True)
    return dense.reshape(size)


def _of_dense(dense, indices):
    shape = torch.tensor(dense.shape, dtype=indices.dtype)
    return _of_coordinates(indices, dense[tuple(indices.long().T)], shape)


def _transposed(shape, batches, rows, columns, values, conjugate=False):
    batch, row, column = _coordinates(shape, rows, columns)
    size = shape.tolist()
    order = torch.argsort((batch * size[-1] + column) * size[-2] + row)
    values = values.conj().resolve_conj() if conjugate and values.is_complex() else values
    size[-2:] = size[-1], size[-2]
    return _compressed(size, batch[order], column[order], row[order], values[order], shape.dtype)


def _softmax(shape, batches, rows, columns, values, dtype=None):
    """Over the values that a row has. (MindSpore's CPU kernel leaves all batches but the first.)"""
    batch, row, _ = _coordinates(shape, rows, columns)
    place, count = batch * int(shape[-2]) + row, rows.numel()
    most = values.new_full((count,), -torch.inf).scatter_reduce(0, place, values, "amax")
    powers = (values - most[place]).exp()
    sums = values.new_zeros(count).index_add(0, place, powers)
    return shape, batches, rows, columns, powers / sums[place]


def _count(shape, batches, rows, columns, values):
    return batches.diff().to(torch.int32)


def _times(shape, batches, rows, columns, values, dense, transpose_x1=False, transpose_x2=False,
           adjoint_x1=False, adjoint_x2=False, transpose_output=False, conjugate_output=False):
    """A sparse matrix by a dense one."""
    left = _to_dense(shape, batches, rows, columns, values)
    left = left.mH if adjoint_x1 else left.mT if transpose_x1 else left
    dense = dense.mH if adjoint_x2 else dense.mT if transpose_x2 else dense
    out = left @ dense
    out = out.mT if transpose_output else out
    return (out.conj() if conjugate_output else out).resolve_conj().contiguous()


def _sum(shape, batches, rows, columns, values, shape2, batches2, rows2, columns2, values2, alpha, beta):
    """alpha * the first + beta * the second, at every place that one of them has."""
    if not torch.equal(shape, shape2):
        raise RuntimeError("For SparseMatrixAdd, The inputs dense shape should be same.")
    width, height = int(shape[-1]), int(shape[-2])

    def places(rows, columns):
        batch, row, column = _coordinates(shape, rows, columns)
        return (batch * height + row) * width + column

    both = torch.cat((places(rows, columns), places(rows2, columns2)))
    found, inverse = both.unique(return_inverse=True)
    scaled = torch.cat((values * alpha.to(values.dtype), values2 * beta.to(values.dtype)))
    total = values.new_zeros(found.shape).index_add(0, inverse, scaled)
    row, column = found // width, found % width
    return _compressed(shape.tolist(), row // height, row % height, column, total, shape.dtype)


ROWS = {
    "CSRSparseMatrixToDense": _to_dense,
    "CSRSparseMatrixToSparseTensor": _to_coordinates,
    "DenseToCSRSparseMatrix": _of_dense,
    "SparseMatrixAdd": _sum,
    "SparseMatrixMatMul": _times,
    "SparseMatrixNNZ": _count,
    "SparseMatrixSoftmax": _softmax,
    "SparseMatrixTranspose": _transposed,
    "SparseTensorToCSRSparseMatrix": _of_coordinates,
}
