"""Functions around gamma whose derivatives torch does not have."""

from __future__ import annotations

import torch
from torch import special

from ms2torch._core.torch_private import standard_gamma_grad


def _of_two(compute, derivatives):
    """``compute(a, x)`` with ``derivatives(a, x)``, one for each argument or None for zero."""

    class Function(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(a, x):
            return compute(a, x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return tuple(None if d is None else grad * d for d in derivatives(*ctx.saved_tensors))

    def call(a, x):
        return Function.apply(*torch.broadcast_tensors(a, x))

    return call


def _density(a, x):
    return torch.exp((a - 1) * x.log() - x - torch.lgamma(a))


def _lower(a, x):
    density = _density(a, x)
    # d gammainc(a, x) / da, from the derivative of a sample of the distribution by its shape.
    return -standard_gamma_grad(a, x) * density, density


def _upper(a, x):
    return tuple(-d for d in _lower(a, x))


igamma = _of_two(special.gammainc, _lower)
igammac = _of_two(special.gammaincc, _upper)
# MindSpore has no derivative by the exponent either: it is zero there.
zeta = _of_two(special.zeta, lambda s, q: (None, -s * zeta(s + 1, q)))
