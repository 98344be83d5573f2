"""``numpy.pad`` (``mindspore.numpy.pad``)."""

from __future__ import annotations

from types import FunctionType

import numpy as np
import torch

from ms2torch._core.checks.calls import failed_call
from ms2torch._core.errors import asked
from ms2torch._core.tensor.tensor import Tensor

from ._along_axes import apply_along_axis
from .utils import arrays, refusal

__all__ = ["pad"]

_COPIES = ("edge", "reflect", "wrap", "symmetric")
_STATISTICS = {
    "maximum": lambda t, axis: t.amax(axis, keepdim=True),
    "minimum": lambda t, axis: t.amin(axis, keepdim=True),
    "mean": lambda t, axis: t.to(torch.float32).mean(axis, keepdim=True),
}


@arrays(1)
def pad(arr, pad_width, mode="constant", stat_length=None, constant_values=0, end_values=0,
        reflect_type="even", **kwargs):
    """Wider by ``pad_width`` at the ends of each axis (``mindspore.numpy.pad``).

    ``mode``: constant, edge, linear_ramp, maximum, mean, minimum, reflect, symmetric, wrap, empty, or a
    function ``f(vector, (before, after), axis, kwargs)``. ``reflect_type`` "odd" mirrors at
    the edge's value too.
    """
    if not arr.ndim:
        return arr
    if isinstance(pad_width, (bool, tuple, list, torch.Tensor)):
        _ask_widths(pad_width, mode)
        _ask_fractions(pad_width, mode, arr.ndim)
    pairs = _pairs(pad_width, arr.ndim)
    width = [tuple(max(int(n), 0) for n in pair) for pair in pairs]
    if mode == "median":
        raise refusal(NotImplementedError, "median mode is not supported yet")
    if isinstance(mode, FunctionType):
        arr = pad.kernel(arr, pad_width)
        for axis, pair in enumerate(width):
            arr = apply_along_axis.kernel(mode, axis, arr, pair, axis, kwargs)
        return arr
    if mode == "empty":
        mode, constant_values = "constant", 0
    if mode == "constant" and isinstance(constant_values, int):
        return torch.nn.functional.pad(arr, [n for w in reversed(width) for n in w], value=constant_values)
    if mode in ("reflect", "symmetric") and reflect_type == "odd":
        for axis, (before, after) in enumerate(width):
            own = arr.shape[axis]
            arr = _mirrored(arr, axis, before, own, mode)
            arr = _mirrored(arr.flip(axis), axis, after, own, mode).flip(axis)
        return arr
    if mode in ("edge", "wrap", *_STATISTICS) and (below := [n for pair in pairs for n in pair if n < 0]):
        raise refusal(ValueError, "For 'Tile', 'dims' cannot contain negative integer numbers, but got "
                                  f"{below[0]} in 0th.")
    if mode in _COPIES:
        for axis, (before, after) in enumerate(width):
            arr = arr.index_select(axis, _beyond(arr.shape[axis], before, after, mode, arr.device))
        return arr
    if mode in ("constant", "linear_ramp", *_STATISTICS):
        given = {"constant": constant_values, "linear_ramp": end_values}.get(mode, stat_length)
        ends = [(None, None)] * arr.ndim if given is None and mode in _STATISTICS else _pairs(given, arr.ndim)
        for axis, (widths, given) in enumerate(zip(width, ends, strict=True)):
            arr = _widened(arr, axis, widths, given, mode)
        return arr
    raise ValueError("Input mode not supported.")


def _ask_widths(given, mode) -> None:
    """The widths' kinds, by what a mode makes of them: a shape, a number of tiles, a count."""
    if isinstance(given, (tuple, list)):
        for one in given:
            _ask_widths(one, mode)
    elif given.__class__ is float and given == 0 and mode not in ("edge", "wrap", *_STATISTICS):
        return                          # (nothing is added there)
    elif given.__class__ is not int and isinstance(given, (bool, float, np.integer, torch.Tensor)):
        kind = Tensor if isinstance(given, torch.Tensor) else type(given)
        if mode == "linear_ramp" and kind is bool:
            return
        if mode == "constant":
            raise refusal(TypeError, "each entry in shape should be int." if kind is not bool else
                          "For primitive[FillV2], the input argument[input[shape]] must be a type of "
                          "{Int32, Int64}, but got Bool.")
        if mode == "linear_ramp":
            raise refusal(TypeError, f"num should be an integer, but got {kind}")
        if kind in (bool, float) and mode in ("edge", *_STATISTICS):
            raise asked(failed_call(f"Tile()(input=Tensor, dims=Tuple<{kind.__name__}>)",
                                    "Tile()(input=<Tensor>, dims=<Tensor, tuple of int>)"))
        if kind is float and mode == "wrap":
            raise refusal(TypeError, 'Failed calling Slice with "Slice()(input=Tensor, begin=Tuple<float>, '
                          'size=Tuple<float>)".')
        if kind is float and isinstance(mode, str):
            raise refusal(TypeError, "'float' object cannot be interpreted as an integer")


