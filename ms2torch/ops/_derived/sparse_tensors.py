"""Sparse tensors as three tensors: the indices of the values (one row each), the values, the dense shape."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def _places(indices, shape) -> torch.Tensor:
    """Where each value is in the dense tensor's memory."""
    steps = [1]
    for size in reversed(shape.tolist()[1:]):
        steps.insert(0, steps[0] * size)
    return (indices.long() * torch.tensor(steps)).sum(1)


def _indices(places, shape, kind) -> torch.Tensor:
    return torch.stack(torch.unravel_index(places, shape.tolist()), 1).to(kind)


def _dense(indices, values, shape) -> torch.Tensor:
    return values.new_zeros(shape.tolist()).index_put(tuple(indices.long().T), values, accumulate=True)


def _joined(indices, shape, indices2, shape2):
    """All places of both in order, how often each is there, and where the values of each come."""
    places, places2 = _places(indices, shape), _places(indices2, shape2)
    found, inverse, count = torch.cat((places, places2)).unique(return_inverse=True, return_counts=True)
    return found, count, inverse[: len(places)], inverse[len(places):]


def _add(indices, values, shape, indices2, values2, shape2, thresh):
    """The sum; where both have a value, sums under ``thresh`` in magnitude are left out."""
    found, count, first, second = _joined(indices, shape, indices2, shape2)
    total = values.new_zeros(found.shape).index_add(0, first, values).index_add(0, second, values2)
    keep = (count < 2) | (total.abs() >= thresh)
    return _indices(found[keep], shape, indices.dtype), total[keep], shape


def _add_gradient(gradient, indices, indices2, sums):
    """The gradients of both tensors' values: what the sum has at their places, else 0."""
    shape = torch.cat((indices, indices2, sums)).amax(0) + 1
    at = torch.zeros(int(shape.prod()), dtype=gradient.dtype).index_put((_places(sums, shape),), gradient)
    return at[_places(indices, shape)], at[_places(indices2, shape)]


def _extremum(choose):
    def both(indices, values, shape, indices2, values2, shape2):
        found, _, first, second = _joined(indices, shape, indices2, shape2)
        zeros = values.new_zeros(found.shape)
        chosen = choose(zeros.index_put((first,), values), zeros.index_put((second,), values2))
        return _indices(found, shape, indices.dtype), chosen

    return both


def _with_dense(operate):
    def values_of(indices, values, shape, dense):
        return operate(values, dense.broadcast_to(shape.tolist())[tuple(indices.long().T)])

    return values_of


def _reshape(indices, shape, new_shape):
    sizes, new = shape.tolist(), new_shape.tolist()
    if -1 in new:
        known = 1
        for size in new:
            known *= size if size != -1 else 1
        new[new.index(-1)] = int(shape.prod()) // known
    new_shape = torch.tensor(new, dtype=new_shape.dtype)
    return _indices(_places(indices, torch.tensor(sizes)), new_shape, indices.dtype), new_shape


def _reorder(indices, values, shape):
    order = _places(indices, shape).argsort(stable=True)
    return indices[order], values[order]


def _times_and_plus(indices, values, shape, dense, other, alpha, beta):
    """alpha * (sparse @ dense) + beta * other."""
    return alpha.to(values.dtype) * (_dense(indices, values, shape) @ dense) + beta.to(values.dtype) * other


def _sparse_plus_product(indices, values, shape, indices2, values2, shape2, dense, alpha, beta):
    """beta * the first + alpha * (the second @ dense), every entry of a product's row on its own; indices are
    (2, count) here."""
    order = indices2[0].argsort(stable=True)
    rows, inverse = indices2[0][order].unique(return_inverse=True)
    products = values2.new_zeros(len(rows), dense.shape[1]).index_add(
        0, inverse, values2[order, None] * dense[indices2[1][order].long()])
    columns = torch.arange(dense.shape[1], dtype=indices.dtype)
    places = torch.stack((rows.repeat_interleave(len(columns)), columns.repeat(len(rows))))
    return (torch.cat((indices, places), 1),
            torch.cat((beta.to(values.dtype) * values, alpha.to(values.dtype) * products.flatten())), shape)


def _concatenated(indices, values, shapes, concat_dim=0):
    moved, total = [], 0
    for each, shape in zip(indices, shapes, strict=True):
        each = each.clone()
        each[:, concat_dim] += total
        total += int(shape[concat_dim])
        moved.append(each)
    shape = shapes[0].clone()
    shape[concat_dim] = total
    found, values = torch.cat(moved), torch.cat(values)
    order = _places(found, shape).argsort(stable=True)
    return found[order], values[order], shape


