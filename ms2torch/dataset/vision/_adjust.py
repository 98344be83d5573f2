"""Image transforms that make pictures brighter, sharper, more or less colourful; fixed and random."""

from __future__ import annotations

import random

import numpy as np

from ..core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    FLOAT_MIN_INTEGER,
    UINT8_MAX,
    check_value,
    type_check,
    type_check_list,
)
from ..transforms.operation import RandomOperation
from ..transforms.py_transforms_util import Implementation
from ..transforms.validators import check_prob
from . import kernels
from ._colours import AutoContrast, Equalize, Invert, inverted, posterized
from ._random import _brighter, _bytes, _contrasted, _saturated, held, weighted
from .images import ImageOperation, needs_image, needs_pil, pillow
from .validators import check_positive_degrees

__all__ = ["AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustSaturation", "AdjustSharpness",
           "Posterize", "RandomAdjustSharpness", "RandomAutoContrast", "RandomEqualize", "RandomInvert",
           "RandomLighting",
           "RandomSharpness", "RandomSolarize", "Solarize"]


def sharpened(image: np.ndarray, factor: float) -> np.ndarray:
    """Between a blurred image (0), the image (1), and beyond; the outermost pixels stay."""
    image, kernel = kernels.as_bytes(image), np.ones((3, 3), np.float32)
    kernel[1, 1] = 5
    kernel /= np.float32(13)
    with kernels.opencv("filter", "Sharpness") as cv2:
        if cv2 and image.size:
            blurred, inner = image.copy(), (slice(1, -1), slice(1, -1))
            blurred[inner] = cv2.filter2D(image, -1, kernel).reshape(image.shape)[inner]
            share = float(np.float32(factor))
            return cv2.addWeighted(image, share, blurred, 1 - share, 0).reshape(image.shape)
    kernels.needs(image, "Sharpness", "uint8 uint16 int16 float32 float64")
    values = image.astype(np.float32)
    blurred = image.copy()
    if min(image.shape[:2]) > 2:
        height, width = image.shape[0] - 2, image.shape[1] - 2
        total = np.zeros((height, width, *image.shape[2:]), np.float32)
        for i in range(3):
            for j in range(3):
                total += kernel[i, j] * values[i:i + height, j:j + width]
        blurred[1:-1, 1:-1] = held(total, image)
    return held(weighted(image, factor, blurred, np.float32(1) - np.float32(factor)), image)


class _Adjust(ImageOperation):
    """A factor: 0 takes everything away, 1 leaves the image as it is."""

    _enhancer = ""                                   # Pillow's name for it
    _argument = ""
    _named = True                                    # whether a factor beyond its limits is told by name

    def __init__(self, factor):
        type_check(factor, (float, int), self._argument)
        check_value(factor, (0, FLOAT_MAX_INTEGER), self._argument if self._named else "")
        super().__init__()
        setattr(self, self._argument, factor)
        self._factor = np.float32(factor)

    def _execute_py(self, image):
        needs_pil(image)
        return getattr(pillow("ImageEnhance"), self._enhancer)(image).enhance(float(self._factor))


class AdjustBrightness(_Adjust):
    """Multiply by ``brightness_factor`` (``mindspore.dataset.vision.AdjustBrightness``)."""

    _enhancer, _argument = "Brightness", "brightness_factor"

    def __init__(self, brightness_factor):
        super().__init__(brightness_factor)

    def _compute(self, image):
        return _brighter(image, self._factor)


class AdjustContrast(_Adjust):
    """Between the mean's grey (0) and the image (1) (``mindspore.dataset.vision.AdjustContrast``)."""

    _enhancer, _argument = "Contrast", "contrast_factor"

    def __init__(self, contrast_factor):
        super().__init__(contrast_factor)

    def _compute(self, image):
        return _contrasted(image, self._factor)


class AdjustSaturation(_Adjust):
    """Between grey (0) and the image (1) (``mindspore.dataset.vision.AdjustSaturation``)."""

    _enhancer, _argument, _named = "Color", "saturation_factor", False

    def __init__(self, saturation_factor):
        super().__init__(saturation_factor)

    def _compute(self, image):
        return _saturated(image, self._factor)


class AdjustSharpness(_Adjust):
    """Between a blurred image (0) and the image (1) (``mindspore.dataset.vision.AdjustSharpness``)."""

    _enhancer, _argument, _named = "Sharpness", "sharpness_factor", False
    _pipeline_name = "Sharpness"
    implementation = Implementation.C
    _execute_py = None                               # PIL images come as arrays

    def __init__(self, sharpness_factor):
        super().__init__(sharpness_factor)

    def _compute(self, image):
        needs_image(image, "AdjustSharpness")
        return sharpened(image, self._factor)


