"""Random crops with resizing, and random colours: the augmentation of image classifiers."""

from __future__ import annotations

import math
import numbers
import random

import numpy as np

from ms2torch._core.random.engines import MT19937

from ..core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    check_pos_float32,
    check_pos_int32,
    check_positive,
    type_check,
    type_check_list,
)
from ..transforms.operation import OperationError, RandomOperation, calls_through
from ..transforms.py_transforms_util import Implementation
from . import kernels
from ._convert import image_size, pixels
from ._geometry import pil_filter, resized
from ._hue import turned, turned_pil
from .images import ImageOperation, cut, needs_image, needs_pil, pillow, unfit
from .utils import Inter
from .validators import check_interpolation, check_size


def _check_spans(scale, ratio) -> None:
    """(smallest, largest) each."""
    for name, values in (("scale", scale), ("ratio", ratio)):
        type_check(values, (tuple, list), name)
        if len(values) != 2:
            raise TypeError(f"{name} should be a list/tuple of length 2.")
        if name == "scale":
            type_check_list(values, (float, int), name)
        else:
            for i, value in enumerate(values):
                check_pos_float32(value, f"{name}[{i}]")
        if values[0] > values[1]:
            raise ValueError(f"{name} should be in (min,max) format. Got (max,min).")
        if name == "scale":
            if values[0] < 0 or values[1] > FLOAT_MAX_INTEGER:
                raise ValueError(f"Input is not within the required interval of [0, {FLOAT_MAX_INTEGER}].")
            check_positive(values[1], "scale[1]")


def unless_none(scale, ratio, interpolation, max_attempts) -> tuple:
    """A random crop's arguments, None standing for what they are by default."""
    usual = ((0.08, 1.0), (3. / 4., 4. / 3.), Inter.BILINEAR, 10)
    return tuple(by_default if value is None else value for value, by_default in
                 zip((scale, ratio, interpolation, max_attempts), usual, strict=True))


class _RandomResizedCrop(RandomOperation, ImageOperation):
    """A random part in a random shape, resized."""

    alike = True

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3. / 4., 4. / 3.), interpolation=Inter.BILINEAR,
                 max_attempts=10):
        scale, ratio, interpolation, max_attempts = unless_none(scale, ratio, interpolation, max_attempts)
        check_size(size)
        _check_spans(scale, ratio)
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

    def _choose(self, stream, image):
        needs_image(image, type(self).__name__)
        return self._box(stream, *image.shape[:2])

    def _draw(self, stream, *columns):
        if len({column.shape[:2] for column in columns}) > 1:
            raise OperationError("RandomCropAndResizeOp: Input tensor in different columns of each row must "
                                 "have the same size.")
        return super()._draw(stream, *columns)

    def _apply(self, box, image):
        return resized(cut(image, *box), *self.size, self.interpolation, "CropAndResize")

    def _box_by_python(self, rows: int, columns: int) -> tuple[int, int, int, int]:
        """`_box` for PIL images: Python's generator draws, and its `round` rounds halves to even numbers."""
        for _ in range(self.max_attempts):
            area = random.uniform(*self.scale) * (rows * columns)
            ratio = math.exp(random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            width = round(math.sqrt(area * ratio))
            height = round(width / ratio)
            if 0 < width <= columns and 0 < height <= rows:
                top = random.randint(0, rows - height)
                return top, random.randint(0, columns - width), height, width
        height, width = rows, columns
        if columns / rows < self.ratio[0]:
            height = round(columns / self.ratio[0])
        elif columns / rows > self.ratio[1]:
            width = round(rows * self.ratio[1])
        return round((rows - height) / 2.0), round((columns - width) / 2.0), height, width

    def _execute_py(self, image):
        needs_pil(image)
        how = pil_filter(self.interpolation)
        top, left, height, width = self._box_by_python(*image.size[::-1])
        return image.crop((left, top, left + width, top + height)).resize(self.size[::-1], how)


class RandomResizedCrop(_RandomResizedCrop):
    """A rectangle of random area (``scale``, of the whole) and proportion (``ratio``), at another size."""

    _pipeline_name = "RandomCropAndResize"


class RandomCropDecodeResize(_RandomResizedCrop):
    """`RandomResizedCrop` straight from the bytes of an image file.

    MindSpore decodes the crop alone, here the whole image is decoded: along the border of a crop, values of a
    JPEG can differ by two or three.
    """

    implementation = Implementation.C
    _refuse = None

    @calls_through
    def __call__(self, img):
        if not isinstance(img, np.ndarray):
            raise TypeError(f"Input should be an encoded image in 1-D NumPy format, got {type(img)}.")
        if img.ndim != 1 or img.dtype != np.uint8:
            raise TypeError("Input should be an encoded image with uint8 type in 1-D NumPy format, got "
                            f"format:{type(img)}, dtype:{img.dtype.type}.")
        return super().__call__(img)

    def _choose(self, stream, data):
        if data.ndim != 1:
            return super()._choose(stream, data)
        return self._box(stream, *(image_size(data) or pixels(data).shape[:2]))

    def _apply(self, box, data):
        return super()._apply(box, data if data.ndim != 1 else pixels(data))


def _range(value, name: str, center: float = 1, low: float = 0, high: float = FLOAT_MAX_INTEGER):
    """A range out of [low, high]: (smallest, largest), or one number for that much around ``center``."""
    type_check(value, (numbers.Number, list, tuple), name)
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"The input value of {name} cannot be negative.")
        value = (max(0, center - value) if center else -value, center + value)
    elif len(value) != 2:
        raise TypeError(f"If {name} is a sequence, the length must be 2.")
    elif value[0] > value[1]:
        raise ValueError(f"{name} value should be in (min,max) format. Got ({value[0]}, {value[1]}).")
    if not low <= value[0] <= value[1] <= high:
        raise ValueError(f"Input is not within the required interval of [{low}, {high}].")
    return tuple(value)


