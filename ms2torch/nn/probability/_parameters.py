"""Dtypes and shapes of the parameters of distributions and bijectors."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor

FLOATS = tuple(_dtype._NAMED[name] for name in (
    "float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2", "hifloat8"))
INTEGERS = tuple(_dtype._NAMED[name] for name in (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"))


def broadcast(arguments) -> tuple[int, ...]:
    """The shape of parameters together; ValueError where they do not fit."""
    shapes = [tuple(v.shape) if isinstance(v, (Tensor, torch.Tensor)) else np.shape(v) for v in arguments]
    try:
        return tuple(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        first, second = map(list, shapes[:2])
        raise ValueError(
            "For 'AddExt', input.shape and other.shape need to broadcast. The shapes of the parameters are "
            f"{first} and {second}."
        ) from None
