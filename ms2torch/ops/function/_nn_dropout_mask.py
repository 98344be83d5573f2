"""Dropout by a mask of bits, in two Primitives of Ascend: one draws the mask, the other applies it."""

from __future__ import annotations

import math

import torch

from ms2torch._core.operators.registry import Primitive, primitive, primitive_class
from ms2torch._core.random.random_streams import Stream
from ms2torch._core.tensor.tensor import Tensor, wrap


def _number(keep_prob):
    return float(keep_prob._t) if isinstance(keep_prob, Tensor) else float(keep_prob)


@primitive_class
class DropoutGenMask(Primitive):
    """A mask that keeps elements with a probability (``mindspore.ops.DropoutGenMask``).

    ``(shape, keep_prob)`` to UInt8: one bit for each element, lowest first, in bytes up to a multiple of 128
    bits. One instance has one stream of masks, set by ``Seed0`` and ``Seed1``.
    """

    def __init__(self, Seed0=0, Seed1=0) -> None:
        super().__init__("DropoutGenMask")
        self.attrs = {"Seed0": Seed0, "Seed1": Seed1}
        self._stream = Stream(Seed0, Seed1)

    def __call__(self, shape, keep_prob):
        size = math.prod(int(n) for n in shape)
        mask = self._stream.dropout_mask((-(-size // 128) * 128,), _number(keep_prob))
        bits = mask.to(torch.int32).reshape(-1, 8)
        weights = 1 << torch.arange(8, device=bits.device, dtype=torch.int32)
        return wrap((bits * weights).sum(1).to(torch.uint8))



@primitive("DropoutDoMask")
def _dropout_do_mask(input_x, mask, keep_prob):
    """Zeroes what the bits of ``mask`` do not keep, scales the rest by 1 / keep_prob.

    (``mindspore.ops.DropoutDoMask``.) ValueError where the mask is shorter than the input.
    """
    size = input_x.numel()
    if mask.numel() * 8 < size:
        raise ValueError("For 'DropoutDoMask', the shape of 'mask' must be at least one bit for each "
                         f"element, but got {mask.numel()} bytes for {size} elements.")
    weights = 1 << torch.arange(8, device=mask.device, dtype=torch.int32)
    keep = (mask.to(torch.int32)[:, None] & weights).ne(0).reshape(-1)[:size].reshape(input_x.shape)
    keep_prob = float(keep_prob)
    return torch.zeros_like(input_x) if keep_prob == 0 else input_x * keep / keep_prob
