"""Convolutions: MindSpore's padding rules over torch's kernels.

"same" pads to ceil(n / stride) outputs with the odd element after; explicit padding may differ before and
after. torch pads both sides alike, so the rest is padded (or cut) around its kernel.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core.checks.kernel_dtypes import not_selected
from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import REQUIRED, mint_form, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.torch_private import out_of_memory

from ._array_shape import size_of
from ._nn_conv_errors import shape_error

_CONV = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}
_TRANSPOSED = {1: torch.conv_transpose1d, 2: torch.conv_transpose2d, 3: torch.conv_transpose3d}
Pads = list[tuple[int, int]]


def same_pads(sizes, kernel, stride, dilation) -> Pads:
    """Padding before and after each dimension under which ``stride`` gives ceil(n / stride) outputs."""
    pads = []
    for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        # (ceil(n / s) by what is positive: an exported -(-n // s) would round to zero.)
        total = max(((n + s - 1) // s - 1) * s + (k - 1) * d + 1 - n, 0)
        pads.append((total // 2, total - total // 2))
    return pads


def paired(padding, dims: int) -> Pads:
    """An int, one number per dimension or two per dimension as (before, after) pairs."""
    if isinstance(padding, int):
        return [(padding, padding)] * dims
    padding = tuple(padding)
    if len(padding) == 1:
        return [(padding[0], padding[0])] * dims
    if len(padding) == dims:
        return [(p, p) for p in padding]
    return [(padding[2 * i], padding[2 * i + 1]) for i in range(dims)]


def even(pads: Pads) -> tuple[int, ...] | None:
    """The padding as torch takes it, or None where a dimension's two sides differ, or may (an open size)."""
    told = all(a.__class__ is not torch.SymInt and a == b for a, b in pads)
    return tuple(a for a, _ in pads) if told else None


def flat(pads: Pads) -> list[int]:
    """The padding as ``F.pad`` takes it: last dimension first."""
    return [p for pair in reversed(pads) for p in pair]


