"""Transforms of colours: inverted, spread, converted, posterized."""

from __future__ import annotations

import random

import numpy as np

from ..core.validator_helpers import check_value, type_check
from ..transforms.operation import OperationError, PyTensorOperation, RandomOperation, TensorOperation
from ..transforms.py_transforms_util import Implementation
from . import kernels
from ._random import _bytes, _grey, held, weighted
from .images import ImageOperation, needs_pil, pillow, without_ones
from .utils import ConvertMode
from .validators import check_positive_degrees


def _by_channel(table, image: np.ndarray, name: str) -> np.ndarray:
    """Each channel through the table of 256 values that ``table`` makes of its histogram."""
    tables = np.stack([table(counts) for counts in kernels.counted(image, name)], -1)
    return kernels.looked_up(tables if image.ndim == 3 else tables[:, 0], image, name)



def _equal(counts: np.ndarray) -> np.ndarray:
    """OpenCV's equalizeHist: the lowest value goes to 0, the others by how many lie below or at them."""
    first = int(np.flatnonzero(counts)[0])
    above = counts.sum() - counts[first]
    if not above:
        return np.arange(256, dtype=np.uint8)
    scale = np.float32(255) / np.float32(above)
    return _bytes((np.cumsum(counts) - counts[first]).astype(np.float32) * scale)


def _spread(counts: np.ndarray, cutoff: float, ignore) -> np.ndarray:
    """Pillow's autocontrast, in float32."""
    counts = counts.copy()
    counts[list(ignore or ())] = 0
    cut = int(counts.sum()) * int(cutoff) // 100           # parts of a percent do not count
    counts = np.clip(np.cumsum(counts) - cut, 0, counts)
    counts = np.clip(np.cumsum(counts[::-1]) - cut, 0, counts[::-1])[::-1]
    left = np.flatnonzero(counts)
    if not len(left) or left[0] == left[-1]:
        return np.arange(256, dtype=np.uint8)
    scale = np.float32(255) / np.float32(left[-1] - left[0])
    values = np.arange(256, dtype=np.float32) * scale + np.float32(-left[0]) * scale
    return np.clip(values, 0, 255).astype(np.uint8)


@kernels.keeping_booleans
def inverted(image: np.ndarray) -> np.ndarray:
    if image.dtype == np.uint8:
        return 255 - image
    kernels.needs(image, "Invert", "int8 uint16 int16 int32 float32 float64")
    return held(255 - image.astype(np.float64), image) if image.dtype.kind in "iu" else 255 - image


class Invert(ImageOperation):
    """255 - value, of (H, W, C) (``mindspore.dataset.vision.Invert``)."""

    implementation = Implementation.C

    def _compute(self, image):
        return inverted(image)

    def _execute_py(self, image):
        return pillow("ImageOps").invert(image)


class Equalize(ImageOperation):
    """Values spread so that each is equally frequent (``mindspore.dataset.vision.Equalize``)."""

    def _compute(self, image):
        image = kernels.as_bytes(image)
        with kernels.opencv("colour", "Equalize") as cv2:
            if cv2 and image.size:
                planes = cv2.split(image) if image.ndim == 3 else [image]
                found = cv2.merge([cv2.equalizeHist(plane) for plane in planes]).reshape(image.shape)
                return without_ones(found)
        return without_ones(_by_channel(_equal, image, "Equalize"))

    def _execute_py(self, image):
        return pillow("ImageOps").equalize(image)


class AutoContrast(ImageOperation):
    """Values spread over 0 to 255, after leaving out ``cutoff`` percent at both ends.

    (``mindspore.dataset.vision.AutoContrast``.) ``ignore``: values that do not count.
    """

    def __init__(self, cutoff=0.0, ignore=None):
        type_check(cutoff, (int, float), "cutoff")
        check_value(cutoff, [0, 50], "cutoff", False, True)
        if ignore is not None:
            type_check(ignore, (list, tuple, int), "ignore")
            for one in [ignore] if isinstance(ignore, int) else ignore:
                type_check(one, (int,), "item")
                check_value(one, [0, 255], "ignore")
        super().__init__()
        self.cutoff, self.ignore = cutoff, [ignore] if isinstance(ignore, int) else ignore

    def _compute(self, image):
        return without_ones(_by_channel(lambda counts: _spread(counts, self.cutoff, self.ignore),
                                         kernels.as_bytes(image), "AutoContrast"))

    def _execute_py(self, image):
        return pillow("ImageOps").autocontrast(image, self.cutoff, self.ignore)


class ConvertColor(ImageOperation):
    """From one order of colour channels to another (``mindspore.dataset.vision.ConvertColor``)."""

    implementation = Implementation.C

    def __init__(self, convert_mode):
        type_check(convert_mode, (ConvertMode,), "convert_mode")
        super().__init__()
        self.convert_mode = convert_mode

    def _compute(self, image):
        return _converted(image, int(self.convert_mode))


