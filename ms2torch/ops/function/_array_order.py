"""Operators that sort, rank and find what is unique."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.torch_private import ORDINARY, is_transforming
from ms2torch._naming import generations

from ._selecting import first_places

# Up to this size of the axis, topk sorts where it does not look at the values, so that of equal elements the
# first wins: torch.topk promises no order, but is several times faster on long axes.
_STABLE_TOPK = 8192


def _sorted(x, axis, descending):
    if x.ndim == 0:
        raise ValueError("For Sort, the check range left must be smaller than right number but got left: 0 "
                         "and right: -1.")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"For primitive[Sort], the axis must be in [-{x.ndim},{x.ndim - 1}], but got "
                         f"{axis}.")
    values, indices = torch.sort(x, dim=axis, descending=descending, stable=True)
    return values, indices.int()


@op(primitive="Sort", init=("axis", "descending"))
def sort(input_x, axis=-1, descending=False):
    """Sorted values and their places, Int32, along ``axis`` (``mindspore.ops.sort``)."""
    return _sorted(input_x, axis, descending)


@method(name="sort")
@spelled(dim="axis")
def _sort_method(input, axis=-1, descending=False, stable=False):
    """Sorted values and their places, Int32, along ``axis`` (``mindspore.Tensor.sort``)."""
    return _sorted(input, axis, descending)


@method(name="argsort")
@spelled(dim="axis")
def _argsort_method(input, axis=-1, descending=False, stable=False):
    """The places of the sorted values, Int32, along ``axis`` (``mindspore.Tensor.argsort``)."""
    return _sorted(input, axis, descending)[1]


@mint_form(name="sort")
def _sort_mint(input, *, dim=-1, descending=False, stable=False):
    """Sorted values and their places, Int64, along ``dim``."""
    values, indices = torch.sort(input, dim=dim, descending=descending, stable=stable)
    return values, indices


@op
def argsort(input, axis=-1, descending=False):
    """The places of the sorted values, Int32, along ``axis`` (``mindspore.ops.argsort``)."""
    return _sorted(input, axis, descending)[1]


@mint_form(name="argsort")
def _argsort_mint(input, dim=-1, descending=False, stable=False):
    """The places of the sorted values along ``dim``, Int64."""
    return torch.argsort(input, dim=dim, descending=descending, stable=stable)


@op(method=True)
def msort(input):
    """Sorted values along the first axis (``mindspore.ops.msort``)."""
    return _sorted(input, 0, False)[0]


def _number_wanted(x, k, axis) -> int:
    if isinstance(k, (torch.Tensor, np.integer, int)) and k.__class__ is not bool:
        k = int(k)
    if k.__class__ is not int:
        kind = {float: "Float32", bool: "Bool"}.get(k.__class__, k.__class__.__name__)
        raise TypeError(f"For primitive[TopK], the input argument[k] must be a type of {{Int32, Int64}}, "
                        f"but got {kind}.")
    n = x.shape[axis] if x.ndim else 1
    if not 0 < k <= n:
        raise ValueError(f"For primitive[TopK], the k must be in (0,{n}], but got {k}.")
    return k


def _largest(x, k, axis, largest, ordered=True):
    k = _number_wanted(x, k, axis)
    if x.ndim and x.device.type == "cpu" and x.__class__ in ORDINARY and not is_transforming():
        return _as_the_kernel(x, k, axis, largest, ordered)
    return _first_of_equals(x, k, axis, largest)


def _first_of_equals(x, k, axis, largest):
    if x.ndim and x.shape[axis] > _STABLE_TOPK:
        values, places = torch.topk(x, k, axis, largest)
    else:
        values, places = torch.sort(x, dim=axis, descending=largest, stable=True)
        values, places = values.narrow(axis, 0, k), places.narrow(axis, 0, k)
    return values.contiguous(), places.int()


def _as_the_kernel(x, k, axis, largest, ordered):
    """What MindSpore's CPU kernel gives: equal elements, and all unless ``ordered``, as C++ leaves them."""
    n = x.shape[axis]
    count = min(k + 1, n)                # one more tells whether the last has an equal that is left out
    values, places = torch.topk(x, count, axis, largest)
    equal = values.narrow(axis, 1, count - 1) == values.narrow(axis, 0, count - 1)
    if ordered and not equal.any():
        values, places = values.narrow(axis, 0, k), places.narrow(axis, 0, k)
        return values.contiguous(), places.int()
    places = places.movedim(axis, -1)[..., :k].contiguous()
    if ordered:
        rows = equal.movedim(axis, -1).any(-1).reshape(-1).nonzero().reshape(-1).tolist()
    else:
        rows = list(range(places.numel() // k))
    if rows:
        found, keys = places.view(-1, k), x.detach().movedim(axis, -1).reshape(-1, n)[rows]
        if keys.dtype is torch.bfloat16:
            keys = keys.float()
        if largest:
            keys = -keys if keys.is_floating_point() else ~keys
        for row, key in zip(rows, keys.numpy(), strict=True):
            if not np.isnan(key).any():
                found[row] = torch.from_numpy(first_places(key, k, ordered))
    places = places.movedim(-1, axis)
    return x.gather(axis, places), places.int()


@op(method=True)
def topk(input, k, dim=None, largest=True, sorted=True):
    """The ``k`` largest (or smallest) values and their places, Int32, along ``dim`` (``mindspore.ops.topk``).

    Of equal values, and unless ``sorted``, the order is that of MindSpore's CPU kernel on a CPU; on other
    devices the first one wins. ValueError for a ``k`` beyond the axis.
    """
    axis = -1 if dim is None or _is_last(dim, input) else dim
    return _largest(input, k, axis + 0 if axis.__class__ is bool else axis, largest, sorted)


def _is_last(dim, x) -> bool:
    """Whether an array or Tensor of one element names the last axis: MindSpore asks no more of it."""
    if dim.__class__ is float:
        return dim == x.ndim - 1
    one = isinstance(dim, (torch.Tensor, np.ndarray)) and math.prod(dim.shape) == 1
    return one and dim.item() == x.ndim - 1


@mint_form(name="topk")
def _topk_mint(input, k, dim=-1, largest=True, sorted=True):
    """The ``k`` largest (or smallest) values and their places, Int64, along ``dim``."""
    # (MindSpore has no kernel of it for the CPU.)
    values, indices = _first_of_equals(input, _number_wanted(input, k, dim), dim, largest)
    return values, indices.long()


@op(primitive="TopK", init={"sorted": True}, method=True)
def top_k(input_x, k, sorted=True):
    """The ``k`` largest values of the last axis and their places, Int32 (``mindspore.ops.top_k``)."""
    return _largest(input_x, k, -1, True, sorted)


@op(primitive="Unique")
def unique(input):
    """The different elements in the order in which they first appear, and where each element went, Int32.

    (``mindspore.ops.unique``; torch's are sorted.)
    """
    return _first_seen(input)


@mint_form(name="unique")
def _unique_mint(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements, or slices along ``dim``; with their inverse and counts where asked."""
    return torch.unique(input, sorted, return_inverse, return_counts, dim)


@method(name="unique")
def _unique_method(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, sorted, where each went and how often each is there.

    (``mindspore.Tensor.unique``.)
    """
    return torch.unique(input, sorted, return_inverse, return_counts, dim)


def _first_seen(x):
    flat = x.reshape(-1)
    values, inverse = torch.unique(flat, return_inverse=True)
    n = values.numel()
    first = torch.full((n,), flat.numel(), dtype=torch.int64, device=x.device)
    first = first.scatter_reduce(0, inverse, torch.arange(flat.numel(), device=x.device), "amin")
    order = torch.argsort(first)
    rank = torch.empty_like(order)
    rank[order] = torch.arange(n, device=x.device)
    kind = torch.int64 if x.dtype is torch.int64 else torch.int32
    return values[order], rank[inverse].reshape(x.shape).to(kind)


@op(primitive="UniqueWithPad", method=True)
def unique_with_pad(x, pad_num):
    """``unique`` with the values padded to the size of ``x`` (``mindspore.ops.unique_with_pad``)."""
    values, places = _first_seen(x)
    filler = int(pad_num[0] if isinstance(pad_num, (list, tuple)) else pad_num)
    return torch.nn.functional.pad(values, (0, x.numel() - values.numel()), value=filler), places


@op(method=True, mint=True)
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Each run of equal elements once (``mindspore.ops.unique_consecutive``)."""
    counted = torch.int32 if generations.has_old_meaning("mindspore.ops.unique_consecutive") else torch.int64
    if input.numel() == 1 and dim is None:         # torch leaves out what was asked for
        extra = [torch.zeros(input.shape, dtype=counted, device=input.device)] if return_inverse else []
        extra += [torch.ones(1, dtype=counted, device=input.device)] if return_counts else []
        return (input.reshape(1), *extra) if extra else input.reshape(1)
    if input.is_complex():                          # torch has no kernel: of their parts
        rows, axis = torch.view_as_real(input.reshape(-1) if dim is None else input), dim or 0
        parts, inverse, counts = torch.unique_consecutive(rows, True, True, axis if axis >= 0 else axis - 1)
        values = torch.view_as_complex(parts.contiguous())
        inverse = inverse.reshape(input.shape) if dim is None else inverse
    else:                                # torch gives an empty inverse where only that was asked for
        values, inverse, counts = torch.unique_consecutive(input, True, True, dim)
    extra = [inverse.to(counted)] * bool(return_inverse) + [counts.to(counted)] * bool(return_counts)
    return (values, *extra) if extra else values


# ---- triangles and diagonals -------------------------------------------------------------------------------


@op(primitive="Tril", init=("diagonal",), method=True, mint=True)
def tril(input, diagonal=0):
    """The lower triangle of matrices, zeros elsewhere (``mindspore.ops.tril``)."""
    if input.ndim < 2:
        raise ValueError("For primitive[Tril], the x's rank must be greater than or equal to 2, "
                         f"but got {input.ndim}.")
    return torch.tril(input, diagonal)


@op(primitive="Triu", init=("diagonal",), method=True, mint=True)
def triu(input, diagonal=0):
    """The upper triangle of matrices, zeros elsewhere (``mindspore.ops.triu``)."""
    if input.ndim < 2:
        raise ValueError("For primitive[Triu], the rank of input must be greater than or equal to 2, "
                         f"but got {input.ndim}.")
    return torch.triu(input, diagonal)


@op(primitive="Diag")
def diag(input):
    """``input`` on the diagonal of zeros with twice its axes (``mindspore.ops.diag``).

    Unlike torch's, which takes a matrix's diagonal, it always builds: (2, 2) becomes (2, 2, 2, 2).
    """
    return torch.diag(input.reshape(-1)).reshape(input.shape + input.shape)


@method(name="diag")
def _diag_method(input, diagonal=0):
    """``ops.diag``; ``diagonal`` must be 0 (``mindspore.Tensor.diag``)."""
    if diagonal:
        raise ValueError(f"For 'Tensor.diag', the argument 'diagonal' should be '0', but got {diagonal}.")
    return diag.kernel(input)


@mint_form(name="diag")
def _diag_mint(input, diagonal=0):
    """A vector on a diagonal of zeros, or a diagonal of a matrix."""
    return torch.diag(input, diagonal)


@primitive("DiagPart")
def _diag_part(x):
    """The diagonal of a Tensor whose axes' second half repeats the first."""
    half = x.shape[:x.ndim // 2]
    return x.reshape(half.numel(), half.numel()).diagonal().reshape(half)


@op
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal in the plane of two axes, as the last axis (``mindspore.ops.diagonal``)."""
    return torch.diagonal(input, offset, dim1, dim2)


@method(name="diagonal")
def _diagonal_method(input, offset=0, axis1=0, axis2=1):
    """The diagonal in the plane of two axes, as the last axis (``mindspore.Tensor.diagonal``)."""
    return torch.diagonal(input, offset, axis1, axis2)


@op
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """The last axis of ``input`` as diagonals of matrices (``mindspore.ops.diag_embed``)."""
    if input.dtype in (torch.bool, torch.bfloat16, torch.complex64, torch.complex128):
        raise TypeError("For 'diag_embed', the dtype of 'input' must be int8, int16, int32, int64, uint8, "
                        "uint16, uint32, uint64, float16, float32 or float64, but got "
                        f"'{from_torch(input.dtype)}'.")
    if dim1 % (input.ndim + 1) == dim2 % (input.ndim + 1):
        raise ValueError("For 'diag_embed', 'dim1' must not be identical to 'dim2'.")
    return torch.diag_embed(input, offset, dim1, dim2)


@op(method=True)
def diagflat(input, offset=0):
    """The elements of ``input`` as the diagonal of a matrix (``mindspore.ops.diagflat``)."""
    return torch.diagflat(input, offset)


@op(primitive="MatrixBandPart")
def matrix_band_part(x, lower, upper):
    """``x`` within ``lower`` diagonals below and ``upper`` above the main one; negative means all of them."""
    limits = [t.reshape(()) if isinstance(t, torch.Tensor) and t.numel() == 1 else int(t)
              for t in (lower, upper)]
    below = torch.arange(x.shape[-2], device=x.device)[:, None] - torch.arange(x.shape[-1], device=x.device)
    for limit, distance in zip(limits, (below, -below), strict=True):
        x = torch.where((distance <= limit) | torch.as_tensor(limit < 0, device=x.device), x, x.new_zeros(()))
    return x


@op(primitive="PopulationCount")
def population_count(input_x):
    """How many bits of each element are set, UInt8 (``mindspore.ops.population_count``)."""
    _dtype.from_torch(input_x.dtype)
    value = input_x.long()
    if input_x.dtype in (torch.int8, torch.int16, torch.int32):
        value = value & ((1 << input_x.element_size() * 8) - 1)
    count = torch.zeros_like(value)
    for bit in range(input_x.element_size() * 8):
        count += (value >> bit) & 1
    return count.to(torch.uint8)


def _bound(name: str, right: bool) -> None:
    @primitive(name, init={"out_type": _dtype.int32})
    def bound(sorted_x, values, out_type=_dtype.int32):
        """Where each value goes in among the sorted ones of its row."""
        return torch.searchsorted(sorted_x, values, right=right).to(out_type.torch)

_bound("LowerBound", False)

_bound("UpperBound", True)


@primitive("ListDiff", init={"out_idx": _dtype.int32})
def _list_diff(x, y, out_idx=_dtype.int32):
    """The elements of ``x`` that are not in ``y``, and their places."""
    kept = ~torch.isin(x, y)
    return x[kept], torch.nonzero(kept).reshape(-1).to(out_idx.torch)


@primitive("UniqueConsecutive", init={"return_inverse": False, "return_counts": False, "dim": None})
def _unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Each run of equal elements once; what was not asked for is a zero, Int64."""
    values, inverse, counts = unique_consecutive.kernel(input, True, True, dim)
    nothing = torch.zeros((), dtype=torch.int64, device=input.device)
    return values, inverse if return_inverse else nothing, counts if return_counts else nothing


@primitive("Bucketize", init=("boundaries",))
def _bucketize(input, boundaries):
    """Between which boundaries each element lies, Int32."""
    edges = torch.tensor(boundaries, dtype=torch.float32, device=input.device)
    return torch.bucketize(input, edges, out_int32=True, right=True)  # an edge belongs above


def _kthvalue(input, k, dim=-1, keepdim=False):
    """The ``k``-th smallest elements along an axis, from 1, and where they are
    (``mindspore.mint.kthvalue``)."""
    return tuple(torch.kthvalue(input, k, dim, keepdim))


method(_kthvalue, name="kthvalue")
mint_form(_kthvalue, name="kthvalue")
