"""Arithmetic of sparse tensors (``mindspore.ops.function.sparse_func``)."""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import op
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.sparse_tensor import COOTensor, CSRTensor, RowTensor


def _rows(indptr: torch.Tensor, count: int) -> torch.Tensor:
    """The row of every value of a CSR form."""
    lengths = indptr.long().diff()
    return torch.repeat_interleave(torch.arange(lengths.numel(), device=indptr.device), lengths,
                                   output_size=count)


def _places(x) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows and columns of the values."""
    if isinstance(x, COOTensor):
        rows, columns = x.indices._t.long().unbind(1)
        return rows, columns
    return _rows(x.indptr._t, x.size if x.values.ndim == 1 else x.values.shape[0]), x.indices._t.long()


def at(dense: Tensor, indices: Tensor) -> Tensor:
    """The elements of a matrix at rows of ``indices``."""
    rows, columns = indices._t.long().unbind(1)
    return wrap(dense._t[rows, columns])


def to_dense(x) -> Tensor:
    """All elements; values of one place are added."""
    values = x.values._t
    dense = torch.zeros(x.shape, dtype=values.dtype, device=values.device)
    return wrap(dense.index_put(_places(x), values, accumulate=True))


def _merged(rows, columns, values, shape):
    """Places in order, each once, the values added; and how many values each place had."""
    places, where, counts = torch.unique(rows * shape[1] + columns, return_inverse=True, return_counts=True)
    added = torch.zeros(places.shape, dtype=values.dtype, device=values.device).index_add(0, where, values)
    return torch.stack((places // shape[1], places % shape[1]), 1), added, counts


def coalesced(x: COOTensor) -> COOTensor:
    """Places in order, each once."""
    places, values, _ = _merged(*_places(x), x.values._t, x.shape)
    return COOTensor(wrap(places.to(x.indices._t.dtype)), wrap(values), x.shape)


def _csr(places, values, shape, dtype) -> CSRTensor:
    counts = torch.bincount(places[:, 0].long(), minlength=shape[0])
    indptr = torch.nn.functional.pad(counts.cumsum(0), (1, 0))
    return CSRTensor(wrap(indptr.to(dtype)), wrap(places[:, 1].to(dtype)), wrap(values), shape)


def to_csr(x: COOTensor) -> CSRTensor:
    """The CSR form of the coalesced tensor."""
    if x.indices._t.dtype is not torch.int32:
        raise TypeError("The dtype of row_indices only support Int32 for now, but got "
                        f"{_dtype.from_torch(x.indices._t.dtype)}.")
    places, values, _ = _merged(*_places(x), x.values._t, x.shape)
    return _csr(places, values, x.shape, torch.int32)


def _is(x, kind, name, words="input argument must be a") -> None:
    if not isinstance(x, kind):
        raise TypeError(f"For functional operator {name}, {words} {kind.__name__}.")


@op(on_tensors=True)
def csr_to_coo(tensor):
    """A CSRTensor as a COOTensor (``mindspore.ops.csr_to_coo``). ValueError for more than two dimensions."""
    _is(tensor, CSRTensor, "csr_to_coo")
    if len(tensor.shape) != 2:
        raise ValueError("Currently only support 2-D CSRTensor when converting to COOTensor.")
    places = torch.stack(_places(tensor), 1).to(tensor.indices._t.dtype)
    return COOTensor(wrap(places), tensor.values, tensor.shape)


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
    places = t.nonzero()
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
def coo_add(x1, x2, thresh):
    """The sum of two COOTensors (``mindspore.ops.coo_add``).

    Where both have a value, a sum whose size is below ``thresh`` is left out.
    """
    for name, x in (("x1", x1), ("x2", x2)):
        if not isinstance(x, COOTensor):
            raise TypeError(f"For coo_add, the {name} must be a COOTensor, but got {type(x)}.")
    rows, columns = (torch.cat(pair) for pair in zip(_places(x1), _places(x2), strict=True))
    places, values, counts = _merged(rows, columns, torch.cat((x1.values._t, x2.values._t)), x1.shape)
    keep = (counts == 1) | (values.abs() >= thresh._t)
    return COOTensor(wrap(places[keep].to(x1.indices._t.dtype)), wrap(values[keep]), x1.shape)


@op(on_tensors=True)
def coo_concat(sp_input, concat_dim=0):
    """COOTensors joined along an axis (``mindspore.ops.coo_concat``). ValueError for fewer than two."""
    if len(sp_input) < 2:
        raise ValueError("For coo_concat, not support COOTensor input number < 2.")
    concat_dim %= 2
    places, sizes = [], [0]
    for x in sp_input:
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
def csr_add(a, b, alpha, beta):
    """``alpha * a + beta * b`` of CSRTensors (``mindspore.ops.csr_add``); the scalars are Tensors."""
    if not (isinstance(a, CSRTensor) and isinstance(b, CSRTensor)):
        raise TypeError("For functional operator csr_add, both inputs a and b must be type of CSRTensor.")
    if not (isinstance(alpha, Tensor) and isinstance(beta, Tensor)):
        raise TypeError("For functional operator csr_add, both inputs alpha and beta must be Tensor.")
    rows, columns = (torch.cat(pair) for pair in zip(_places(a), _places(b), strict=True))
    values = torch.cat((alpha._t * a.values._t, beta._t * b.values._t))
    places, added, _ = _merged(rows, columns, values, a.shape)
    return _csr(places, added, a.shape, a.indices._t.dtype)


@op(on_tensors=True)
def csr_softmax(logits, dtype):
    """Softmax over the values that each row stores (``mindspore.ops.csr_softmax``)."""
    _is(logits, CSRTensor, "sparse_matrix_softmax", "logits must be type of")
    rows, values = _places(logits)[0], logits.values._t
    top = torch.full(logits.shape[:1], -torch.inf, dtype=values.dtype, device=values.device)
    top = top.scatter_reduce(0, rows, values.detach(), "amax")
    grown = (values - top[rows]).exp()
    total = torch.zeros_like(top).index_add(0, rows, grown)
    return logits._with(wrap((grown / total[rows]).to(_dtype.to_torch(dtype))))


def csr_scaled(x: CSRTensor, other, calculate):
    """The values of ``x`` with those of a Tensor at their places; with a number, a Tensor of values."""
    if not isinstance(other, Tensor):
        return calculate(x.values, other)
    dense = other._t.expand(x.shape) if other.ndim <= 2 else other._t
    return x._with(calculate(x.values, wrap(dense[_places(x)])))


@op(on_tensors=True)
def csr_mul(x, y):
    """The product with a Tensor, at the places of ``x`` (``mindspore.ops.csr_mul``)."""
    return csr_scaled(x, y, lambda a, b: a * b)


@op(on_tensors=True)
def csr_div(x, y):
    """The quotient by a Tensor, at the places of ``x`` (``mindspore.ops.csr_div``)."""
    return csr_scaled(x, y, lambda a, b: a / b)


def csr_times(x: CSRTensor, matrix) -> Tensor:
    """The matrix product with a Tensor."""
    if not isinstance(matrix, Tensor):
        raise unsupported("mindspore.CSRTensor.mm", "two sparse matrices are not multiplied.",
                          "x.mm(y.to_dense()).")
    rows, columns = _places(x)
    terms = x.values._t[:, None] * matrix._t[columns]
    return wrap(terms.new_zeros(x.shape[0], terms.shape[1]).index_add(0, rows, terms))


def row_sums(x: CSRTensor, axis: int) -> Tensor:
    """The sums of the rows, (n, 1)."""
    if axis not in (1, -1):
        raise ValueError("For CSRReduceSum, `axis` should be 1 or 1-dim. "
                         f"But got `axis`: {axis}and `1- dim`: -1.")
    values = x.values._t
    return wrap(values.new_zeros(x.shape[0]).index_add(0, _places(x)[0], values)[:, None])
