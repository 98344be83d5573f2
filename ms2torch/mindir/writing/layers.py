"""torch's operators of layers in a trace, told in MindSpore's primitives: products, convolutions, pooling,
normalisation, sizes of images."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ms2torch._core.errors import unsupported

from .graph import OPEN, Value, sizes
from .operators import cast, reshape, scalar, table

RULES, rule = table()

# ---- products


@rule("mm.default")
def _mm(g, out, x, y):
    return g.op("MatMul", x, y, False, False, like=out)


@rule("bmm.default")
def _bmm(g, out, x, y):
    return g.op("BatchMatMul", x, y, False, False, like=out)


@rule("matmul.default")
def _matmul(g, out, x, y):
    if len(x.shape) == len(y.shape) == 2:
        return _mm(g, out, x, y)
    if len(x.shape) == len(y.shape) > 2 and x.shape[:-2] == y.shape[:-2]:
        return _bmm(g, out, x, y)
    return g.op("MatMulExt", x, y, like=out)


@rule("linear.default")
def _linear(g, out, x, weight, bias=None):
    flat = x if len(x.shape) == 2 else reshape(g, x, _rows(x))
    rows = (*flat.shape[:-1], weight.shape[0])
    found = g.op("MatMul", flat, weight, False, True, like=out, shape=rows)
    if bias is not None:
        found = g.op("BiasAdd", found, bias, 0, like=found)
    return reshape(g, found, out.shape, out)


def _rows(x) -> tuple[int, int]:
    return (OPEN if OPEN in x.shape else math.prod(x.shape[:-1]), x.shape[-1])


@rule("addmm.default", "baddbmm.default")
def _addmm(g, out, bias, x, y, beta=1, alpha=1):
    found = g.op("MatMul" if len(x.shape) == 2 else "BatchMatMul", x, y, False, False, like=out)
    if alpha != 1:
        found = g.op("Mul", found, scalar(found, alpha), like=out)
    if beta != 1:
        bias = g.op("Mul", bias, scalar(bias, beta), like=bias)
    return g.op("Add", found, bias, like=out)


# ---- convolutions


def _two(value, count: int = 2) -> tuple[int, ...]:
    value = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    return value if len(value) == count else value * count


@rule("conv2d.default", "conv1d.default", "conv3d.default", "conv2d.padding", "conv1d.padding")
def _conv(g, out, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    axes = len(weight.shape) - 2
    stride, dilation = _two(stride, axes), _two(dilation, axes)
    mode, pads = "pad", padding
    if isinstance(padding, str):
        mode, pads = padding, 0
    pads = _two(pads, axes)
    if mode == "pad" and not any(pads):
        mode = "valid"
    if len(x.shape) == axes + 1:
        raise unsupported("mindspore.export", "a convolution without an axis of samples.")
    if axes == 1:  # along an axis of height 1, as MindSpore's own layer
        wide = g.op("ExpandDims", x, 2, like=x, shape=(*x.shape[:2], 1, x.shape[2]))
        tall = g.op("ExpandDims", weight, 2, like=weight, shape=(*weight.shape[:2], 1, weight.shape[2]))
        sizes_of = sizes(out.shape)
        like = Value("", (*sizes_of[:2], 1, sizes_of[2]), out.dtype)
        found = _convolved(g, like, wide, tall, (1, *stride), mode, (0, *pads), (1, *dilation), groups)
        found = g.op("Squeeze", found, (2,), like=out)
    else:
        found = _convolved(g, out, x, weight, stride, mode, pads, dilation, groups)
    return found if bias is None else g.op("BiasAdd", found, bias, 0, like=out)


def _convolved(g, out, x, weight, stride, mode, pads, dilation, groups):
    flat = len(pads) == 2
    pads = tuple(n for pad in pads for n in (pad, pad))
    apart = (
        {"stride": (1, 1, *stride), "dilation": (1, 1, *dilation)}
        if flat
        else {
            "stride": tuple(stride),
            "strides": (1, 1, *stride),
            "dilation": tuple(dilation),
            "dilations": (1, 1, *dilation),
            "offset_x": 0,
        }
    )
    return g.op(
        "Conv2D" if flat else "Conv3D", x, weight, like=out, kernel_size=tuple(weight.shape[2:]), mode=1,
        out_channel=weight.shape[0], pad=pads, pad_mode=mode, format="NCHW" if flat else "NCDHW",
        pad_list=pads, groups=groups, group=groups, input_names=("x", "w"), output_names=("output",), **apart,
    )  # fmt: skip


@rule("conv_transpose2d.input")
def _transposed(g, out, x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    if OPEN in sizes(out.shape):
        raise unsupported("mindspore.export", "a transposed convolution of an open size.")
    pads = tuple(n for pad in _two(padding) for n in (pad, pad))
    found = g.op(
        "Conv2DTranspose", x, weight, tuple(out.shape), like=out, kernel_size=tuple(weight.shape[2:]), mode=1,
        out_channel=weight.shape[0], pad=pads, pad_mode="PAD" if any(pads) else "VALID", format="NCHW",
        pad_list=pads, groups=groups, stride=(1, 1, *_two(stride)), group=groups,
        dilation=(1, 1, *_two(dilation)), input_names=("out_backprop", "filter", "input_sizes"),
        output_names=("output",),
    )  # fmt: skip
    return found if bias is None else g.op("BiasAdd", found, bias, 0, like=out)


# ---- pooling


def _padded(g, x, pads, value, more=(0, 0)):
    """``x`` with ``value`` around its last two axes, and with ``more`` at their ends."""
    if not any((*pads, *more)):
        return x
    shape, around = list(x.shape), (0, 0) * (len(x.shape) - 2)
    for axis, pad, last in zip((-2, -1), pads, more, strict=True):
        shape[axis] = shape[axis] + 2 * pad + last if shape[axis] != OPEN else OPEN
        around += (pad, pad + last)
    return _pad(g, x, tuple(reversed([around[k : k + 2] for k in range(0, len(around), 2)])), value, shape)


def _pad(g, x, pairs, value, shape):
    """``pairs`` from the last axis to the first."""
    flat = tuple(n for pair in pairs for n in pair)
    return g.op(
        "PadV3", x, flat, scalar(x, value), like=x, shape=shape, mode="constant", paddings_contiguous=True
    )


@rule("constant_pad_nd.default", "pad.default")
def _constant_pad(g, out, x, pads, *rest):
    mode, value = ("constant", *rest, 0)[:2] if not rest or not isinstance(rest[0], str) else (*rest, 0)[:2]
    if mode != "constant" or min(pads) < 0:
        raise unsupported("mindspore.export", f"padding by {mode!r} {pads}.")
    whole = [pads[k : k + 2] for k in range(0, len(pads), 2)]
    whole += [(0, 0)] * (len(x.shape) - len(whole))
    return _pad(g, x, whole, value or 0, sizes(out.shape))


def _reaching(x, out, kernel, stride, pads) -> tuple:
    """How far the last windows of ``ceil_mode`` reach behind the pads of ``x``."""
    found = []
    for size, count, k, step, pad in zip(x.shape[-2:], out.shape[-2:], kernel, stride, pads, strict=True):
        if OPEN in (size, count):
            raise unsupported("mindspore.export", "pooling with ceil_mode of an open size.")
        found.append(max(0, (count - 1) * step + k - size - 2 * pad))
    return tuple(found)


def _pooled(g, primitive, out, x, kernel, stride, **attributes):
    return g.op(
        primitive,
        x,
        like=out,
        kernel_size=(1, 1, *kernel),
        strides=(1, 1, *stride),
        pad_mode="VALID",
        format="NCHW",
        input_names=("x",),
        output_names=("output",),
        **attributes,
    )


@rule("max_pool2d.default", "max_pool2d_with_indices.default", "max_pool1d.default")
def _max_pool(g, out, x, kernel, stride=(), padding=0, dilation=1, ceil_mode=False):
    both = isinstance(out, (tuple, list))
    result = out[0] if both else out
    flat = len(x.shape) == 3 and result.shape[0] == x.shape[0] and len(_as_list(kernel)) == 1
    if flat:  # of one axis: of height 1
        x = g.op("ExpandDims", x, 2, like=x, shape=(*x.shape[:2], 1, x.shape[2]))
        kernel, stride, padding = (
            (d, *_as_list(n)) if _as_list(n) else () for d, n in ((1, kernel), (1, stride), (0, padding))
        )
    kernel, padding = _two(kernel), _two(padding)
    stride = _two(stride) if _as_list(stride) else kernel
    if any(n != 1 for n in _as_list(dilation)):
        raise unsupported("mindspore.export", "max pooling with dilation.")
    shape = sizes(result.shape)
    like = Value("", (*shape[:2], 1, shape[2]) if flat else shape, result.dtype)
    least = -math.inf if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
    more = _reaching(x, like, kernel, stride, padding) if ceil_mode else (0, 0)
    found = _pooled(g, "MaxPool", like, _padded(g, x, padding, least, more), kernel, stride)
    found = g.op("Squeeze", found, (2,), like=result) if flat else found
    return (found, None) if both else found


def _as_list(value) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


@rule("avg_pool2d.default", "avg_pool1d.default")
def _avg_pool(g, out, x, kernel, stride=(), padding=0, ceil_mode=False, counts_pads=True, divisor=None):
    flat = len(_as_list(kernel)) == 1 and len(x.shape) == 3
    if flat:
        x = g.op("ExpandDims", x, 2, like=x, shape=(*x.shape[:2], 1, x.shape[2]))
        kernel, stride, padding = (
            (d, *_as_list(n)) if _as_list(n) else () for d, n in ((1, kernel), (1, stride), (0, padding))
        )
    kernel, padding = _two(kernel), _two(padding)
    stride = _two(stride) if _as_list(stride) else kernel
    shape = sizes(out.shape)
    like = Value("", (*shape[:2], 1, shape[2]) if flat else shape, out.dtype)
    more = _reaching(x, like, kernel, stride, padding) if ceil_mode else (0, 0)
    # the generated primitive: kernel, stride, the mode's number, the layout's
    found = g.op("AvgPool", _padded(g, x, padding, 0, more), kernel, stride, 2, 0, like=like)
    if any(more) or divisor is not None or (any(padding) and not counts_pads):
        if OPEN in x.shape[-2:]:
            raise unsupported(
                "mindspore.export", "average pooling with a divisor or pads not counted, of an open size."
            )
        ones = torch.ones(1, 1, *x.shape[-2:])
        share = F.avg_pool2d(ones, kernel, stride, padding, ceil_mode, counts_pads, divisor)
        edges = zip(reversed(padding), reversed(more), strict=True)
        around = [n for pad, last in edges for n in (pad, pad + last)]
        share /= F.avg_pool2d(F.pad(ones, around), kernel, stride)
        found = g.op("Mul", found, share.to(x.dtype), like=like)
    return g.op("Squeeze", found, (2,), like=out) if flat else found


@rule("avg_pool3d.default")
def _avg_pool3d(g, out, x, kernel, stride=(), padding=0, ceil_mode=False, counts_pads=True, divisor=None):
    kernel, pads = _two(kernel, 3), tuple(n for pad in _two(padding, 3) for n in (pad, pad))
    stride = _two(stride, 3) if _as_list(stride) else kernel
    return g.op(
        "AvgPool3D", x, like=out, kernel_size=(1, 1, *kernel), strides=(1, 1, *stride), pad=pads,
        pad_list=pads, pad_mode="PAD" if any(pads) else "VALID", ceil_mode=ceil_mode,
        divisor_override=divisor or 0, count_include_pad=counts_pads, format="NCDHW",
        input_names=("input",), output_names=("output",),
    )  # fmt: skip


@rule("adaptive_avg_pool2d.default", "_adaptive_avg_pool2d.default")
def _adaptive(g, out, x, size):
    if tuple(size) == (1, 1):
        return g.op("ReduceMean", x, (len(x.shape) - 2, len(x.shape) - 1), True, like=out)
    return g.op("AdaptiveAvgPool2D", x, like=out, output_size=tuple(size))


@rule("adaptive_avg_pool1d.default")
def _adaptive_one(g, out, x, size):
    steps, size = x.shape[-1], _as_list(size)[0]
    if steps == OPEN or steps % size:
        raise unsupported("mindspore.export", f"pooling of {steps} steps to {size}.")
    wide = reshape(g, x, (*x.shape[:-1], size, steps // size))
    return g.op("ReduceMean", wide, (len(wide.shape) - 1,), False, like=out)


# ---- normalisation and choices


@rule("batch_norm.default", "_native_batch_norm_legit_no_training.default")
def _batch_norm(g, out, x, weight, bias, mean, variance, *rest):
    eps = rest[2] if len(rest) > 2 else rest[1]
    if len(rest) > 2 and rest[0]:
        raise unsupported(
            "mindspore.export", "batch normalisation by the batch itself.", "net.set_train(False)."
        )
    result, channels = out[0] if isinstance(out, (tuple, list)) else out, tuple(mean.shape)
    weight = torch.ones(channels, dtype=x.dtype) if weight is None else weight
    bias = torch.zeros(channels, dtype=x.dtype) if bias is None else bias
    if len(x.shape) in (2, 4):
        found = g.several(
            "BatchNorm",
            x,
            weight,
            bias,
            mean,
            variance,
            False,
            float(eps),
            0.1,
            0,
            like=(result, *(mean,) * 4),
        )[0]
    else:  # in another rank MindSpore has a primitive for three axes alone
        wide = (1, *channels, *(1,) * (len(x.shape) - 2))
        scale = g.op(
            "Mul",
            weight,
            g.op("Rsqrt", g.op("Add", variance, scalar(variance, eps), like=mean), like=mean),
            like=mean,
        )
        moved = g.op("Sub", x, reshape(g, mean, wide), like=result)
        found = g.op(
            "Add",
            g.op("Mul", moved, reshape(g, scale, wide), like=result),
            reshape(g, bias, wide),
            like=result,
        )
    return (found, None, None) if isinstance(out, (tuple, list)) else found


@rule("layer_norm.default", "native_layer_norm.default")
def _layer_norm(g, out, x, shape, weight=None, bias=None, eps=1e-5, *rest):
    several = isinstance(out, (tuple, list))
    result, first = out[0] if several else out, len(x.shape) - len(shape)
    weight = torch.ones(tuple(shape), dtype=x.dtype) if weight is None else weight
    bias = torch.zeros(tuple(shape), dtype=x.dtype) if bias is None else bias
    kept = Value("", (*x.shape[:first], *(1,) * len(shape)), torch.float32)
    found, mean, variance = g.several(
        "LayerNorm", x, weight, bias, first, first, float(eps), like=(result, kept, kept)
    )
    if not several:
        return found
    more = g.op("Add", variance, scalar(variance, eps), like=kept)
    return found, mean, g.op("Rsqrt", more, like=kept)


@rule("softmax.int", "_softmax.default", "special_softmax.int")
def _softmax(g, out, x, axis, dtype=None):
    return g.op("Softmax", cast(g, x, out.dtype), (axis,), like=out)


@rule("log_softmax.int", "_log_softmax.default")
def _log_softmax(g, out, x, axis, dtype=None):
    return g.op("LogSoftmax", cast(g, x, out.dtype), axis, like=out)


@rule(
    "upsample_nearest2d.vec",
    "upsample_nearest2d.default",
    "upsample_bilinear2d.vec",
    "upsample_bilinear2d.default",
)
def _resized(g, out, x, size, *rest):
    if OPEN in sizes(out.shape)[2:]:
        raise unsupported("mindspore.export", "an image of an open size.")
    size = tuple(out.shape[2:])
    scales = [v for one in rest for v in (one if isinstance(one, list) else [one]) if isinstance(v, float)]
    if any(n * scale != m for n, scale, m in zip(x.shape[2:], scales, size, strict=False)):
        why = f"an image of {x.shape[2:]} scaled by {scales}."
        raise unsupported("mindspore.export", why, "give its size.")
    if isinstance(rest[0] if rest else None, bool):  # bilinear: whether the corners are aligned
        return g.op("ResizeBilinearV2", x, size, rest[0], not rest[0], like=out)
    return g.op("ResizeNearestNeighborV2", x, size, False, False, like=out)


@rule("one_hot.default")
def _one_hot(g, out, ids, depth=-1):
    found = g.op(
        "OneHot",
        ids,
        sizes(out.shape)[-1],
        torch.tensor(1.0),
        torch.tensor(0.0),
        -1,
        like=out,
        dtype=torch.float32,
    )
    return cast(g, found, out.dtype)


@rule("group_norm.default")
def _group_norm(g, out, x, groups, weight=None, bias=None, eps=1e-5, *rest):
    if OPEN in x.shape[1:]:
        raise unsupported("mindspore.export", "group normalisation of an open size.")
    inside = math.prod(x.shape[1:]) // groups
    flat = reshape(g, x, (x.shape[0], groups, inside))
    one = torch.ones(inside, dtype=x.dtype)
    flat = _layer_norm(g, flat, flat, (inside,), one, torch.zeros_like(one), eps)
    found, wide = reshape(g, flat, out.shape, out), (1, x.shape[1], *(1,) * (len(x.shape) - 2))
    if weight is not None:
        found = g.op("Mul", found, reshape(g, weight, wide), like=out)
    return found if bias is None else g.op("Add", found, reshape(g, bias, wide), like=out)
