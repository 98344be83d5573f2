"""Arithmetic of sparse tensors (``mindspore.ops.function.sparse_func``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators.registry import op
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.sparse_tensor import (
    COOTensor,
    CSRTensor,
    RowTensor,
    _csr,
    _is,
    _places,
    coo_add,
    csr_add,
    csr_product,
    csr_scaled,
    csr_to_coo,
    csr_turned,
    needs_int64,
    to_dense,
)

for _definition in (coo_add, csr_add, csr_to_coo):
    op(_definition, on_tensors=True)


@op(on_tensors=True)
def csr_to_dense(csr_tensor):
    """All elements of a CSRTensor (``mindspore.ops.csr_to_dense``)."""
    _is(csr_tensor, CSRTensor, "csr_to_dense")
    return to_dense(csr_tensor)


@op(on_tensors=True, method="to_coo")
def dense_to_sparse_coo(tensor):
    """What is not zero in a matrix, as a COOTensor (``mindspore.ops.dense_to_sparse_coo``)."""
    _is(tensor, Tensor, "dense_to_sparse_coo")
    t = tensor._t
    places = (t != 0).nonzero()
    return COOTensor(wrap(places.int()), wrap(t[tuple(places.unbind(1))]), tuple(t.shape))


@op(on_tensors=True, method="to_csr")
def dense_to_sparse_csr(tensor):
    """What is not zero in a matrix, as a CSRTensor (``mindspore.ops.dense_to_sparse_csr``)."""
    _is(tensor, Tensor, "dense_to_sparse_csr")
    t = tensor._t
    if t.ndim != 2:
        raise ValueError("Currently only support 2-D Tensor when converting to CSRTensor.")
    places = t.nonzero()
    return _csr(places, t[tuple(places.unbind(1))], tuple(t.shape), torch.int32)


@op(on_tensors=True)
def make_row_tensor(indices, values, dense_shape):
    """A RowTensor (``mindspore.ops.make_row_tensor``)."""
    return RowTensor(indices, values, dense_shape)


@op(on_tensors=True)
def coo_concat(sp_input, concat_dim=0):
    """COOTensors joined along an axis (``mindspore.ops.coo_concat``). ValueError for fewer than two."""
    if len(sp_input) < 2:
        raise ValueError("For coo_concat, not support COOTensor input number < 2.")
    if isinstance(concat_dim, (bool, float)):
        raise TypeError("For 'SparseConcat', the type of 'concat_dim' should be 'int', but got type "
                        f"'{type(concat_dim).__name__}'.")
    if not -2 <= concat_dim < 2:
        raise IndexError("list index out of range")
    concat_dim %= 2
    for k, x in enumerate(sp_input):
        if x.shape[1 - concat_dim] != sp_input[0].shape[1 - concat_dim]:
            raise RuntimeError(f"For op SparseConcatThe No.{k} input COO tensor shape size is incorrect. The "
                               f"No.{1 - concat_dim} shape is {x.shape[1 - concat_dim]} not equal with first "
                               f"COO tensor shape: {sp_input[0].shape[1 - concat_dim]}.")
    if len({x.values.dtype for x in sp_input}) > 1:
        told = "".join(f"name:[values{k}]:Tensor[{x.values.dtype}].\n" for k, x in enumerate(sp_input))
        raise TypeError(f"For primitive[SparseConcat], the input type must be same.\n{told}")
    places, sizes = [], [0]
    for k, x in enumerate(sp_input):
        needs_int64(x, "SparseConcat", f"indices{k}")
        moved = x.indices._t.clone()
        moved[:, concat_dim] += sizes[-1]
        places.append(moved)
        sizes.append(sizes[-1] + x.shape[concat_dim])
    indices, values = torch.cat(places), torch.cat([x.values._t for x in sp_input])
    shape = list(sp_input[0].shape)
    shape[concat_dim] = sizes[-1]
    order = torch.argsort(indices[:, 0].long() * shape[1] + indices[:, 1], stable=True)
    return COOTensor(wrap(indices[order]), wrap(values[order]), tuple(shape))


@op(on_tensors=True)
def csr_mm(a, b, trans_a=False, trans_b=False, adjoint_a=False, adjoint_b=False):
    """The product of two CSRTensors, a CSRTensor (``mindspore.ops.csr_mm``); ``trans_`` transposes a factor,
    ``adjoint_`` conjugates it too."""
    if not (isinstance(a, CSRTensor) and isinstance(b, CSRTensor)):
        raise TypeError("For functional operator csr_mm, inputs a and b must be type of CSRTensor currently.")
    return csr_product(csr_turned(a, trans_a, adjoint_a), csr_turned(b, trans_b, adjoint_b))


@op(on_tensors=True)
def csr_softmax(logits, dtype):
    """Softmax over the values that each row stores, in their dtype (``mindspore.ops.csr_softmax``).

    ``dtype`` is asked for and checked, and changes nothing, as in MindSpore.
    """
    _is(logits, CSRTensor, "sparse_matrix_softmax", "logits must be type of")
    if _dtype.to_torch(dtype) not in (torch.float16, torch.float32, torch.float64):
        raise TypeError(f"Only float32 and float64 type data are supported, but got {dtype}")
    rows, values = _places(logits)[0], logits.values._t
    if not values.is_floating_point():
        raise TypeError("Select CPU operator[SparseMatrixSoftmax] fail! Unsupported data type! It was given "
                        f"Tensor[{logits.values.dtype}].")
    top = torch.full(logits.shape[:1], -torch.inf, dtype=values.dtype, device=values.device)
    top = top.scatter_reduce(0, rows, values.detach(), "amax")
    grown = (values - top[rows]).exp()
    total = torch.zeros_like(top).index_add(0, rows, grown)
    return logits._with(wrap(grown / total[rows]))


@op(on_tensors=True)
def csr_mul(x, y):
    """The product with a Tensor, at the places of ``x`` (``mindspore.ops.csr_mul``)."""
    return csr_scaled(x, y, lambda a, b: a * b, "CSRMul")


@op(on_tensors=True)
def csr_div(x, y):
    """The quotient by a Tensor, at the places of ``x`` (``mindspore.ops.csr_div``)."""
    return csr_scaled(x, y, lambda a, b: a / b, "CSRDiv")
