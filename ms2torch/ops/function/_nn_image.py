"""Resizing, sampling and rearranging images."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.registry import REQUIRED, op, primitive

from ._math_axis import spelled, unseen


def _positions(size: int, wanted: int, align_corners: bool, half_pixel: bool, device):
    """Where each output element of one dimension lies in the input, in float32."""
    at = torch.arange(wanted, device=device, dtype=torch.float32)
    if align_corners and wanted > 1:
        return at * ((size - 1) / (wanted - 1))
    scale = size / wanted
    return ((at + 0.5) * scale - 0.5).clamp_min(0) if half_pixel else at * scale


def _linear(t, axis: int, wanted: int, align_corners: bool, half_pixel: bool):
    at = _positions(t.shape[axis], wanted, align_corners, half_pixel, t.device)
    low = at.floor().long().clamp_max(t.shape[axis] - 1)
    high = (low + 1).clamp_max(t.shape[axis] - 1)
    share = (at - low).to(t.dtype).reshape([-1 if i == axis % t.ndim else 1 for i in range(t.ndim)])
    first = t.index_select(axis, low)
    return first + (t.index_select(axis, high) - first) * share


def resized_bilinear(t, size, align_corners: bool, half_pixel_centers: bool):
    """(N, C, H, W) to ``size``. Neither flag: output i lies at i * scale, which torch does not have."""
    size = tuple(int(n) for n in size)
    if not t.is_floating_point():
        t = t.to(torch.float32)
    if tuple(t.shape[2:]) == size:
        return t
    if align_corners or half_pixel_centers:
        return F.interpolate(t, size, mode="bilinear", align_corners=bool(align_corners))
    return _linear(_linear(t, 2, size[0], False, False), 3, size[1], False, False)


def _cubic_weights(size: int, wanted: int, align_corners: bool, device) -> torch.Tensor:
    """The matrix (wanted, size) of cubic interpolation along one dimension.

    MindSpore rounds distances to 1/1024. With half pixels its kernel has a = -0.5 (torch's: -0.75), and
    neighbours outside count nothing instead of repeating the edge.
    """
    a = -0.75 if align_corners else -0.5
    at = torch.arange(wanted, dtype=torch.float32)
    if align_corners:
        at = at * ((size - 1) / (wanted - 1) if wanted > 1 else 0.0)
    else:
        at = (at + 0.5) * (size / wanted) - 0.5
    low = at.floor()
    near = torch.round((at - low) * 1024) / 1024
    matrix = torch.zeros(wanted, size)
    rows = torch.arange(wanted)
    for step, x in ((0, near), (1, 1 - near), (-1, near + 1), (2, 2 - near)):
        inner = ((a + 2) * x - (a + 3)) * x * x + 1
        outer = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        weight = inner if step in (0, 1) else outer
        place = low.long() + step
        inside = place.clamp(0, size - 1)
        if not align_corners:
            weight = torch.where(place == inside, weight, 0.0)
        matrix.index_put_((rows, inside), weight, accumulate=True)
    return (matrix if align_corners else matrix / matrix.sum(1, keepdim=True)).to(device)


def resized_bicubic(t, size, align_corners: bool):
    """(N, C, H, W) to ``size`` by cubic interpolation."""
    down = _cubic_weights(t.shape[2], int(size[0]), align_corners, t.device).to(t.dtype)
    across = _cubic_weights(t.shape[3], int(size[1]), align_corners, t.device).to(t.dtype)
    return down @ t @ across.T


def _one_way(align_corners: bool, half_pixel_centers: bool, name: str) -> None:
    if align_corners and half_pixel_centers:
        raise ValueError(f"For {name}, the half_pixel_centers must be false when align_corners is true, but "
                         "half_pixel_centers got True.")


@primitive("ResizeBilinear", init={
    "size": REQUIRED, "align_corners": False, "half_pixel_centers": False})
def _resize_bilinear(x, size=None, align_corners=False, half_pixel_centers=False):
    """Bilinear resizing of (N, C, H, W) (``mindspore.ops.ResizeBilinear``); see ``resized_bilinear``."""
    return resized_bilinear(x, size, align_corners, half_pixel_centers)


@primitive("ResizeBilinearV2", init={"align_corners": False, "half_pixel_centers": False})
def _resize_bilinear_v2(image, size, align_corners=False, half_pixel_centers=False):
    """Bilinear resizing with the size given in the call (``mindspore.ops.ResizeBilinearV2``)."""
    _one_way(align_corners, half_pixel_centers, "ResizeBilinearV2")
    return resized_bilinear(image, size, align_corners, half_pixel_centers)


def resized_nearest(t, size, align_corners: bool, half_pixel_centers: bool = False):
    """(N, C, H, W) to ``size`` by the nearest element: floor(i * scale), or rounded between aligned corners.
    """
    for axis, wanted in ((2, int(size[0])), (3, int(size[1]))):
        n = t.shape[axis]
        if align_corners and wanted > 1:
            at = (_positions(n, wanted, True, False, t.device) + 0.5).floor()
        elif half_pixel_centers:
            at = ((torch.arange(wanted, device=t.device) + 0.5) * (n / wanted)).floor()
        else:
            at = _positions(n, wanted, False, False, t.device).floor()
        t = t.index_select(axis, at.long().clamp_max(n - 1))
    return t


@primitive("ResizeNearestNeighbor", init={
    "size": REQUIRED, "align_corners": False, "half_pixel_centers": False})
def _resize_nearest(input_x, size=None, align_corners=False, half_pixel_centers=False):
    """Nearest-neighbour resizing of (N, C, H, W) (``mindspore.ops.ResizeNearestNeighbor``)."""
    return resized_nearest(input_x, size, align_corners, half_pixel_centers)


@primitive("ResizeNearestNeighborV2", init={"align_corners": False, "half_pixel_centers": False})
def _resize_nearest_v2(image, size, align_corners=False, half_pixel_centers=False):
    """Nearest-neighbour resizing with the size given in the call (``ResizeNearestNeighborV2``)."""
    return resized_nearest(image, size, align_corners, half_pixel_centers)


_MODES = ("nearest", "linear", "bilinear", "bicubic", "area", "nearest-exact", "trilinear")


@unseen("sizes", "scales", "coordinate_transformation_mode", "roi")
@op
@spelled(x="input")
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, *, sizes=None, scales=None, coordinate_transformation_mode=None,
                roi=None):
    """Resizes the dimensions after (N, C) (``mindspore.ops.interpolate``); arguments as torch's.

    Before 2.0 they were ``sizes``, ``scales`` (of all dimensions) and ``coordinate_transformation_mode``,
    "align_corners" by default: taken by those names. ``roi``, which those positions do not read, as None.
    """
    if roi is not None:
        raise unsupported("mindspore.ops.interpolate(roi=)", "it belongs to 'tf_crop_and_resize'.",
                          "use ops.crop_and_resize.")
    if sizes is not None or scales is not None:
        how = coordinate_transformation_mode or "align_corners"
        if how not in ("align_corners", "half_pixel"):
            raise unsupported(f"mindspore.ops.interpolate(coordinate_transformation_mode={how!r})",
                              "torch has no such positions.", "use 'align_corners' or 'half_pixel'.")
        size, scale_factor = sizes, None if scales is None else tuple(float(s) for s in scales[2:])
        mode = "linear" if mode == "nearest" and input.ndim == 3 else mode      # the old form's default
        if mode != {3: "linear", 4: "bilinear"}.get(input.ndim):
            raise ValueError("For 'interpolate' by sizes or scales, 'mode' must be 'linear' for 3 dimensions "
                             f"or 'bilinear' for 4, but got {mode} for {input.ndim}.")
        align_corners = how == "align_corners"
    if mode not in _MODES:
        raise ValueError(f"For 'interpolate', 'mode' must be in '{list(_MODES)}', but got {mode}")
    if size is not None and scale_factor is not None:
        raise ValueError("For 'interpolate', 'size' and 'scale_factor' cannot be set simultaneously")
    if size is None and scale_factor is None:
        raise ValueError("For 'interpolate', 'size' and 'scale_factor' cannot be both empty")
    if mode in ("nearest", "area", "nearest-exact"):
        align_corners = None
    if isinstance(size, (tuple, list)):
        size = tuple(int(n) for n in size)
    if mode == "bicubic" and size is not None:
        return resized_bicubic(input, size, bool(align_corners))
    return F.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


@op
def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
             recompute_scale_factor=None):
    """The same as ``interpolate`` (``mindspore.ops.upsample``)."""
    return interpolate.__wrapped__(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


@op
@spelled(input_x="input", interpolation_mode="mode")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Values of (N, C, H, W) at the positions ``grid`` in [-1, 1] (``mindspore.ops.grid_sample``)."""
    return F.grid_sample(input, grid, mode, padding_mode, bool(align_corners))


@op
def affine_grid(theta, size, align_corners=False):
    """The grid for ``grid_sample`` of affine maps (N, 2, 3) (``mindspore.ops.affine_grid``)."""
    return F.affine_grid(theta, list(size), align_corners)


@op
def pixel_shuffle(input, upscale_factor):
    """(..., C r^2, H, W) to (..., C, H r, W r) (``mindspore.ops.pixel_shuffle``)."""
    if not isinstance(upscale_factor, int) or isinstance(upscale_factor, bool) or upscale_factor < 1:
        raise ValueError("For 'pixel_shuffle', the 'upscale_factor' must be int and must > 0, "
                         f"but got '{upscale_factor}' with type '{type(upscale_factor).__name__}'.")
    return F.pixel_shuffle(input, upscale_factor)


@op
def pixel_unshuffle(input, downscale_factor):
    """The reverse of ``pixel_shuffle`` (``mindspore.ops.pixel_unshuffle``)."""
    return F.pixel_unshuffle(input, downscale_factor)


@op
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Windows of (N, C, H, W) as columns (``mindspore.ops.unfold``)."""
    return F.unfold(input, kernel_size, dilation, padding, stride)


@op
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Adds columns up to images, the reverse of ``unfold`` (``mindspore.ops.fold``)."""
    if isinstance(output_size, torch.Tensor):
        output_size = output_size.tolist()
    return F.fold(input, output_size, kernel_size, dilation, padding, stride)


def patches(t, ksizes, strides, rates, padding: str):
    """Windows of (N, C, H, W): (N, kh * kw * C, out_h, out_w), the position in the window before the channel.
    """
    from ._nn_conv import flat, same_pads

    kernel, step, rate = ksizes[2:], strides[2:], rates[2:]
    if padding.lower() == "same":
        t = F.pad(t, flat(same_pads(t.shape[2:], kernel, step, rate)))
    n, c, h, w = t.shape
    out = [(s - (k - 1) * r - 1) // d + 1 for s, k, d, r in zip((h, w), kernel, step, rate, strict=True)]
    y = F.unfold(t, kernel, rate, 0, step).reshape(n, c, kernel[0] * kernel[1], *out)
    return y.transpose(1, 2).reshape(n, -1, *out)


@primitive("ExtractImagePatches", init={
    "ksizes": REQUIRED, "strides": REQUIRED, "rates": REQUIRED, "padding": "VALID"})
def _extract_image_patches(input_x, ksizes=None, strides=None, rates=None, padding="valid"):
    """Windows of (N, C, H, W); sizes are (1, 1, h, w)."""
    return patches(input_x, ksizes, strides, rates, padding)
