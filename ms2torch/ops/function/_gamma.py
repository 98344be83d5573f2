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


_FAR = 500.0            # up to here the series is summed; torch's derivative of a sample is good beyond


def by_shape(a, x):
    """The derivative of ``gammainc(a, x)`` by ``a``: its series in double, each term by its own shape."""
    wide, to = a.double(), x.double()
    near = (to > 0) & (to <= _FAR) & (wide > 0) & (wide <= _FAR)
    within, point = torch.where(near, wide, 1.0), torch.where(near, to, 1.0)
    shape = within + 1
    logarithm, slope = point.log(), special.digamma(shape)
    term = torch.exp(within * logarithm - point - torch.lgamma(shape))
    total = term * (logarithm - slope)
    end = int(_terms(float(point.max()))) if point.numel() else 0
    for _ in range(end):
        slope, term = slope + 1 / shape, term * point / shape
        total, shape = total + term * (logarithm - slope), shape + 1
    # elsewhere from the derivative of a sample of the distribution by its shape
    other = -standard_gamma_grad(a, x) * _density(a, x)
    return torch.where(near, total.to(other.dtype), other)


def _terms(x: float) -> float:
    return x + 12 * x**0.5 + 30


def _lower(a, x):
    return by_shape(a, x), _density(a, x)


def _upper(a, x):
    return tuple(-d for d in _lower(a, x))


def _lower_share(a, x):
    """``gammainc``; nan where ``a`` is not a finite number above 0, but for x = 0 (torch: 1, or 0)."""
    return torch.where(x == 0, 0.0, torch.where((a > 0) & a.isfinite(), special.gammainc(a, x), torch.nan))


def _upper_share(a, x):
    """``gammaincc``; nan where ``a`` is not above 0, and where one of the two is infinite, but for x = 0."""
    known = (a > 0) & ((x == 0) | (a.isfinite() & x.isfinite()))
    return torch.where(known, special.gammaincc(a, x), torch.nan)


igamma = _of_two(_lower_share, _lower)
igammac = _of_two(_upper_share, _upper)
# MindSpore has no derivative by the exponent either: it is zero there.
zeta = _of_two(special.zeta, lambda s, q: (None, -s * zeta(s + 1, q)))