class AdjustGamma(ImageOperation):
    """``gain * image ** gamma``, on a scale from 0 to 1 (``mindspore.dataset.vision.AdjustGamma``).

    For floats the gain is inside the power, as in MindSpore.
    """

    def __init__(self, gamma, gain=1):
        type_check(gamma, (float, int), "gamma")
        check_value(gamma, (0, FLOAT_MAX_INTEGER))
        if gain is not None:
            type_check(gain, (float, int), "gain")
            check_value(gain, (FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER))
        super().__init__()
        self.gamma, self.gain = gamma, gain

    def _table(self) -> np.ndarray:
        values = 255.999 * self.gain * (np.arange(256) / 255.0) ** self.gamma
        return np.floor(values).clip(0, 255).astype(np.uint8)

    def _compute(self, image):
        if image.dtype.kind == "f":
            values = (image.astype(np.float32) * np.float32(self.gain)).astype(np.float64)
            return (values ** np.float64(np.float32(self.gamma))).astype(np.float32).clip(0, 1)
        if image.dtype.itemsize == 1:
            flat = image.view(np.uint8).reshape(len(image), -1)
            return kernels.looked_up(self._table(), flat).view(image.dtype).reshape(image.shape)
        # of each pixel's memory MindSpore looks up as many bytes as it has channels, in many images as one
        pixels = np.array(image, order="C")
        pixels = pixels.reshape(-1, 1) if image.ndim != 3 else pixels
        size = pixels.shape[-1]
        pixels = pixels.view(np.uint8)
        pixels[..., :size] = np.take(self._table(), pixels[..., :size])
        return pixels.view(image.dtype).reshape(image.shape)

    def _execute_py(self, image):
        needs_pil(image)
        bands = len(image.getbands())
        return image.point(self._table().tolist() * bands) if bands in (1, 3) else image


@kernels.keeping_booleans
def _solarized(image: np.ndarray, low, high) -> np.ndarray:
    if image.dtype == np.uint8 and image.size > 256:
        return kernels.looked_up(_solarized(np.arange(256, dtype=np.uint8), low, high), image)
    chosen = image >= low if low == high else (image >= low) & (image <= high)
    found = np.where(chosen, inverted(image), image)
    if image.dtype.kind == "f":                 # (what is no number becomes white)
        found[np.isnan(image)] = UINT8_MAX
    return found


class Solarize(ImageOperation):
    """Invert the values within ``threshold`` (low, high), or from one number on.

    (``mindspore.dataset.vision.Solarize``.)
    """

    implementation = Implementation.C

    def __init__(self, threshold):
        type_check(threshold, (float, int, list, tuple), "threshold")
        if isinstance(threshold, (float, int)):
            threshold = (threshold, threshold)
        type_check_list(threshold, (float, int), "threshold")
        if len(threshold) != 2:
            raise TypeError("threshold must be a single number or sequence of two numbers.")
        for i, value in enumerate(threshold):
            check_value(value, (0, UINT8_MAX), f"threshold[{i}]")
        if threshold[1] < threshold[0]:
            raise ValueError("threshold must be in order of (min, max).")
        super().__init__()
        self.threshold = threshold

    def _compute(self, image):
        return _solarized(image, *self.threshold)


class RandomSolarize(RandomOperation, ImageOperation):
    """`Solarize` between two values drawn from ``threshold``.

    (``mindspore.dataset.vision.RandomSolarize``.)
    """

    implementation = Implementation.C

    def __init__(self, threshold=(0, 255)):
        type_check(threshold, (tuple,), "threshold")
        type_check_list(threshold, (int,), "threshold")
        if len(threshold) != 2:
            raise ValueError("threshold must be a sequence of two numbers.")
        for value in threshold:
            check_value(value, (0, UINT8_MAX))
        if threshold[1] < threshold[0]:
            raise ValueError("threshold must be in min max format numbers.")
        super().__init__()
        self.threshold = threshold

    def _choose(self, stream, image):
        first, second = stream.integer(*self.threshold), stream.integer(*self.threshold)
        return min(first, second), max(first, second)

    def _apply(self, limits, image):
        return _solarized(image, *limits)


class Posterize(ImageOperation):
    """The highest ``bits`` bits of each value alone (``mindspore.dataset.vision.Posterize``)."""

    implementation = Implementation.C

    def __init__(self, bits):
        type_check(bits, (int,), "bits")
        check_value(bits, [0, 8], "bits")
        super().__init__()
        self.bits = bits

    def _compute(self, image):
        return posterized(image, self.bits)