class RandomColorAdjust(RandomOperation, ImageOperation):
    """Brightness, contrast and saturation multiplied by random factors and hues turned, in random order.

    Each is a (smallest, largest) factor, or a number n for (1 - n, 1 + n); (1, 1) leaves it alone. ``hue``
    is what
    part of the circle, from -0.5 to 0.5, or a number n for (-n, n). Arrays are (H, W, 3) uint8.
    """

    def __init__(self, brightness=(1, 1), contrast=(1, 1), saturation=(1, 1), hue=(0, 0)):
        super().__init__()
        self.brightness, self.contrast = _range(brightness, "brightness"), _range(contrast, "contrast")
        self.saturation, self.hue = _range(saturation, "saturation"), _range(hue, "hue", 0, -0.5, 0.5)

    def _choose(self, stream, image):
        if image.ndim != 3:
            first = " You may need to perform Decode first." if image.ndim == 1 else ""
            wanted = unfit("RandomColorAdjust", "dimension", "(3), in shape of <H, W, C>", image.ndim)
            raise OperationError(f"{wanted}{first}")
        if image.shape[2] != 3:
            raise unfit("RandomColorAdjust", "channel", "(3)", image.shape[2])
        steps = [(self.brightness, _brighter, 1), (self.contrast, _contrasted, 1),
                 (self.saturation, _saturated, 1), (self.hue, turned, 0)]
        stream.shuffle(steps)                             # what is left alone takes part in the shuffle
        return [(change, np.float32(low if low == high else stream.uniform(low, high)))
                for (low, high), change, still in steps if (low, high) != (still, still)]

    def _apply(self, changes, image):
        for change, factor in changes:
            name, taken = _TAKEN[change]
            if image.dtype.type not in taken:
                names = ", ".join(np.dtype(one).name for one in taken)
                raise unfit(name, "data type", f"({names})", image.dtype)
            image = change(image, factor)
        return image

    def _execute_py(self, image):
        needs_pil(image)
        enhance = pillow("ImageEnhance")
        names = {"Brightness": self.brightness, "Contrast": self.contrast, "Color": self.saturation,
                 "": self.hue}
        steps = [(name, random.uniform(*limits)) for name, limits in names.items()]
        random.shuffle(steps)
        for name, factor in steps:
            image = getattr(enhance, name)(image).enhance(factor) if name else turned_pil(image, factor)
        return image


