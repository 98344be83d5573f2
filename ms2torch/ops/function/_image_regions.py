"""Operators that resample parts of images: ROIAlign, CropAndResize."""

from __future__ import annotations

import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import REQUIRED, primitive


def _picked(pixels, image, rows, columns, width: int, height: int):
    """Pixels (R, P, Q, C) at ``rows`` (R, P) and ``columns`` (R, Q) of ``image`` (R,); all are (N*H*W, C)."""
    at = (image[:, None, None] * height + rows[:, :, None]) * width + columns[:, None, :]
    return pixels[at]


def _aligned_axis(start, length, bins: int, samples: int, size: int):
    """For one axis: (low, high, share of high, inside) of every sample, each (R, bins * samples)."""
    step = (torch.arange(bins * samples, device=start.device, dtype=start.dtype) + 0.5) / samples
    at = start[:, None] + step * (length / bins)[:, None]
    inside = (at >= -1) & (at <= size)
    at = at.clamp(0, size - 1)
    low = at.floor().long()
    return low, (low + 1).clamp_max(size - 1), at - low, inside


def _pooled(pixels, image, y, x, bins, samples, shape):
    """Bilinear samples of each bin, averaged: (R, C, bins height, bins width)."""
    (y0, y1, fy, in_y), (x0, x1, fx, in_x) = y, x
    height, width = shape
    fy, fx = fy[:, :, None, None], fx[:, None, :, None]
    value = 0
    for rows, share_y in ((y0, 1 - fy), (y1, fy)):
        for columns, share_x in ((x0, 1 - fx), (x1, fx)):
            value = value + _picked(pixels, image, rows, columns, width, height) * (share_y * share_x)
    value = value * (in_y[:, :, None] & in_x[:, None, :])[..., None]
    value = value.unflatten(2, (bins[1], samples[1])).unflatten(1, (bins[0], samples[0])).mean((2, 4))
    return value.permute(0, 3, 1, 2)


@primitive("ROIAlign", init={"pooled_height": REQUIRED, "pooled_width": REQUIRED, "spatial_scale": REQUIRED,
                             "sample_num": 2, "roi_end_mode": 1}, call=("features", "rois"))
def _roi_align(features, rois, pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1):
    """Regions of (N, C, H, W) features, averaged into a grid (``mindspore.ops.ROIAlign``).

    ``rois`` has rows (image, x1, y1, x2, y2); coordinates are multiplied by ``spatial_scale`` first.
    ``sample_num`` samples along each side of a grid's cell, 0 for as many as whole pixels (nan where there is
    none). ``roi_end_mode`` 1 counts the end pixel as inside (torchvision's roi_align does not); 0 makes
    regions at least 1 wide and high. Gives (R, C, pooled_height, pooled_width).
    """
    features_t, rois = features.float(), rois.float()
    n, c, height, width = features.shape
    pixels = features_t.permute(0, 2, 3, 1).reshape(n * height * width, c)
    rois = rois.detach()                 # MindSpore differentiates by the features alone
    image = rois[:, 0].long()
    start = rois[:, 1:3] * spatial_scale
    length = (rois[:, 3:5] + roi_end_mode) * spatial_scale - start
    length = length.clamp_min(0.0 if roi_end_mode else 1.0)
    bins = (pooled_height, pooled_width)

    def part(which, samples):
        y = _aligned_axis(start[which, 1], length[which, 1], bins[0], samples[0], height)
        x = _aligned_axis(start[which, 0], length[which, 0], bins[1], samples[1], width)
        return _pooled(pixels, image[which], y, x, bins, samples, (height, width))

    if sample_num > 0 or not len(rois):
        count = max(sample_num, 1)
        return part(slice(None), (count, count)).to(features.dtype)
    counts = (length.flip(1) / length.new_tensor(bins)).long().tolist()
    parts = [part(slice(i, i + 1), count) for i, count in enumerate(counts)]
    return torch.cat(parts).to(features.dtype)


def _crop_axis(low, high, count: int, size: int):
    """Where ``count`` samples between two normalised ends lie among ``size`` pixels: (R, count)."""
    if count == 1:
        return (0.5 * (low + high) * (size - 1))[:, None]
    step = (high - low) * (size - 1) / (count - 1)
    return low[:, None] * (size - 1) + torch.arange(count, device=low.device) * step[:, None]


def _crop_axis_of_pixels(low, high, count: int, size: int):
    """The same between whole pixels, both counted: (R, count), no further than the box and the image go."""
    first, last = (low * size).trunc()[:, None], (high * size).trunc()[:, None]
    at = first + (torch.arange(count, device=low.device) + 0.5) * ((last - first + 1) / count) - 0.5
    return torch.maximum(torch.minimum(at, last), first).clamp(0, size - 1)


def crop_and_resize_kernel(x, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0):
    """Boxes of (N, H, W, C) images at one size (``mindspore.ops.CropAndResize``).

    ``boxes`` has rows (y1, x1, y2, x2), 1 being the last pixel; what lies outside is ``extrapolation_value``.
    ``method`` is "bilinear", "nearest", or "bilinear_v2", of boxes cut to whole pixels. Gives Float32 (boxes,
    height, width, C).
    """
    if not isinstance(method, str):
        raise final(TypeError("For 'CropAndResize', the type of 'method' should be 'str', but got type "
                              f"'{type(method).__name__}'."))
    if method not in ("bilinear", "nearest", "bilinear_v2"):
        raise final(ValueError("For 'CropAndResize', the 'method' must be str and must be in "
                               f"'['bilinear', 'nearest', 'bilinear_v2']', but got '{method}'."))
    _, height, width, c = x.shape
    pixels, image, boxes = x.float().reshape(-1, c), box_indices.long(), boxes.float()
    axis = _crop_axis_of_pixels if method == "bilinear_v2" else _crop_axis
    y = axis(boxes[:, 0], boxes[:, 2], int(crop_size[0]), height)
    x = axis(boxes[:, 1], boxes[:, 3], int(crop_size[1]), width)
    inside = ((y >= 0) & (y <= height - 1))[:, :, None] & ((x >= 0) & (x <= width - 1))[:, None, :]
    y, x = y.clamp(0, height - 1), x.clamp(0, width - 1)
    if method == "nearest":
        value = _picked(pixels, image, _nearest(y), _nearest(x), width, height)
    else:
        fy, fx = (y - y.floor())[:, :, None, None], (x - x.floor())[:, None, :, None]
        rows, columns = (y.floor().long(), y.ceil().long()), (x.floor().long(), x.ceil().long())
        top, bottom = (_picked(pixels, image, r, columns[0], width, height) * (1 - fx)
                       + _picked(pixels, image, r, columns[1], width, height) * fx for r in rows)
        value = top * (1 - fy) + bottom * fy
    return torch.where(inside[..., None], value, extrapolation_value)


primitive("CropAndResize", init={"method": "bilinear", "extrapolation_value": 0.0},
          call=("x", "boxes", "box_indices", "crop_size"))(crop_and_resize_kernel)


def _nearest(at):
    """Half a pixel rounds up (torch.round goes to the even one)."""
    return (at + 0.5).floor().long()
