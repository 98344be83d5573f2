"""Reductions over segments: runs of rows that share a number."""

from __future__ import annotations

import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import op, primitive

from ._array_index import has_numbers

__all__ = ["sparse_segment_mean"]


def _sorted_segments(name: str, reduce: str) -> None:
    @primitive(name)
    def segments(input_x, segment_ids):
        """Each segment as one: what the name says of its elements; ids rise from 0."""
        if segment_ids.ndim == 1 and input_x.ndim and len(segment_ids) != len(input_x):
            raise ValueError(f"For '{name}', the amount of data for segment_ids must be equal to the first "
                             f"dimension of the shape of input_x, but got {len(segment_ids)} and "
                             f"{len(input_x)}.")
        if segment_ids.ndim == 1 and has_numbers(segment_ids):
            _check_ids(segment_ids)
        n, dtype = int(segment_ids[-1]) + 1, input_x.dtype
        if reduce == "mean" and not dtype.is_floating_point and not dtype.is_complex:
            input_x = input_x.double()           # a mean of integers is cut, not rounded down
        index = segment_ids.long().reshape(-1, *(1,) * (input_x.ndim - 1)).expand_as(input_x)
        out = torch.full((n, *input_x.shape[1:]), 1 if reduce == "prod" else 0, dtype=input_x.dtype,
                         device=input_x.device)
        result = out.scatter_reduce(0, index, input_x, reduce, include_self=reduce == "prod")
        if reduce in ("amax", "amin") and input_x.requires_grad:
            # torch counts the zeros that it did not include as one more equal element.
            return _of_equals(input_x, index, result.detach())
        return result if result.dtype is dtype else result.to(dtype)


def _check_ids(ids) -> None:
    if int(ids[0]) < 0:
        raise final(ValueError("For 'SegmentOp', the values of segment_ids must be nonnegative, but got "
                               f"{int(ids[0])}."))
    if bool((ids[1:] < ids[:-1]).any()):
        raise final(ValueError("For 'SegmentOp', segment_ids must be a tensor with element values sorted in "
                               "ascending order."))


def _of_equals(x, index, extremes):
    """``extremes`` of segments with a derivative shared among the equal elements."""
    equal = ((x == extremes.gather(0, index)) & x.isfinite()).to(x.dtype)
    count = torch.zeros_like(extremes).scatter_add(0, index, equal)
    share = torch.where(equal > 0, x - x.detach(), 0) / count.gather(0, index).clamp(min=1)
    return extremes + torch.zeros_like(extremes).scatter_add(0, index, share)


for _name, _reduce in (("Sum", "sum"), ("Mean", "mean"), ("Prod", "prod"), ("Max", "amax"), ("Min", "amin")):
    _sorted_segments(f"Segment{_name}", _reduce)


@op
def sparse_segment_mean(x, indices, segment_ids):
    """Means of the rows ``indices`` of ``x`` that share a segment; zeros for one without rows.

    MindSpore: ``mindspore.ops.sparse_segment_mean``.
    """
    rows, segments = x[indices.long()], segment_ids.long()
    count = int(segments[-1]) + 1
    total = torch.zeros(count, *x.shape[1:], dtype=x.dtype, device=x.device).index_add(0, segments, rows)
    size = torch.bincount(segments, minlength=count).clamp(min=1).to(x.dtype)
    return total / size.reshape(-1, *(1,) * (x.ndim - 1))
