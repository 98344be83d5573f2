"""ScaleAndTranslate: images scaled and moved at once, each new pixel a weighted mean of old ones."""

from __future__ import annotations

import math

import torch

from ms2torch._core.operators.registry import primitive


def _lanczos(radius: int):
    def weight(x):
        turned = math.pi * x
        safe = torch.where(x > 1e-3, turned, 1.0)
        bell = radius * torch.sin(safe) * torch.sin(safe / radius) / (safe * safe)
        return torch.where(x > radius, 0.0, torch.where(x > 1e-3, bell, 1.0))

    return radius, weight


def _gaussian(x):
    return torch.where(x >= 1.5, 0.0, torch.exp(-x * x / (2 * 0.5**2)))


def _box(x):
    return torch.where(x < 0.5, 1.0, torch.where(x == 0.5, 0.5, 0.0))


def _cubic(outer, inner):
    """A bell of two cubic polynomials, by their coefficients from the highest power down: of [1, 2), [0, 1).
    """
    def weight(x):
        far, near = (((a * x + b) * x + c) * x + d for a, b, c, d in (outer, inner))
        return torch.where(x >= 2, 0.0, torch.where(x >= 1, far, near))

    return 2, weight


# (radius, weight by the distance from the centre) of each ``kernel_type``.
_KERNELS = {
    "lanczos1": _lanczos(1), "lanczos3": _lanczos(3), "lanczos5": _lanczos(5),
    "gaussian": (1.5, _gaussian), "box": (0.5, _box),
    "triangle": (1, lambda x: (1 - x).clamp_min(0)),
    "keyscubic": _cubic((-0.5, 2.5, -4, 2), (1.5, -2.5, 0, 1)),
    "mitchellcubic": _cubic((-7 / 18, 2, -10 / 3, 16 / 9), (7 / 6, -2, 0, 8 / 9)),
}


def _shares(old: int, new: int, scale, translation, kernel_type: str, antialias: bool):
    """What each old pixel of one axis gives to each new one, (new, old)."""
    radius, weight = _KERNELS[kernel_type]
    step = 1 / scale
    wide = step.clamp_min(1) if antialias else torch.ones_like(step)
    pixel = torch.arange(old, device=scale.device, dtype=torch.float32)
    at = (torch.arange(new, device=scale.device, dtype=torch.float32) + 0.5) * step - translation * step
    first = torch.ceil(at - radius * wide - 0.5).clamp(0, old - 1)[:, None]
    last = torch.floor(at + radius * wide - 0.5).clamp(0, old - 1)[:, None]
    found = weight(((pixel + 0.5 - at[:, None]) / wide).abs())
    found = torch.where((pixel >= first) & (pixel <= last), found, 0.0)
    total = found.sum(1, keepdim=True)
    found = torch.where(total.abs() >= 1000 * torch.finfo(torch.float32).tiny, found / total, found)
    return torch.where(((at < 0) | (at > old))[:, None], 0.0, found)


@primitive("ScaleAndTranslate", init={"kernel_type": "lanczos3", "antialias": True})
def _scale_and_translate(images, size, scale, translation, kernel_type="lanczos3", antialias=True):
    """Images (N, H, W, C) scaled by ``scale`` and moved by ``translation`` pixels, cut to ``size``, Float32
    (``mindspore.ops.ScaleAndTranslate``). What lies outside the image is 0; ``antialias`` widens the kernel
    where an axis shrinks.
    """
    height, width = size.tolist()
    rows = _shares(images.shape[1], height, scale[0], translation[0], kernel_type, antialias)
    columns = _shares(images.shape[2], width, scale[1], translation[1], kernel_type, antialias)
    return torch.einsum("ph,qw,nhwc->npqc", rows, columns, images.float())
