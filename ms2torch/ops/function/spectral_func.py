"""Windows of signal processing (``mindspore.ops.function.spectral_func``).

``periodic`` windows are made for transforms: one longer than asked, without the last value.
"""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import op, primitive
from ms2torch._core.tensor import dtype as _dtype

from ._short_time import *  # noqa: F403


def _length(window_length, name: str, dtype) -> int:
    if isinstance(dtype, (np.dtype, type)):
        raise final(TypeError(f"For '{name}', the type of 'dtype' should be 'Type', but got type "
                              f"'{type(dtype).__name__}'."))
    if not isinstance(window_length, torch.Tensor):
        kind = "Int64" if isinstance(window_length, int) else type(window_length).__name__
        raise final(TypeError(f"For Primitive[{name}], the type of input argument[window_length] must be "
                              f"Tensor but got {kind}."))
    if window_length.ndim:
        raise final(ValueError(f"For '{name}', the dim of window_length must be 0, "
                               f"but got: {window_length.ndim}."))
    length = int(window_length)
    if not 0 <= length <= 1000000:
        raise final(ValueError(f"For '{name}', the value range of window_length must be [0, 1000000], "
                               f"but got: {length}."))
    return length


def _made(make, length: int, periodic: bool, dtype, *shape) -> torch.Tensor:
    wide = make(length, periodic, *shape, dtype=torch.float64, device=device())
    return wide.to(torch.float32 if dtype is None else _dtype.to_torch(dtype))


@op(primitive="BartlettWindow", init={"periodic": True, "dtype": _dtype.float32})
def bartlett_window(window_length, periodic=True, *, dtype=None):
    """A triangle (``mindspore.ops.bartlett_window``); ``window_length`` is a Tensor."""
    length = _length(window_length, "BartlettWindow", dtype)
    return _made(torch.bartlett_window, length, periodic, dtype)


@op(primitive="BlackmanWindow", init={"periodic": True, "dtype": _dtype.float32})
def blackman_window(window_length, periodic=True, *, dtype=None):
    """Blackman's sum of two cosines (``mindspore.ops.blackman_window``); ``window_length`` is a Tensor."""
    length = _length(window_length, "BlackmanWindow", dtype)
    return _made(torch.blackman_window, length, periodic, dtype)


@primitive("HammingWindow", init={"periodic": True, "alpha": 0.54, "beta": 0.46, "dtype": _dtype.float32})
def _hamming(length, periodic=True, alpha=0.54, beta=0.46, dtype=_dtype.float32):
    """alpha - beta * cos over ``length`` points, a period or the whole window."""
    return _made(torch.hamming_window, int(length), periodic, dtype, alpha, beta)


def _number(window_length, dtype, name: str) -> int:
    if not isinstance(window_length, int):
        raise TypeError(f"For '{name}', 'window_length' must be a non-negative integer, "
                        f"but got {type(window_length)}")
    if window_length < 0:
        raise ValueError(f"For '{name}', 'window_length' must be a non-negative integer, "
                         f"but got {window_length}")
    if window_length > 1 and dtype is not None and not (
            isinstance(dtype, _dtype.Type) and _dtype.to_torch(dtype).is_floating_point):
        called = "array function 'hamming_window'" if name == "hamming_window" else f"'{name}'"
        raise final(TypeError(f"For {called}, 'dtype' must be floating point dtypes, but got {dtype}."))
    return window_length


def _wide(length: int, dtype):
    """Windows that numpy makes: Float64, unless one of two values or more is asked to be something else."""
    return _dtype.float64 if dtype is None or length < 2 else dtype


@op
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None):
    """``alpha - beta * cos`` (``mindspore.ops.hamming_window``), Float32 where ``dtype`` is not given."""
    if not isinstance(window_length, int):
        raise TypeError("For array function 'hamming_window', 'window_length' must be int, "
                        f"but got {type(window_length)}")
    length = _number(window_length, dtype, "hamming_window")
    wanted = _dtype.float32 if dtype is None else dtype
    return _made(torch.hamming_window, length, periodic, _wide(length, wanted), alpha, beta)


@op
def hann_window(window_length, periodic=True, *, dtype=None):
    """A raised cosine (``mindspore.ops.hann_window``), Float64 where ``dtype`` is not given."""
    length = _number(window_length, dtype, "hann_window")
    periodic = bool(periodic) if isinstance(periodic, np.bool_) else periodic
    return _made(torch.hann_window, length, periodic, _wide(length, dtype))


@op
def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None):
    """Kaiser's window of Bessel functions (``mindspore.ops.kaiser_window``), Float64 where ``dtype`` is not
    given.
    """
    length = _number(window_length, dtype, "kaiser_window")
    return _made(torch.kaiser_window, length, periodic, _wide(length, dtype), beta)
