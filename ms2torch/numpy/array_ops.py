"""Shapes, joining, splitting, choosing (``mindspore.numpy.array_ops``)."""

from __future__ import annotations

import functools
import math

import numpy as np
import torch

from ms2torch._core.checks.calls import class_text
from ms2torch._core.checks.words import renderings
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import OPS
from ms2torch._core.tensor.dtype import UNSIGNED
from ms2torch._core.tensor.tensor import Tensor, lower
from ms2torch.ops.function._array_join import cat_of
from ms2torch.ops.function._array_shape import check_repeats

from .utils import (
    arrays,
    as_array,
    as_constant,
    as_tensor,
    ask_float,
    axis_in_range,
    broadcast,
    common_shape,
    length_of,
    refusal,
    shared,
    sorted_axes,
    subscripted,
    valid_axes,
)


def _tuple(axis):
    return axis if isinstance(axis, (tuple, list)) else (axis,)


@arrays(1)
def expand_dims(a, axis):
    """New axes of length 1 at the places ``axis`` of the result (``mindspore.numpy.expand_dims``)."""
    if isinstance(axis, tuple) and len(axis) < 2:       # (one axis in a tuple is none there)
        raise refusal(TypeError, "'int' object is not iterable") if axis else refusal(
            IndexError, "tuple index out of range")
    n = a.ndim + len(_tuple(axis))
    for p in sorted_axes(tuple(axis), n) if isinstance(axis, (tuple, list)) else (axis % n,):
        a = a.unsqueeze(p)
    return a


@arrays(1)
def squeeze(a, axis=None):
    """Without the axes of length 1 (``mindspore.numpy.squeeze``)."""
    return a.squeeze() if axis is None or axis in ((), []) else a.squeeze(tuple(dict.fromkeys(_tuple(axis))))


@arrays(1)
def transpose(a, axes=None):
    """The axes in another order, reversed by default (``mindspore.numpy.transpose``)."""
    return a.permute(tuple(range(a.ndim - 1, -1, -1)) if axes is None else tuple(axes))


@arrays(1)
def reshape(x, new_shape):
    """The same elements in another shape (``mindspore.numpy.reshape``)."""
    if isinstance(new_shape, torch.Tensor):
        new_shape = new_shape.tolist()
    new_shape = tuple(new_shape) if isinstance(new_shape, (tuple, list)) else (new_shape,)
    return OPS["reshape"].kernel(x, new_shape)


@arrays(1)
def ravel(x):
    """The elements in one axis (``mindspore.numpy.ravel``)."""
    return x.reshape(-1)


@arrays(1)
def swapaxes(x, axis1, axis2):
    """Two axes exchanged (``mindspore.numpy.swapaxes``)."""
    return x.transpose(int(axis1), int(axis2))


@arrays(1)
def moveaxis(a, source, destination):
    """Axes moved to other places (``mindspore.numpy.moveaxis``)."""
    for axes in (source, destination):
        if isinstance(axes, (tuple, list)) and (wrong := [d for d in axes if not isinstance(d, int)]):
            raise refusal(TypeError, f"axes should be integers, not {type(wrong[0])}")
        if isinstance(axes, (tuple, list)) and len(axes) > len({d % max(a.ndim, 1) for d in axes}):
            raise refusal(ValueError, 'duplicate value in "axis"')
    if len({len(_tuple(axes)) for axes in (source, destination)}) > 1:
        raise refusal(ValueError, "`source` and `destination` arguments must have the same number of "
                                  "elements")
    return OPS["moveaxis"].kernel(a, source, destination)


@arrays(1)
def rollaxis(x, axis, start=0):
    """One axis moved before ``start`` (``mindspore.numpy.rollaxis``)."""
    if isinstance(axis, tuple):
        raise refusal(TypeError, "integer argument expected, but got <class 'tuple'>")
    axis = axis_in_range(axis, x.ndim)
    if not -x.ndim <= start <= x.ndim:
        raise refusal(ValueError, f"For rollaxis, start {start} is out of bounds.Ranging from {-x.ndim} to "
                      f"{x.ndim} is allowed.")
    start += x.ndim if start < 0 else 0
    return x.movedim(axis, start - 1 if axis < start else start)


