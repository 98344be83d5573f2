"""What random functions share: streams, sizes, dtypes, integers in a range."""

from __future__ import annotations

import torch

from ms2torch._core.devices.device import device
from ms2torch._core.errors import final
from ms2torch._core.random.random_streams import stream_of_call as stream
from ms2torch._core.tensor import dtype as _dtype

from ._array_create import wanted
from ._array_shape import ints

_FLOATS = (torch.float16, torch.float32, torch.float64, torch.bfloat16)


def sizes(shape, name: str) -> tuple:
    shape = ints(shape)
    if not isinstance(shape, (tuple, list)):
        kind = f"AbstractScalar(Type: Int64, Value: {shape}, Shape: NoShape)"
        raise TypeError(f"For '{name}', input must be a Int, a tuple, or a Tensor with all Int elements, "
                        f"but got: {kind}.")
    return tuple(shape)


def size_of(size) -> tuple:
    return tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else tuple(size)


def float_dtype(dtype, default, name):
    want = wanted(dtype, default, name)
    if want not in _FLOATS:
        raise ValueError(f"For '{name}', the 'dtype' must be a float type, but got "
                         f"{_dtype.from_torch(want)}.")
    return want


def integers(low, high, shape, seed, name, want):
    for bound, which in ((low, "low"), (high, "high")):
        if isinstance(bound, bool) or not isinstance(bound, int):
            # MindSpore names the other function, in both.
            raise TypeError(f"For 'randint_like', '{which}' must be an int, but got {type(bound)}.")
    if want.is_floating_point or want is torch.bool:
        raise ValueError(f"For '{name}', the 'dtype' must be an int type, but got {_dtype.from_torch(want)}.")
    try:
        return stream(seed, name).integers(shape, low, high).to(want)
    except RuntimeError as err:
        raise final(err) from None


def seeded(seed):
    """torch's generator, or a fresh one for an operator's own seed."""
    return None if seed in (None, -1, 0) else torch.Generator(device()).manual_seed(seed)
