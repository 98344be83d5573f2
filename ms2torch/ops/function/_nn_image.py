"""Resizing, sampling and rearranging images."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch._core.checks.enum_words import chosen, meant
from ms2torch._core.errors import asked, final
from ms2torch._core.operators.registry import REQUIRED, op, primitive
from ms2torch._core.operators.spelling import spelled

from ._array_shape import ints, size_of
from ._nn_windows import check_columns


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
    size = tuple(map(size_of, size))
    if not t.is_floating_point():
        t = t.to(torch.float32)
    if tuple(t.shape[2:]) == size:
        return t
    if t.dtype is torch.float16 and not half_pixel_centers:     # rounded once, at the end
        rows = _linear(t.float(), 3, size[1], align_corners, False)
        return _linear(rows, 2, size[0], align_corners, False).half()
    if align_corners or half_pixel_centers:
        return F.interpolate(t, size, mode="bilinear", align_corners=bool(align_corners))
    return _linear(_linear(t, 2, size[0], False, False), 3, size[1], False, False)


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
    for axis, wanted in ((2, size_of(size[0])), (3, size_of(size[1]))):
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
    _one_way(align_corners, half_pixel_centers, "ResizeNearestNeighbor")
    if len(size) != 2:
        raise ValueError("For primitive[ResizeNearestNeighbor], the number of size must be equal to 2, "
                         f"but got {len(size)}.")
    return resized_nearest(input_x, size, align_corners, half_pixel_centers)


@primitive("ResizeNearestNeighborV2", init={"align_corners": False, "half_pixel_centers": False})
def _resize_nearest_v2(image, size, align_corners=False, half_pixel_centers=False):
    """Nearest-neighbour resizing with the size given in the call (``ResizeNearestNeighborV2``)."""
    return resized_nearest(image, size, align_corners, half_pixel_centers)


@op
@spelled(input_x="input", interpolation_mode="mode")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Values of (N, C, H, W) at the positions ``grid`` in [-1, 1] (``mindspore.ops.grid_sample``)."""
    return _sampled(input, grid, mode, padding_mode, bool(align_corners))


def _sampled(input, grid, mode, padding_mode, align_corners):
    operator = f"grid_sampler_{2 if input.ndim == 4 else 3}d"
    return sampled(
        input, grid, chosen(mode, "interpolation_mode", operator, "bilinear", "nearest"),
        chosen(padding_mode, "padding_mode", operator, "zeros", "border", "reflection", "zeros"),
        align_corners)


def sampled(input, grid, mode: str, padding_mode: str, align_corners: bool):
    """``input`` at the positions ``grid``: torch's, but for ties between two elements in mode "nearest"."""
    if mode != "nearest":
        return F.grid_sample(input, grid, mode, padding_mode, align_corners)
    at = torch.stack([_element(x, n, padding_mode, align_corners)
                      for x, n in zip(grid.detach().unbind(-1), input.shape[:1:-1], strict=True)], -1)
    wide = at.dtype if input.dtype.itemsize < at.dtype.itemsize else input.dtype
    return F.grid_sample(input.to(wide), at.to(wide), mode, "zeros", False).to(input.dtype)


def _element(x, n: int, padding_mode: str, align_corners: bool):
    """The positions of the nearest of ``n`` elements. MindSpore computes them in float32 and rounds halves
    away from zero, where torch rounds them to the even element."""
    x = x.float()
    at = (x + 1) / 2 * (n - 1) if align_corners else ((x + 1) * n - 1) / 2
    if padding_mode == "reflection" and n > 1:
        low, span = (0, n - 1) if align_corners else (-0.5, n)
        beyond = (at - low).abs()
        within = beyond.fmod(span)
        at = torch.where((beyond / span).floor() % 2 == 1, span - within, within) + low
    if padding_mode != "zeros":
        at = at.clamp(0, n - 1)
    near = at.trunc()
    near = near + at.sign() * ((at - near).abs() >= 0.5)
    return (2 * near + 1) / n - 1


@op
def affine_grid(theta, size, align_corners=False):
    """The grid for ``grid_sample`` of affine maps (N, 2, 3) (``mindspore.ops.affine_grid``)."""
    return _affine_grid.kernel(theta, size, align_corners)


