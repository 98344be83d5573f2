"""A port's run moved by last digits: how far that moves what comes after tells what rounding does there.

What layers make is moved by the recorder (`Shaking`). Between layers only half precision matters: two kernels
that sum in another order round some results of a product to the neighbouring number, and such a step is
thousands of float32's. `Halves` does that in a run of its own, as what it moves is a bound and no measure of
how much faster than all before it something grows.
"""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.torch_private import TorchDispatchMode

# Of a product, one result in so many is rounded the other way: on a CPU MindSpore's and torch's products in
# float16 differed in one of 200 to 2,000.
_ROUNDED_OTHERWISE = 512
_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "mv", "dot", "convolution", "convolution_backward")
# Computed in half precision throughout by one side, and in float32 by the other.
_WHOLLY = ("_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data")


class Shaking:
    """A Recorder's half: what each layer makes, and the gradient that comes back to it, moves by a digit."""

    def outgoing(self, value, where, index, call):
        return super().outgoing(self._moved(value), where, index, call)

    def _moved(self, value):
        if isinstance(value, self.parameter) or not self.frame.differentiable(value) or value.is_complex():
            return value
        return moved(value)


class Halves(TorchDispatchMode):
    """While it is entered, products in float16 and bfloat16 are rounded otherwise in some places; unless
    ``moves``, the first of them is told to ``met`` instead."""

    def __init__(self, moves: bool, dtypes=(torch.float16, torch.bfloat16)) -> None:
        super().__init__()
        self.moves, self.dtypes, self.met = moves, dtypes, None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        if self.moves and _adds_bias(name, args) and args[0].dtype in self.dtypes:
            result = _rounded_twice(func, name, args, kwargs or {})
        else:
            result = func(*args, **(kwargs or {}))
        if name not in (*_PRODUCTS, *_WHOLLY):
            return result
        return self._each(result, 1 if name in _WHOLLY else _ROUNDED_OTHERWISE)

    def _each(self, result, one_in: int):
        if isinstance(result, (tuple, list)):
            return type(result)(self._each(part, one_in) for part in result)
        half = isinstance(result, torch.Tensor) and result.dtype in self.dtypes
        return self._seen(result, one_in) if half and result.numel() else result

    def _seen(self, value, one_in):
        if self.moves:
            return moved(value, one_in)
        if self.met is not None:
            met, self.met = self.met, None
            met()
        return value


def _adds_bias(name: str, args) -> bool:
    """Whether a product has a bias in it."""
    return name in ("addmm", "baddbmm") or (name == "convolution" and args[2] is not None)


def _rounded_twice(func, name: str, args, kwargs):
    """A product and its bias as MindSpore has them, which rounds the product and then the sum; torch rounds
    once."""
    if name == "convolution":
        x, weight, bias, *rest = args
        return func(x, weight, None, *rest, **kwargs) + bias.reshape(-1, *[1] * (x.ndim - 2))
    bias, *factors = args
    return func(torch.zeros_like(bias), *factors, **kwargs) + bias * kwargs.get("beta", 1)


def moved(value: torch.Tensor, one_in: int = 1) -> torch.Tensor:
    """A tensor with each element, or ``one_in`` so many and at least one, moved by a last digit."""
    draw = np.random.RandomState(value.numel() % 2**32)
    signs = draw.randint(-1, 2, tuple(value.shape))
    if one_in > 1:
        signs = np.zeros(value.numel(), np.int64)
        signs[draw.permutation(value.numel())[: -(-value.numel() // one_in)]] = 1
        signs = signs.reshape(tuple(value.shape))
    return value * (1 + torch.finfo(value.dtype).eps * torch.from_numpy(signs).to(value))
