"""Numbers rounded as integers would be; they stay floats.

Between ``low`` and ``high`` a number goes to the nearest of ``quant_max - quant_min + 1`` evenly spaced ones,
of which 0 is one; gradients pass as if it had not, and are zero outside:

    scale = (high - low) / (quant_max - quant_min)
    zero  = round(quant_min - low / scale), within [quant_min, quant_max]
    low', high' = (quant_min - zero) * scale, (quant_max - zero) * scale
    y = floor((clip(x, low', high') - low') / scale + 0.5) * scale + low'
"""

from __future__ import annotations

import torch


def levels(num_bits: int, symmetric: bool, narrow_range: bool) -> tuple[int, int]:
    """The lowest and the highest integer."""
    count = 2**num_bits
    first = -count // 2 if symmetric else 0
    return first + bool(narrow_range), first + count - 1


def grid(low, high, num_bits: int, symmetric: bool, narrow_range: bool):
    """The lowest and the highest number of the grid, and its step (0 where ``low`` and ``high`` are 0)."""
    first, last = levels(num_bits, symmetric, narrow_range)
    if symmetric:
        high = torch.maximum(-low, high)
        low = -high
    scale = (high - low) / (last - first)
    zero = torch.floor(torch.clamp(first - low / scale, first, last) + 0.5).nan_to_num(first)
    return (first - zero) * scale, (last - zero) * scale, scale


class Rounded(torch.autograd.Function):
    """``x`` on the grid of ``scale`` from ``low`` to ``high``; the gradient is 1 between ``bottom`` and
    ``top`` and 0 outside."""

    @staticmethod
    def forward(x, low, high, scale, bottom, top):
        steps = torch.floor((torch.clamp(x, low, high) - low) / scale + 0.5)
        return torch.where(scale == 0, low, steps * scale + low).to(x.dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, *_, bottom, top = inputs
        ctx.save_for_backward((x >= bottom) & (x <= top))

    @staticmethod
    def backward(ctx, gradient):
        (inside,) = ctx.saved_tensors
        return gradient * inside, None, None, None, None, None


def learned(x, alpha, quant_max, neg_trunc: bool):
    """``x`` in shares of ``alpha``, those shares within [-1, 1] ([0, 1] with ``neg_trunc``) and rounded to
    multiples of 1 / ``quant_max``."""
    alpha = torch.where(alpha.abs() >= 1e-6, alpha, 1e-6)
    share = x / alpha
    rounded = torch.floor(share.clamp(0 if neg_trunc else -1, 1) * quant_max + 0.5) / quant_max
    return share, rounded, rounded * alpha


class Learned(torch.autograd.Function):
    """`learned` with MindSpore's gradients: of ``x`` within the bounds 1, outside 0; of ``alpha`` within the
    error of rounding, outside the side's sign (with ``neg_trunc`` too, where the output is 0)."""

    @staticmethod
    def forward(x, alpha, quant_max, neg_trunc):
        return learned(x, alpha, quant_max, neg_trunc)[2]

    @staticmethod
    def setup_context(ctx, inputs, output):
        *tensors, ctx.neg_trunc = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx, gradient):
        return (*learned_gradients(gradient, *ctx.saved_tensors, ctx.neg_trunc), None, None)


def learned_gradients(gradient, x, alpha, quant_max, neg_trunc: bool):
    """The gradients of ``x`` and of ``alpha`` in `Learned`."""
    share, rounded, _ = learned(x, alpha, quant_max, neg_trunc)
    outside = (share > 1) | (share < (0 if neg_trunc else -1))
    of_alpha = gradient * torch.where(outside, share.sign(), rounded - share)
    return gradient * ~outside, of_alpha.sum_to_size(alpha.shape)


def observed(x, low, high, axes: list[int], ema: bool, decay: float):
    """The range of ``x`` over ``axes`` with 0 in it, or with ``ema`` the last one moved there by
    ``1 - decay``."""
    found = (x.amin(axes), x.amax(axes)) if axes else (x, x)
    least, most = (t.reshape(low.shape) for t in found)
    if ema:
        least = low * decay + least * (1 - decay)
        most = high * decay + most * (1 - decay)
    return least.clamp(max=0).to(low.dtype), most.clamp(min=0).to(high.dtype)
