"""Convolution layers (``mindspore.nn.layer.conv``).

Padding that does not depend on the input's size is settled when the layer is made, so that a call is one
torch call.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming import generations
from ms2torch.common.initializer import HeUniform, Uniform, _calculate_fan_in_and_fan_out, initializer
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function._nn_conv import (
    check_no_padding,
    convolve,
    even,
    fixed_pads,
    paired,
    transposed,
)

from ..cell import Cell
from ._errors import conv_error
from ._parts import bias_of, primitive
from ._sizes import pair, triple

__all__ = ["Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "Conv3d", "Conv3dTranspose"]

_MODES = ["valid", "same", "pad"]


def _check_input_3d(input_shape, op_name) -> None:
    """ValueError unless a shape has three dimensions; what layers of users borrow."""
    if len(input_shape) != 3:
        raise ValueError(f"For '{op_name}', the dimension of input must be 3d, but got {len(input_shape)}.")


def _check_group(in_channels, out_channels, group, counts: bool) -> None:
    if in_channels % group or out_channels % group:
        text = "The argument 'group' should be divisible by 'in_channels' and 'out_channels'"
        raise ValueError(f"{text}, but got group:{group}, in_channels:{in_channels}, "
                         f"out_channels:{out_channels}."
                         if counts else text)


class _Conv(Cell):
    """What all convolutions share: sizes, ``weight`` and ``bias``."""

    _operator = "Conv2D"
    _padded = ""                                     # the operator that refuses padding, where another one

    def __init__(self, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                 has_bias, weight_init, bias_init, data_format="NCHW", transposed=False,
                 dtype=float32) -> None:
        super().__init__()
        name = self.cls_name
        self.in_channels = check.check_positive_int(in_channels, "in_channels", name)
        self.out_channels = check.check_positive_int(out_channels, "out_channels", name)
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.pad_mode = pad_mode
        self.data_format = check.check_string(data_format, ["NCHW", "NHWC", "NCDHW"], "format", name)
        if len(kernel_size) == 2 and data_format == "NCDHW" and not transposed:
            check.check_string(data_format, ["NCHW", "NHWC"], "format", "Conv2D")
        if len(kernel_size) == 3 and data_format == "NCHW":
            check.check_string(data_format, ["NCDHW"], "data_format", "Conv3D")
        if data_format == "NHWC":
            raise unsupported(f"mindspore.nn.{name}(data_format='NHWC')", "MindSpore has it on GPU alone.",
                              "transpose the input to NCHW.")
        if not isinstance(padding, (int, tuple)):
            raise TypeError(f"For '{name}', the type of 'padding' must be int or tuple(int), "
                            f"but got {type(padding).__name__}.")
        for p in padding if isinstance(padding, tuple) else (padding,):
            check.check_non_negative_int(p, "padding item" if isinstance(padding, tuple) else "padding", name)
        self.padding = padding
        self.group = check.check_positive_int(group)
        self.has_bias = has_bias
        for label, sizes in (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation)):
            for n in sizes:
                check.check_positive_int(n, f"{label} item", name)
        if transposed and len(kernel_size) == 2:
            for label, count, attr in (("in_channels", in_channels, "attr "),
                                       ("out_channels", out_channels, "")):
                if count % group:
                    raise ValueError(f"For '{name}', the {attr}'{label}' must be divisible by attr 'group', "
                                     f"but got '{label}': {count} and 'group': {group}.")
        outside = (in_channels, out_channels // group) if transposed else (out_channels, in_channels // group)
        shape = [*outside, *kernel_size]
        if generations.has_old_meaning("mindspore.nn.Conv2d"):
            weight_init = "normal" if weight_init is None else weight_init
            bias_init = "zeros" if bias_init is None else bias_init
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype=dtype), name="weight")
        self.bias_init = bias_init
        self.bias = None
        if check.check_bool(has_bias, "has_bias", name):
            if bias_init is None:
                fan_in, _ = _calculate_fan_in_and_fan_out(shape)
                self.bias_init = Uniform(1 / math.sqrt(fan_in))
            self.bias = Parameter(initializer(self.bias_init, [out_channels], dtype=dtype), name="bias")

    bias_add = primitive("BiasAdd")

    def _settle_padding(self, padding) -> None:
        """Check mode and padding, and work out what torch is given: ``_pads`` (None: depends on the input).
        """
        dims = len(self.kernel_size)
        if self._operator == "Conv3D" and isinstance(self.pad_mode, str):       # (in any case)
            self.pad_mode = self.pad_mode.lower()
        check.check_string(self.pad_mode, _MODES, "pad_mode", self._operator)
        if isinstance(padding, tuple):
            check.check_equal_int(len(padding), 2 * dims, "pad size", self._operator)
        check_no_padding(self.pad_mode, padding, dims, self._padded or self._operator)
        self._pads = fixed_pads(self.pad_mode, padding, self.kernel_size, self.stride, self.dilation)
        self._even = None if self._pads is None else even(self._pads)
        # MindSpore's operators are made here: `conv.stride = (1, 1)` changes nothing from now on.
        self._made = (self.stride, self.dilation, self.group)

    def extend_repr(self) -> str:
        return (f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
                f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
                f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
                f"has_bias={self.has_bias}, "
                f"weight_init={self.weight_init}, bias_init={self.bias_init}, format={self.data_format}")


class Conv2d(_Conv):
    """2-d convolution of (N, C, H, W) (``mindspore.nn.Conv2d``).

    ``pad_mode`` is "same" by default, also with strides: ceil(n / stride) outputs, the odd element of padding
    at right and bottom. ``padding``, an int or (top, bottom, left, right), counts with "pad" alone.
    ``weight`` is (out, in / group, kh, kw), U(-1/sqrt(fan_in), 1/sqrt(fan_in)); ``has_bias`` is False by
    default.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCHW",
                 dtype=float32) -> None:
        kernel_size, stride, dilation = pair(kernel_size), pair(stride), pair(dilation)
        check.check_positive_int(group, "group", type(self).__name__)
        _check_group(in_channels, out_channels, group, True)
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                         has_bias, weight_init, bias_init, data_format, dtype=dtype)
        self._settle_padding(padding)

    @property
    def _conv_arguments(self) -> dict:
        return {"out_channel": self.out_channels, "kernel_size": self.kernel_size, "pad_mode": self.pad_mode,
                "pad": self.padding, **dict(zip(("stride", "dilation", "group"), self._made, strict=True))}

    conv2d = primitive("Conv2D", all="_conv_arguments")

    def construct(self, x):
        weight, padding = self.weight, self._even
        bias = bias_of(self) if self.has_bias else None
        stride, dilation, group = self._made
        try:
            t = x._t
            if t.ndim != 4:
                raise ValueError
            if padding is not None:
                return wrap(torch.conv2d(t, weight._t, bias, stride, padding, dilation, group))
            return wrap(convolve(t, weight._t, bias, stride, self._pads, dilation, group))
        except (RuntimeError, AttributeError, IndexError, ValueError) as err:
            raise conv_error(err, "Conv2D", x, weight, group, 2) from None