_MOST_AXES = 32                           # of a MindSpore array


def _ask_tensors(parts, one: bool = False) -> None:
    """The error for the first of some that is no Tensor."""
    if not isinstance(parts, torch.Tensor):
        subscripted(parts)
        if not length_of(parts):
            listed = one and isinstance(parts, list)
            kind = "string" if isinstance(parts, str) else "list" if listed else "tuple"
            raise refusal(KeyError if isinstance(parts, dict) else IndexError,
                          0 if isinstance(parts, dict) else f"{kind} index out of range")
        for part in parts:
            if not isinstance(part, torch.Tensor):
                raise refusal(TypeError, "For primitive[Shape], the input argument must be Tensor, but got "
                              f"{class_text(part)}.")


def _all(tensors):
    tensors = [as_array(t) for t in (tensors.unbind(0) if isinstance(tensors, torch.Tensor) else tensors)]
    return shared(*tensors)


@lowered
def concatenate(arrays, axis=0):
    """Tensors joined along ``axis``, flattened first for None and beyond 31.

    MindSpore: ``mindspore.numpy.concatenate``.
    """
    _ask_tensors(arrays)
    parts = _all(arrays)
    if axis is None or axis >= _MOST_AXES:
        return torch.cat([p.reshape(-1) for p in parts])
    return cat_of(parts, axis)


@lowered
def stack(arrays, axis=0):
    """Tensors joined along a new axis, which counts on past the last one (``mindspore.numpy.stack``)."""
    if not isinstance(arrays, (torch.Tensor, list, tuple)):
        raise refusal(ValueError, "input arrays must be Tensor, tuple, or list")
    if isinstance(arrays, torch.Tensor):
        return arrays.movedim(0, axis % arrays.ndim)
    _ask_tensors(arrays, True)
    parts = _all(arrays)
    return torch.stack(parts, axis % (parts[0].ndim + 1) if isinstance(axis, int) else axis)


def _stacked(name, function):
    def join(tup):
        if isinstance(tup, torch.Tensor):
            return tup
        if not isinstance(tup, (list, tuple)):
            comma, space = "," * (name != "dstack"), " " * (name == "column_stack")
            raise TypeError(f"Tensor or{comma} list or tuple of tensors are required, but got"
                            f"{space}{type(tup)}")
        for part in tup:
            if not hasattr(part, "ndim"):
                raise refusal(AttributeError, f"'{type(part).__name__}' object has no attribute 'ndim'")
        parts = [as_array(t) for t in tup]
        kinds = {t.dtype for t in parts}
        if len(kinds) > 1 and UNSIGNED.intersection(kinds):
            raise refusal(TypeError, "For Op[Concat], the promote output type is invalid")
        kind = functools.reduce(torch.promote_types, kinds) if parts else None
        return function([t.to(kind) for t in parts])

    join.__name__ = name
    join.__doc__ = f"``numpy.{name}`` (``mindspore.numpy.{name}``); a Tensor alone stays as it is."
    return lowered(join)


vstack, hstack, dstack = (_stacked(n, getattr(torch, n)) for n in ("vstack", "hstack", "dstack"))
column_stack = _stacked("column_stack", torch.column_stack)


@lowered
def append(arr, values, axis=None):
    """``values`` joined at the end (``mindspore.numpy.append``)."""
    parts = _all([as_array(arr), as_array(values)])
    return torch.cat([p.reshape(-1) for p in parts] if axis is None else parts, axis or 0)


