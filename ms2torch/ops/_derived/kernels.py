"""Kernels of MindSpore's core without a class in its Python: programs write Primitives of their names."""

from __future__ import annotations

import math

import torch


def _shift(x, fill_value, *, periods=1, axis=-1):
    """``x`` moved by ``periods`` places along an axis, with ``fill_value`` where nothing came."""
    size = x.shape[axis]
    kept = max(size - abs(periods), 0)
    space = [*x.shape]
    space[axis] = size - kept
    filling = torch.full(space, fill_value, dtype=x.dtype, device=x.device)
    rest = x.narrow(axis, size - kept if periods < 0 else 0, kept)
    return torch.cat((rest, filling) if periods < 0 else (filling, rest), axis)


def _qr(x, *, mode="full"):
    return tuple(torch.linalg.qr(x, "reduced" if mode == "economic" else "complete"))


def _variance(t, axis):
    """In two passes: integers are cut from it, so that the last bit counts."""
    return (t - t.mean(axis, keepdim=True)).square().sum(axis) / (t.shape[axis] - 1)


_OVER = {
    "max": torch.amax,
    "min": torch.amin,
    "mean": torch.mean,
    "sum": torch.sum,
    "std": lambda t, axis: _variance(t, axis).sqrt(),
    "var": lambda t, axis: _variance(t, axis),
}


def _rolling(x, *, window, min_periods, center, axis, closed, method):
    """``method`` of the ``window`` elements up to each; NaN, of integers 0, for less than ``min_periods``."""
    size, wide = x.shape[axis], x if x.is_floating_point() or method in ("max", "min", "sum") else x.double()
    first = (window - 1) // 2 + 1 if center else 1
    found = []
    for end in range(first, first + size):
        begin = end - window - (closed in ("left", "both"))
        begin, end = (min(max(n, 0), size) for n in (begin, end - (closed in ("left", "neither"))))
        if end - begin < min_periods:
            found.append(wide.select(axis, 0) * 0 + (math.nan if x.is_floating_point() else 0))
        else:
            found.append(_OVER[method](wide.narrow(axis, begin, end - begin), axis))
    return torch.stack(found, axis).to(x.dtype)


KERNELS = {"QR": _qr, "Rolling": _rolling, "Shift": _shift}
