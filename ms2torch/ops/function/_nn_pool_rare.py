"""Pooling, sampling and resizing Primitives that few programs use."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.errors import said, unsupported
from ms2torch._core.operators.registry import REQUIRED, op, primitive
from ms2torch._core.tensor import dtype as _dtype

from ._array_shape import ints


def _numbers(value, count: int) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)[-count:]


@primitive("AdaptiveMaxPool3D")
def _adaptive_max_pool3d(x, output_size):
    """Maximum of even parts of the last three dimensions, and its place, Int32."""
    values, places = F.adaptive_max_pool3d(x, tuple(ints(output_size)), True)
    return values, places.to(torch.int32)


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
        return unpool(x, argmax.long(), ksize, strides if any(strides) else ksize, _numbers(pads, dims), size)


_unpool("MaxUnpool2D", 2, F.max_unpool2d, "NCHW")
_unpool("MaxUnpool3D", 3, F.max_unpool3d, "NCDHW")


@primitive("AffineGrid", init={"align_corners": False})
def _affine_grid(theta, output_size, align_corners=False):
    """The grid for GridSampler2D or 3D of affine maps (``mindspore.ops.AffineGrid``)."""
    return F.affine_grid(theta, list(ints(output_size)), align_corners)


for _name in ("GridSampler2D", "GridSampler3D"):

    @primitive(_name, init=("interpolation_mode", "padding_mode", "align_corners"))
    def _grid_sampler(
        input_x, grid, interpolation_mode="bilinear", padding_mode="zeros", align_corners=False
    ):
        """Values at the positions ``grid`` in [-1, 1] (``mindspore.ops.GridSampler2D``, 3D)."""
        return F.grid_sample(input_x, grid, interpolation_mode, padding_mode, align_corners)


def _upsampled(x, output_size, scales, mode: str, align=None):
    if (output_size is None) == (scales is None):
        raise ValueError("For upsampling, exactly one of 'output_size' and 'scales' must be given.")
    size = None if output_size is None else list(ints(output_size))
    return F.interpolate(x, size, None if scales is None else list(scales), mode, align)


@primitive("UpsampleNearest3D")
def _upsample_nearest3d(x, output_size=None, scales=None):
    """The nearest values at another size, (N, C, D, H, W) (``mindspore.ops.UpsampleNearest3D``)."""
    return _upsampled(x, output_size, scales, "nearest")


@primitive("UpsampleTrilinear3D", init={"align_corners": False})
def _upsample_trilinear3d(x, output_size=None, scales=None, align_corners=False):
    """Trilinear values at another size, (N, C, D, H, W) (``mindspore.ops.UpsampleTrilinear3D``)."""
    return _upsampled(x, output_size, scales, "trilinear", align_corners)


@primitive("ResizeLinear1D", init={"coordinate_transformation_mode": "align_corners"})
def _resize_linear1d(x, size, coordinate_transformation_mode="align_corners"):
    """Linear values at another length, (N, C, W) (``mindspore.ops.ResizeLinear1D``)."""
    how = coordinate_transformation_mode
    if how not in ("align_corners", "half_pixel"):
        raise said(
            ValueError(
                "For 'ResizeLinear1D', the 'coordinate_transformation_mode' must be 'align_corners' "
                f"or 'half_pixel', but got {how}."
            )
        )
    return F.interpolate(x, list(ints(size)), mode="linear", align_corners=how == "align_corners")


def _steps(old: int, new: int, align: bool) -> float:
    return (old - 1) / (new - 1) if align and new > 1 else old / new


@primitive("ResizeArea", init={"align_corners": False})
def _resize_area(images, size, align_corners=False):
    """The mean of what each new pixel covers, (N, H, W, C), Float32 (``mindspore.ops.ResizeArea``)."""

    def shares(old, new):
        step = _steps(old, new, align_corners)
        start = torch.arange(new, device=images.device, dtype=torch.float32)[:, None] * step
        pixel = torch.arange(old + 1, device=images.device, dtype=torch.float32)[None]
        covered = (torch.minimum(start + step, pixel + 1) - torch.maximum(start, pixel)).clamp(min=0)
        # What lies beyond the last pixel is the last pixel.
        return torch.cat([covered[:, : old - 1], covered[:, old - 1 :].sum(1, keepdim=True)], 1) / step

    height, width = ints(size)
    rows, columns = shares(images.shape[1], height), shares(images.shape[2], width)
    return torch.einsum("ph,qw,nhwc->npqc", rows, columns, images.float())


@primitive("ResizeBicubic", init={"align_corners": False, "half_pixel_centers": False})
def _resize_bicubic(image, size, align_corners=False, half_pixel_centers=False):
    """Bicubic values at another size, (N, C, H, W) (``mindspore.ops.ResizeBicubic``).

    With ``half_pixel_centers`` the cubic has a = -0.5 and weights inside the image are scaled to 1; else
    -0.75.
    """
    if align_corners and half_pixel_centers:
        raise said(
            ValueError("For 'ResizeBicubic', 'align_corners' and 'half_pixel_centers' cannot both be True.")
        )
    height, width = ints(size)
    x = image if image.is_floating_point() else image.float()
    rows = _cubic(x.shape[2], height, align_corners, half_pixel_centers, x)
    columns = _cubic(x.shape[3], width, align_corners, half_pixel_centers, x)
    return torch.einsum("ph,qw,nchw->ncpq", rows, columns, x)


def _cubic(old: int, new: int, align: bool, half: bool, like):
    """The share of every old pixel in every new one along an axis, (new, old)."""
    at = torch.arange(new, device=like.device, dtype=torch.float32)
    step = _steps(old, new, align)
    at = (at + 0.5) * step - 0.5 if half else at * step
    low = at.floor()
    a = -0.5 if half else -0.75
    weights = torch.zeros(new, old, device=like.device, dtype=torch.float32)
    for shift in (-1, 0, 1, 2):
        place = low + shift
        # MindSpore takes its weights from a table of 1024 steps.
        d = (((at - low) * 1024).round() / 1024 - shift).abs()
        w = torch.where(
            d <= 1, ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        )
        if half:
            w = torch.where((place >= 0) & (place < old), w, 0.0)
        weights.scatter_add_(1, place.clamp(0, old - 1).long()[:, None], w[:, None])
    if half:
        weights = weights / weights.sum(1, keepdim=True)
    return weights.to(like.dtype)


def _fractional(x, kernel, output, ratio, samples, dims, api):
    if (output is None) == (ratio is None):
        raise said(
            ValueError(
                f"For '{api}', 'output_size' and 'output_ratio' can not be specified or None at the "
                f"same time, but got {output} and {ratio} ."
            )
        )
    pool = F.fractional_max_pool2d_with_indices if dims == 2 else F.fractional_max_pool3d_with_indices
    kernel = _numbers(kernel, dims)
    size = None if output is None else _numbers(output, dims)
    if samples is None:
        raise unsupported(
            f"mindspore.ops.{api}(_random_samples=None)",
            "MindSpore's random numbers for it are not reproduced.",
            f"give _random_samples, uniform in [0, 1), (N, C, {dims}).",
        )
    # torch takes the numbers of a 2-d window by (width, height), and so does MindSpore.
    return pool(x, kernel, size, ratio, _random_samples=samples.to(x.dtype))


@op
def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    """Max pooling over windows at random places (``mindspore.ops.fractional_max_pool2d``).

    ``_random_samples`` (N, C, 2) in [0, 1) must be given. With ``return_indices`` also the maxima's places.
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

    ``_random_samples`` (N, C, 3) in [0, 1) must be given. With ``return_indices`` also the maxima's places.
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
    return _fractional(
        input_x, ksize, output_shape, None, random_samples, 2, "FractionalMaxPoolWithFixedKsize"
    )


@primitive(
    "FractionalMaxPool3DWithFixedKsize",
    init={"ksize": REQUIRED, "output_shape": REQUIRED, "data_format": "NCDHW"},
)
def _fractional_3d(x, random_samples, ksize, output_shape, data_format="NCDHW"):
    return _fractional(x, ksize, output_shape, None, random_samples, 3, "FractionalMaxPool3DWithFixedKsize")


__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]
