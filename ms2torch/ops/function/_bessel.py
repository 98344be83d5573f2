"""Bessel functions with their derivatives: torch computes the functions, and knows no derivative of most."""

from __future__ import annotations

from math import inf

import torch
from torch import special


def _differentiable(compute, derivative):
    """``compute`` with ``derivative(x, y)``, of functions of this file, so that it has one too."""

    class Function(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return compute(x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs, output)

        @staticmethod
        def backward(ctx, grad):
            return grad * derivative(*ctx.saved_tensors)

    return in_float(Function.apply)


def in_float(compute):
    """``compute``, halves by way of float32: torch's kernels and their derivatives lack them."""
    def call(x):
        if x.dtype is torch.float16 or x.dtype is torch.bfloat16:
            return compute(x.float()).to(x.dtype)
        return compute(x)

    return call


def _over(y, x, limit):
    """y / x, with its limit at 0."""
    zero = x == 0
    return torch.where(zero, limit, y / torch.where(zero, 1.0, x))


def _of_positive(compute, otherwise):
    """``compute``, with ``otherwise``, the pole's value, at 0 and below, where torch has nan."""
    return lambda x: torch.where(x <= 0, otherwise, compute(x))


j0 = _differentiable(special.bessel_j0, lambda x, y: -j1(x))
j1 = _differentiable(special.bessel_j1, lambda x, y: j0(x) - _over(y, x, 0.5))
y0 = _differentiable(_of_positive(special.bessel_y0, -inf), lambda x, y: -y1(x))
y1 = _differentiable(_of_positive(special.bessel_y1, -inf), lambda x, y: y0(x) - y / x)
k0 = _differentiable(_of_positive(special.modified_bessel_k0, inf), lambda x, y: -k1(x))
k1 = _differentiable(_of_positive(special.modified_bessel_k1, inf),
                     lambda x, y: -k0(x) - y / (x + 0.0))          # (0.0 where x is -0.0)
k0e = _differentiable(_of_positive(special.scaled_modified_bessel_k0, inf), lambda x, y: y - k1e(x))
k1e = _differentiable(_of_positive(special.scaled_modified_bessel_k1, inf),
                      lambda x, y: y * (1 - 1 / x) - k0e(x))
i0 = in_float(special.i0)
i1 = _differentiable(special.i1, lambda x, y: i0(x) - _over(y, x, 0.5))
i0e = in_float(special.i0e)
i1e = in_float(special.i1e)