@kernels.keeping_booleans
def _converted(image: np.ndarray, mode: int) -> np.ndarray:
    """An image in other colours, by OpenCV's number of the way; grey (H, W) stands for three equal colours
    where three are asked for.
    """
    with kernels.opencv("colour", "ConvertColor") as cv2:
        if cv2 and image.size:
            return cv2.cvtColor(image, mode)
    kernels.needs(image, "ConvertColor", "uint8 uint16 float32")
    if image.ndim == 2:
        image = image[..., None]
    channels, grey = image.shape[2], (6, 7, 10, 11)
    if channels == 1 if mode in grey else channels != 1 and mode in (8, 9):
        raise OperationError(f"ConvertColor: OpenCV does not take {channels} channels here.")
    first = image[..., :3] if channels > 1 else np.repeat(image, 3, -1)
    if mode in grey:
        return _grey(first if mode in (7, 11) else first[..., ::-1]).astype(image.dtype)
    if mode in (2, 3, 4, 5):
        first = first[..., ::-1]
    if mode in (0, 2, 5, 9):
        return _with_alpha(first) if channels != 4 else np.concatenate((first, image[..., 3:]), -1)
    return np.ascontiguousarray(first)


def _with_alpha(colours):
    full = 1 if colours.dtype.kind == "f" else np.iinfo(colours.dtype).max
    return np.concatenate((colours, np.full_like(colours[..., :1], full)), -1)


class RandomGrayscale(TensorOperation, PyTensorOperation):
    """A PIL image in shades of grey with probability ``prob``; the number of channels stays.

    (``mindspore.dataset.vision.RandomGrayscale``.)
    """

    implementation = Implementation.PY

    def __init__(self, prob=0.1):
        type_check(prob, (float, int), "prob")
        check_value(prob, [0.0, 1.0], "prob")
        TensorOperation.__init__(self)
        self.prob = prob

    def _compute(self, image):
        return self._execute_py(image)

    def _execute_py(self, image):
        mode = image.mode
        if self.prob <= random.random():
            return image
        grey = image.convert("L")
        return grey if mode == "L" else pillow("Image").merge("RGB", (grey, grey, grey))


def _check_bits(bits) -> None:
    """A number, or (smallest, largest), from 1 to 8."""
    if isinstance(bits, int):
        check_value(bits, [1, 8])
        return
    for value in bits:
        type_check(value, (int,), "bits")
        check_value(value, [0, 255], "bits")
    if len(bits) != 2:
        raise TypeError("Size of bits should be a single integer or a list/tuple (min, max) of length 2.")
    if not 1 <= bits[0] <= bits[1] <= 8:
        raise ValueError("Input is not within the required interval of [1, 8].")


def posterized(image: np.ndarray, kept: int) -> np.ndarray:
    """The highest ``kept`` bits of the bytes of an image, as unsigned ones."""
    if image.dtype.itemsize > 1:
        raise OperationError("Posterize: data type of input image should be int8 or uint8, but got "
                             f"{image.dtype}")
    return image.view(np.uint8) & np.uint8(256 - (1 << 8 - kept) & 255)


class RandomPosterize(RandomOperation, ImageOperation):
    """The highest bits of each value alone, as many as drawn from ``bits``.

    (``mindspore.dataset.vision.RandomPosterize``.) A number means that many.
    """

    implementation = Implementation.C

    def __init__(self, bits=(8, 8)):
        bits = (8, 8) if bits is None else bits
        type_check(bits, (list, tuple, int), "bits")
        _check_bits(bits)
        super().__init__()
        self.bits = (bits, bits) if isinstance(bits, int) else tuple(bits)

    def _choose(self, stream, image):
        low, high = self.bits
        return low if low == high else stream.integer(low, high)

    def _apply(self, kept, image):
        return posterized(image, kept)


class RandomColor(RandomOperation, ImageOperation):
    """Between grey (0) and the image (1), or beyond: a degree drawn from ``degrees``.

    (``mindspore.dataset.vision.RandomColor``.) Images are (H, W, 3).
    """

    def __init__(self, degrees=(0.1, 1.9)):
        degrees = (0.1, 1.9) if degrees is None else degrees
        check_positive_degrees(degrees)
        super().__init__()
        self.degrees = tuple(degrees)

    def _choose(self, stream, image):
        return np.float32(stream.uniform(*self.degrees))

    def _apply(self, degree, image):
        with kernels.opencv("colour", "RandomColor") as cv2:
            image = kernels.as_bytes(image)
            if cv2 and image.size:
                grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
                return cv2.addWeighted(image, float(degree), grey, 1 - float(degree), 0)
        kernels.needs(image, "RandomColor", "uint8 uint16 float32")
        return held(weighted(image, degree, _grey(image)[..., None], np.float32(1) - degree), image)

    def _execute_py(self, image):
        needs_pil(image)
        low, high = self.degrees
        return pillow("ImageEnhance").Color(image).enhance((high - low) * random.random() + low)


__all__ = ["AutoContrast", "ConvertColor", "Equalize", "Invert", "RandomColor", "RandomGrayscale",
           "RandomPosterize"]
