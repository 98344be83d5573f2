"""Operators that cut pieces out of tensors: from where, how much, in which steps."""

from __future__ import annotations

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import op

from ._array_shape import ints, whole


@op(primitive="Slice", call=("input", "begin", "size"), alias="tensor_slice")
def slice__(input_x, begin, size):
    """``size`` elements from ``begin`` on, along every axis; a size of -1 reaches to the end.

    (``mindspore.ops.slice``.)
    """
    begin, size, shape = [*map(whole, ints(begin))], [*map(whole, ints(size))], input_x.shape
    if not len(begin) == len(size) == len(shape):
        raise ValueError("For Slice, the shape of input|begin|size must be equal.")
    index = []
    for i, (b, s, n) in enumerate(zip(begin, size, shape, strict=True)):
        if b < 0:
            raise ValueError("For Slice, the begin is invalid.")
        if s < -1:
            raise RuntimeError(f"For Slice, the value in size should not be less than -1, but got {s}")
        if b + s > n:
            raise ValueError(f"For Slice, the sum of begin_shape[{i}] and size_shape[{i}] must be no greater "
                             f"than input_x_shape[{i}].")
        index.append(slice(b, n if s == -1 else b + s))
    return input_x[tuple(index)]


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@op(primitive="StridedSlice", init=_MASKS)
def strided_slice(input_x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
                  shrink_axis_mask=0):
    """Elements ``begin``, ``begin + stride``, ... short of ``end`` along each axis.

    (``mindspore.ops.strided_slice``.)

    Bit i of a mask is for entry i: ``begin_mask`` and ``end_mask`` leave out that bound, ``ellipsis_mask``
    stands for all axes not named, ``new_axis_mask`` inserts an axis, ``shrink_axis_mask`` takes one element
    and drops the axis. Strides may be negative.
    """
    begin, end, strides = ints(begin), ints(end), ints(strides)
    _check_slice(begin, end, strides, input_x.ndim)
    count = len(begin)
    named = sum(1 for i in range(count) if not (ellipsis_mask | new_axis_mask) >> i & 1)
    result, axis = input_x, 0
    for i in range(count):
        bit = 1 << i
        if ellipsis_mask & bit:
            axis += input_x.ndim - named
        elif new_axis_mask & bit:
            result, axis = result.unsqueeze(axis), axis + 1
        elif shrink_axis_mask & bit:
            result = result.select(axis, begin[i])
        else:
            step = strides[i]
            first = None if begin_mask & bit else begin[i]
            last = None if end_mask & bit else end[i]
            if step > 0:
                result = result[(slice(None),) * axis + (slice(first, last, step),)]
            elif not (places := range(*slice(first, last, step).indices(result.shape[axis]))):
                result = result.narrow(axis, 0, 0)
            else:
                low, high = places[-1], places[0] + 1
                result = result[(slice(None),) * axis + (slice(low, high, -step),)].flip(axis)
            axis += 1
    return result


def _check_slice(begin, end, strides, ndim) -> None:
    if not len(begin) == len(end) == len(strides):
        raise ValueError("For 'StridedSlice', 'begin', 'end' and 'strides' must have the same length, but "
                         "got length "
                         f"of 'begin': {len(begin)}, 'end': {len(end)}, 'strides': {len(strides)}.")
    if 0 in strides:
        raise ValueError("For 'StridedSlice', input 'strides' can not contain 0.")
    if len(begin) > ndim:
        raise final(RuntimeError(
            "For 'StridedSlice', the length of 'begin', 'stride' and 'end' should be equal and less than or "
            f"equal to the dimension of 'input_x', but got the length of 'begin': {len(begin)}, the length "
            f"of 'stride': {len(strides)}, the length of 'end': {len(end)}, the dimension of 'input_x': "
            f"{ndim}"))
