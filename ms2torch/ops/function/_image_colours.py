"""Primitives on the colours of images, (..., 3) in [0, 1], and on glimpses of them."""

from __future__ import annotations

import torch

from ms2torch._core.errors import final, unsupported
from ms2torch._core.operators.registry import op, primitive

from ._array_shape import ints
from ._image_regions import crop_and_resize_kernel


def _to_hsv(images):
    largest, smallest = images.amax(-1), images.amin(-1)
    spread = largest - smallest
    r, g, b = images.unbind(-1)
    safe = torch.where(spread > 0, spread, 1.0)
    hue = torch.where(
        largest == r, (g - b) / safe, torch.where(largest == g, (b - r) / safe + 2, (r - g) / safe + 4)
    )
    hue = torch.where(spread > 0, hue / 6 % 1, 0.0)
    saturation = torch.where(largest > 0, spread / torch.where(largest > 0, largest, 1.0), 0.0)
    return torch.stack((hue, saturation, largest), -1)


def _to_rgb(images):
    h, s, v = images.unbind(-1)
    # How far each colour is from its own sector of the circle of hues.
    away = (h[..., None] * 6 - images.new_tensor([3.0, 2.0, 4.0])).abs()
    signs, shifts = images.new_tensor([1.0, -1.0, -1.0]), images.new_tensor([-1.0, 2.0, 2.0])
    parts = (away * signs + shifts).clamp(0, 1)
    return ((1 - s)[..., None] + s[..., None] * parts) * v[..., None]


@primitive("HSVToRGB")
def _hsv_to_rgb(images):
    """Hue, saturation and value as red, green and blue (``mindspore.ops.HSVToRGB``)."""
    return _to_rgb(images)


@primitive("RGBToHSV")
def _rgb_to_hsv(images):
    """Red, green and blue as hue, saturation and value (``mindspore.ops.operations.image_ops.RGBToHSV``)."""
    return _to_hsv(images)


@primitive("AdjustHue")
def _adjust_hue(image, delta):
    """RGB images with their hues turned by ``delta`` circles (``mindspore.ops.AdjustHue``)."""
    h, s, v = _to_hsv(image).unbind(-1)
    return _to_rgb(torch.stack(((h + delta) % 1, s, v), -1))


@primitive("AdjustSaturation")
def _adjust_saturation(image, scale):
    """RGB images with their saturation times ``scale``, at most 1 (``mindspore.ops.AdjustSaturation``)."""
    h, s, v = _to_hsv(image).unbind(-1)
    return _to_rgb(torch.stack((h, (s * scale).clamp(0, 1), v), -1))


@op
def crop_and_resize(image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0):
    """Boxes of (N, H, W, C) images at one size (``mindspore.ops.crop_and_resize``); rows (y1, x1, y2, x2)."""
    return crop_and_resize_kernel(image, boxes, box_indices, crop_size, method, extrapolation_value)


@primitive(
    "ExtractGlimpse", init={"centered": True, "normalized": True, "uniform_noise": True, "noise": "uniform"}
)
def _extract_glimpse(x, size, offsets, centered=True, normalized=True, uniform_noise=True, noise="uniform"):
    """Windows of (N, H, W, C) images around ``offsets``; zeros outside where ``noise`` is "zero".

    MindSpore: ``mindspore.ops.ExtractGlimpse``.
    """
    if uniform_noise and noise != "uniform":
        raise final(ValueError("For 'ExtractGlimpse', the value of 'noise' must be uniform when "
                               f"uniform_noise is True, but got {noise}."))
    height, width = ints(size)
    found = []
    for image, (y, x_) in zip(x, offsets.tolist(), strict=True):
        at = []
        for offset, length, whole in ((y, height, image.shape[0]), (x_, width, image.shape[1])):
            if normalized:
                offset = offset * whole
            if centered:
                offset = offset / 2 + whole / 2
            at.append(int(offset - length / 2))
        rows = torch.arange(at[0], at[0] + height, device=x.device)
        columns = torch.arange(at[1], at[1] + width, device=x.device)
        inside = ((rows >= 0) & (rows < image.shape[0]))[:, None] & (
            (columns >= 0) & (columns < image.shape[1])
        )
        if noise != "zero" and not bool(inside.all()):
            raise unsupported("mindspore.ops.ExtractGlimpse", "noise around the image is not reproduced.",
                              'uniform_noise=False, noise="zero".')
        part = image[rows.clamp(0, image.shape[0] - 1)][:, columns.clamp(0, image.shape[1] - 1)]
        found.append(torch.where(inside[..., None], part, 0))
    return torch.stack(found).float()


__all__ = ["crop_and_resize"]