def _check_factor(factor, name: str) -> None:
    kind = type(factor).__name__
    if not isinstance(factor, int):
        raise asked(TypeError(f"The '{name}' must be int, but got '{kind}'"))
    if kind == "bool" or factor < 1:
        raise (TypeError if kind == "bool" else ValueError)(
            f"The '{name}' must be int and must > 0, but got '{factor}' with type '{kind}'.")


@op
def pixel_shuffle(input, upscale_factor):
    """(..., C r^2, H, W) to (..., C, H r, W r) (``mindspore.ops.pixel_shuffle``)."""
    _check_factor(upscale_factor, "upscale_factor")
    if input.ndim < 3:
        raise ValueError("For pixel_shuffle, the dimension of `input` should be larger than 2, "
                         f"but got {input.ndim}.")
    if input.shape[-3] % upscale_factor**2:
        raise ValueError("For 'pixel_shuffle', the length of third to last dimension is not divisible"
                         "by `upscale_factor` squared.")
    return F.pixel_shuffle(input, upscale_factor)


@op
def pixel_unshuffle(input, downscale_factor):
    """The reverse of ``pixel_shuffle`` (``mindspore.ops.pixel_unshuffle``)."""
    _check_factor(downscale_factor, "downscale_factor")
    if input.ndim < 3:
        raise asked(ValueError("For pixel_unshuffle, the dimension of `input` should be larger than 2, but "
                               f"got {input.ndim}."))
    if any(n % downscale_factor for n in input.shape[-2:]):
        raise ValueError("For 'pixel_unshuffle', the length of second to last 2 dimension should be "
                         "divisible by downscale_factor.")
    if not input.numel():                # torch leaves an empty one as it is
        *batch, c, h, w = input.shape
        n = downscale_factor
        return input.new_empty((*batch, c * n * n, h // n, w // n))
    return F.pixel_unshuffle(input, downscale_factor)


@op(method=True)
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Windows of (N, C, H, W) as columns (``mindspore.ops.unfold``)."""
    if input.ndim != 4:
        raise ValueError("For primitive[Im2Col], the dimension of input x must be equal to 4, but got "
                         f"{input.ndim}.")
    sizes = [_pair(n) for n in (kernel_size, dilation, padding, stride)]
    if input.is_floating_point() or input.is_complex() or input.dtype is torch.bool:
        return F.unfold(input, *sizes)
    return F.unfold(input.double(), *sizes).to(input.dtype)          # torch has it of floats alone


def _pair(size):
    """A sequence of one number as that number."""
    return size[0] if isinstance(size, (list, tuple)) and len(size) == 1 else size


@op(method=True)
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Adds columns up to images, the reverse of ``unfold`` (``mindspore.ops.fold``).

    ``input`` (N, C * kernel, L), or (N, C, kernel, L) as the operator Col2Im has it.
    """
    if input.ndim == 4:
        input = input.flatten(1, 2)
    output_size = tuple(ints(output_size))
    check_columns("fold", kernel_size, dilation, padding, stride)
    kernel = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * 2
    if input.ndim == 3 and len(kernel) == 2 and input.shape[1] % math.prod(kernel) == 0:
        columns = input.unflatten(1, (-1, math.prod(kernel)))
        check_columns("fold", kernel_size, dilation, padding, stride, output_size, columns)
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


def _of_other_batch(size, shape) -> ValueError:
    return ValueError("For 'AffineGrid', the output_size[0] must be equal to the shape[0] of theta, but got "
                      f"the output_size[0] is {size[0]} and the shape[0] of theta is {shape[0]}.")


@primitive("AffineGrid", init={"align_corners": False})
def _affine_grid(theta, output_size, align_corners=False):
    """The grid for GridSampler2D or 3D of affine maps (``mindspore.ops.AffineGrid``)."""
    size, rank = [*ints(output_size)], theta.ndim
    shape = tuple(theta.shape)
    if size and all(n.__class__ is int for n in size) and rank == 3:
        if size[0] != shape[0] and min(size) > 0 and shape[1:] != ((2, 3) if len(size) == 4 else (3, 4)):
            raise _of_other_batch(size, shape)
        if min(size) < 0:
            raise ValueError("For primitive[AffineGrid], the attribute[output_size] should be a vector with "
                             f"all positive item. but got [{''.join(f'{n}, ' for n in size)}].")
        if (shape[1:], len(size)) not in (((2, 3), 4), ((3, 4), 5)):
            raise ValueError(
                "For 'AffineGrid', the shape of 'theta' must be [N, 2, 3] and the size of 'output_size' must "
                "be 4 "
                "for 2D; or the shape of 'theta' must be [N, 3, 4] and the size of 'output_size' must be 5 "
                "for "
                f"3D. But got the shape of 'theta is {list(shape)} and the size of 'output_size' is "
                f"{len(size)}.")
        if size[0] != shape[0]:
            raise _of_other_batch(size, shape)
        if 0 in size:
            return theta.new_zeros((size[0], *size[2:], len(size) - 2))
    wide = theta.float() if theta.dtype is torch.float16 else theta
    return F.affine_grid(wide, size, align_corners).to(theta.dtype)

for _name in ("GridSampler2D", "GridSampler3D"):

    @primitive(_name, init=("interpolation_mode", "padding_mode", "align_corners"))
    def _grid_sampler(
        input_x, grid, interpolation_mode="bilinear", padding_mode="zeros", align_corners=False
    ):
        """Values at the positions ``grid`` in [-1, 1] (``mindspore.ops.GridSampler2D``, 3D)."""
        return _sampled(input_x, grid, interpolation_mode, padding_mode, align_corners)


def by_scales(t, scales, mode: str, align=None):
    """``t`` at another size by ``scales``; MindSpore finds that size in float32, where torch takes double."""
    size = [int(np.float32(n) * np.float32(s)) for n, s in zip(t.shape[2:], scales, strict=True)]
    if size == [math.floor(n * s) for n, s in zip(t.shape[2:], scales, strict=True)]:
        return F.interpolate(t, None, list(scales), mode, align)
    kernel = getattr(torch.ops.aten, f"upsample_{mode}{len(scales)}d")
    return kernel(t, size, *([] if mode == "nearest" else [bool(align)]), *scales)


def _upsampled(x, output_size, scales, mode: str, align=None):
    if (output_size is None) == (scales is None):
        raise ValueError("For upsampling, exactly one of 'output_size' and 'scales' must be given.")
    size = None if output_size is None else list(ints(output_size))
    return by_scales(x, scales, mode, align) if size is None else F.interpolate(x, size, None, mode, align)


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
    how = coordinate_transformation_mode and meant(coordinate_transformation_mode, "", "align_corners",
                                                   "half_pixel")
    if not how:
        raise final(RuntimeError("For 'ResizeLinear1D', coordinate_transformation_mode not support now."))
    return resized_linear(x, ints(size), how == "align_corners")


def resized_linear(t, size, align_corners: bool):
    """(N, C, W) to another length by linear interpolation; a length of 1 is the first element."""
    if tuple(size) == (1,):
        return t[..., :1].clone()
    return F.interpolate(t, list(size), mode="linear", align_corners=align_corners)


def _steps(old: int, new: int, align: bool) -> float:
    return (old - 1) / (new - 1) if align and new > 1 else old / new


@primitive("ResizeArea", init={"align_corners": False})
def _resize_area(images, size, align_corners=False):
    """The mean of what each new pixel covers, (N, H, W, C), Float32 (``mindspore.ops.ResizeArea``)."""

    def shares(old, new):
        step = _steps(old, new, align_corners)
        start = torch.arange(new, device=images.device, dtype=torch.float32)[:, None] * step
        pixel = torch.arange(old + 1, device=images.device, dtype=torch.float32)[None]
        ends = pixel + 1
        ends[0, -1] = float("inf")
        covered = (torch.minimum(start + step, ends) - torch.maximum(start, pixel)).clamp(min=0)
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
        raise final(
            ValueError("For 'ResizeBicubic', 'align_corners' and 'half_pixel_centers' cannot both be True.")
        )
    return resized_bicubic(image, ints(size), align_corners, half_pixel_centers)


def resized_bicubic(image, size, align_corners: bool, half_pixel_centers: bool):
    """(N, C, H, W) to ``size`` by cubic interpolation; integers become Float32."""
    x = image if image.dtype in (torch.float32, torch.float64) else image.float()  # rounded once, at the end
    rows, columns = (_cubic(old, new, align_corners, half_pixel_centers, x)
                     for old, new in zip(x.shape[2:], size, strict=True))
    found = torch.einsum("ph,qw,nchw->ncpq", rows, columns, x)
    return found.to(image.dtype) if image.is_floating_point() else found


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