def _one_dimensional(cell: str, **sizes) -> None:
    for name, value in sizes.items():
        check.check_value_type(name, value, [int], cell)
    for name, value in sizes.items():
        if name == "padding":
            check.check_non_negative_int(value, name, cell)
        else:
            check.check_int(value, 1, check.GE, name, cell)


def _with_height(weight_init, cell: str):
    """A 3-d Tensor of weights as the 4-d one that a 1-d layer keeps."""
    if not isinstance(weight_init, Tensor):
        return weight_init
    check.check_equal_int(len(weight_init.shape), 3, "weight_init_shape", cell)
    return wrap(weight_init._t.unsqueeze(2))


class Conv1d(_Conv):
    """1-d convolution of (N, C, L) (``mindspore.nn.Conv1d``).

    ``weight`` is (out, in / group, 1, k), with a height of one, unlike torch's. The rest as in Conv2d.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None,
                 dtype=float32) -> None:
        name = type(self).__name__
        _one_dimensional(name, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
        check.check_positive_int(group, "group", name)
        _check_group(in_channels, out_channels, group, True)
        super().__init__(in_channels, out_channels, (1, kernel_size), (1, stride), pad_mode, padding,
                         (1, dilation), group, has_bias, _with_height(weight_init, name), bias_init,
                         dtype=dtype)
        self.padding = (0, 0, padding, padding)
        check.check_string(pad_mode, _MODES, "pad_mode", name)
        self._settle_padding(self.padding)

    _conv_arguments = Conv2d._conv_arguments
    conv2d = primitive("Conv2D", all="_conv_arguments")
    expand_dims = primitive("ExpandDims")
    squeeze = primitive("Squeeze", axis=2)

    def construct(self, x):
        weight, bias = self.weight, bias_of(self) if self.has_bias else None
        stride, dilation, group = self._made
        try:
            t = x._t.unsqueeze(2)
            if t.ndim != 4:
                raise ValueError
            y = convolve(t, weight._t, bias, stride, self._pads, dilation, group)
        except (RuntimeError, AttributeError, IndexError, ValueError) as err:
            if isinstance(x, Tensor):
                x = wrap(x._t.unsqueeze(min(2, x.ndim)))
            raise conv_error(err, "Conv2D", x, weight, group, 2) from None
        return wrap(y.squeeze(2))


class Conv3d(_Conv):
    """3-d convolution of (N, C, D, H, W) (``mindspore.nn.Conv3d``).

    ``padding``, for ``pad_mode`` "pad", is an int or (head, tail, top, bottom, left, right). The rest as in
    Conv2d.
    """

    _operator = "Conv3D"

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCDHW",
                 dtype=float32) -> None:
        name = type(self).__name__
        _check_group(in_channels, out_channels, group, False)
        kernel_size, stride, dilation = (triple(v, n, name) for v, n in (
            (kernel_size, "kernel_size"), (stride, "stride"), (dilation, "dilation")))
        check.check_value_type("padding", padding, (int, tuple), name)
        if isinstance(padding, tuple):
            check.check_equal_int(len(padding), 6, "padding size", name)
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                         has_bias, weight_init, bias_init, data_format, dtype=dtype)
        self._settle_padding(padding)

    _conv_arguments = Conv2d._conv_arguments
    conv3d = primitive("Conv3D", all="_conv_arguments")

    def construct(self, x):
        weight, bias = self.weight, bias_of(self) if self.has_bias else None
        stride, dilation, group = self._made
        try:
            t = x._t
            if t.ndim != 5:
                raise ValueError
            return wrap(convolve(t, weight._t, bias, stride, self._pads, dilation, group))
        except (RuntimeError, AttributeError, IndexError, ValueError) as err:
            raise conv_error(err, "Conv3D", x, weight, group, 3) from None


class _Transposed(_Conv):
    """Sizes of outputs come from the attributes as they are; the operator is the one that was made."""

    _operator = "Conv2DTranspose"

    def _settle(self, pad_mode, padding) -> None:
        self.is_valid, self.is_same, self.is_pad = (pad_mode == m for m in _MODES)
        self._settle_padding(padding)
        self._sides = paired(padding, 2)
        self._made = (*self._made, pad_mode)
        self._sized = self._sizing()

    def _sizing(self) -> tuple:
        window = None if self.is_same else (self.kernel_size, self.dilation)
        return window, self.stride, self.is_valid, self.is_same, self.out_channels

    def _as_made(self) -> tuple:
        """Stride, dilation, group and mode of the operator."""
        if self._sizing() != self._sized:
            raise unsupported(f"mindspore.nn.{self.cls_name} whose kernel_size, stride, dilation, is_valid, "
                              "is_same or out_channels was changed",
                              "MindSpore's operator is made with the layer.", "make the layer anew.")
        return self._made


class Conv2dTranspose(_Transposed):
    """Transposed 2-d convolution (``mindspore.nn.Conv2dTranspose``; torch's ConvTranspose2d).

    Sizes: n * stride for "same", n * stride + max(kernel - stride, 0) for "valid", as torch for "pad".
    ``output_padding`` appends zeros to the finished output, unlike torch's, which computes those elements; it
    asks for "pad". ``weight`` is (in, out / group, kh, kw).
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 output_padding=0, dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None,
                 dtype=float32) -> None:
        name = type(self).__name__
        if group.__class__ is bool and generations.has_old_meaning("mindspore.nn.Conv2dTranspose"):
            bias_init = bias_init if weight_init is None else weight_init
            weight_init = None if has_bias is False else has_bias
            output_padding, dilation, group, has_bias = 0, output_padding, dilation, group
        kernel_size, stride, dilation = pair(kernel_size), pair(stride), pair(dilation)
        check.check_value_type("padding", padding, (int, tuple), name)
        if isinstance(padding, tuple):
            check.check_equal_int(len(padding), 4, "padding size", name)
        check.check_value_type("output_padding", output_padding, (int, tuple), name)
        if isinstance(output_padding, tuple):
            check.check_equal_int(len(output_padding), 2, "output_padding size", name)
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                         has_bias, weight_init, bias_init, transposed=True, dtype=dtype)
        check.check_string(pad_mode, _MODES, "pad_mode", name)
        self.output_padding = output_padding
        self._settle(pad_mode, padding)

    @property
    def _conv_arguments(self) -> dict:
        # The operator is named after the convolution whose input it computes.
        return {"out_channel": self.in_channels, "kernel_size": self.kernel_size, "pad_mode": self.pad_mode,
                "pad": self.padding, **dict(zip(("stride", "dilation", "group"), self._made, strict=False))}

    conv2d_transpose = primitive("Conv2DTranspose", all="_conv_arguments")

    def construct(self, x):
        weight, bias = self.weight, bias_of(self) if self.has_bias else None
        stride, dilation, group, mode = self._as_made()
        try:
            y = transposed(x._t, weight._t, bias, stride, mode, self._sides, dilation, group)
        except (RuntimeError, AttributeError, IndexError) as err:
            raise conv_error(err, self._operator, x, weight, group, 2) from None
        extra = self.output_padding
        if extra == 0:
            return wrap(y)
        return wrap(F.pad(y, self._appended(extra)))

    def _appended(self, extra) -> list[int]:
        one = isinstance(extra, int)
        for i, (n, axis) in enumerate(zip((extra, extra) if one else extra, "hw", strict=True)):
            if n < 0 or n >= max(self.dilation[i], self.stride[i]):
                raise ValueError(f"output_padding{'' if one else f'[{i}]'} must be in range of [0, "
                                 f"max(stride_{axis}, dilation_{axis})).")
        height, width = (extra, extra) if one else extra
        if not self.is_pad and (height or width):
            raise ValueError("when output_padding is not zero, pad_mode must be 'pad'")
        return [0, width, 0, height]


