"""Shapes, joining, splitting, choosing (``mindspore.numpy.array_ops``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators.registry import OPS, lowered
from ms2torch._core.tensor.tensor import lower
from ms2torch.ops.function._array_join import cat_of

from .utils import arrays, as_array


def _tuple(axis):
    return axis if isinstance(axis, (tuple, list)) else (axis,)


@arrays(1)
def expand_dims(a, axis):
    """New axes of length 1 at the places ``axis`` of the result (``mindspore.numpy.expand_dims``)."""
    places = _tuple(axis)
    n = a.ndim + len(places)
    for p in sorted(p % n for p in places):
        a = a.unsqueeze(p)
    return a


@arrays(1)
def squeeze(a, axis=None):
    """Without the axes of length 1 (``mindspore.numpy.squeeze``)."""
    return a.squeeze() if axis is None else a.squeeze(_tuple(axis))


@arrays(1)
def transpose(a, axes=None):
    """The axes in another order, reversed by default (``mindspore.numpy.transpose``)."""
    return a.permute(tuple(range(a.ndim - 1, -1, -1)) if axes is None else tuple(axes))


@arrays(1)
def reshape(x, new_shape):
    """The same elements in another shape (``mindspore.numpy.reshape``)."""
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
    return OPS["moveaxis"].kernel(a, source, destination)


@arrays(1)
def rollaxis(x, axis, start=0):
    """One axis moved before ``start`` (``mindspore.numpy.rollaxis``)."""
    axis %= x.ndim
    start += x.ndim if start < 0 else 0
    return x.movedim(axis, start - 1 if axis < start else start)


_MOST_AXES = 32                           # of a MindSpore array


def _all(tensors):
    tensors = [as_array(t) for t in (tensors.unbind(0) if isinstance(tensors, torch.Tensor) else tensors)]
    kind = tensors[0].dtype
    for t in tensors[1:]:
        kind = torch.promote_types(kind, t.dtype)
    return [t.to(kind) for t in tensors]


@lowered
def concatenate(arrays, axis=0):
    """Tensors joined along ``axis``, flattened first for None and beyond 31.

    MindSpore: ``mindspore.numpy.concatenate``.
    """
    parts = _all(arrays)
    if axis is None or axis >= _MOST_AXES:
        return torch.cat([p.reshape(-1) for p in parts])
    return cat_of(parts, axis)


@lowered
def stack(arrays, axis=0):
    """Tensors joined along a new axis (``mindspore.numpy.stack``)."""
    return torch.stack(_all(arrays), axis)


def _stacked(name, function):
    def join(tup):
        return function(_all(tup))

    join.__name__ = name
    join.__doc__ = f"``numpy.{name}`` (``mindspore.numpy.{name}``)."
    return lowered(join)


vstack, hstack, dstack = (_stacked(n, getattr(torch, n)) for n in ("vstack", "hstack", "dstack"))
column_stack = _stacked("column_stack", torch.column_stack)


@lowered
def append(arr, values, axis=None):
    """``values`` joined at the end (``mindspore.numpy.append``)."""
    parts = _all([as_array(arr), as_array(values)])
    return torch.cat([p.reshape(-1) for p in parts] if axis is None else parts, axis or 0)


def _split(x, sections, axis, even):
    if isinstance(sections, int):
        if x.shape[axis] < sections:
            raise ValueError("empty tensor encountered.")
        if even and x.shape[axis] % sections:
            raise ValueError(f"For 'Split', x_shape[{axis}] must be divisible by output_num = {sections}, "
                             f"but got {x.shape[axis]}.")
        return tuple(torch.tensor_split(x, sections, axis))
    return list(torch.tensor_split(x, list(sections), axis))


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
    return torch.tile(a, _tuple(reps))


@arrays(1)
def repeat(a, repeats, axis=None):
    """Each element repeated (``mindspore.numpy.repeat``)."""
    if isinstance(repeats, (tuple, list)):
        repeats = torch.tensor(repeats, device=a.device)
    return torch.repeat_interleave(a, repeats, axis)


@arrays(1)
def flip(m, axis=None):
    """The order reversed along some or all axes (``mindspore.numpy.flip``)."""
    axes = tuple(range(m.ndim)) if axis is None else _tuple(axis)
    if not m.ndim and axes:                  # torch counts an axis here
        raise ValueError(f"axis {axes[0]} is out of bounds for array of dimension 0")
    return torch.flip(m, axes)


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
    shifts = [shift] if isinstance(shift, int) else list(shift)
    if axis is None:
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
    return torch.roll(a, shifts, dims) if dims else a.clone()


@arrays(1)
def rot90(a, k=1, axes=(0, 1)):
    """Turned by k right angles (``mindspore.numpy.rot90``)."""
    return torch.rot90(a, int(k), axes)


@arrays(1)
def broadcast_to(array, shape):
    """Repeated to ``shape`` (``mindspore.numpy.broadcast_to``)."""
    return array.expand(tuple(shape)).clone()


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
                kind = type(a).__name__.capitalize()
                raise TypeError(f"expect Tensor, but got <class 'mindspore._c_expression.typing.{kind}'>")
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
    """The first choice whose condition holds (``mindspore.numpy.select``)."""
    choices = _all([*choicelist, default])
    result = choices.pop()
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        result = torch.where(as_array(condition).bool(), choice, result)
    return result


@arrays(2)
def take(a, indices, axis=None, mode="clip"):
    """Elements at ``indices``; beyond the ends they are clipped, wrapped, or refused.

    MindSpore: ``mindspore.numpy.take``.
    """
    if axis is None:
        a, axis = a.reshape(-1), 0
    n = a.shape[axis]
    if mode == "raise" and bool(((indices < -n) | (indices >= n)).any()):
        raise ValueError(f"For 'take', indices must be in [{-n}, {n}).")
    flat = indices.reshape(-1) % n if mode != "clip" else indices.reshape(-1).clamp(0, n - 1)
    picked = a.index_select(axis, flat)
    axis %= a.ndim
    return picked.reshape((*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]))


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
    return a.numel() if axis is None else a.shape[axis]


def array_str(a) -> str:
    """What the array prints as (``mindspore.numpy.array_str``)."""
    return str(a)


@arrays(1)
def searchsorted(a, v, side="left", sorter=None):
    """Where values would have to be inserted, as Int32 (``mindspore.numpy.searchsorted``)."""
    return torch.searchsorted(a, as_array(v), side=side, sorter=sorter).to(torch.int32)


@arrays(1)
def unravel_index(indices, shape, order="C"):
    """Flat indices as one index for each axis (``mindspore.numpy.unravel_index``)."""
    shape = _tuple(shape)
    found = torch.unravel_index(indices.long(), shape if order == "C" else shape[::-1])
    return tuple(t.to(indices.dtype) for t in (found if order == "C" else found[::-1]))


@arrays(1)
def copy(a):
    """A copy (``mindspore.numpy.copy``)."""
    return a.clone()


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
