"""Adaptive pooling: even parts of the last dimensions."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import op, primitive
from ms2torch._core.tensor import dtype as _dtype

from ._array_shape import ints, size_of
from ._nn_pool import _is_whole, _wide
from ._nn_windows import max_size


def _sized(t, output_size, dims: int):
    if isinstance(output_size, int):
        return (output_size,) * dims
    return tuple(t.shape[i - dims] if n is None else n for i, n in enumerate(output_size))


@op
def adaptive_avg_pool1d(input, output_size):
    """Mean of ``output_size`` even parts of the last dimension (``mindspore.ops.adaptive_avg_pool1d``)."""
    if input.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError("For adaptive_avg_pool1d, the input dtype must be float16 or float32, but got "
                        f"{_dtype.from_torch(input.dtype)}.")
    if isinstance(output_size, int) and input.shape[-1] < output_size:
        raise ValueError("For adaptive_avg_pool1d input's last dimension must be greater or equal to "
                         f"output size {output_size}, but got {input.shape[-1]}.")
    if isinstance(output_size, int) and output_size > 0 and input.shape[-1] % output_size:
        raise ValueError("For adaptive_avg_pool1d input's last dimension must be divisible by "
                         f"output size {output_size}, but got {input.shape[-1]}.")
    return F.adaptive_avg_pool1d(input, output_size)


@op(primitive="AdaptiveAvgPool2D", init=("output_size",))
def adaptive_avg_pool2d(input, output_size):
    """Mean of even parts of the last two dimensions; None keeps a size
    (``mindspore.ops.adaptive_avg_pool2d``)."""
    if input.ndim > 4:
        raise ValueError("For primitive[AdaptiveAvgPool2D], the dim of x must be in [3,4], but got "
                         f"{input.ndim}.")
    return F.adaptive_avg_pool2d(input, _sized(input, output_size, 2))


@op(primitive="AdaptiveAvgPool3D", init=("output_size",))
def adaptive_avg_pool3d(input, output_size):
    """Mean of even parts of the last three dimensions (``mindspore.ops.adaptive_avg_pool3d``)."""
    if input.ndim > 5:
        raise ValueError("For primitive[AdaptiveAvgPool3D], the the rank of x must be in [4,5], but got "
                         f"{input.ndim}.")
    return _wide(F.adaptive_avg_pool3d, input, _sized(input, output_size, 3))


@op
def adaptive_max_pool1d(input, output_size):
    """Maximum of ``output_size`` even parts of the last dimension (``mindspore.ops.adaptive_max_pool1d``)."""
    return F.adaptive_max_pool1d(input, output_size)


@op
def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Maximum of even parts of the last two dimensions (``mindspore.ops.adaptive_max_pool2d``)."""
    return F.adaptive_max_pool2d(input, max_size(input, output_size), return_indices)


@primitive("AdaptiveMaxPool2D", init=("output_size",), call=("input",))
def _adaptive_max_pool2d(input_x, output_size):
    """Maximum of even parts and its position in the flattened plane: a pair."""
    return F.adaptive_max_pool2d(input_x, max_size(input_x, output_size), True)


@op
def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Maximum of even parts of the last three dimensions (``mindspore.ops.adaptive_max_pool3d``)."""
    if 0 in input.shape:
        raise final(RuntimeError("Resize failed for kernel: Default/AdaptiveMaxPool3D-op0"))
    if not isinstance(output_size, int):
        if None in tuple(output_size):
            raise TypeError(f"For Tensor, the input_data is {output_size} that contain unsupported element.")
        output_size = tuple(map(size_of, output_size))          # a Tensor of Int32 there
        if min(output_size) <= 0:
            raise ValueError("For 'AdaptiveMaxPool3D', 'output_size' should be a vector with all positive "
                             f"item, but got {output_size}.")
    return _maxima_and_places(input, output_size) if return_indices else \
        _wide(F.adaptive_max_pool3d, input, _sized(input, output_size, 3))


def _maxima_and_places(input, output_size):
    """The maxima and their places, Int32."""
    found, places = F.adaptive_max_pool3d(input.double() if _is_whole(input) else input,
                                          _sized(input, output_size, 3), True)
    return found.to(input.dtype), places.int()


@primitive("AdaptiveMaxPool3D")
def _adaptive_max_pool3d(x, output_size):
    """Maximum of even parts of the last three dimensions, and its place, Int32."""
    return _maxima_and_places(x, tuple(ints(output_size)))
