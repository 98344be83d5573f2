"""Gradients of pooling: the forward definition's, or elements put back where their indices say."""

from __future__ import annotations

from itertools import pairwise

import torch
import torch.nn.functional as F

from ms2torch.ops.function._nn_conv import _numbers
from ms2torch.ops.function._nn_pool import avg_pooled, max_pooled

from .pull import like_shape, pull


def _laid(t, data_format: str):
    return t.movedim(-1, 1) if data_format in ("NHWC", "NDHWC") else t


def _back(t, data_format: str):
    return t.movedim(1, -1) if data_format in ("NHWC", "NDHWC") else t


def _pooled(pool, dims: int, kernel_size, strides, pad_mode, **more):
    kernel, stride = _numbers(kernel_size, dims), _numbers(strides, dims)
    if pad_mode.upper() == "CALCULATED":
        pad_mode = "PAD"
    return lambda t: pool(t, kernel, stride, pad_mode.upper(), **more)


def _max(dims: int):
    def compute(x, out, dout, kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW", *, pad_list=0):
        pool = _pooled(max_pooled, dims, kernel_size, strides, pad_mode, padding=pad_list)
        return _back(pull(_laid(dout, data_format), pool, _laid(x, data_format)), data_format)

    return compute


def _max_again(dims: int):
    """The gradient of `_max`'s ``dout``: the elements of ``grad`` at each window's maximum."""

    def compute(x, out, grad, kernel_size=1, strides=1, pad_mode="VALID"):
        pool = _pooled(max_pooled, dims, kernel_size, strides, pad_mode)
        return torch.func.jvp(pool, (x,), (grad,))[1]

    return compute


def _max3d(x, out, dout, kernel_size=1, strides=1, pad_mode="VALID", pad_list=0, data_format="NCDHW"):
    return _max(3)(x, out, dout, kernel_size, strides, pad_mode, data_format, pad_list=pad_list)


def _max3d_again(x, out, grad, kernel_size=1, strides=1, pad_mode="VALID", data_format="NCDHW"):
    return _max_again(3)(x, out, grad, kernel_size, strides, pad_mode)


def _argmax(x, grad, argmax, kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW"):
    """Here, unlike in its later versions, a position counts through all channels of a sample."""
    return _placed(3)(x, grad, argmax)


def _avg(x, out, dout, kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW"):
    pool = _pooled(avg_pooled, 2, kernel_size, strides, pad_mode, count_pads=None)
    return _back(pull(_laid(dout, data_format), pool, _laid(x, data_format)), data_format)


def _avg_shape(
    origin_input_shape,
    grads,
    kernel_size=1,
    strides=1,
    pads=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=0,
    data_format="NCDHW",
    pad_mode="pad",
):
    pool = _pooled(
        avg_pooled,
        3,
        kernel_size,
        strides,
        pad_mode,
        padding=pads,
        ceil=ceil_mode,
        count_pads=count_include_pad,
        divisor=divisor_override or None,
    )
    return like_shape(origin_input_shape, grads, pool)


def _avg_ext(dims: int):
    pool = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}[dims]

    def compute(
        grad,
        image,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        return pull(
            grad,
            pool,
            image,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )

    return compute


def _placed(dims: int):
    """The elements of ``grad`` added where ``argmax``, an index into each plane of ``x``, says."""

    def compute(x, grad, argmax):
        planes = torch.zeros_like(x).flatten(-dims)
        found = planes.scatter_add(-1, argmax.long().flatten(-dims), grad.to(x.dtype).flatten(-dims))
        return found.reshape(x.shape)

    return compute


def _adaptive_avg(dims: int):
    pool = {2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}[dims]
    return lambda grad, sizes: like_shape(sizes, grad, lambda t: pool(t, grad.shape[-dims:]))


def _unpooled(dims: int):
    """The elements of ``grads`` that the maxima of ``x`` went to."""

    def compute(x, grads, argmax, *settings):
        found = grads.flatten(-dims).gather(-1, argmax.long().flatten(-dims))
        return found.reshape(x.shape)

    return compute


def _max_indices(x, kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=None):
    strides = kernel_size if strides is None else strides
    out, places = F.max_pool2d(x, kernel_size, strides, pads, dilation, ceil_mode, return_indices=True)
    return out, places.to(torch.int32)


def _fractional_avg(
    orig_input_tensor_shape, out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping=False
):
    """Each element of a region (N, H, W, C) gets the region's mean share."""

    def averaged(t):
        rows = _regions(row_pooling_sequence, t.shape[1], overlapping)
        columns = _regions(col_pooling_sequence, t.shape[2], overlapping)
        return torch.stack(
            [torch.stack([t[:, a:b, c:d].mean((1, 2)) for c, d in columns], 1) for a, b in rows], 1
        )

    if out_backprop.is_floating_point():
        return like_shape(orig_input_tensor_shape, out_backprop, averaged)
    return like_shape(orig_input_tensor_shape, out_backprop.double(), averaged).to(out_backprop.dtype)


def _regions(sequence, size: int, overlapping: bool) -> list[tuple[int, int]]:
    at = [int(n) for n in sequence]
    return [(a, min(b + overlapping, size)) for a, b in pairwise(at)]


def _fractional_max(
    orig_input, orig_output, out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping=False
):
    if not orig_input.is_floating_point():
        given = orig_input.double(), orig_output, out_backprop.double(), row_pooling_sequence
        return _fractional_max(*given, col_pooling_sequence, overlapping).to(orig_input.dtype)

    def largest(t):
        rows = _regions(row_pooling_sequence, t.shape[1], overlapping)
        columns = _regions(col_pooling_sequence, t.shape[2], overlapping)
        return torch.stack(
            [
                torch.stack([t[:, a:b, c:d].flatten(1, 2).max(1).values for c, d in columns], 1)
                for a, b in rows
            ],
            1,
        )

    return pull(out_backprop, largest, orig_input)


ROWS = {
    "MaxPoolGrad": _max(2),
    "MaxPoolGradV1": _max(2),
    "MaxPool3DGrad": _max3d,
    "MaxPoolGradGrad": _max_again(2),
    "MaxPool3DGradGrad": _max3d_again,
    "MaxPoolGradWithArgmax": _argmax,
    "MaxPoolGradGradWithArgmax": lambda x, grad, argmax, kernel_size=1, strides=1, pad_mode="VALID": (
        grad.flatten(1).gather(1, argmax.long().flatten(1)).reshape(argmax.shape)
    ),
    "MaxPoolGradWithArgmaxV2": lambda x, grad, argmax, *settings: _placed(2)(x, grad, argmax),
    "MaxPoolGradWithIndices": lambda x, grad, argmax, *settings: _placed(2)(x, grad, argmax),
    "MaxPool3DGradWithArgmax": lambda x, grads, argmax, *settings: _placed(3)(x, grads, argmax),
    "MaxPoolWithIndices": _max_indices,
    "AvgPoolGrad": _avg,
    "AvgPoolGradV1": lambda x_shape, dout, kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW": (
        like_shape(x_shape, dout, _pooled(avg_pooled, 2, kernel_size, strides, pad_mode, count_pads=None))
    ),
    "AvgPoolGradGe": lambda x_shape, dout, kernel_size=1, strides=1, pad_mode="VALID", data_format="NCHW": (
        like_shape(x_shape, dout, _pooled(avg_pooled, 2, kernel_size, strides, pad_mode, count_pads=None))
    ),
    "AvgPool3DGrad": _avg_shape,
    "AvgPool2DGrad": _avg_ext(2),
    "AvgPool3DGradExt": _avg_ext(3),
    "AdaptiveAvgPool2DGrad": _adaptive_avg(2),
    "AdaptiveAvgPool3DGrad": _adaptive_avg(3),
    "AdaptiveAvgPool2DGradExt": lambda grad_output, x: _adaptive_avg(2)(grad_output, x.shape),
    "AdaptiveAvgPool3DGradExt": lambda input_grad, input: _adaptive_avg(3)(input_grad, input.shape),
    "AdaptiveMaxPool2DGrad": lambda y_grad, x, argmax: _placed(2)(x, y_grad, argmax),
    "AdaptiveMaxPool3DGrad": lambda input_grad, x, argmax: _placed(3)(x, input_grad, argmax),
    "MaxUnpool2DGrad": _unpooled(2),
    "MaxUnpool3DGrad": _unpooled(3),
    "FractionalMaxPoolGradWithFixedKsize": lambda origin_input, out_backprop, argmax, data_format="NCHW": (
        _placed(2)(origin_input, out_backprop, argmax)
    ),
    "FractionalMaxPool3DGradWithFixedKsize": lambda origin_input, out_backprop, argmax, data_format="NCDHW": (
        _placed(3)(origin_input, out_backprop, argmax)
    ),
    "FractionalAvgPoolGrad": _fractional_avg,
    "FractionalMaxPoolGrad": _fractional_max,
}