def _softmax(indices, values, shape):
    """Over the last dimension, of the values that are there."""
    places = _places(indices[:, :-1], shape[:-1])
    found, inverse = places.unique(return_inverse=True)
    most = values.new_full(found.shape, -torch.inf).scatter_reduce(0, inverse, values, "amax")
    powers = (values - most[inverse]).exp()
    return powers / values.new_zeros(found.shape).index_add(0, inverse, powers)[inverse]


def _filled(indices, shape, values, default, validate_indices=True):
    """The dense tensor, with ``default`` where nothing is."""
    dense = default.to(values.dtype).expand(shape.tolist()).clone()
    places = tuple(indices.reshape(len(indices), -1).long().T)
    return dense.index_put(places, values)


def _segments(reduce, numbered: bool):
    """Rows of ``x`` at ``indices``, reduced by their segment."""
    def of(x, indices, segment_ids, count=None):
        ids = segment_ids.long()
        if not numbered:
            _check_contiguous(reduce, ids)
        if x.shape[0] and bool(((indices < 0) | (indices >= x.shape[0])).any()):
            name = _NAMES[reduce] + ("WithNumSegments" if numbered else "")
            which = "indices" if reduce is _by_root else "input indices"
            raise ValueError(f"For 'SparseSegment{name}', {which} is out of range of x's first dimension.")
        size = int(count) if numbered else int(ids[-1]) + 1 if len(ids) else 0
        rows = x[indices.long()]
        total = x.new_zeros(size, *x.shape[1:]).index_add(0, ids, rows)
        many = torch.bincount(ids, minlength=size).clamp(min=1).to(x.dtype)
        return reduce(total, many.reshape(-1, *(1,) * (x.ndim - 1)))

    return of


def _check_contiguous(reduce, ids) -> None:
    steps = ids.diff()
    if len(ids) and (ids[0] != 0 or bool(((steps < 0) | (steps > 1)).any())):
        raise ValueError("For 'SparseSegmentSum', indices in 'segment_ids' should be contiguous."
                         if reduce is _total else
                         "For 'SparseSegmentSqrtN', segment_ids should be sorted and contiguous.")


def _total(total, many):
    return total


def _mean(total, many):
    return total / many


def _by_root(total, many):
    return total / many.sqrt()


_NAMES = {_total: "Sum", _mean: "Mean", _by_root: "SqrtN"}


def _set_operation(first: dict, second: dict, groups: list, operation: str, kind):
    """Sets by group (a tuple of leading indices); the result's indices, values and shape."""
    choose = {"a-b": lambda a, b: a - b, "b-a": lambda a, b: b - a, "intersection": lambda a, b: a & b,
              "union": lambda a, b: a | b}[operation]
    indices, values, most = [], [], 0
    for group in groups:
        found = sorted(choose(first.get(group, set()), second.get(group, set())))
        indices += [(*group, i) for i in range(len(found))]
        values += found
        most = max(most, len(found))
    width = len(groups[0]) + 1 if groups else 2
    return torch.tensor(indices, dtype=torch.int64).reshape(-1, width), torch.tensor(values, dtype=kind), most


def _rows_as_sets(t: torch.Tensor) -> dict:
    rows = t.reshape(-1, t.shape[-1]).tolist()
    places = torch.cartesian_prod(*(torch.arange(s) for s in t.shape[:-1])).reshape(len(rows), -1).tolist()
    return {tuple(place): set(row) for place, row in zip(places, rows, strict=True)}


def _dense_to_dense_sets(x1, x2, set_operation="a-b", validate_indices=True):
    first, second = _rows_as_sets(x1), _rows_as_sets(x2)
    indices, values, most = _set_operation(first, second, list(first), set_operation, x1.dtype)
    return indices, values, torch.tensor([*x1.shape[:-1], most])