def _grey(image: np.ndarray) -> np.ndarray:
    """OpenCV's luminance; of bytes in its fixed point."""
    if image.dtype.kind == "f":
        return image[..., :3] @ np.array([0.299, 0.587, 0.114], image.dtype)
    red, green, blue = (image[..., i].astype(np.int64) for i in range(3))
    return (red * 9798 + green * 19235 + blue * 3735 + 16384) >> 15


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def weighted(first, share, second: np.ndarray, rest) -> np.ndarray:
    """``first * share + second * rest`` in float32, the first product unrounded, as OpenCV adds them."""
    added = (second.astype(np.float32) * np.float32(rest)).astype(np.float64)
    return (first.astype(np.float64) * np.float64(np.float32(share)) + added).astype(np.float32)


def held(values: np.ndarray, image: np.ndarray) -> np.ndarray:
    """Numbers in the dtype of an image: for integers rounded, and the nearest that it has; of four bytes the
    lowest where one does not fit, which is what OpenCV's conversion gives.
    """
    if image.dtype.kind not in "iu":
        return values.astype(image.dtype)
    range_, whole = np.iinfo(image.dtype), np.rint(values)
    if image.dtype.itemsize > 2:
        whole = np.where((whole < range_.min) | (whole > range_.max), range_.min, whole)
    return whole.clip(range_.min, range_.max).astype(image.dtype)


_LEVELS = np.arange(256, dtype=np.float32)


@kernels.keeping_booleans
def _brighter(image, factor):
    if image.dtype != np.uint8:
        exact = np.float64 if image.dtype.itemsize > 2 and image.dtype != np.float32 else np.float32
        return held(image.astype(exact) * exact(factor), image)
    with kernels.opencv("colour") as cv2:
        if cv2 and image.size and factor >= 0:
            return cv2.convertScaleAbs(image, kernels.room(image), float(factor)).reshape(image.shape)
    return kernels.looked_up(_bytes(_LEVELS * factor), image)


def _contrasted(image, factor):
    factor = np.float32(factor)
    with kernels.opencv("colour") as cv2:
        if cv2 and image.size:
            mean = cv2.mean(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY, kernels.room(image, *image.shape[:2])))[0]
            if image.dtype.kind == "u":
                greys = np.full(image.shape, round(mean), image.dtype)
                return cv2.addWeighted(greys, 1 - float(factor), image, float(factor), 0, greys)
        else:
            mean = _grey(image).mean()
    if image.dtype.kind == "f":
        added = float(np.float32(mean)) * (1 - float(factor))
        return held(image.astype(np.float64) * float(factor) + added, image)
    if image.dtype != np.uint8:
        return held(weighted(np.float32(np.rint(mean)), np.float32(1) - factor, image, factor), image)
    table = _bytes(weighted(np.float32(np.rint(mean)), np.float32(1) - factor, _LEVELS, factor))
    return kernels.looked_up(table, image)


def _saturated(image, factor):
    factor = np.float32(factor)
    with kernels.opencv("colour") as cv2:
        if cv2 and image.size:
            grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY, kernels.room(image, *image.shape[:2]))
            grey = cv2.cvtColor(grey, cv2.COLOR_GRAY2RGB, kernels.room(image))
            return cv2.addWeighted(grey, 1 - float(factor), image, float(factor), 0, grey)
    return held(weighted(_grey(image)[..., None], np.float32(1) - factor, image, factor), image)


# What the parts of RandomColorAdjust take: name, dtypes.
_TAKEN = {_brighter: ("AdjustBrightness", (np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32,
                                           np.float16, np.float32, np.float64)),
          _contrasted: ("AdjustContrast", (np.uint8, np.uint16, np.float32)),
          _saturated: ("AdjustSaturation", (np.uint8, np.uint16, np.float32)),
          turned: ("AdjustHue", (np.uint8, np.float32))}
