"""Layers over images (``mindspore.nn.layer.image``)."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import UNSIGNED, float16, float32, float64, uint8
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.ops.function import _nn_image as kernels

from ..cell import Cell
from ._plain import PlainCell
from .activation import ReLU
from .container import CellList
from .conv import Conv2d
from .pooling import AvgPool2d

__all__ = [
    "MSSSIM",
    "PSNR",
    "SSIM",
    "CentralCrop",
    "ImageGradients",
    "PixelShuffle",
    "PixelUnshuffle",
    "ResizeBilinear",
]


def _four(x: Tensor, name: str, cell: str) -> None:
    if x.ndim != 4:
        raise ValueError(f"For '{cell}', the dimension of '{name}' must be 4d, but got {x.ndim}.")


def _alike(a: Tensor, b: Tensor) -> None:
    if a.dtype is not b.dtype:
        raise TypeError(f"For 'SameTypeShape', the dtype of 'x' and 'y' must be the same, but got {a.dtype} "
                        f"and {b.dtype}.")
    if a.shape != b.shape:
        raise ValueError(f"For 'SameTypeShape', the x shape should be = y shape: {b.shape}, but got "
                         f"{a.shape}.")


class ImageGradients(PlainCell):
    """(dy, dx): differences to the next row and column, zeros at the end (``mindspore.nn.ImageGradients``).
    """

    def construct(self, images):
        _four(images, "images", self.cls_name)
        t = images._t
        kind = t.dtype
        t = t.to(torch.int64) if kind in UNSIGNED else t               # torch has no differences of these
        minus = torch.logical_xor if t.dtype is torch.bool else torch.sub
        return (wrap(F.pad(minus(t[:, :, 1:], t[:, :, :-1]), (0, 0, 0, 1)).to(kind)),
                wrap(F.pad(minus(t[..., 1:], t[..., :-1]), (0, 1)).to(kind)))


def _window(size: int, sigma: float) -> torch.Tensor:
    """A Gaussian of ``size`` x ``size`` that sums to one, (1, 1, size, size)."""
    at = np.arange(-size // 2 + 1, size // 2 + 1, dtype=np.float32) ** 2
    g = np.exp(-(at[:, None] + at[None, :]) / (2 * sigma**2))
    return torch.from_numpy((g / g.sum()).astype(np.float32))[None, None]


class _Similarity(Cell):
    """What SSIM and MSSSIM share: constants, the Gaussian window, one scale's comparison."""

    def _set(self, max_val, filter_size, filter_sigma, k1, k2) -> None:
        name = self.cls_name
        check.check_value_type("max_val", max_val, [int, float], name)
        check.check_number("max_val", max_val, 0.0, check.GT, name)
        self.max_val = max_val
        self.filter_size = check.check_int(filter_size, 1, check.GE, "filter_size", name)
        self.filter_sigma = check.check_positive_float(filter_sigma, "filter_sigma", name)
        self.k1 = check.check_value_type("k1", k1, [float], name)
        self.k2 = check.check_value_type("k2", k2, [float], name)

    def _window_layer(self) -> Conv2d:
        """The convolution with the window, whose weight is in checkpoints and is not trained."""
        window = wrap(_window(self.filter_size, self.filter_sigma))
        layer = Conv2d(1, 1, self.filter_size, has_bias=False, pad_mode="valid", weight_init=window)
        layer.weight.requires_grad = False
        return layer

    def _scaled(self, img1, img2):
        """Both images and the maximum in the range of floats."""
        top = 1.0 if img1._t.is_floating_point() else float(torch.iinfo(img1._t.dtype).max)
        scale = 1.0 / top if top > 1 else 1.0
        return img1._t.float() * scale, img2._t.float() * scale, self.max_val * scale

    def _compare(self, a, b, top: float, window):
        """(ssim, contrast) per image and channel."""
        channels = a.shape[1]
        weight = window.weight._t.expand(channels, 1, -1, -1)

        def blur(t):
            return F.conv2d(t, weight, groups=channels)

        c1, c2 = (self.k1 * top) ** 2, (self.k2 * top) ** 2
        m1, m2 = blur(a), blur(b)
        v1, v2, cov = blur(a * a) - m1 * m1, blur(b * b) - m2 * m2, blur(a * b) - m1 * m2
        contrast = (2 * cov + c2) / (v1 + v2 + c2)
        ssim = (2 * m1 * m2 + c1) / (m1 * m1 + m2 * m2 + c1) * contrast
        return ssim.mean((2, 3)), contrast.mean((2, 3))


class SSIM(_Similarity):
    """Structural similarity of (N, C, H, W) images, one number per image (``mindspore.nn.SSIM``)."""

    def __init__(self, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03) -> None:
        super().__init__()
        self._set(max_val, filter_size, filter_sigma, k1, k2)
        self.conv = self._window_layer()

    def construct(self, img1, img2):
        name = self.cls_name
        check.check_type_name("img1", img1.dtype, [float32, float16], name)
        _four(img1, "img1", name)
        for i in (2, 3):
            check.check(f"img1 shape[{i}]", img1.shape[i], "filter_size", self.filter_size, check.GE, name)
        _alike(img1, img2)
        return wrap(self._compare(*self._scaled(img1, img2), self.conv)[0].mean(-1))


