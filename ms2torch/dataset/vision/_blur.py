"""Gaussian blur as OpenCV computes it: whole numbers in fixed point, all others with float32 weights."""

from __future__ import annotations

import math
import numbers

import numpy as np

from ..core.validator_helpers import FLOAT_MAX_INTEGER, check_value, type_check
from ..transforms.py_transforms_util import Implementation
from . import kernels
from .images import ImageOperation

__all__ = ["GaussianBlur"]

_FRACTION = {"uint8": 8, "uint16": 16}  # bits of a weight


def gaussian(count: int, sigma: float) -> np.ndarray:
    """Weights of ``count`` neighbours, float64."""
    half = [math.exp(x * x * (-0.125 / (sigma * sigma))) for x in range(1 - count, 0, 2)]
    factor = 1 / (sum(half) * 2 + 1)
    return np.array([*(w * factor for w in half), factor, *(w * factor for w in reversed(half))])


def _whole(weights: np.ndarray, bits: int) -> np.ndarray:
    """Weights out of ``2 ** bits``; what rounding loses is carried on, the middle makes the sum exact."""
    half, carried = [], 0.0
    for weight in weights[: len(weights) // 2]:
        exact = weight * (1 << bits) + carried
        half.append(round(exact))
        carried = exact - half[-1]
    return np.array([*half, (1 << bits) - 2 * sum(half), *reversed(half)], np.uint64)


def _along(image: np.ndarray, weights: np.ndarray, axis: int) -> np.ndarray:
    size, reach = image.shape[axis], len(weights) // 2
    sides = [(0, 0)] * image.ndim
    sides[axis] = (reach, reach)
    padded = np.pad(image, sides, mode="reflect") if reach else image
    return sum(np.take(padded, range(i, i + size), axis) * weight for i, weight in enumerate(weights))


def blurred(image: np.ndarray, kernel: tuple[int, int], sigma: tuple[float, float]) -> np.ndarray:
    """``image``, (H, W) or (H, W, C), under a kernel of (width, height)."""
    image = kernels.as_bytes(image)
    with kernels.opencv("blur", "GaussianBlur") as cv2:
        if cv2:
            return cv2.GaussianBlur(image, kernel, sigma[0], sigmaY=sigma[1]).reshape(image.shape)
    if image.shape[:2] == (1, 1) or kernel == (1, 1):
        return image.copy()
    kernels.needs(image, "GaussianBlur", "uint8 uint16 int16 float32 float64")
    across, down = (gaussian(count, deviation) for count, deviation in zip(kernel, sigma, strict=True))
    bits = _FRACTION.get(image.dtype.name)
    if bits:
        wide = _along(image.astype(np.uint64), _whole(across, bits), 1)
        total = _along(wide, _whole(down, bits), 0) + np.uint64(1 << 2 * bits - 1)
        return (total >> np.uint64(2 * bits)).astype(image.dtype)
    kind = np.float64 if image.dtype == np.float64 else np.float32
    total = _along(_along(image.astype(kind), across.astype(kind), 1), down.astype(kind), 0)
    if image.dtype.kind == "i":
        limits = np.iinfo(image.dtype)
        total = np.rint(total).clip(limits.min, limits.max)
    return total.astype(image.dtype)


class GaussianBlur(ImageOperation):
    """Blur with Gaussian weights over ``kernel_size`` pixels, odd numbers: one, or (width, height).

    (``mindspore.dataset.vision.GaussianBlur``.) ``sigma``, their deviation, is one number, two, or chosen by
    the
    size.
    """

    implementation = Implementation.C

    def __init__(self, kernel_size, sigma=None):
        _check_kernel(kernel_size)
        _check_sigma(sigma)
        super().__init__()
        self.kernel_size = (kernel_size,) if isinstance(kernel_size, int) else kernel_size
        self.sigma = (0,) if sigma is None else (float(sigma),) if isinstance(sigma, (int, float)) else sigma

    def _compute(self, image):
        kernel = (*self.kernel_size, *self.kernel_size)[:2]
        sigma = [float(np.float32(value) or np.float32(count) * np.float32(0.15) + np.float32(0.35))
                 for value, count in zip(self.sigma, kernel, strict=False)]
        return blurred(image, kernel, (*sigma, *sigma)[:2])


def _check_odd(value: int, name: str) -> None:
    check_value(value, (1, FLOAT_MAX_INTEGER), "kernel_size")
    if value % 2 != 1:
        raise ValueError(f"Input {name} is not an odd value.")


def _check_kernel(kernel_size) -> None:
    type_check(kernel_size, (int, list, tuple), "kernel_size")
    if isinstance(kernel_size, int):
        _check_odd(kernel_size, "kernel_size")
    elif len(kernel_size) == 2:
        for i, value in enumerate(kernel_size):
            type_check(value, (int,), f"kernel_size[{i}]")
            _check_odd(value, f"kernel_size[{i}]")
    else:
        raise TypeError(
            "Kernel size should be a single integer or a list/tuple (kernel_width, kernel_height) "
            "of length 2."
        )


def _check_sigma(sigma) -> None:
    if sigma is None:
        return
    type_check(sigma, (numbers.Number, list, tuple), "sigma")
    if isinstance(sigma, numbers.Number):
        check_value(sigma, (0, FLOAT_MAX_INTEGER), "sigma")
    elif len(sigma) == 2:
        for i, value in enumerate(sigma):
            type_check(value, (numbers.Number,), f"size[{i}]")
            check_value(value, (0, FLOAT_MAX_INTEGER), "sigma")
    else:
        raise TypeError("Sigma should be a single number or a list/tuple of length 2 for width and height.")
