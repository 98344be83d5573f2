"""Special functions (``mindspore.mint.special``): those of ``mindspore.mint``, with fewer arguments."""

import torch

from ms2torch._core.operators.lowering import lowered
from ms2torch.mint import erfc, exp2, expm1, log1p, sinc
from ms2torch.mint.nn.functional import log_softmax

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]


@lowered
def round(input):
    """The nearest whole number, the even one of two (``mindspore.mint.special.round``)."""
    return torch.round(input)