class Conv1dTranspose(_Transposed):
    """Transposed 1-d convolution of (N, C, L) (``mindspore.nn.Conv1dTranspose``); sizes as in
    Conv2dTranspose.

    ``weight`` is (in, out / group, 1, k).
    """

    _padded = "Conv2DBackpropInput"

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None,
                 dtype=float32) -> None:
        name = type(self).__name__
        _one_dimensional(name, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
        super().__init__(in_channels, out_channels, (1, kernel_size), (1, stride), pad_mode, padding,
                         (1, dilation), group, has_bias, _with_height(weight_init, name), bias_init,
                         transposed=True, dtype=dtype)
        check.check_string(pad_mode, _MODES, "pad_mode", name)
        self.padding = (0, 0, padding, padding)
        self._settle(pad_mode, self.padding)

    def construct(self, x):
        if x.ndim != 3:
            raise ValueError(f"For '{self.cls_name}', the dimension of input must be 3d, but got {x.ndim}.")
        weight, bias = self.weight, bias_of(self) if self.has_bias else None
        stride, dilation, group, mode = self._as_made()
        x = wrap(x._t.unsqueeze(2))
        try:
            y = transposed(x._t, weight._t, bias, stride, mode, self._sides, dilation, group)
        except (RuntimeError, IndexError) as err:
            raise conv_error(err, self._operator, x, weight, group, 2) from None
        return wrap(y.squeeze(2))


class Conv3dTranspose(_Conv):
    """Transposed 3-d convolution (``mindspore.nn.Conv3dTranspose``); sizes as in Conv2dTranspose.

    ``output_padding`` counts with ``pad_mode`` "pad" and is torch's: those elements are computed.
    """

    _operator = "Conv3DTranspose"

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, output_padding=0, has_bias=False, weight_init=None, bias_init=None,
                 data_format="NCDHW", dtype=float32) -> None:
        name = type(self).__name__
        _check_group(in_channels, out_channels, group, False)
        kernel_size, stride, dilation = (triple(v, n, name) for v, n in (
            (kernel_size, "kernel_size"), (stride, "stride"), (dilation, "dilation")))
        check.check_value_type("padding", padding, (int, tuple), name)
        if isinstance(padding, tuple):
            check.check_equal_int(len(padding), 6, "padding size", name)
        output_padding = triple(output_padding, "output_padding", name, lowest=0)
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                         has_bias, weight_init, bias_init, data_format, transposed=True, dtype=dtype)
        self.output_padding = output_padding
        if self.dilation[0] != 1:
            raise ValueError("For 'Conv3DTranspose', the depth of parameter 'dilation' must be 1, but got "
                             f"{self.dilation[0]}.")
        self._settle_padding(padding)
        if pad_mode != "pad" and any(output_padding):
            raise ValueError("For 'Conv3DTranspose', the 'output_padding' must be zero or (0, 0, 0) when "
                             f"'pad_mode' is not \"pad\", but got 'output_padding' is {output_padding} and "
                             f"'pad_mode' is {pad_mode}.")
        self._sides = paired(padding, 3)
        self._made = (*self._made, pad_mode)
        self._extra = output_padding

    def construct(self, x):
        weight, bias = self.weight, bias_of(self) if self.has_bias else None
        stride, dilation, group, mode = self._made
        try:
            return wrap(transposed(x._t, weight._t, bias, stride, mode, self._sides, dilation, group,
                                   self._extra))
        except (RuntimeError, AttributeError, IndexError) as err:
            raise conv_error(err, self._operator, x, weight, group, 3) from None
