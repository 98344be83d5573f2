"""Turning hues, through OpenCV's HSV of bytes and of floats."""

from __future__ import annotations

import numpy as np

from ..core.validator_helpers import check_value, type_check
from . import kernels
from .images import ImageOperation, needs_pil, pillow

__all__ = ["AdjustHue"]

_SHIFT = 12  # bits of OpenCV's fixed point
_LANES = 32  # pixels that it takes at once, with AVX2


def _parts(count: int, scale: float) -> np.ndarray:
    """``scale / i`` in fixed point, 0 for 0."""
    table = np.zeros(count, np.int64)
    table[1:] = np.rint((scale * (1 << _SHIFT)) / np.arange(1, count))
    return table


_SATURATIONS, _HUES = _parts(256, 255.0), _parts(256, 256 / 6)


def _sector_colours(h, s, v) -> np.ndarray:
    """Red, green and blue of a hue in sixths of the circle, float32."""
    one = np.float32(1)

    def less(part):  # 1 - s * part, rounded once
        return (1 - s.astype(np.float64) * part).astype(np.float32)

    whole = np.trunc(h)
    h, sector = h - whole, np.nan_to_num(whole % 6).astype(np.int64)
    tab = np.stack([v, v * (one - s), v * less(h), v * less(one - h)], -1)
    order = np.array([[0, 3, 1], [2, 0, 1], [1, 0, 3], [1, 2, 0], [3, 1, 0], [0, 1, 2]])
    return np.take_along_axis(tab, order[sector], -1)


def _byte_hsv(image: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    red, green, blue = (image[..., i].astype(np.int64) for i in range(3))
    value = np.maximum(np.maximum(red, green), blue)
    spread = value - np.minimum(np.minimum(red, green), blue)
    half = 1 << _SHIFT - 1
    saturation = spread * _SATURATIONS[value] + half >> _SHIFT
    turn = np.where(
        value == red,
        green - blue,
        np.where(value == green, blue - red + 2 * spread, red - green + 4 * spread),
    )
    hue = turn * _HUES[spread] + half >> _SHIFT
    return np.where(hue < 0, hue + 256, hue).clip(0, 255), saturation, value


def _float_hsv(image: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    tiny = np.finfo(np.float32).eps
    red, green, blue = (image[..., i] for i in range(3))
    value = image.max(-1)
    spread = value - image.min(-1)
    saturation = spread / (np.abs(value) + tiny)
    sixth = np.float32(60) / (spread + tiny)
    hue = np.where(
        value == red,
        (green - blue) * sixth,
        np.where(
            value == green, (blue - red) * sixth + np.float32(120), (red - green) * sixth + np.float32(240)
        ),
    )
    return np.where(hue < 0, hue + np.float32(360), hue), saturation, value


def turned(image: np.ndarray, factor: float) -> np.ndarray:
    """The hues of an (H, W, 3) image turned by ``factor`` of the circle."""
    factor = np.float32(factor)
    if image.dtype == np.uint8:
        with kernels.opencv("colour", "AdjustHue") as cv2:
            if cv2:
                found = cv2.cvtColor(image, cv2.COLOR_RGB2HSV_FULL, kernels.room(image))
                turn = bytes((int(factor * np.float32(255)) % 256, 0, 0)) * found.shape[1]
                rows = found.reshape(found.shape[0], -1)
                np.add(rows, np.frombuffer(turn, np.uint8), out=rows)          # bytes go around as hues do
                return cv2.cvtColor(found, cv2.COLOR_HSV2RGB_FULL, kernels.room(image))
        hue, saturation, value = _byte_hsv(image)
        hue = (hue + int(factor * np.float32(255))) % 256
        scale = np.float32(1) / np.float32(255)
        found = _sector_colours(
            hue.astype(np.float32) * np.float32(6 / 255),
            saturation.astype(np.float32) * scale,
            value.astype(np.float32) * scale,
        )
        found *= np.float32(255)
        vectors = (
            image.shape[1] // _LANES * _LANES
        )  # OpenCV's vector code cuts off what its other code rounds
        whole = np.concatenate([np.trunc(found[:, :vectors]), np.rint(found[:, vectors:])], 1)
        return whole.clip(0, 255).astype(np.uint8)
    hue, saturation, value = _float_hsv(image)
    hue = (hue + factor * np.float32(360)) % np.float32(360)
    return _sector_colours(hue * np.float32(6 / 360), saturation, value)


class AdjustHue(ImageOperation):
    """Turn all hues by ``hue_factor`` of the circle, from -0.5 to 0.5
    (``mindspore.dataset.vision.AdjustHue``)."""

    def __init__(self, hue_factor):
        type_check(hue_factor, (float, int), "hue_factor")
        check_value(hue_factor, (-0.5, 0.5), "hue_factor")
        super().__init__()
        self.hue_factor = hue_factor

    def _compute(self, image):
        return turned(image, self.hue_factor)

    def _execute_py(self, image):
        return turned_pil(image, self.hue_factor)


def turned_pil(image, factor: float):
    """`turned` of a PIL image, as Pillow's HSV has it; images without colours stay."""
    needs_pil(image)
    if image.mode in ("L", "1", "I", "F"):
        return image
    hue, saturation, value = image.convert("HSV").split()
    moved = (np.array(hue, np.int64) + int(factor * 255)) % 256
    hue = pillow("Image").fromarray(moved.astype(np.uint8))
    return pillow("Image").merge("HSV", (hue, saturation, value)).convert(image.mode)
