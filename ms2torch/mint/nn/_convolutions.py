"""Convolutions with torch's arguments (``mindspore.mint.nn.layer.conv``)."""

from __future__ import annotations

import math

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import float32
from ms2torch.common.initializer import HeUniform, Uniform, _calculate_fan_in_and_fan_out, initializer
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell

from . import functional as F

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d"]

_MODES = {"zeros", "reflect", "replicate", "circular"}


def _tuple(value, dims: int) -> tuple:
    return (value,) * dims if isinstance(value, int) else tuple(value)


class _Conv(Cell):
    _dims = 2
    _transposed = False
    _function = staticmethod(F.conv2d)

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
                 bias=True, padding_mode="zeros", dtype=None) -> None:
        super().__init__()
        dims, name = self._dims, self.cls_name
        self.in_channels = check.check_non_negative_int(in_channels)
        self.out_channels = check.check_non_negative_int(out_channels)
        self.groups = check.check_positive_int(groups)
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups.")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups.")
        self.kernel_size, self.stride = _tuple(kernel_size, dims), _tuple(stride, dims)
        self.dilation = _tuple(dilation, dims)
        self.padding = padding if isinstance(padding, str) else _tuple(padding, dims)
        self.padding_mode = padding_mode
        if padding == "same" and any(s != 1 for s in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            raise ValueError(f"The value of 'padding_mode' must be one of '{_MODES}', but got "
                             f"{padding_mode}.")
        for key in ("kernel_size", "stride", "dilation"):
            for item in getattr(self, key):
                check.check_positive_int(item, f"{key} item", name)
        inner, outer = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        shape, dtype = [inner, outer // groups, *self.kernel_size], float32 if dtype is None else dtype
        self.weight = Parameter(initializer(HeUniform(math.sqrt(5)), shape, dtype=dtype), name="weight")
        self.bias = None
        if check.check_bool(bias, "bias", name):
            fan_in, _ = _calculate_fan_in_and_fan_out(shape)
            start = Uniform(1 / math.sqrt(fan_in)) if fan_in else "zeros"
            self.bias = Parameter(initializer(start, [out_channels], dtype=dtype), name="bias")
        # What torch.nn.functional.pad takes for the modes that the convolution itself has not.
        self._reversed_padding = tuple(n for side in reversed(self._sides()) for n in side)

    def _sides(self) -> list[tuple[int, int]]:
        if self.padding == "valid":
            return [(0, 0)] * self._dims
        if self.padding == "same":
            spans = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return [(n // 2, n - n // 2) for n in spans]
        return [(n, n) for n in self.padding]

    def construct(self, input):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding, self.padding_mode), 0
        return self._function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extend_repr(self) -> str:
        return (f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
                f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, groups={self.groups}, bias={self.bias is not None}")


class Conv1d(_Conv):
    """Convolution of (N, C, L) (``mindspore.mint.nn.Conv1d``); weights from He's uniform distribution.

    ``padding`` may be "same" or "valid"; ValueError for "same" with a stride. ``padding_mode``: zeros,
    reflect, replicate or circular.
    """

    _dims = 1
    conv1d = _function = staticmethod(F.conv1d)  # by its own name for packages that subclass


class Conv2d(_Conv):
    """Convolution of (N, C, H, W) (``mindspore.mint.nn.Conv2d``); as ``Conv1d``.

    Unlike nn.Conv2d's, the padding is 0 and there is a bias by default.
    """

    conv2d = staticmethod(F.conv2d)


class Conv3d(_Conv):
    """Convolution of (N, C, D, H, W) (``mindspore.mint.nn.Conv3d``); as ``Conv1d``."""

    _dims = 3
    conv3d = _function = staticmethod(F.conv3d)


class _ConvTranspose(_Conv):
    """What transposed convolutions have in common."""

    _transposed = True


class ConvTranspose2d(_ConvTranspose):
    """Transposed convolution of (N, C, H, W) (``mindspore.mint.nn.ConvTranspose2d``).

    ValueError for a ``padding_mode`` other than zeros. ``construct(input, output_size)`` picks one of the
    sizes that a stride allows.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
                 groups=1, bias=True, dilation=1, padding_mode="zeros", dtype=None) -> None:
        if padding_mode != "zeros":
            raise ValueError('Only "zeros" padding mode is supported for ConvTranspose2d')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
                         padding_mode, dtype)
        self.output_padding = _tuple(output_padding, 2)

    def construct(self, input, output_size=None):
        extra = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 2,
                                     self.dilation)
        return F.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, extra,
                                  self.groups, self.dilation)

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation):
        """What to add at the far end for ``output_size``; subclasses call it by MindSpore's name."""
        if output_size is None:
            return tuple(self.output_padding)
        return tuple(wanted - ((n - 1) * s - 2 * p + d * (k - 1) + 1) for wanted, n, s, p, d, k in zip(
            output_size[-num_spatial_dims:], input.shape[-num_spatial_dims:], stride, padding, dilation,
            kernel_size, strict=True))
