"""Random crops with resizing, and random colours: the augmentation of image classifiers."""

from __future__ import annotations

import math

import numpy as np

from ..._core.errors import unsupported
from ..core.mersenne import MT19937
from ..core.validator_helpers import check_pos_int32, type_check
from ..transforms.operation import OperationError, RandomOperation
from ..transforms.py_transforms_util import Implementation
from ._convert import decoded
from ._geometry import resized
from .images import ImageOperation, cut, needs_image
from .utils import Inter
from .validators import check_interpolation, check_size


def _check_range(values, name: str, low: float) -> None:
    """A (smallest, largest) pair of numbers, the larger above ``low``."""
    type_check(values, (tuple, list), name)
    if len(values) != 2:
        raise TypeError(f"{name} should be a list/tuple of length 2.")
    for i, value in enumerate(values):
        type_check(value, (float, int), f"{name}[{i}]")
        if value < low:
            raise ValueError(f"Input {name} is not within the required interval of [0, 16777216].")
    if values[1] < values[0]:
        raise ValueError(f"{name} should be in (min,max) format. Got (max,min).")
    if values[1] <= 0:
        raise ValueError(f"Input {name}[1] must be greater than 0.")


class RandomResizedCrop(RandomOperation, ImageOperation):
    """A rectangle of random area (``scale``, of the whole) and proportion (``ratio``), at another size."""

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3. / 4., 4. / 3.), interpolation=Inter.BILINEAR,
                 max_attempts=10):
        check_size(size)
        _check_range(scale, "scale", 0)
        _check_range(ratio, "ratio", 0)
        check_interpolation(interpolation)
        check_pos_int32(max_attempts, "max_attempts")
        super().__init__()
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        self.scale, self.ratio = scale, ratio
        self.interpolation, self.max_attempts = interpolation, max_attempts

    def _box(self, stream: MT19937, rows: int, columns: int) -> tuple[int, int, int, int]:
        """(top, left, height, width) of the next crop."""
        low, high = math.log(self.ratio[0]), math.log(self.ratio[1])
        for _ in range(self.max_attempts):
            area = rows * columns * stream.uniform(*self.scale)
            ratio = math.exp(stream.uniform(low, high))
            width = math.floor(math.sqrt(area * ratio) + 0.5)
            height = math.floor(width / ratio + 0.5)
            if 0 < width <= columns and 0 < height <= rows:
                left = stream.integer(0, columns - width)
                return stream.integer(0, rows - height), left, height, width
        height, width = rows, columns                      # no luck: the middle, as large as `ratio` allows
        if columns / rows < self.ratio[0]:
            height = math.floor(columns / self.ratio[0] + 0.5)
        elif columns / rows > self.ratio[1]:
            width = math.floor(rows * self.ratio[1] + 0.5)
        return (rows - height + 1) // 2, (columns - width + 1) // 2, height, width

    def _draw(self, stream, image):
        needs_image(image, type(self).__name__)
        box = self._box(stream, *image.shape[:2])
        return resized(cut(image, *box), *self.size, self.interpolation)

    def _execute_py(self, image):
        raise unsupported(f"mindspore.dataset.vision.{type(self).__name__}",
                          "PIL images are not supported yet.",
                          "use it on arrays: leave ToPIL out, and Decode() without to_pil=True.")


class RandomCropDecodeResize(RandomResizedCrop):
    """`RandomResizedCrop` straight from the bytes of an image file.

    MindSpore decodes the crop alone, here the whole image is decoded: along the border of a crop, values of a
    JPEG can differ by two or three.
    """

    implementation = Implementation.C

    def _draw(self, stream, data):
        if data.ndim != 1:
            return super()._draw(stream, data)
        return super()._draw(stream, np.array(decoded(data)))


def _range(value, name: str) -> tuple[float, float]:
    """A factor's range: (smallest, largest), or one number for that much around 1."""
    type_check(value, (float, int, list, tuple), name)
    if isinstance(value, (list, tuple)):
        if len(value) != 2:
            raise TypeError(f"{name} should be a single number or a list/tuple of length 2.")
        if not 0 <= value[0] <= value[1]:
            raise ValueError(f"Input {name} is not within the required interval of [0, 16777216].")
        return tuple(value)
    if value < 0:
        raise ValueError(f"The input value of {name} cannot be negative.")
    return max(0, 1 - value), 1 + value


class RandomColorAdjust(RandomOperation, ImageOperation):
    """Brightness, contrast and saturation multiplied by random factors, in random order.

    Each is a (smallest, largest) factor, or a number n for (1 - n, 1 + n); (1, 1) leaves it alone. Images are
    (H, W, 3) uint8. A random ``hue`` is not supported yet.
    """

    def __init__(self, brightness=(1, 1), contrast=(1, 1), saturation=(1, 1), hue=(0, 0)):
        super().__init__()
        self.brightness, self.contrast = _range(brightness, "brightness"), _range(contrast, "contrast")
        self.saturation = _range(saturation, "saturation")
        type_check(hue, (float, int, list, tuple), "hue")
        if hue not in (0, (0, 0), [0, 0]):
            raise unsupported("mindspore.dataset.vision.RandomColorAdjust(hue=...)",
                              "it is not supported yet.",
                              "leave hue at (0, 0), or convert with a function of your own.")
        self.hue = hue

    def _draw(self, stream, image):
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise OperationError("RandomColorAdjust: image shape should be <H,W,3> of uint8, but got: "
                                 f"{image.shape} of {image.dtype}")
        steps = [(self.brightness, _brighter), (self.contrast, _contrasted), (self.saturation, _saturated),
                 None]
        stream.shuffle(steps)                             # the hue that is left out takes part in the shuffle
        for step in steps:
            if step is not None and step[0] != (1, 1):
                low, high = step[0]
                image = step[1](image, np.float32(low if low == high else stream.uniform(low, high)))
        return image

    def _execute_py(self, image):
        raise unsupported("mindspore.dataset.vision.RandomColorAdjust", "PIL images are not supported yet.",
                          "use it on arrays: leave ToPIL out, and Decode() without to_pil=True.")


def _grey(image: np.ndarray) -> np.ndarray:
    """OpenCV's luminance, in its fixed point."""
    red, green, blue = (image[..., i].astype(np.int32) for i in range(3))
    return (red * 9798 + green * 19235 + blue * 3735 + 16384) >> 15


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def weighted(first: np.ndarray, share, second: np.ndarray, rest) -> np.ndarray:
    """``first * share + second * rest`` in float32, the first product unrounded, as OpenCV adds them."""
    added = (second.astype(np.float32) * np.float32(rest)).astype(np.float64)
    return (first.astype(np.float64) * np.float64(np.float32(share)) + added).astype(np.float32)


def _brighter(image, factor):
    return _bytes(image.astype(np.float32) * factor)


def _contrasted(image, factor):
    factor, mean = np.float32(factor), np.float32(int(_grey(image).mean() + 0.5))
    return _bytes(weighted(mean, np.float32(1) - factor, image, factor))


def _saturated(image, factor):
    factor = np.float32(factor)
    return _bytes(weighted(_grey(image)[..., None], np.float32(1) - factor, image, factor))
