"""Higher derivatives along a curve, and linear maps: ``jet``, ``derivative``, ``linearize``."""

from __future__ import annotations

import math

import torch

from ms2torch._core.operators.registry import op
from ms2torch._core.tensor.tensor import lift, lower, wrap

from .grad_func import jvp


def _derivatives(fn, primals, series, order: int):
    """``fn`` and its derivatives to ``order`` at t = 0, along x + s1 t + s2 t^2/2! + ...; output tuples."""
    start = primals[0]
    zero = torch.zeros((), dtype=start.dtype, device=start.device)
    one = torch.ones_like(zero)
    single = []

    def along(t):
        at = [x + sum(s[k] * (t ** (k + 1) / math.factorial(k + 1)) for k in range(len(s)))
              for x, s in zip(primals, series, strict=True)]
        output = lower(fn(*map(wrap, at)))
        single[:] = [not isinstance(output, (tuple, list))]
        return (output,) if single[0] else tuple(output)

    def derived(function):
        return lambda t: torch.func.jvp(function, (t,), (one,))[1]

    functions = [along]
    for _ in range(order):
        functions.append(derived(functions[-1]))
    results = [function(zero) for function in functions]
    return results, single[0]


def _given(outputs, single: bool):
    return wrap(outputs[0]) if single else lift(tuple(outputs))


@op(on_tensors=True)
def jet(fn, primals, series):
    """``fn`` at ``primals``, and its derivatives along a curve through them (``mindspore.ops.jet``).

    Entry k of ``series`` (one for each of ``primals``, with one axis more) is the curve's derivative k + 1
    there; entry k of the second result is the output's.
    """
    primals, series = lower((primals, series))
    if not any(isinstance(primals, kind) and isinstance(series, kind) for kind in (torch.Tensor, tuple)):
        raise TypeError("For 'F.jet', the 'primals' and `series` must be both Tensor or tuple.")
    inputs, rates = ([x] if isinstance(x, torch.Tensor) else list(x) for x in (primals, series))
    if len(inputs) != len(rates):
        raise ValueError("The lengths of primals and series must be the same.")
    rates = [r[None] if r.shape == x.shape else r for x, r in zip(inputs, rates, strict=True)]
    if any(r.shape[1:] != x.shape for x, r in zip(inputs, rates, strict=True)):
        raise ValueError("In series, the shape of each element must be the same as the primals.")
    results, single = _derivatives(fn, inputs, rates, len(rates[0]))
    stacked = [torch.stack(column) for column in zip(*results[1:], strict=True)]
    return _given(results[0], single), _given(stacked, single)


@op(on_tensors=True)
def derivative(fn, primals, order):
    """``fn`` at ``primals``, and its derivative of ``order`` where all inputs grow alike.

    (``mindspore.ops.derivative``.)
    """
    if not isinstance(order, int):
        raise TypeError("For `F.derivative`, the type of order must be int.")
    if order < 1:
        raise ValueError(f"For `F.derivative`, value of order should not be less than 1, but got {order}.")
    inputs = lower(primals)
    inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
    rates = [torch.ones_like(x)[None] for x in inputs]
    results, single = _derivatives(fn, inputs, rates, order)
    return _given(results[0], single), _given(results[-1], single)


@op(on_tensors=True)
def linearize(fn, inputs):
    """``fn`` at ``inputs``, and the function that maps a direction to the derivative along it.

    (``mindspore.ops.linearize``.)
    """
    def along(v):
        return jvp(fn, inputs, v)[1]

    return fn(*inputs) if isinstance(inputs, (tuple, list)) else fn(inputs), along
