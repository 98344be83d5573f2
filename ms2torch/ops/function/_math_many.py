"""Arithmetic of three and more operands."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.operators import arithmetic, autocast
from ms2torch._core.operators.registry import method, mint_form, op, primitive
from ms2torch._core.processes import distributed
from ms2torch._core.tensor.tensor import Tensor

__all__ = ["accumulate_n", "addcdiv", "addcmul", "addn", "lerp"]


def _plus_product(input, tensor1, tensor2, value):
    return arithmetic.add(input, arithmetic.mul(arithmetic.mul(tensor1, tensor2), value))


def _plus_quotient(input, tensor1, tensor2, value):
    return arithmetic.add(input, arithmetic.mul(arithmetic.div(tensor1, tensor2), value))


def _factor(value, input):
    """What ``value`` may be beside a number and a Tensor: numbers in a list, a tuple or a numpy array."""
    if isinstance(value, (list, tuple, np.ndarray)):
        value = Tensor(value)._t
        return value if value.is_floating_point() > input.is_floating_point() else value.to(input.dtype)
    return value


@op(method=True, named="Addcmul")
def addcmul(input, tensor1, tensor2, value=1):
    """input + value * tensor1 * tensor2 (``mindspore.ops.addcmul``)."""
    return _plus_product(input, tensor1, tensor2, _factor(value, input))


@op(named="Addcdiv")
def addcdiv(input, tensor1, tensor2, value=1):
    """input + value * tensor1 / tensor2 (``mindspore.ops.addcdiv``)."""
    return _plus_quotient(input, tensor1, tensor2, _factor(value, input))


@method(name="addcdiv")
def _addcdiv_method(input, tensor1, tensor2, value=1):
    return _plus_quotient(input, tensor1, tensor2, value)


@primitive("Addcmul")
def _addcmul_primitive(input, tensor1, tensor2, value):
    """input + value * tensor1 * tensor2."""
    return _plus_product(input, tensor1, tensor2, value)


@primitive("Addcdiv")
def _addcdiv_primitive(input, tensor1, tensor2, value):
    """input + value * tensor1 / tensor2."""
    return _plus_quotient(input, tensor1, tensor2, value)


@mint_form(name="addcmul")
def _addcmul(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 * tensor2; ``value`` by name."""
    return _plus_product(input, tensor1, tensor2, value)


@mint_form(name="addcdiv")
def _addcdiv(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 / tensor2; ``value`` by name."""
    return _plus_quotient(input, tensor1, tensor2, value)


@op(primitive="Lerp", method=True, mint=True)
def lerp(input, end, weight):
    """input + weight * (end - input) (``mindspore.ops.lerp``)."""
    if isinstance(weight, torch.Tensor) and weight.dtype is not input.dtype and weight.is_floating_point():
        weight = weight.to(input.dtype)
    return torch.lerp(input, end, weight)


def _sum_of(x):
    if isinstance(x, torch.Tensor):
        raise TypeError(
            'Failed calling AddN with "AddN()(x=Tensor)".\nThe valid calling should be: \n'
            '"AddN()(x=<list of tensor, tuple of tensor>)".\n'
        )
    if not len(x):
        raise ValueError("For primitive[AddN], the input num must be greater than or equal to 1, but got 0.")
    if distributed.staged() and any(t.is_meta for t in x):     # (other stages of a pipeline have these)
        return torch.stack(list(x)).sum(0)
    total = x[0]
    for t in x[1:]:
        if t.dtype is not total.dtype:
            raise TypeError(
                f"For primitive[AddN], the input type must be same, but got {total.dtype} and {t.dtype}."
            )
        if t.shape != total.shape:
            raise ValueError(
                f"For 'AddN', the shapes of its inputs must be the same, but got "
                f"{list(total.shape)} and {list(t.shape)}."
            )
        total = arithmetic.add(total, t)
    return total


@op(primitive="AddN")
def addn(x):
    """The sum of a list or tuple of tensors of one shape (``mindspore.ops.addn``)."""
    if len(x) == 1 and not isinstance(x[0], torch.Tensor):
        raise TypeError("For 'AddN', the type of 'inputs[0]' must be a tensor, but got "
                        f"{type(x[0]).__name__}, or the length of 'inputs' should not be equal to 1, but got "
                        "(1).")
    return _sum_of(autocast.widened(x))


@op(primitive="AccumulateNV2")
def accumulate_n(x):
    """The sum of a list or tuple of tensors of one shape (``mindspore.ops.accumulate_n``)."""
    return _sum_of(x)


@primitive("Betainc")
def _betainc(a, b, x):
    """The regularized incomplete beta function I_x(a, b), without gradients for a and b
    (``mindspore.ops.Betainc``); NaN unless a and b are positive numbers and x is from 0 to 1."""
    dtype = x.dtype
    a, b, x = torch.broadcast_tensors(a.detach().double(), b.detach().double(), x.double())
    # The continued fraction converges fast below the mean; above it, I_x(a, b) = 1 - I_{1 - x}(b, a).
    low = x < (a + 1) / (a + b + 2)
    p, q, z = torch.where(low, a, b), torch.where(low, b, a), torch.where(low, x, 1 - x)
    beta = torch.lgamma(p) + torch.lgamma(q) - torch.lgamma(p + q)
    front = torch.exp(p * z.log() + q * torch.log1p(-z) - beta) / p
    result = torch.where(low, front / _fraction(p, q, z), 1 - front / _fraction(p, q, z))
    defined = (a > 0) & a.isfinite() & (b > 0) & b.isfinite() & (x >= 0) & (x <= 1)
    result = torch.where(x == 0, 0.0, torch.where(x == 1, 1.0, result))
    return torch.where(defined, result, torch.nan).to(dtype)


def _fraction(a, b, x, terms: int = 200):
    """The continued fraction of the incomplete beta function, from its last term up."""
    value = torch.ones_like(x)
    for m in range(terms, 0, -1):
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        value = 1 + even / (1 + odd / value)
    return 1 - (a + b) * x / (a + 1) / value
