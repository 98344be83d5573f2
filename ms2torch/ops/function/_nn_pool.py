"""Pooling: MindSpore's padding rules over torch's kernels."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ms2torch._core.checks.enum_words import meant
from ms2torch._core.errors import asked, final, unsupported
from ms2torch._core.operators.registry import REQUIRED, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor import dtype as _dtype

from ._nn_conv import _numbers, even, flat, paired, same_pads
from ._nn_windows import (
    check_fractional,
    check_lp,
    check_max_pool3d,
    check_max_unpool3d,
    check_some_left,
    check_three,
    check_unpool,
)

_PLAIN_MAX = {2: torch.max_pool2d, 3: torch.max_pool3d}
_MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_AVG = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}


def _is_whole(t) -> bool:
    """Whether these are integers."""
    return not t.is_floating_point() and not t.is_complex() and t.dtype is not torch.bool


def _check_output(t, kernel, stride, pads, dilation, ceil: bool, name: str) -> None:
    """An error where nothing is left, in MindSpore's words; its MaxPool has no empty batches either."""
    dims, shape, lead = len(kernel), [], (1,) * (2 - len(kernel))      # (a row is an image of one row)
    for n, k, s, (a, b), d in zip(t.shape[2:], kernel, stride, pads, dilation, strict=True):
        room = n + a + b - (k - 1) * d - 1
        count = (-(-room // s) if ceil else room // s) + 1
        shape.append(min(count, -(-(n + a) // s)) if dims == 3 and ceil else count)
    if min(shape) < 1 or (name == "MaxPool" and not t.numel()):
        shape, size = (*t.shape[:2], *lead, *shape), (*t.shape[:2], *lead, *t.shape[2:])
        if dims == 3 and name == "AvgPool" and ceil:
            raise RuntimeError("For 'AvgPool3D', output shape's all elements must be positive, but got "
                               f"shape: {_vector(shape)}.Please check input parameter!")
        if dims == 3 and name == "AvgPool":
            room = (n + a + b for n, (a, b) in zip(t.shape[2:], pads, strict=True))
            given = ", ".join(f"{way}:{n}" for way, n in zip("DHW", room, strict=True))
            raise RuntimeError(
                f"For 'AvgPool3D, size of input with the padding is ({given}) smaller than kernel size "
                f"[const initializer_list]{{{', '.join(map(str, kernel))}}}")
        if dims == 3:
            raise ValueError("For 'MaxPool3D', output shape's all elements must be positive, but got shape: "
                             f"{_vector(shape)}.")
        raise ValueError(
            f"For '{name}', the each element of the output shape must be larger than 0, but got output "
            f"shape: {_vector(shape)}. The input shape: {_vector(size)}, kernel size: "
            f"{_vector((1, 1, *lead, *kernel))}, strides: {_vector((1, 1, *lead, *stride))}. Please check "
            "the official api documents for more information about the output.")


def _vector(sizes) -> str:
    return f"[const vector]{{{', '.join(map(str, sizes))}}}"


_SIDES = (("head and tail", "depth"), ("top and bottom", "height"), ("left and right", "width"))


def _check_pads(pads, kernel, name: str) -> None:
    """No more padding than a window is long, which MindSpore's 3-d operators ask for."""
    if len(kernel) < 3 or all(a + b <= k for k, (a, b) in zip(kernel, pads, strict=True)):
        return
    if name == "AvgPool":
        sides = ",".join(str(side) for pair in pads for side in pair)
        raise ValueError(
            "For 'AvgPool3D the sum of the pads in the two directions should be less than or equal to the "
            f"corresponding kernel size, but got pads: ({sides}) and kernel: {tuple(kernel)}")
    for k, pair, (sides, way) in zip(kernel, pads, _SIDES, strict=True):
        if sum(pair) > k:
            raise ValueError(
                f"For 'MaxPool3D', the summation of padding on {sides} must be smaller than, or equal to the "
                f"kernel size on {way}, but got padding: {list(pair)}, kernel_{way[0]}: {k}.")


def max_pooled(t, kernel, stride, pad_mode: str, padding=0, dilation=1, ceil: bool = False,
               indices: bool = False, name: str = "MaxPool"):
    """The maximum of windows of (N, C, ...); ``kernel`` and ``stride`` are tuples, ``pad_mode`` is in
    capitals."""
    dims = len(kernel)
    dilation = _numbers(dilation, dims)
    if pad_mode == "SAME":
        pads = same_pads(t.shape[2:], kernel, stride, dilation)
    elif pad_mode == "PAD":
        pads = paired(padding, dims)
        _check_pads(pads, kernel, "MaxPool")
    else:
        pads = [(0, 0)] * dims
    if pad_mode != "PAD" and not t.numel():
        _check_output(t, kernel, stride, pads, dilation, ceil, name)
    padded, both = t, even(pads)
    if both is None:
        padded, both = F.pad(t, flat(pads), value=_never_wins(t, dims)), (0,) * dims
    try:
        if not _is_whole(t) or (dims == 2 and not indices):
            found = _MAX[dims](padded, kernel, stride, both, dilation, ceil, indices)
        else:       # torch lacks them
            found = _MAX[dims](padded.double(), kernel, stride, both, dilation, ceil, indices)
            found = (found[0].to(t.dtype), found[1]) if indices else found.to(t.dtype)
    except RuntimeError:
        if pad_mode == "VALID" and not indices and (cut := _cut(t.shape[2:], kernel, stride)):
            return max_pooled(t, cut, stride, pad_mode, name=name)
        _check_output(t, kernel, stride, pads, dilation, ceil, name)
        raise
    if padded is not t and indices:
        found = found[0], _unpadded(found[1], padded.shape[2:], t.shape[2:], pads)
    if padded is t or not ceil:
        return found
    return tuple(_begun(y, t.shape[2:], stride, pads) for y in found) if indices else _begun(
        found, t.shape[2:], stride, pads)


def _cut(shape, kernel, stride) -> tuple[int, ...] | None:
    """The window cut to the image, where it is longer and MindSpore's MaxPool takes it.

    It counts places by dividing n - k + 1 by the stride, rounded towards zero, and one more for a remainder:
    one place, not none, where two to a stride's worth of elements are missing.
    """
    cut = tuple(n if 1 < k - n <= s and n else k for n, k, s in zip(shape, kernel, stride, strict=True))
    return cut if cut != tuple(kernel) and all(k <= n for k, n in zip(cut, shape, strict=True)) else None


def _unpadded(at, padded, shape, pads):
    """Places in planes of shape ``padded`` as places in those of ``shape``, without the ``pads``."""
    place = torch.zeros_like(at)
    axes = torch.unravel_index(at, tuple(padded))
    for axis, size, (before, _) in zip(axes, shape, pads, strict=True):
        place = place * size + (axis - before).clamp(0, size - 1)
    return place


def _never_wins(t, dims: int):
    """What is padded for a maximum; MindSpore's 3-d operator has the least finite number there."""
    if t.is_floating_point():
        return torch.finfo(t.dtype).min if dims == 3 else -math.inf
    return torch.iinfo(t.dtype).min


def avg_pooled(t, kernel, stride, pad_mode: str, padding=0, ceil: bool = False, count_pads: bool = True,
               divisor=None, name: str = "AvgPool"):
    """The mean of windows of (N, C, ...).

    ``count_pads`` None is MindSpore's 2-d operator, which divides by the number of real elements under
    "SAME"; its 3-d operator, which also serves what the 2-d one cannot, counts padding there too unless told
    not to.
    """
    dims = len(kernel)
    if pad_mode == "SAME":
        pads = same_pads(t.shape[2:], kernel, stride, (1,) * dims)
    elif pad_mode == "PAD":
        pads = paired(padding, dims)
        _check_pads(pads, kernel, "AvgPool")
    else:
        pads = [(0, 0)] * dims
    count_pads = bool(count_pads)
    both = even(pads)
    # (torch's 3-d kernel wants room for a window without the padding.)
    if both is None or (dims == 3 and any(n < k for n, k in zip(t.shape[2:], kernel, strict=True))):
        _check_output(t, kernel, stride, pads, (1,) * dims, ceil, name)
        return _avg_of_padded(t, kernel, stride, pads, ceil, count_pads, divisor)
    try:
        return _avg(t, kernel, stride, both, ceil, count_pads, divisor)
    except RuntimeError:
        _check_output(t, kernel, stride, pads, (1,) * dims, ceil, name)
        raise


def _avg_of_padded(t, kernel, stride, pads, ceil, count_pads, divisor):
    none = (0,) * len(kernel)
    by_count = not count_pads and not divisor
    y = _avg(F.pad(t, flat(pads)), kernel, stride, none, ceil, True, 1 if by_count else divisor)
    if by_count:        # (of sums: a mean times a count would be rounded twice)
        y = y / _avg(F.pad(torch.ones_like(t[:1, :1]), flat(pads)), kernel, stride, none, ceil, True, 1)
    return _begun(y, t.shape[2:], stride, pads) if ceil else y


def _begun(y, sizes, stride, pads):
    """The windows that begin before the padding at the end: those that ``ceil_mode`` counts."""
    for dim, (n, s, (before, _)) in enumerate(zip(sizes, stride, pads, strict=True), 2):
        y = y.narrow(dim, 0, min(y.shape[dim], -(-(n + before) // s)))
    return y


def _avg(t, kernel, stride, padding, ceil, count_pads, divisor):
    if len(kernel) == 1:
        if divisor:
            return F.avg_pool2d(t.unsqueeze(2), (1, *kernel), (1, *stride), (0, *padding), ceil, count_pads,
                                divisor).squeeze(2)
        return F.avg_pool1d(t, kernel, stride, padding, ceil, count_pads)
    if len(kernel) == 3 and t.dtype is torch.float16 and t.device.type == "cpu":  # torch has no kernel
        return F.avg_pool3d(t.float(), kernel, stride, padding, ceil, count_pads, divisor).half()
    return _AVG[len(kernel)](t, kernel, stride, padding, ceil, count_pads, divisor)


# ---- functional forms --------------------------------------------------------------------------------------


def _max_functional(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices, dims: int):
    if kernel_size.__class__ is padding.__class__ is int and not return_indices:
        try:
            step = kernel_size if stride is None else stride
            return _PLAIN_MAX[dims](x, kernel_size, step, padding, dilation, ceil_mode)
        except (RuntimeError, TypeError):
            pass                             # told below
    kernel = _numbers(kernel_size, dims)
    stride, padding = kernel if stride is None else _numbers(stride, dims), _numbers(padding, dims)
    if dims == 3:
        check_max_pool3d(kernel, stride, padding)
    return max_pooled(x, kernel, stride, "PAD", padding, dilation, ceil_mode, return_indices)


@op
def max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
    """2-d max pooling (``mindspore.ops.max_pool2d``); the stride is the kernel's size by default."""
    return _max_functional(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 2)


@op
def max_pool3d(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """3-d max pooling (``mindspore.ops.max_pool3d``)."""
    return _max_functional(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 3)


def _avg_functional(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor, dims: int):
    kernel = _numbers(kernel_size, dims)
    stride = kernel if stride is None else _numbers(stride, dims)
    if dims == 3:
        check_three("AvgPool3D", kernel_size=kernel, strides=stride)
    if not x.numel():
        check_some_left(x, kernel, stride, padding)
    return avg_pooled(x, kernel, stride, "PAD", padding, ceil_mode, count_include_pad, divisor or None)


@op
def avg_pool1d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True):
    """1-d average pooling (``mindspore.ops.avg_pool1d``); kernel and stride are 1 by default."""
    return _avg_functional(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1)


@op
@spelled(strides="stride", x="input_x")
def avg_pool2d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=0):
    """2-d average pooling (``mindspore.ops.avg_pool2d``)."""
    return _avg_functional(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad,
                           divisor_override, 2)


@op
def avg_pool3d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=0):
    """3-d average pooling (``mindspore.ops.avg_pool3d``)."""
    return _avg_functional(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad,
                           divisor_override, 3)


def _wide(kernel, x, *others):
    """``kernel``, of integers by way of float64: torch's kernels lack them."""
    return kernel(x.double(), *others).to(x.dtype) if _is_whole(x) else kernel(x, *others)


def _lp(x, norm_type, kernel_size, stride, ceil_mode, dims: int):
    if not norm_type:
        raise asked(ValueError(f"For lp_pool{dims}d, the value of 'norm_type' can not be 0."))
    kernel = _numbers(kernel_size, dims)
    stride = kernel if stride is None else _numbers(stride, dims)
    if not x.is_floating_point() and not x.is_complex():
        x = x.float()
    if not x.numel() or any(n < k for n, k in zip(x.shape[-dims:], kernel, strict=True)):
        check_lp(x, kernel, stride, ceil_mode)
    total = _avg(x.pow(norm_type), kernel, stride, (0,) * dims, ceil_mode, True, None) * math.prod(kernel)
    return (torch.sign(total) * torch.relu(torch.abs(total))).pow(1.0 / norm_type)


@op
def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x^norm_type over windows)^(1 / norm_type) (``mindspore.ops.lp_pool1d``)."""
    return _lp(x, norm_type, kernel_size, stride, ceil_mode, 1)


@op
def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x^norm_type over windows)^(1 / norm_type) (``mindspore.ops.lp_pool2d``)."""
    return _lp(x, norm_type, kernel_size, stride, ceil_mode, 2)


def _unpool(unpool, dims: int):
    def kernel(x, indices, kernel_size, stride=None, padding=0, output_size=None):
        check_unpool(x, indices, dims)
        size = None if output_size is None else tuple(output_size)[-dims:]
        if dims == 3:
            sizes = _numbers(kernel_size, 3), _numbers(stride or kernel_size, 3), _numbers(padding, 3)
            check_max_unpool3d(x, *sizes, size)
        places = indices.long().contiguous()
        return _wide(unpool, x, places, kernel_size, stride if stride else None, padding, size)

    kernel.__name__ = f"max_unpool{dims}d"
    kernel.__doc__ = ("Puts maxima back where ``indices`` say, zeros elsewhere "
                      f"(``mindspore.ops.max_unpool{dims}d``).")
    return op(kernel)


max_unpool1d, max_unpool2d, max_unpool3d = (
    _unpool(f, d) for d, f in ((1, F.max_unpool1d), (2, F.max_unpool2d), (3, F.max_unpool3d)))


# ---- Primitives --------------------------------------------------------------------------------------------


def _mode(pad_mode, name: str, allowed=("VALID", "SAME")) -> str:
    if not isinstance(pad_mode, str) or pad_mode.upper() not in allowed:
        shown = pad_mode.upper() if isinstance(pad_mode, str) else pad_mode
        raise ValueError(f"For '{name}', the 'pad_mode' must be str and must be in '{list(allowed)}', "
                         f"but got '{shown}'.")
    return pad_mode.upper()


_POOL_INIT = {"kernel_size": 1, "strides": 1, "pad_mode": "valid", "data_format": "NCHW"}


@primitive("MaxPool", init=_POOL_INIT)
def _max_pool(x, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
    """2-d max pooling with ``pad_mode`` "valid" or "same" (``mindspore.ops.MaxPool``)."""
    return max_pooled(x, _numbers(kernel_size, 2), _numbers(strides, 2), _mode(pad_mode, "MaxPool"))


@primitive("AvgPool", init={**_POOL_INIT, "pad_mode": "VALID"})
def _avg_pool(x, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
    """2-d average pooling with ``pad_mode`` "valid" or "same" (``mindspore.ops.AvgPool``)."""
    if (mode := meant(pad_mode, "PAD", "SAME", "VALID")) == "PAD":
        raise final(RuntimeError("Resize failed for kernel: Default/AvgPool-op0"))
    return avg_pooled(x, _numbers(kernel_size, 2), _numbers(strides, 2), _mode(mode, "AvgPool"),
                      count_pads=None)


@primitive("MaxPoolWithArgmax", init=_POOL_INIT)
def _max_pool_argmax(x, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
    """2-d max pooling and the positions of the maxima in a sample of (C, H, W), Int32.

    (``MaxPoolWithArgmax`` of r1.x.)
    """
    y, at = max_pooled(x, _numbers(kernel_size, 2), _numbers(strides, 2), _mode(pad_mode,
                                                                                "MaxPoolWithArgmax"),
                       indices=True)
    before = torch.arange(x.shape[1], device=x.device) * (x.shape[2] * x.shape[3])
    return y, (at + before.reshape(-1, 1, 1)).to(torch.int32)


@primitive("MaxPool3D", init={"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "pad_list": 0,
                              "ceil_mode": None, "data_format": "NCDHW"})
def _max_pool3d(x, kernel_size=1, strides=1, pad_mode="VALID", pad_list=0, ceil_mode=None,
                data_format="NCDHW"):
    """3-d max pooling (``mindspore.ops.MaxPool3D``)."""
    if ceil_mode is not None and not isinstance(ceil_mode, bool):
        raise TypeError("For 'MaxPool3D', the type of 'ceil_mode' should be 'bool', but got type "
                        f"'{type(ceil_mode).__name__}'.")
    return max_pooled(x, _numbers(kernel_size, 3), _numbers(strides, 3),
                      _mode(pad_mode, "MaxPool3D", ("SAME", "VALID", "PAD")), pad_list, ceil=bool(ceil_mode))


@primitive("AvgPool3D", init={"kernel_size": 1, "strides": 1, "pad_mode": "valid", "pad": 0,
                              "ceil_mode": False, "count_include_pad": True, "divisor_override": 0,
                              "data_format": "NCDHW"})
def _avg_pool3d(x, kernel_size=1, strides=1, pad_mode="valid", pad=0, ceil_mode=False, count_include_pad=True,
                divisor_override=0, data_format="NCDHW"):
    """3-d average pooling (``mindspore.ops.AvgPool3D``)."""
    return avg_pooled(x, _numbers(kernel_size, 3), _numbers(strides, 3),
                      _mode(pad_mode, "AvgPool3D", ("SAME", "VALID", "PAD")), pad, ceil_mode,
                      count_include_pad, divisor_override or None)


def _max_with_places(x, kernel, strides, pads, dilation, ceil, kind, dims):
    pool = F.max_pool2d if dims == 2 else F.max_pool3d
    kernel = _numbers(kernel, dims)
    strides = kernel if strides is None else _numbers(strides, dims)
    values, places = pool(x, kernel, strides, _numbers(pads, dims), _numbers(dilation, dims), ceil, True)
    return values, places.to(kind.torch)


@primitive(
    "MaxPoolWithArgmaxV2",
    init={
        "kernel_size": REQUIRED,
        "strides": None,
        "pads": 0,
        "dilation": (1, 1),
        "ceil_mode": False,
        "argmax_type": _dtype.int64,
    },
)
def _max_pool_with_argmax_v2(
    x, kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=_dtype.int64
):
    """2-d max pooling and the places of the maxima (``mindspore.ops.MaxPoolWithArgmaxV2``)."""
    return _max_with_places(x, kernel_size, strides, pads, dilation, ceil_mode, argmax_type, 2)


@primitive(
    "MaxPool3DWithArgmax",
    init={
        "ksize": REQUIRED,
        "strides": REQUIRED,
        "pads": REQUIRED,
        "dilation": (1, 1, 1),
        "ceil_mode": False,
        "data_format": "NCDHW",
        "argmax_type": _dtype.int64,
    },
)
def _max_pool3d_with_argmax(
    x,
    ksize,
    strides,
    pads,
    dilation=(1, 1, 1),
    ceil_mode=False,
    data_format="NCDHW",
    argmax_type=_dtype.int64,
):
    """3-d max pooling and the places of the maxima (``mindspore.ops.MaxPool3DWithArgmax``)."""
    return _max_with_places(x, ksize, strides, pads, dilation, ceil_mode, argmax_type, 3)


def _unpool(name: str, dims: int, unpool, first: str) -> None:
    @primitive(
        name, init={"ksize": REQUIRED, "strides": 0, "pads": 0, "output_shape": (), "data_format": first}
    )
    def kernel(x, argmax, ksize, strides=0, pads=0, output_shape=(), data_format=first):
        """Maxima back at their places, zeros elsewhere."""
        if data_format != first:
            raise unsupported(
                f"mindspore.ops.{name}(data_format={data_format!r})",
                "channels come second here.",
                "transpose the input and the result.",
            )
        ksize = _numbers(ksize, dims)
        strides = _numbers(strides, dims)
        size = tuple(output_shape)[2:] or None
        return _wide(unpool, x, argmax.long().contiguous(), ksize, strides if any(strides) else ksize,
                     _numbers(pads, dims), size)

_unpool("MaxUnpool2D", 2, F.max_unpool2d, "NCHW")

_unpool("MaxUnpool3D", 3, F.max_unpool3d, "NCDHW")


def _fractional(x, kernel, output, ratio, samples, dims, api):
    if (output is None) == (ratio is None):
        raise final(
            ValueError(
                f"For '{api}', 'output_size' and 'output_ratio' can not be specified or None at the "
                f"same time, but got {output} and {ratio} ."
            )
        )
    if isinstance(ratio, float):
        ratio = (ratio,) * dims
    for k, share in enumerate(ratio or ()):
        called = f"For '{api}', the 'output_ratio[{k}]' must be"
        if not isinstance(share, float):
            raise final(TypeError(f"{called} 'float',  but got '{type(share).__name__}'."))
        if not 0 < share < 1:
            raise final(ValueError(f"{called} in range of (0.0, 1.0), but got {share} with type 'float'."))
    pool = F.fractional_max_pool2d_with_indices if dims == 2 else F.fractional_max_pool3d_with_indices
    kernel = _numbers(kernel, dims)
    if dims == 3 and (wrong := next((n for n in kernel if n.__class__ is int and n < 1), None)) is not None:
        raise final(ValueError("For 'FractionalMaxPool3DWithFixedKsize', the 'ksize item' must be int and "
                               f"must > 0, but got '{wrong}' with type 'int'."))
    size = None if output is None else _numbers(output, dims)
    if samples is None:
        from ms2torch.ops.function.random_func import rand

        batch, channels = (1, *x.shape)[-dims - 2 : -dims]
        samples = rand.kernel(batch, channels, dims)
    elif dims == 2:
        check_fractional(x, samples, kernel, size)
    # torch takes the numbers of a 2-d window by (width, height), and so does MindSpore.
    wide = x.double() if _is_whole(x) else x
    found, places = pool(wide, kernel, size, ratio, _random_samples=samples.detach().to(wide.dtype))
    return found.to(x.dtype), places


@op
def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Max pooling over windows at random places (``mindspore.ops.fractional_max_pool2d``).

    ``_random_samples`` (N, C, 2) in [0, 1), drawn where it is None, places them.
    With ``return_indices`` also the maxima's places.
    """
    found = _fractional(
        input, kernel_size, output_size, output_ratio, _random_samples, 2, "fractional_max_pool2d"
    )
    return found if return_indices else found[0]


@op
def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Max pooling over windows at random places (``mindspore.ops.fractional_max_pool3d``).

    ``_random_samples`` (N, C, 3) in [0, 1), drawn where it is None, places them.
    With ``return_indices`` also the maxima's places.
    """
    found = _fractional(
        input, kernel_size, output_size, output_ratio, _random_samples, 3, "fractional_max_pool3d"
    )
    return found if return_indices else found[0]


@primitive(
    "FractionalMaxPoolWithFixedKsize",
    init={"ksize": REQUIRED, "output_shape": REQUIRED, "data_format": "NCHW"},
)
def _fractional_2d(input_x, random_samples, ksize, output_shape, data_format="NCHW"):
    """Maxima of windows ``ksize`` at places that ``random_samples`` shift, and their indices."""
    return _fractional(
        input_x, ksize, output_shape, None, random_samples, 2, "FractionalMaxPoolWithFixedKsize"
    )


@primitive(
    "FractionalMaxPool3DWithFixedKsize",
    init={"ksize": REQUIRED, "output_shape": REQUIRED, "data_format": "NCDHW"},
)
def _fractional_3d(x, random_samples, ksize, output_shape, data_format="NCDHW"):
    """Maxima of 3-d windows at places that ``random_samples`` shift, and their indices."""
    return _fractional(x, ksize, output_shape, None, random_samples, 3, "FractionalMaxPool3DWithFixedKsize")
