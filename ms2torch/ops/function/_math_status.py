"""Overflow flags as Primitives, and losses and scalings that exist as Primitives only."""

from __future__ import annotations

import torch

from ms2torch._core.registry import primitive

__all__: list[str] = []


@primitive("FloatStatus")
def _float_status(x):
    """[1.0] where an element is infinite or NaN, else [0.0] (``mindspore.ops.FloatStatus``)."""
    return torch.logical_not(torch.isfinite(x).all()).to(torch.float32).reshape(1)


@primitive("NPUAllocFloatStatus")
def _alloc_float_status():
    """Eight zeros, as on Ascend: here no flag of the device stands behind them.

    MindSpore: ``mindspore.ops.NPUAllocFloatStatus``.
    """
    return torch.zeros(8)


@primitive("NPUGetFloatStatus")
def _get_float_status(input_x):
    """The flags: no device keeps any here, overflow shows in the gradients themselves."""
    return input_x.clone()


@primitive("NPUClearFloatStatus")
def _clear_float_status(input_x):
    """Zeros (``mindspore.ops.NPUClearFloatStatus``)."""
    return torch.zeros_like(input_x)


@primitive("L2Loss")
def _l2_loss(input_x):
    """Half the sum of squares (``mindspore.ops.L2Loss``)."""
    return torch.sum(torch.square(input_x)) / 2
