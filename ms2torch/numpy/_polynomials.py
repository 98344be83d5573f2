"""Polynomials as their coefficients, highest power first (``mindspore.numpy``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators import arithmetic

from .math_ops import convolve
from .utils import arrays, as_array, ask_factor, ask_float, refusal

__all__ = ["polyadd", "polyder", "polyint", "polymul", "polysub", "polyval"]

_convolve = convolve.kernel


def _vector(t):
    """The coefficients: a number is one."""
    if t.ndim > 1:
        raise refusal(ValueError, "input array must be scalar or 1-d sequence")
    return torch.atleast_1d(t)


def _aligned(a, b):
    a, b = _vector(a), _vector(b)
    longest = max(a.numel(), b.numel())
    return (torch.nn.functional.pad(t.reshape(-1), (longest - t.numel(), 0)) for t in (a, b))


@arrays(2)
def polyadd(a1, a2):
    """The sum of two polynomials (``mindspore.numpy.polyadd``)."""
    return arithmetic.add(*_aligned(a1, a2))


@arrays(2)
def polysub(a1, a2):
    """The difference of two polynomials (``mindspore.numpy.polysub``)."""
    return arithmetic.sub(*_aligned(a1, a2))


@arrays(2)
def polymul(a1, a2):
    """The product of two polynomials (``mindspore.numpy.polymul``)."""
    a, b = _vector(a1), _vector(a2)
    return _convolve(a, b, "full")


@arrays(2)
def polyval(p, x):
    """The polynomial at ``x`` as Float32, by Horner's rule (``mindspore.numpy.polyval``)."""
    p = _vector(p)
    ask_float(x)
    ask_factor(p)
    x = x.to(torch.promote_types(x.dtype, torch.float64 if p.dtype is torch.float64 else torch.float32))
    value = torch.ones_like(x) * p[0]
    for coefficient in p[1:]:
        value = value * x + coefficient
    return value


def _order(m) -> int:
    if m < 0:
        raise ValueError("Order of derivative must be positive")
    return m


@arrays(1)
def polyder(p, m=1):
    """The derivative of order ``m`` (``mindspore.numpy.polyder``)."""
    p = _vector(p)
    for _ in range(_order(m)):
        if p.numel() < 2:
            return torch.zeros(0, device=p.device)
        powers = torch.arange(p.numel() - 1, 0, -1, device=p.device).to(p.dtype)
        p = p[:-1] * powers
    return p


@arrays(1)
def polyint(p, m=1, k=None):
    """The antiderivative of order ``m``; ``k`` are its constants, 0 by default (``mindspore.numpy.polyint``).
    """
    p = _vector(p)
    constants = torch.atleast_1d(as_array(0 if k is None else k)).expand(_order(m))
    p = p if p.is_floating_point() or not m else p.to(torch.float32)
    for constant in constants:
        powers = torch.arange(p.numel(), 0, -1, device=p.device).to(p.dtype)
        p = torch.cat([p / powers, constant.reshape(1).to(p.dtype)])
    return p