class RandomSharpness(RandomOperation, ImageOperation):
    """`AdjustSharpness` by a factor drawn from ``degrees`` (``mindspore.dataset.vision.RandomSharpness``)."""

    def __init__(self, degrees=(0.1, 1.9)):
        check_positive_degrees(degrees)
        super().__init__()
        self.degrees = degrees

    def _choose(self, stream, image):
        needs_image(image, "RandomSharpness")
        return stream.uniform(*self.degrees)

    def _apply(self, factor, image):
        return sharpened(image, factor)

    def _execute_py(self, image):
        needs_pil(image)
        return pillow("ImageEnhance").Sharpness(image).enhance(random.uniform(*self.degrees))


class _Sometimes(RandomOperation, ImageOperation):
    """A fixed transform, with probability ``prob``."""

    implementation = Implementation.C

    def __init__(self, transform, prob):
        check_prob(prob)
        super().__init__()
        self.prob, self._transform = prob, transform

    def _choose(self, stream, image):
        return stream.chance(self.prob)

    def _apply(self, chosen, image):
        return self._transform._compute(image) if chosen else image


class RandomAdjustSharpness(_Sometimes):
    """`AdjustSharpness` with probability ``prob`` (``mindspore.dataset.vision.RandomAdjustSharpness``)."""

    def __init__(self, degree, prob=0.5):
        type_check(degree, (float, int), "degree")
        check_value(degree, (0, FLOAT_MAX_INTEGER), "degree")
        super().__init__(AdjustSharpness(degree), prob)
        self.degree = degree


class RandomInvert(_Sometimes):
    """`Invert` with probability ``prob`` (``mindspore.dataset.vision.RandomInvert``)."""

    def __init__(self, prob=0.5):
        super().__init__(Invert(), prob)


class RandomAutoContrast(_Sometimes):
    """`AutoContrast` with probability ``prob`` (``mindspore.dataset.vision.RandomAutoContrast``)."""

    def __init__(self, cutoff=0.0, ignore=None, prob=0.5):
        super().__init__(AutoContrast(cutoff, ignore), prob)
        self.cutoff, self.ignore = cutoff, ignore


class RandomEqualize(_Sometimes):
    """`Equalize` with probability ``prob`` (``mindspore.dataset.vision.RandomEqualize``)."""

    def __init__(self, prob=0.5):
        super().__init__(Equalize(), prob)


_LIGHT_VALUES = np.array([55.46, 4.794, 1.148])      # of ImageNet's colours: how much each direction varies
_LIGHT_DIRECTIONS = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140],
                              [-0.5836, -0.6948, 0.4203]])


class RandomLighting(RandomOperation, ImageOperation):
    """Add a colour drawn along the main directions of ImageNet's colours, ``alpha`` strong, as AlexNet did.

    (``mindspore.dataset.vision.RandomLighting``.)
    """

    def __init__(self, alpha=0.05):
        type_check(alpha, (float, int), "alpha")
        check_value(alpha, [0, FLOAT_MAX_INTEGER], "alpha")
        super().__init__()
        self.alpha = alpha

    def _draw(self, stream, image):
        strengths = np.array([stream.normal32(self.alpha) for _ in range(3)])
        shift = _LIGHT_DIRECTIONS @ (strengths * _LIGHT_VALUES)
        # of each row MindSpore changes as many bytes as it has values, whatever the dtype
        height, width = image.shape[:2]
        rows = np.array(image, order="C").reshape(height, -1).view(np.uint8)
        part = rows[:, :width * 3].reshape(image.shape)
        if image.size > 768:
            part = kernels.looked_up(_bytes(np.arange(256)[:, None] + shift), part)
        else:
            part = _bytes(part + shift)
        rows[:, :width * 3] = part.reshape(height, -1)
        return rows.view(image.dtype).reshape(image.shape)

    def _execute_py(self, image):
        needs_pil(image)
        values = np.asarray(image if image.mode == "RGB" else image.convert("RGB"))
        strengths = np.array([np.random.normal(loc=0.0, scale=self.alpha) for _ in range(3)])
        shift = (_LIGHT_DIRECTIONS * _LIGHT_VALUES * strengths)
        moved = values + ((shift[:, 0] + shift[:, 1]) + shift[:, 2])
        return pillow("Image").fromarray(moved.clip(0, 255).astype(np.uint8))