def _split(x, sections, axis, even):
    if not isinstance(axis, int):
        raise refusal(TypeError, f"For Tensor.ptp, the axis should be int, , but got {type(axis)}.")
    axis = axis_in_range(axis, x.ndim)
    size = x.shape[axis]
    if isinstance(sections, int):
        if sections > size:
            raise refusal(ValueError, "empty tensor encountered.")
        if even and sections > 0 and size % sections:
            raise ValueError(f"For 'Split', x_shape[{axis}] must be divisible by output_num = {sections}, "
                             f"but got {size}.")
        if not even and sections == 0:
            raise refusal(ZeroDivisionError, "integer modulo by zero")
        return tuple(torch.tensor_split(x, sections, axis))
    if not isinstance(sections, (list, tuple)):
        said = "<class 'mindspore.common.tensor.Tensor'>" if isinstance(sections, torch.Tensor) else \
            class_text(sections)
        raise refusal(TypeError, "Argument `indices_or_sections` in `mindspore.numpy.split`            "
                      "should be integer, tuple(int) or list(int), but got"
                      f"{'' if sections is None else said}")
    for place in sections:
        if not isinstance(place, int):
            raise refusal(TypeError, f"Each element in {sections} should be integer, but got {type(place)}.")
    ends = [place + size if place < 0 else place for place in sections]
    if any(end <= begin for begin, end in zip([0, *ends], [*ends, size], strict=True)):
        raise refusal(ValueError, "empty sub-tensor encountered.")
    return list(torch.tensor_split(x, ends, axis))


@arrays(1)
def split(x, indices_or_sections, axis=0):
    """Equal parts, or parts that begin at given indices (``mindspore.numpy.split``)."""
    return _split(x, indices_or_sections, axis, True)


@arrays(1)
def array_split(x, indices_or_sections, axis=0):
    """Parts of nearly equal size (``mindspore.numpy.array_split``)."""
    return _split(x, indices_or_sections, axis, False)


@arrays(1)
def vsplit(x, indices_or_sections):
    """Parts along the first axis (``mindspore.numpy.vsplit``)."""
    return _split(x, indices_or_sections, 0, True)


@arrays(1)
def hsplit(x, indices_or_sections):
    """Parts along the second axis (``mindspore.numpy.hsplit``)."""
    return _split(x, indices_or_sections, 1, True)


@arrays(1)
def dsplit(x, indices_or_sections):
    """Parts along the third axis (``mindspore.numpy.dsplit``)."""
    return _split(x, indices_or_sections, 2, True)


@arrays(1)
def tile(a, reps):
    """The array repeated as a whole (``mindspore.numpy.tile``)."""
    if isinstance(reps, torch.Tensor):
        reps = reps.tolist() if not reps.is_floating_point() else reps
    elif isinstance(reps, (range, set, bytes)):
        reps = tuple(reps)
    if not isinstance(reps, (int, np.ndarray, torch.Tensor)) and not length_of(reps):
        return a.clone()
    given = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
    for place, times in enumerate(given, max(a.ndim - len(given), 0)):
        if isinstance(times, int) and times < 0:
            raise refusal(ValueError, "For 'Tile', 'dims' cannot contain negative integer numbers, but got "
                                      f"{times} in {place}th.")
    return torch.tile(a, tuple(reps.tolist()) if isinstance(reps, np.ndarray) and reps.ndim else _tuple(reps))


@arrays(1)
def repeat(a, repeats, axis=None):
    """Each element repeated (``mindspore.numpy.repeat``)."""
    check_repeats(repeats, a)
    if isinstance(repeats, (tuple, list)):
        repeats = torch.tensor(repeats, device=a.device)
    return torch.repeat_interleave(a, repeats, axis)


@arrays(1)
def flip(m, axis=None):
    """The order reversed along some or all axes (``mindspore.numpy.flip``)."""
    return torch.flip(m, valid_axes(axis, m.ndim))


@arrays(1)
def fliplr(m):
    """The second axis reversed (``mindspore.numpy.fliplr``)."""
    return torch.flip(m, (1,))


@arrays(1)
def flipud(m):
    """The first axis reversed (``mindspore.numpy.flipud``)."""
    return torch.flip(m, (0,))


@arrays(1)
def roll(a, shift, axis=None):
    """Elements moved round, in the flattened array or along ``axis`` (``mindspore.numpy.roll``)."""
    for given in (shift, axis):
        if not isinstance(given, (int, tuple, list, type(None))):
            raise TypeError("input shift and axis must be tuple or list or int.")
    shifts = [int(s) if isinstance(s, bool) else s for s in ([shift] if isinstance(shift, int) else shift)]
    if axis is None:
        _rolled(a.numel())
        return torch.roll(a, sum(shifts))
    dims = [axis] if isinstance(axis, int) else list(axis)
    for one in dims:
        if not -a.ndim <= one < a.ndim:
            raise ValueError(f"axis {one} is out of bounds for array of dimension {a.ndim}")
    if len(shifts) != len(dims):
        if 1 not in (len(shifts), len(dims)):
            raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
        many = max(len(shifts), len(dims))
        shifts, dims = (x * many if len(x) == 1 else x for x in (shifts, dims))
    for one in dims:
        _rolled(a.shape[one])
    return torch.roll(a, shifts, dims) if dims else a.clone()


