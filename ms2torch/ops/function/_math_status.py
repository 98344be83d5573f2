"""Overflow flags as Primitives, and losses and scalings that exist as Primitives only."""

from __future__ import annotations

import torch

from ms2torch._core.gradient import overflow
from ms2torch._core.operators.registry import primitive

__all__: list[str] = []


@primitive("FloatStatus")
def _float_status(x):
    """[1.0] where an element is infinite or NaN, else [0.0] (``mindspore.ops.FloatStatus``)."""
    return torch.logical_not(torch.isfinite(x).all()).to(torch.float32).reshape(1)


@primitive("NPUAllocFloatStatus")
def _alloc_float_status():
    """Eight zeros, the place that the flags are read into (``mindspore.ops.NPUAllocFloatStatus``)."""
    return torch.zeros(8)


@primitive("NPUGetFloatStatus")
def _get_float_status(input_x):
    """Reads the overflow flag into ``input_x``, as programs of r1.0 expect, and returns its contents.

    1 in front where a gradient since ``NPUClearFloatStatus`` was nan or infinite: no device keeps a flag
    here, so a forward pass that overflows without any such gradient does not show, unlike on Ascend.
    MindSpore: ``mindspore.ops.NPUGetFloatStatus``.
    """
    input_x[:1] = overflow.read()
    return input_x.clone()


@primitive("NPUClearFloatStatus")
def _clear_float_status(input_x):
    """Clears the overflow flag and ``input_x``; returns zeros (``mindspore.ops.NPUClearFloatStatus``)."""
    overflow.clear()
    input_x.zero_()
    return torch.zeros_like(input_x)


@primitive("L2Loss")
def _l2_loss(input_x):
    """Half the sum of squares (``mindspore.ops.L2Loss``)."""
    return torch.sum(torch.square(input_x)) / 2