def fixed_pads(pad_mode: str, padding, kernel, stride, dilation) -> Pads | None:
    """The padding where it does not depend on the input's size, else None ("same" with strides or even
    kernels)."""
    if pad_mode == "valid":
        return [(0, 0)] * len(kernel)
    if pad_mode == "pad":
        return paired(padding, len(kernel))
    if all(s == 1 for s in stride):
        total = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
        return [(t // 2, t - t // 2) for t in total]
    return None


def convolve(x, weight, bias, stride, pads: Pads | None, dilation, groups: int):
    """A convolution of any dimension; ``pads`` None means "same"."""
    if pads is None:
        pads = same_pads(x.shape[2:], weight.shape[2:], stride, dilation)
    padding = even(pads)
    if padding is None:
        x, padding = F.pad(x, flat(pads)), 0
    return _CONV[len(stride)](x, weight, bias, stride, padding, dilation, groups)


def transposed(x, weight, bias, stride, pad_mode: str, pads: Pads, dilation, groups: int, extra=None):
    """A transposed convolution with the output size of MindSpore's ``pad_mode``.

    "same" gives n * stride, "valid" n * stride + max(kernel - stride, 0), "pad" what ``pads`` leave.
    ``extra`` adds to the size at the end (``output_padding``).
    """
    dims = len(stride)
    size = []
    for i in range(dims):
        n, s, k = x.shape[2 + i], stride[i], (weight.shape[2 + i] - 1) * dilation[i] + 1
        full = (n - 1) * s + k
        if pad_mode == "pad":
            before, after = pads[i]
            out = full - before - after
        else:
            out = n * s if pad_mode == "same" else n * s + max(k - s, 0)
            before = max(full - out, 0) // 2
            after = full - out - before
        size.append((before, after, out))
    both = [min(before, max(after, 0)) for before, after, _ in size]
    more = [max(-after, 0) for _, after, _ in size]
    if extra is not None:
        more = [m + e for m, e in zip(more, extra, strict=True)]
    y = _TRANSPOSED[dims](x, weight, bias, stride, both, more, groups, dilation)
    for i, (before, after, out) in enumerate(size):
        if before != max(after, 0):
            y = y.narrow(2 + i, before - both[i], out)
    return y


def _numbers(value, dims: int) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value,) * dims
    value = tuple(value)
    return value[-dims:] if len(value) > dims else value * dims if len(value) == 1 else value


def check_no_padding(pad_mode: str, padding, dims: int, name: str) -> None:
    """ValueError, in MindSpore's words for the operator ``name``, where ``pad_mode`` uses no padding."""
    if pad_mode == "pad" or not any(p for pair in paired(padding, dims) for p in pair):
        return
    if dims == 3:
        raise ValueError(f"For '{name}', the 'pad' must be zero or (0, 0, 0, 0, 0, 0) when 'pad_mode' is not "
                         f"\"pad\", but got 'pad' is {padding} and 'pad_mode' is {pad_mode}.")
    if name in ("Conv2DTranspose", "Conv2DBackpropInput"):
        raise ValueError(f"For '{name}', the 'pad' must be zero or (0, 0, 0, 0) when 'pad_mode' is not "
                         f"\"pad\", but got 'pad' is {padding} and 'pad_mode' is {pad_mode}.")
    if name == "conv1d":                                        # (an image of one row)
        name, padding = "Conv2D", (0, 0, *[p for pair in paired(padding, dims) for p in pair])
    raise ValueError(f"For '{name}', the 'pad' must be zero when 'pad_mode' is not 'pad', but got 'pad': "
                     f"{padding} and 'pad_mode': {pad_mode}.")


def _functional(x, weight, bias, stride, pad_mode, padding, dilation, groups, dims: int, name: str):
    if isinstance(x, torch.Tensor) and x.ndim == dims + 1:          # torch takes a single sample too
        wrong = shape_error(x, weight, bias, stride, groups, dims, name)
    else:
        try:
            return _computed(x, weight, bias, stride, pad_mode, padding, dilation, groups, dims, name)
        except RuntimeError as err:
            wrong = None if out_of_memory(err) else shape_error(x, weight, bias, stride, groups, dims, name)
            if wrong is None:
                raise
    if wrong is None:
        return _computed(x, weight, bias, stride, pad_mode, padding, dilation, groups, dims, name)
    wrong.asked = True                          # no table knows it better
    raise wrong from None


def _computed(x, weight, bias, stride, pad_mode, padding, dilation, groups, dims: int, name: str):
    if pad_mode not in ("valid", "same", "pad"):
        raise ValueError(f"For '{name}', the 'pad_mode' must be str and must be in '['valid', 'same', "
                         f"'pad']', but got '{pad_mode}'.")
    if pad_mode == "valid" and padding == 0 and stride.__class__ is dilation.__class__ is int:
        return _CONV[dims](x, weight, bias, stride, 0, dilation, groups)
    stride, dilation = _numbers(stride, dims), _numbers(dilation, dims)
    check_no_padding(pad_mode, padding, dims, name)
    pads = None if pad_mode == "same" else fixed_pads(pad_mode, padding, weight.shape[2:], stride, dilation)
    return convolve(x, weight, bias, stride, pads, dilation, groups)


@op
def conv1d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """1-d convolution of (N, C, L) with a (out, C / groups, k) weight (``mindspore.ops.conv1d``)."""
    return _functional(input, weight, bias, stride, pad_mode, padding, dilation, groups, 1, "conv1d")


@op
@spelled(group="groups", inputs="input")
def conv2d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """2-d convolution of (N, C, H, W) (``mindspore.ops.conv2d``).

    ``pad_mode`` "same" allows strides, unlike torch's; ``padding`` counts with "pad" only: an int, (h, w) or
    (top, bottom, left, right).
    """
    return _functional(input, weight, bias, stride, pad_mode, padding, dilation, groups, 2, "Conv2D")


@op
def conv3d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """3-d convolution of (N, C, D, H, W) (``mindspore.ops.conv3d``)."""
    return _functional(input, weight, bias, stride, pad_mode, padding, dilation, groups, 3, "Conv3D")


def _channels_first(data_format: str, name: str) -> None:
    if data_format not in ("NCHW", "NCDHW"):
        raise unsupported(f"mindspore.ops.{name}(data_format={data_format!r})", "MindSpore has it on GPU "
                                                                                "alone.",
                          "transpose to NCHW.")


def _lower(pad_mode, name: str) -> str:
    """A Primitive's padding mode, which may be in capitals. ValueError and TypeError for others."""
    mode = pad_mode.lower() if isinstance(pad_mode, str) else pad_mode
    return check.check_string(mode, ["valid", "same", "pad"], "pad_mode", name)


_CONV_INIT = {"out_channel": REQUIRED, "kernel_size": REQUIRED, "mode": 1, "pad_mode": "valid", "pad": 0,
              "stride": 1, "dilation": 1, "group": 1, "data_format": "NCHW"}


@primitive("Conv2D", init=_CONV_INIT)
def _conv2d(x, weight, out_channel=None, kernel_size=None, mode=1, pad_mode="valid", pad=0, stride=1,
            dilation=1, group=1, data_format="NCHW"):
    """2-d convolution (``mindspore.ops.Conv2D``): sizes are given when it is made, ``(x, weight)`` when
    called."""
    _channels_first(data_format, "Conv2D")
    return _functional(x, weight, None, stride, pad_mode, pad, dilation, group, 2, "Conv2D")


@primitive("Conv3D", init={**_CONV_INIT, "data_format": "NCDHW"})
def _conv3d(x, weight, out_channel=None, kernel_size=None, mode=1, pad_mode="valid", pad=0, stride=1,
            dilation=1, group=1, data_format="NCDHW"):
    """3-d convolution (``mindspore.ops.Conv3D``)."""
    _channels_first(data_format, "Conv3D")
    return _functional(x, weight, None, stride, _lower(pad_mode, "Conv3D"), pad, dilation, group, 3, "Conv3D")


@primitive("DepthwiseConv2dNative", init={
    "channel_multiplier": REQUIRED, "kernel_size": REQUIRED, "mode": 3, "pad_mode": "valid", "pad": 0,
    "stride": 1, "dilation": 1, "group": 1})
def _depthwise(x, weight, channel_multiplier=None, kernel_size=None, mode=3, pad_mode="valid", pad=0,
               stride=1, dilation=1, group=1):
    """Each channel with its own kernel (``DepthwiseConv2dNative`` of r1.x); the weight is (1, C, kh, kw)."""
    weight = weight.transpose(0, 1)
    return _functional(x, weight, None, stride, pad_mode, pad, dilation, x.shape[1], 2,
                       "DepthwiseConv2dNative")


def _check_backprop(x, weight, out, pad_mode, pads, stride, dilation) -> None:
    """RuntimeError where ``x`` is not of the size that Conv2D makes of an input of the size ``out``."""
    for i in (0, 1):
        kernel = (weight.shape[2 + i] - 1) * dilation[i] + 1
        padded = out[i] + (sum(pads[i]) if pad_mode == "pad" else 0)
        want = -(-out[i] // stride[i]) if pad_mode == "same" else (padded - kernel) // stride[i] + 1
        if x.shape[2 + i] != want:
            raise RuntimeError(
                "could not create a primitive descriptor for the convolution forward propagation primitive. "
                f"Conv2D makes {want} of {out[i]} along axis {2 + i}, but got {x.shape[2 + i]}.")


def _conv2d_backprop(x, weight, sizes, pad_mode, pad, stride, dilation, group, pad_list=None):
    pads = paired(pad_list if pad_list else pad, 2)
    stride, dilation = _numbers(stride, 2), _numbers(dilation, 2)
    out = [*map(size_of, sizes[2:])]
    _check_backprop(x, weight, out, pad_mode, pads, stride, dilation)
    y = transposed(x, weight, None, stride, "pad", [(0, 0)] * 2, dilation, group)
    if pad_mode == "pad":
        before = [a for a, _ in pads]
    else:
        before = [max(full - o, 0) // 2 if pad_mode == "same" else 0 for full, o in zip(y.shape[2:], out,
                                                                                        strict=True)]
    for i in (0, 1):
        short = before[i] + out[i] - y.shape[2 + i]
        if short > 0:
            y = F.pad(y, [0, 0, 0, short] if i == 0 else [0, short])
        y = y.narrow(2 + i, before[i], out[i])
    return y


_BACKPROP_INIT = {"out_channel": REQUIRED, "kernel_size": REQUIRED, "pad_mode": "valid", "pad": 0,
                  "pad_list": None, "mode": 1, "stride": 1, "dilation": 1, "group": 1, "data_format": "NCHW"}


def _backprop(x, weight, input_size, out_channel=None, kernel_size=None, pad_mode="valid", pad=0,
              pad_list=None, mode=1, stride=1, dilation=1, group=1, data_format="NCHW"):
    """Transposed 2-d convolution to the size ``input_size``: the gradient of Conv2D with respect to its
    input."""
    pad_mode = _lower(pad_mode, "Conv2DTranspose")
    return _conv2d_backprop(x, weight, input_size, pad_mode, pad, stride, dilation, group, pad_list)


primitive("Conv2DTranspose", init=_BACKPROP_INIT)(_backprop)
primitive("Conv2DBackpropInput", init=_BACKPROP_INIT)(_backprop)


@primitive("Conv3DTranspose", init={
    "in_channel": REQUIRED, "out_channel": REQUIRED, "kernel_size": REQUIRED, "mode": 1, "pad_mode": "valid",
    "pad": 0, "stride": 1, "dilation": 1, "group": 1, "output_padding": 0, "data_format": "NCDHW"})
def _conv3d_transpose(x, weight, in_channel=None, out_channel=None, kernel_size=None, mode=1,
                      pad_mode="valid", pad=0, stride=1, dilation=1, group=1, output_padding=0,
                      data_format="NCDHW"):
    """Transposed 3-d convolution (``mindspore.ops.Conv3DTranspose``)."""
    _channels_first(data_format, "Conv3DTranspose")
    pad_mode = _lower(pad_mode, "Conv3DTranspose")
    return transposed(x, weight, None, _numbers(stride, 3), pad_mode, paired(pad, 3), _numbers(dilation, 3),
                      group, _numbers(output_padding, 3))


@op(primitive="BiasAdd", init={"data_format": "NCHW"})
def bias_add(input_x, bias, data_format="NCHW"):
    """``input_x`` with the 1-d ``bias`` added along axis 1 (the last one for "NHWC")
    (``mindspore.ops.bias_add``)."""
    if bias.dtype is torch.bool:
        raise TypeError(not_selected("BiasAdd"))
    if input_x.dtype is not bias.dtype:
        raise TypeError("For primitive[BiasAdd], the input type must be "
                        f"same.\nname:[bias]:Tensor[{bias.dtype}].\nname:[input_x]:Tensor[{input_x.dtype}].")
    axis = input_x.ndim - 1 if data_format == "NHWC" else 1
    if bias.ndim != 1 or input_x.shape[axis] != bias.shape[0]:
        shapes = [", ".join(map(str, t.shape)) for t in (bias, input_x)]
        number = ("NCHW", "NHWC", "NCDHW").index(data_format)
        raise ValueError(f"For 'BiasAdd', bias[0] shape should be equal to input_x[{axis}] shape when "
                         f"data_format is {number}, but got bias shape: .[const vector]{{{shapes[0]}}}, "
                         f"input_shape: [const vector]{{{shapes[1]}}}.")
    return input_x + bias.reshape([-1 if i == axis else 1 for i in range(input_x.ndim)])


@op(primitive="Dense")
def dense(input, weight, bias=None):
    """``input @ weight.T + bias`` over the last dimension (``mindspore.ops.dense``; torch's ``linear``)."""
    return F.linear(input, weight, bias)


@mint_form(name="conv_tbc")
def _mint_conv_tbc(input, weight, bias, pad=0):
    """1-d convolution of (time, batch, channels) with (kernel, in, out) (``mindspore.mint.conv_tbc``)."""
    return torch.conv_tbc(input, weight, bias, pad)
