"""A port's run moved by last digits: how far that moves what comes after tells what rounding does there.

What layers make is moved by the recorder (`Shaking`). Between layers two things matter. In half precision
two kernels that sum in another order round some results of a product to the neighbouring number, and such a
step is thousands of float32's. And MindSpore's CPU approximates exponentials and logarithms, which shows
where a loss is a sum whose terms cancel (a divergence). `Kernels` does both in a run of its own, as what it
moves is a bound and no measure of how much faster than all before it something grows.
"""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.torch_private import TorchDispatchMode

# Of a product, one result in so many is rounded the other way: on a CPU MindSpore's and torch's products in
# float16 differed in one of 200 to 2,000.
_ROUNDED_OTHERWISE = 512
_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "mv", "dot", "convolution", "convolution_backward")
# By how much MindSpore's CPU was measured to be off, in the mean: as a part of the result, or of 1.
_APART = {"exp": 1e-6, "_softmax": 1e-6, "sigmoid": 1e-6, "tanh": 1e-7}
_OFF = {"log": 5e-7, "xlogy": 5e-7, "logsumexp": 1e-6, "_log_softmax": 2e-6, "softplus": 5e-7, "elu": 5e-7,
        "silu": 2e-7, "log_sigmoid_forward": 5e-7}
# Its tanh of 3 to 8 is off by up to 1e-4: of these results.
_SATURATED, _OFF_THERE = 0.99, 5e-5
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


class Kernels(TorchDispatchMode):
    """While it is entered, products in float16 and bfloat16 are rounded otherwise in some places, and results
    in float32 moved by as much as MindSpore's approximations are off; unless ``moves``, the first of either
    is told to ``met`` instead."""

    def __init__(self, moves: bool, dtypes=(torch.float16, torch.bfloat16)) -> None:
        super().__init__()
        self.moves, self.dtypes, self.met, self.sign = moves, dtypes, None, 1

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        if self.moves and _adds_bias(name, args) and args[0].dtype in self.dtypes:
            result = _rounded_twice(func, name, args, kwargs or {})
        else:
            result = func(*args, **(kwargs or {}))
        if name in (*_PRODUCTS, *_WHOLLY):
            one_in = 1 if name in _WHOLLY else _ROUNDED_OTHERWISE
            result = self._each(result, self.dtypes, lambda value: moved(value, one_in))
        if name in _APART or name in _OFF:
            result = self._each(result, (torch.float32,), lambda value: self._approximated(name, value))
        return result

    def _each(self, result, dtypes, move):
        if isinstance(result, (tuple, list)):
            return type(result)(self._each(part, dtypes, move) for part in result)
        if not isinstance(result, torch.Tensor) or result.dtype not in dtypes or not result.numel():
            return result
        if self.moves:
            return move(result)
        if self.met is not None:
            met, self.met = self.met, None
            met()
        return result

    def _approximated(self, name: str, value: torch.Tensor) -> torch.Tensor:
        """What ``name`` gives as far off as MindSpore's may be: all logarithms of a call one way, those of
        the next the other, as what is subtracted would cancel."""
        self.sign = -self.sign
        signs = torch.from_numpy(_signs(tuple(value.shape))).to(value)
        if name == "tanh":
            signs = torch.where(value.abs() > _SATURATED, signs * (_OFF_THERE / _APART[name]), signs)
        return value * (1 + _APART.get(name, 0.0) * signs) + _OFF.get(name, 0.0) * self.sign


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
    signs = _signs(tuple(value.shape), one_in)
    return value * (1 + torch.finfo(value.dtype).eps * torch.from_numpy(signs).to(value))


def _signs(shape: tuple[int, ...], one_in: int = 1) -> np.ndarray:
    """-1, 0 and 1, or 1 in one of so many places."""
    count = int(np.prod(shape))
    draw = np.random.RandomState(count % 2**32)
    if one_in == 1:
        return draw.randint(-1, 2, shape)
    signs = np.zeros(count, np.int64)
    signs[draw.permutation(count)[: -(-count // one_in)]] = 1
    return signs.reshape(shape)