def _counts(indices, values, shape, weights, binary_output=False, minlength=-1, maxlength=-1):
    """How often each value is in each row: the indices (row, value), the counts or sums of weights."""
    if weights.shape != values.shape:
        raise RuntimeError("For 'SparseCountSparseOutput', weights and values must have the same shape")
    outside = (indices < 0) | (indices >= shape)
    if bool(outside.any()):
        at, axis = torch.nonzero(outside)[0].tolist()
        raise RuntimeError(f"For 'SparseCountSparseOutput', the input index value {int(indices[at, axis])} "
                           f"must be in [0, {int(shape[axis])}) as given by dense shape")
    batched = indices.shape[1] > 1
    rows = indices[:, 0].long() if batched else torch.zeros(len(indices), dtype=torch.long)
    keep = values < maxlength if maxlength > 0 else torch.ones_like(values, dtype=torch.bool)
    width = int(values[keep].max()) + 1 if bool(keep.any()) else 0
    width = max(width, minlength)
    width = maxlength if maxlength > 0 else width
    found, inverse = (rows[keep] * max(width, 1) + values[keep].long()).unique(return_inverse=True)
    sums = weights.new_zeros(found.shape).index_add(0, inverse, weights[keep])
    sums = torch.ones_like(sums) if binary_output else sums
    row, value = found // max(width, 1), found % max(width, 1)
    if batched:
        return torch.stack((row, value), 1), sums, torch.tensor([int(shape[0]), width])
    return value[:, None], sums, torch.tensor([width])


def _slice_grad(backprop_val_grad, indices, start, new_indices):
    """The gradients of a sparse tensor's values: those of the slice that are among them, else 0."""
    equal = (indices[:, None] == new_indices[None] + start).all(-1)
    return (equal.to(backprop_val_grad.dtype) * backprop_val_grad).sum(1)


def _fill_empty_rows(indices, values, dense_shape, default_value):
    """The tensor with ``default_value`` first in each empty row; which were empty, where values went."""
    count = int(dense_shape[0])
    empty = torch.ones(count, dtype=torch.bool).index_fill(0, indices[:, 0], False)
    rows = torch.nonzero(empty)
    added = F.pad(rows, (0, indices.shape[1] - 1))
    order = torch.argsort(torch.cat((indices[:, 0], rows[:, 0])), stable=True)
    moved = torch.empty_like(order).index_put((order,), torch.arange(len(order)))
    filled = torch.cat((values, default_value.to(values.dtype).expand(len(rows))))[order]
    return torch.cat((indices, added))[order], filled, empty, moved[: len(indices)]


def _fill_empty_rows_grad(reverse_index_map, grad_values):
    """The gradients of the values and of what filled the empty rows."""
    others = torch.ones(len(grad_values), dtype=torch.bool).index_fill(0, reverse_index_map.long(), False)
    return grad_values[reverse_index_map.long()], (grad_values * others).sum().to(grad_values.dtype)


def _of_ragged(rt_nested_splits, rt_dense_values, Tsplits=None):
    """Rows of unlike lengths, told by where each ends, as a sparse tensor."""
    values, lengths = rt_dense_values, []
    places = torch.arange(len(values))[:, None]
    for splits in reversed(rt_nested_splits):
        row = torch.searchsorted(splits.long(), places[:, :1].contiguous(), right=True) - 1
        lengths.insert(0, int(splits.diff().max()) if len(splits) > 1 else 0)
        places = torch.cat((row, places[:, :1] - splits.long()[row], places[:, 1:]), 1)
    for size in values.shape[1:]:
        inner = torch.arange(size).repeat(len(places))[:, None]
        places = torch.cat((places.repeat_interleave(size, 0), inner), 1)
    size = [len(rt_nested_splits[0]) - 1, *lengths, *values.shape[1:]]
    return places, values.reshape(-1), torch.tensor(size)


ROWS = {
    "SparseSliceGrad": _slice_grad,
    "SparseFillEmptyRows": _fill_empty_rows,
    "SparseFillEmptyRowsGrad": _fill_empty_rows_grad,
    "RaggedTensorToSparse": _of_ragged,
    "DenseToDenseSetOperation": _dense_to_dense_sets,
    "SparseAdd": _add,
    "SparseAddGrad": _add_gradient,
    "SparseAddmm": _times_and_plus,
    "SparseConcat": _concatenated,
    "SparseCountSparseOutput": _counts,
    "SparseDenseCwiseAdd": _with_dense(torch.add),
    "SparseDenseCwiseDiv": _with_dense(torch.div),
    "SparseDenseCwiseMul": _with_dense(torch.mul),
    "SparseReorder": _reorder,
    "SparseReshape": _reshape,
    "SparseSegmentMeanWithNumSegments": _segments(_mean, True),
    "SparseSegmentSqrtN": _segments(_by_root, False),
    "SparseSegmentSqrtNWithNumSegments": _segments(_by_root, True),
    "SparseSegmentSum": _segments(_total, False),
    "SparseSegmentSumWithNumSegments": _segments(_total, True),
    "SparseSoftmax": _softmax,
    "SparseSparseMaximum": _extremum(torch.maximum),
    "SparseSparseMinimum": _extremum(torch.minimum),
    "SparseToDenseV2": _filled,
    "Sspaddmm": _sparse_plus_product,
}