def _ask_fractions(given, mode, count: int) -> None:
    """The errors for widths in a Tensor of floats, where some modes would count with them."""
    if not isinstance(given, torch.Tensor) or not given.is_floating_point():
        return
    sizes = f"Tuple<Tensor{', int' * (count - 1)}>"
    if mode in ("reflect", "symmetric"):
        raise refusal(ValueError, "Only integer tensors of a single element can be converted to an index.")
    if mode in ("edge", *_STATISTICS):
        raise asked(failed_call(f"Tile()(input=Tensor, dims={sizes})",
                                "Tile()(input=<Tensor>, dims=<Tensor, tuple of int>)"))
    if mode == "wrap":
        raise asked(failed_call(f"Slice()(input=Tensor, begin={sizes}, size={sizes})",
                                "Slice()(input=<Tensor>, begin=<Tensor, tuple>, size=<Tensor, tuple>)"))


def _pairs(given, count: int) -> list[tuple]:
    """(before, after) of every axis, from a number, a pair, or one of them for each axis."""
    if isinstance(given, torch.Tensor):
        given = given.tolist()
        given = [(given, given)] if isinstance(given, float) else given
    if not isinstance(given, (int, tuple, list)):
        raise refusal(TypeError, "pad_width, stat_length, constant_values or end_values should only be int, "
                      "list, tuple or tensor")
    if isinstance(given, int):
        return [(given, given)] * count
    wide = len(given[0]) if given and isinstance(given[0], (tuple, list)) else len(given)
    if wide not in (1, 2) or (wide is not len(given) and len(given) not in (1, count)):
        raise refusal(ValueError, f"input values must be able to broadcast to ({count}, 2)")
    if not isinstance(given[0], (tuple, list)):
        return [tuple(given) * (2 if len(given) == 1 else 1)] * count
    pairs = [tuple(g) * (2 if len(g) == 1 else 1) for g in given]
    return pairs * count if len(pairs) == 1 else pairs


def _mirrored(t, axis: int, count: int, length: int, mode: str):
    """``count`` more elements before the first one, by as much below it as those behind it are above; a
    mirror has room for an array of ``length``."""
    own = int(mode == "reflect")                # the first element itself is not repeated
    if own and length == 1:
        return torch.cat([t.narrow(axis, 0, 1)] * count + [t], axis)
    most = length - own
    while count > 0:
        part = min(count, most)
        first = t.narrow(axis, 0, 1)
        t = torch.cat([2 * first - t.narrow(axis, own, part).flip(axis), t], axis)
        count -= part
    return t


def _widened(t, axis: int, widths, given, mode: str):
    n, parts = t.shape[axis], [t]
    for place, (width, value) in enumerate(zip(widths, given, strict=True)):
        shape = [*t.shape[:axis], width, *t.shape[axis + 1:]]
        if mode == "constant":
            part = t.new_full(shape, value)
        elif mode == "linear_ramp":
            edge = t.narrow(axis, 0 if place == 0 else n - 1, 1)
            steps = torch.arange(width, device=t.device) / max(width, 1)
            steps = (steps if place == 0 else 1 - (steps + 1 / max(width, 1)))
            steps = steps.reshape([-1 if i == axis else 1 for i in range(t.ndim)])
            part = (value + (edge - value) * steps).to(t.dtype)
        else:
            length = n if value is None else min(value, n)
            part = _STATISTICS[mode](t.narrow(axis, 0 if place == 0 else n - length, length), axis)
            part = part.to(t.dtype).expand(shape)
        parts.insert(0 if place == 0 else 2, part)
    return torch.cat(parts, axis)


def _beyond(n, before, after, mode, where):
    index = torch.arange(-before, n + after, device=where)
    if mode == "edge":
        return index.clamp(0, n - 1)
    if mode == "wrap":
        return index % n
    period = 2 * n if mode == "symmetric" else max(2 * n - 2, 1)
    index = index % period
    return torch.where(index < n, index, period - index - int(mode == "symmetric"))