class MSSSIM(_Similarity):
    """Structural similarity over several scales (``mindspore.nn.MSSSIM``)."""

    def __init__(self, max_val=1.0, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11,
                 filter_sigma=1.5, k1=0.01, k2=0.03) -> None:
        super().__init__()
        check.check_value_type("power_factors", power_factors, [tuple, list], self.cls_name)
        self._set(max_val, filter_size, filter_sigma, k1, k2)
        self.level = len(power_factors)
        self._powers = tuple(power_factors)
        self.multi_convs_list = CellList([self._window_layer() for _ in power_factors])
        self.avg_pool, self.relu = AvgPool2d(kernel_size=2, stride=2), ReLU()

    def construct(self, img1, img2):
        for name, x in (("img1", img1), ("img2", img2)):
            _four(x, name, self.cls_name)
        check.check_type_name("img1", img1.dtype, [float64, float32, float16, uint8], self.cls_name)
        _alike(img1, img2)
        a, b, top = self._scaled(img1, img2)
        product = 1.0
        for level, power in enumerate(self._powers):
            ssim, contrast = self._compare(a, b, top, self.multi_convs_list[level])
            part = ssim if level == self.level - 1 else contrast
            product = product * torch.relu(part).pow(power)
            a, b = F.avg_pool2d(a, 2), F.avg_pool2d(b, 2)
        return wrap(product.mean(-1))


class PSNR(Cell):
    """Peak signal-to-noise ratio in decibels, one number per image (``mindspore.nn.PSNR``)."""

    def __init__(self, max_val=1.0) -> None:
        super().__init__()
        check.check_value_type("max_val", max_val, [int, float], self.cls_name)
        check.check_number("max_val", max_val, 0.0, check.GT, self.cls_name)
        self.max_val = max_val

    _scaled = _Similarity._scaled

    def construct(self, img1, img2):
        for name, x in (("img1", img1), ("img2", img2)):
            _four(x, name, self.cls_name)
        _alike(img1, img2)
        a, b, top = self._scaled(img1, img2)
        mse = (a - b).square().mean((-3, -2, -1))
        return wrap(10 * torch.log(top**2 / mse) / math.log(10.0))


class CentralCrop(Cell):
    """The central share of (C, H, W) or (N, C, H, W) images (``mindspore.nn.CentralCrop``)."""

    def __init__(self, central_fraction) -> None:
        super().__init__()
        check.check_value_type("central_fraction", central_fraction, [float], self.cls_name)
        check.check_float_range(central_fraction, 0.0, 1.0, check.INC_RIGHT, "central_fraction",
                                self.cls_name)
        self.central_fraction = central_fraction

    def construct(self, image):
        t = image._t
        if t.ndim not in (3, 4):
            raise ValueError(f"{self.cls_name} image must be 3d or 4d, but got shape {image.shape}")
        if self.central_fraction == 1.0:
            return image
        for axis in (-2, -1):
            n = t.shape[axis]
            start = int((float(n) - float(n * self.central_fraction)) / 2)
            t = t.narrow(axis, start, n - 2 * start)
        return wrap(t)


class PixelShuffle(Cell):
    """(..., C r^2, H, W) to (..., C, H r, W r) (``mindspore.nn.PixelShuffle``)."""

    def __init__(self, upscale_factor) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input):
        return kernels.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """The reverse of PixelShuffle (``mindspore.nn.PixelUnshuffle``)."""

    def __init__(self, downscale_factor) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input):
        return kernels.pixel_unshuffle(input, self.downscale_factor)


class ResizeBilinear(Cell):
    """Bilinear resizing (``mindspore.nn.ResizeBilinear``, which 2.x dropped).

    ``construct(x, size=None, scale_factor=None, align_corners=False)`` of (N, C, H, W): ``size`` is a pair of
    ints, ``scale_factor`` an int. Without ``align_corners`` and ``half_pixel_centers`` element i lies at i *
    scale.
    """

    def __init__(self, half_pixel_centers=False) -> None:
        super().__init__()
        self.half_pixel_centers = half_pixel_centers

    def construct(self, x, size=None, scale_factor=None, align_corners=False):
        if size is None and scale_factor is None:
            raise ValueError(f"For '{self.cls_name}', both 'size' and 'scale_factor' are None.")
        if size is not None and scale_factor is not None:
            raise ValueError(f"For '{self.cls_name}', both 'size' and 'scale_factor' are not None.")
        check.check_value_type("align_corners", align_corners, [bool], self.cls_name)
        if size is not None:
            check.check_value_type("size", size, [tuple, list], self.cls_name)
            check.check_equal_int(len(size), 2, "size", self.cls_name)
        else:
            check.check_value_type("scale_factor", scale_factor, [int], self.cls_name)
            size = tuple(scale_factor * n for n in x.shape[-2:])
        return wrap(kernels.resized_bilinear(x._t, size, align_corners, self.half_pixel_centers))
