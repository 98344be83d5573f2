"""Dropout: MindSpore's masks (to the bit on the CPU), its conventions of what stays and what goes."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch._core.checks.calls import failed_call
from ms2torch._core.checks.refusals import wrong_dtype
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import Primitive, op, primitive_class
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.random.random_streams import KernelStream, Stream, stream_of_call
from ms2torch._core.tensor.dtype import from_torch
from ms2torch._core.tensor.tensor import wrap
from ms2torch._naming import generations

from ._math_axis import unseen

_FLOATS = (torch.bfloat16, torch.float16, torch.float32, torch.float64)
_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64)
_NEVER = frozenset((torch.bool, torch.uint8, torch.complex64, torch.complex128))


def dropped(t: torch.Tensor, mask: torch.Tensor, keep: float) -> torch.Tensor:
    """``t`` where the bool ``mask`` keeps it, scaled by 1 / keep. TypeError unless ``t`` holds floats."""
    try:
        return t * mask.to(t.dtype).mul_(1.0 / keep)
    except RuntimeError:
        if t.is_floating_point():
            raise
        raise wrong_dtype("Dropout", "x", t.dtype, _FLOATS) from None


def dropped_channels(t: torch.Tensor, p: float, dims: int) -> torch.Tensor:
    """``t`` with whole channels of ``dims`` dimensions zeroed with probability ``p``."""
    single = t.ndim == dims + 1
    if single:
        t = t.unsqueeze(0)
    shape = (*t.shape[:2], *[1] * (t.ndim - 2))
    if t.dtype in _NEVER:
        raise wrong_dtype(f"Dropout{max(dims, 2)}D", "x", t.dtype, (*_FLOATS, *_INTEGERS))
    kernel = _kernel(dims, p, t.shape, t.dtype) if dims > 1 else _kernel(2, p, (*t.shape, 1), t.dtype)
    keep = kernel.channel_mask(t.shape[:2], 1.0 - p).reshape(shape)
    if not p < 1:
        y = torch.zeros_like(t)
    elif t.is_floating_point():
        y = dropped(t, keep, 1.0 - p)
    else:
        y = (t * keep * torch.tensor(1.0 / (1.0 - p), device=t.device)).to(t.dtype)
    return y.squeeze(0) if single else y


@cache
def _kernel(dims: int, p: float, shape: tuple, dtype: torch.dtype) -> KernelStream:
    return KernelStream()


def _check_p(name: str, p) -> None:
    kinds = (int, float, np.floating, torch.Tensor) if name == "dropout" else (int, float, np.floating)
    if not isinstance(p, kinds) or (p.__class__ is bool and name == "dropout"):
        raise TypeError(f"For '{name}', the type of 'p' should be one of '['float', 'int']', "
                        f"but got type '{type(p).__name__}'.")
    if p < 0 or p > 1:                              # (NaN is neither to MindSpore)
        raise final(RuntimeError(f"For 'Dropout, the 'keep_prob' must be in (0.0, 1.0], but got {1.0 - p:g}"))


@unseen("seed0", "seed1")
@op
@spelled(x="input")
def dropout(input, p=0.5, training=True, seed=None, *, seed0=None, seed1=None):
    """Zeroes elements with probability ``p`` and scales the rest by 1 / (1 - p) (``mindspore.ops.dropout``).

    Unlike nn.Dropout's first argument, ``p`` is the share that goes. ``training`` is True by default. Before
    2.0 it was dropout(x, p=0.5, seed0=0, seed1=0), which gave the mask too: told by these names, else by
    ``--api``.
    """
    if not seed0 is seed1 is None or generations.has_old_meaning("mindspore.ops.dropout"):
        _check_p("dropout", p)
        seeds = seed0 if training is True else training, seed1 if seed is None else seed
        mask = Stream(*(n or 0 for n in seeds)).dropout_mask(input.shape, 1.0 - p)
        return dropped(input, mask, 1.0 - p), mask.to(input.dtype)
    if training.__class__ is int:
        raise final(TypeError("For 'dropout', the 'training' must be a bool, but got int."))
    if not training:
        return input
    _check_p("dropout", p)
    if p.__class__ is int or (isinstance(p, torch.Tensor) and not p.is_floating_point()):
        raise failed_call("Dropout(keep_prob=int, Seed0=int, Seed1=int)(x=Tensor)",
                          "Dropout(keep_prob=<float>, Seed0=<int>, Seed1=<int>)(x=<Tensor>)")
    p = float(p)
    if not input.is_floating_point():
        raise TypeError("For primitive[Dropout], the input argument[x] must be a type of {Tensor[BFloat16], "
                        "Tensor[Float16], Tensor[Float32], Tensor[Float64]}, but got "
                        f"Tensor[{from_torch(input.dtype)}].")
    if p == 0:
        return input.clone()
    if p == 1:
        raise final(RuntimeError("For 'Dropout, the 'keep_prob' must be in (0.0, 1.0], but got 0"))
    return dropped(input, stream_of_call(seed, "dropout").dropout_mask(input.shape, 1.0 - p), 1.0 - p)


def _channels(dims: int):
    def kernel(input, p=0.5, training=True):
        if not training and dims > 1:
            return input
        _check_p(f"dropout{dims}d", p)
        if training and p:
            return dropped_channels(input, p, dims)
        return input.clone() if training else input

    kernel.__name__ = f"dropout{dims}d"
    kernel.__doc__ = (f"Zeroes whole channels over {dims} dimensions with probability ``p`` "
                      f"(``mindspore.ops.dropout{dims}d``).")
    return op(kernel)


dropout1d, dropout2d, dropout3d = (_channels(d) for d in (1, 2, 3))


@primitive_class
class Dropout(Primitive):
    """Dropout as a Primitive (``mindspore.ops.Dropout``): gives ``(output, mask)``, always as in training.

    ``keep_prob`` is the share that stays. One instance has one stream of masks, set by ``Seed0`` and
    ``Seed1``.
    """

    def __init__(self, keep_prob=0.5, Seed0=0, Seed1=0, *, p=None) -> None:
        super().__init__("Dropout")
        if p is not None:       # the share that goes, as nn.Dropout and some programs write it
            keep_prob = 1 - p
        self.keep_prob = keep_prob
        self.attrs = {"keep_prob": keep_prob, "Seed0": Seed0, "Seed1": Seed1, "side_effect_hidden": True}
        self._stream = Stream(Seed0, Seed1)

    def __call__(self, x):
        t = x._t
        if self.keep_prob <= 0 or self.keep_prob > 1:
            raise RuntimeError("For 'Dropout, the 'keep_prob' must be in (0.0, 1.0], but got "
                               f"{self.keep_prob:g}")
        mask = self._stream.dropout_mask(t.shape, self.keep_prob)
        return wrap(dropped(t, mask, self.keep_prob)), wrap(mask.to(t.dtype))


class _ChannelDropout(Primitive):
    _dims = 2

    def __init__(self, keep_prob=0.5) -> None:
        super().__init__(f"Dropout{self._dims}D")
        self.keep_prob = keep_prob

    def __call__(self, x):
        t = x._t
        y = dropped_channels(torch.ones_like(t), 1.0 - self.keep_prob, self._dims)
        return wrap(t * y), wrap(y != 0)


@primitive_class
class Dropout2D(_ChannelDropout):
    """Zeroes channels of (N, C, H, W) (``mindspore.ops.Dropout2D``): gives ``(output, mask)``."""


@primitive_class
class Dropout3D(_ChannelDropout):
    """Zeroes channels of (N, C, D, H, W) (``mindspore.ops.Dropout3D``): gives ``(output, mask)``."""

    _dims = 3



@op
def alpha_dropout(input, p=0.5, training=True):
    """Dropout that keeps mean and variance of SELU's outputs (torch's generator)."""
    return F.alpha_dropout(input, p, training)