def _rolled(size: int) -> None:
    if not size:
        raise refusal(ZeroDivisionError, "integer modulo by zero")


@arrays(1)
def rot90(a, k=1, axes=(0, 1)):
    """Turned by k right angles (``mindspore.numpy.rot90``)."""
    return torch.rot90(a, int(k), [int(x) if isinstance(x, bool) else x for x in axes])


@arrays(1)
def broadcast_to(array, shape):
    """Repeated to ``shape`` (``mindspore.numpy.broadcast_to``)."""
    if not isinstance(shape, int):
        length_of(shape)
    return broadcast(array, shape)


@lowered
def broadcast_arrays(*args):
    """All repeated to one shape (``mindspore.numpy.broadcast_arrays``)."""
    for a in args:
        if not isinstance(a, torch.Tensor):
            raise TypeError(f"For primitive[Shape], the input argument must be Tensor, but got {type(a)}.")
    return [t.clone() for t in torch.broadcast_tensors(*args)]


def _at_least(name, function):
    def widen(*arys):
        if name == "atleast_3d" and not all(isinstance(a, torch.Tensor) for a in arys):
            raise TypeError("the input x must be Tensor!")
        for a in arys:
            if not isinstance(a, torch.Tensor):
                raise TypeError(f"expect Tensor, but got {renderings(a)['typed']}")
        found = [function(a) for a in arys]
        return found[0] if len(found) == 1 else found

    widen.__name__ = name
    widen.__doc__ = f"``numpy.{name}`` (``mindspore.numpy.{name}``)."
    return lowered(widen)


atleast_1d = _at_least("atleast_1d", torch.atleast_1d)
atleast_2d = _at_least("atleast_2d", torch.atleast_2d)
atleast_3d = _at_least("atleast_3d", torch.atleast_3d)


@lowered
def where(condition, x=None, y=None):
    """x where the condition holds, else y (``mindspore.numpy.where``)."""
    x, y = _all([x, y])
    return torch.where(as_array(condition).bool(), x, y)


@lowered
def select(condlist, choicelist, default=0):
    """The first choice whose condition holds, in the dtype of the choices (``mindspore.numpy.select``)."""
    return chosen(as_array(condlist), as_array(choicelist), default)


def chosen(conditions, choices, default):
    """The first choice whose condition holds; both are one along their first axis."""
    if not conditions.ndim or not choices.ndim:
        raise refusal(ValueError, "input cannot be scalars")
    if len(choices) != len(conditions):
        raise refusal(ValueError, "list of cases must be same length as list of conditions")
    shape = common_shape(conditions.shape[1:], choices.shape[1:])
    if isinstance(default, torch.Tensor):
        if default.numel() != math.prod(shape):
            sizes = ", ".join(map(str, (1, *shape)))
            raise refusal(ValueError, f"proposed_shape '[const vector]{{{sizes}}}' is invalid for input of "
                          f"size {default.numel()}")
        result = default.to(choices.dtype).reshape(shape)
    else:
        result = torch.full(shape, default, dtype=choices.dtype, device=choices.device)
    for condition, choice in zip(conditions.flip(0), choices.flip(0), strict=True):
        result = torch.where(condition.bool(), choice, result)
    return result


def take(a, indices, axis=None, mode="clip"):
    """Elements at ``indices``; beyond the ends they are clipped, or wrapped (``mindspore.numpy.take``)."""
    return as_tensor(a).take(as_tensor(indices), axis, mode)


@arrays(2)
def take_along_axis(arr, indices, axis):
    """Elements at indices along ``axis`` (``mindspore.numpy.take_along_axis``)."""
    return torch.take_along_dim(arr, indices.to(torch.int64), None if axis is None else int(axis))


