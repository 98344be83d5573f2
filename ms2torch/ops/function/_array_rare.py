"""Primitives of arrays that few programs use."""

from __future__ import annotations

import torch

from ms2torch._core.devices.device import device
from ms2torch._core.operators.registry import PRIMITIVES, REQUIRED, Primitive, mint_form, primitive
from ms2torch._core.tensor import dtype as _dtype

from ._array_scatter import _on_axis
from ._array_shape import broadcast_to, ints


@primitive("IdentityN")
def _identity_n(x):
    """The tensors that it gets."""
    return tuple(x)


@primitive("ParallelConcat")
def _parallel_concat(values):
    """Tensors whose first size is 1, joined along it."""
    return torch.cat(values, 0)


@primitive("SplitV", init=("size_splits", "split_dim", "num_split"))
def _split_v(input_x, size_splits, split_dim, num_split):
    """Parts of the sizes ``size_splits`` along an axis."""
    return tuple(torch.split(input_x, list(size_splits), split_dim))


@primitive("Expand")
def _expand(x, shape):
    return broadcast_to.__wrapped__(x, shape)


@primitive("Coalesce")
def _coalesce(x_indices, x_values, x_shape):
    """A sparse tensor's places sorted, with the values of equal places added."""
    made = torch.sparse_coo_tensor(x_indices, x_values, tuple(x_shape.tolist()),
                                   check_invariants=True).coalesce()
    return made.indices(), made.values(), x_shape


def _bound(name: str, right: bool) -> None:
    @primitive(name, init={"out_type": _dtype.int32})
    def bound(sorted_x, values, out_type=_dtype.int32):
        return torch.searchsorted(sorted_x, values, right=right).to(out_type.torch)


_bound("LowerBound", False)
_bound("UpperBound", True)


@primitive("ListDiff", init={"out_idx": _dtype.int32})
def _list_diff(x, y, out_idx=_dtype.int32):
    """The elements of ``x`` that are not in ``y``, and their places."""
    kept = ~torch.isin(x, y)
    return x[kept], torch.nonzero(kept).reshape(-1).to(out_idx.torch)


@primitive("UnravelIndex")
def _unravel_index(indices, dims):
    """Places in order as places along each axis, a row for each axis."""
    return torch.stack(torch.unravel_index(indices, tuple(ints(dims)))).to(indices.dtype)


@primitive("FillDiagonal", init={"fill_value": REQUIRED, "wrap": False})
def _fill_diagonal(input_x, fill_value, wrap=False):
    return input_x.clone().fill_diagonal_(fill_value, wrap)


@primitive("IndexFill")
def _index_fill(x, dim, index, value):
    return torch.index_fill(x, int(dim), index.long(), value)


@primitive("IndexPut", init={"accumulate": 0})
def _index_put(x1, x2, indices, accumulate=0):
    return torch.index_put(x1, [i.long() for i in indices], x2.to(x1.dtype), bool(accumulate))


@primitive("MaskedScatter")
def _masked_scatter(input, mask, source):
    return torch.masked_scatter(input, mask, source)


@primitive("ScatterAddWithAxis", init={"axis": 0})
def _scatter_add_with_axis(input_x, indices, updates, axis=0):
    return _on_axis(input_x, axis, indices, updates, "add")


@primitive("UniqueConsecutive", init={"return_inverse": False, "return_counts": False, "dim": None})
def _unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Each run of equal elements once; what was not asked for is a zero, Int64."""
    values, inverse, counts = torch.unique_consecutive(input, True, True, dim)
    nothing = torch.zeros((), dtype=torch.int64, device=input.device)
    return values, inverse if return_inverse else nothing, counts if return_counts else nothing


@primitive("Bucketize", init=("boundaries",))
def _bucketize(input, boundaries):
    edges = torch.tensor(boundaries, dtype=torch.float32, device=input.device)
    return torch.bucketize(input, edges, out_int32=True, right=True)  # an edge belongs above


@primitive("LogSpace", init={"steps": 10, "base": 10, "dtype": _dtype.float32})
def _log_space(start, end, steps=10, base=10, dtype=_dtype.float32):
    return torch.logspace(start.item(), end.item(), steps, base, dtype=dtype.torch, device=device())


def _sorted_segments(name: str, reduce: str) -> None:
    @primitive(name)
    def segments(input_x, segment_ids):
        n = int(segment_ids[-1]) + 1
        index = segment_ids.long().reshape(-1, *(1,) * (input_x.ndim - 1)).expand_as(input_x)
        out = torch.full((n, *input_x.shape[1:]), 1 if reduce == "prod" else 0, dtype=input_x.dtype,
                         device=input_x.device)
        return out.scatter_reduce(0, index, input_x, reduce, include_self=reduce == "prod")


for _name, _reduce in (("Sum", "sum"), ("Mean", "mean"), ("Prod", "prod"), ("Max", "amax"), ("Min", "amin")):
    _sorted_segments(f"Segment{_name}", _reduce)


class Partial(Primitive):
    """A function with its first arguments given (``mindspore.ops.Partial``)."""

    def __init__(self) -> None:
        super().__init__("Partial")

    def __call__(self, function, *args):
        return lambda *rest, **kwargs: function(*args, *rest, **kwargs)


PRIMITIVES["Partial"] = Partial


# ---- mint --------------------------------------------------------------------------------------------------


@mint_form(name="clone")
def _clone(input):
    return input.clone()


@mint_form(name="select")
def _select(input, dim, index):
    return torch.select(input, dim, index)


@mint_form(name="item")
def _item(input):
    return input.item()


@mint_form(name="searchsorted")
def _searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None):
    return torch.searchsorted(sorted_sequence, values, out_int32=out_int32, right=right or side == "right",
                              sorter=sorter)


@mint_form(name="unique_consecutive")
def _unique_consecutive_mint(input, return_inverse=False, return_counts=False, dim=None):
    return torch.unique_consecutive(input, return_inverse, return_counts, dim)


@mint_form(name="masked_fill")
def _masked_fill(input, mask, value):
    return torch.masked_fill(input, mask, value)


__all__: list[str] = []
