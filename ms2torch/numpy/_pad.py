"""``numpy.pad`` (``mindspore.numpy.pad``)."""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported

from .utils import arrays

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
    function ``f(vector, (before, after), axis, kwargs)``. ``reflect_type`` "odd" is not supported.
    """
    width = _pairs(pad_width, arr.ndim)
    if mode == "empty":
        mode, constant_values = "constant", 0
    if mode == "constant" and isinstance(constant_values, (int, float)):
        return torch.nn.functional.pad(arr, [n for w in reversed(width) for n in w], value=constant_values)
    if mode in _COPIES:
        if reflect_type != "even":
            raise unsupported("mindspore.numpy.pad", f"reflect_type={reflect_type!r} is not here.",
                              "numpy.pad on x.asnumpy().")
        for axis, (before, after) in enumerate(width):
            arr = arr.index_select(axis, _beyond(arr.shape[axis], before, after, mode, arr.device))
        return arr
    if mode in ("constant", "linear_ramp", *_STATISTICS):
        given = {"constant": constant_values, "linear_ramp": end_values}.get(mode, stat_length)
        ends = _pairs(given, arr.ndim)
        for axis, (widths, given) in enumerate(zip(width, ends, strict=True)):
            arr = _widened(arr, axis, widths, given, mode)
        return arr
    raise ValueError("Input mode not supported.")


def _pairs(given, count: int) -> list[tuple]:
    """(before, after) of every axis, from a number, a pair, or one of them for each axis."""
    if not isinstance(given, (tuple, list)):
        return [(given, given)] * count
    wide = len(given[0]) if given and isinstance(given[0], (tuple, list)) else len(given)
    if wide not in (1, 2) or (wide is not len(given) and len(given) not in (1, count)):
        raise ValueError(f"input values must be able to broadcast to ({count}, 2)")
    if not isinstance(given[0], (tuple, list)):
        return [tuple(given) * (2 if len(given) == 1 else 1)] * count
    pairs = [tuple(g) * (2 if len(g) == 1 else 1) for g in given]
    return pairs * count if len(pairs) == 1 else pairs


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