@arrays(1)
def unique(x, return_inverse=False):
    """Each value once, in the order of first appearance, and where each went (``mindspore.numpy.unique``)."""
    flat = x.reshape(-1)
    values, inverse = torch.unique(flat, return_inverse=True)
    first = torch.full((len(values),), flat.numel(), dtype=torch.int64, device=x.device)
    first = first.scatter_reduce(0, inverse, torch.arange(flat.numel(), device=x.device), "amin")
    order = first.argsort()
    if not return_inverse:
        return values[order]
    place = torch.empty_like(order)
    place[order] = torch.arange(len(order), device=x.device)
    return values[order], place[inverse].to(x.dtype if x.dtype is torch.int64 else torch.int32)


def size(a, axis=None) -> int:
    """How many elements there are, or how many along ``axis``, as an int (``mindspore.numpy.size``)."""
    a = as_array(lower(a))
    if isinstance(axis, (tuple, type)) or hasattr(axis, "construct"):
        raise refusal(TypeError, "axis argument should be integer.")
    return a.numel() if axis is None else a.shape[axis_in_range(axis, a.ndim)]


def array_str(a) -> str:
    """What the array prints as (``mindspore.numpy.array_str``)."""
    if not isinstance(a, Tensor):
        raise refusal(TypeError, "Expect input to be tensor.")
    return str(a)


@arrays(1)
def searchsorted(a, v, side="left", sorter=None):
    """Where values would have to be inserted, as Int32 (``mindspore.numpy.searchsorted``)."""
    if side not in ("left", "right"):
        raise refusal(ValueError, 'invalid value for keyword "side"')
    if a.ndim != 1:
        raise refusal(ValueError, "`a` should be 1-D array")
    a, v = a.float(), as_array(v)
    ask_float(v)
    if sorter is not None:
        if sorter.ndim != 1 or len(sorter) != len(a):
            raise refusal(ValueError, "sorter must be 1-D array with the same size as `a`")
        a = a[sorter.long()]
    return torch.searchsorted(a, v.to(a.dtype), side=side).to(torch.int32)


@arrays(1)
def unravel_index(indices, shape, order="C"):
    """Flat indices as one index for each axis; those beyond the ends are the ends.

    MindSpore: ``mindspore.numpy.unravel_index``.
    """
    if order not in ("C", "F"):
        raise refusal(ValueError, 'invalid order. Expected "C" or "F"')
    if isinstance(shape, (torch.Tensor, np.ndarray)):
        if isinstance(shape, torch.Tensor) and shape.is_floating_point():
            indices = indices.float()
        if not shape.ndim:
            raise refusal(ValueError, "The input data's dim must in the range of [1, 8], but got '0'.")
        if shape.ndim > 1:
            raise refusal(TypeError, "For Tensor, the input_data contains unsupported elements.")
        shape = [int(size) for size in shape.tolist()]
    if not isinstance(shape, int):
        subscripted(shape)
    sizes = _tuple(shape) if order == "C" else _tuple(shape)[::-1]
    indices = indices if indices.is_floating_point() or indices.dtype in (torch.int64, torch.uint64) else \
        indices.int()
    if indices.dtype is torch.uint64:           # of a number beyond Int64
        raise refusal(TypeError, "Type implicit conversion between Int32 and UInt64 is not supported.")
    total = math.prod(sizes)
    indices, found = indices.clamp(-total, total - 1), []
    for place in range(len(sizes)):
        below = math.prod(sizes[place + 1:])
        found.append(indices % (below * sizes[place]) // below)
    if not indices.ndim and len(found) == 1:
        return found[0].reshape(1)
    return tuple(found if order == "C" else found[::-1])


@lowered
def copy(a):
    """A copy (``mindspore.numpy.copy``)."""
    return as_constant(a).clone()


__all__ = [
    "append",
    "array_split",
    "array_str",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "column_stack",
    "concatenate",
    "copy",
    "dsplit",
    "dstack",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "moveaxis",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "searchsorted",
    "select",
    "size",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "take",
    "take_along_axis",
    "tile",
    "transpose",
    "unique",
    "unravel_index",
    "vsplit",
    "vstack",
    "where",
]
