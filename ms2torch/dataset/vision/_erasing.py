"""Transforms that erase rectangles of an image."""

from __future__ import annotations

import math
import random

import numpy as np

from ms2torch._core.random.engines import MT19937

from ..core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    check_positive,
    check_value,
    type_check,
    type_check_list,
)
from ..transforms.operation import OperationError, PyTensorOperation, RandomOperation
from ..transforms.py_transforms_util import Implementation
from .images import ImageOperation


class CutOut(RandomOperation, ImageOperation):
    """Squares of ``length`` pixels set to 0, at random places, which may reach beyond the image.

    (``mindspore.dataset.vision.CutOut``.) RuntimeError where the square is larger than the image.
    """

    implementation = Implementation.C

    def __init__(self, length, num_patches=1, is_hwc=True):
        type_check(length, (int,), "length")
        type_check(num_patches, (int,), "num_patches")
        type_check(is_hwc, (bool,), "is_hwc")
        check_value(length, (1, FLOAT_MAX_INTEGER))
        check_value(num_patches, (1, FLOAT_MAX_INTEGER))
        super().__init__()
        self.length, self.num_patches, self.is_hwc = length, num_patches, is_hwc

    def _draw(self, stream: MT19937, image):
        out = image.copy()
        view, side = out if self.is_hwc else out.transpose(1, 2, 0), self.length
        height, width = view.shape[:2]
        if side > height or side > width:
            raise OperationError(f"CutOut: box size is too large for image erase, got box height: {side}"
                                 f"box weight: {side}, and image height: {height}, image width: {width}")
        for _ in range(self.num_patches):
            top, left = (stream.integer(0, size + side) - side for size in (height, width))
            view[max(top, 0):max(top + side, 0), max(left, 0):max(left + side, 0)] = 0
        return out


def _check_span(span, name: str) -> None:
    type_check_list(span, (float, int), name)
    if len(span) != 2:
        raise TypeError(f"{name} should be a list or tuple of length 2.")
    least = 0 if name == "scale" else np.nextafter(0, 1)
    if span[0] <= span[1] and not (least <= span[0] and span[1] <= FLOAT_MAX_INTEGER):
        raise ValueError("Input is not within the required interval of "
                         f"{'[' if name == 'scale' else '('}0, {FLOAT_MAX_INTEGER}].")


class RandomErasing(PyTensorOperation):
    """With probability ``prob``, a random rectangle of a (C, H, W) array set to ``value``.

    (``mindspore.dataset.vision.RandomErasing``.) ``scale`` is the share of the area, ``ratio`` width to
    height; ``value`` a number, three of them, or "random" for normals. Python's own generator draws.
    """

    def __init__(self, prob=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False,
                 max_attempts=10):
        type_check(prob, (float, int), "prob")
        _check_span(scale, "scale")
        _check_span(ratio, "ratio")
        type_check(value, (int, list, tuple, str), "value")
        type_check(inplace, (bool,), "inplace")
        type_check(max_attempts, (int,), "max_attempts")
        known = value == "random" if isinstance(value, str) else isinstance(value, int) or len(value) == 3
        if not known:
            raise ValueError("The value for erasing should be either a single value, or a string 'random', "
                             "or a sequence of 3 elements for RGB respectively.")
        check_value(prob, [0.0, 1.0], "prob")
        for name, span in (("scale", scale), ("ratio", ratio)):
            if span[0] > span[1]:
                raise ValueError(f"{name} should be in (min,max) format. Got (max,min).")
        check_positive(scale[1], "scale[1]")
        for one in [value] if isinstance(value, int) else value if not isinstance(value, str) else ():
            type_check(one, (int,), "value")
            check_value(one, (0, 255), *([] if isinstance(value, int) else ["value"]))
        check_value(max_attempts, (1, FLOAT_MAX_INTEGER))
        super().__init__()
        self.prob, self.scale, self.ratio, self.value = prob, scale, ratio, value
        self.inplace, self.max_attempts = inplace, max_attempts

    def _filling(self, shape):
        if isinstance(self.value, str):
            return np.random.normal(size=shape)
        return np.reshape(self.value, (-1, 1, 1)) if isinstance(self.value, (list, tuple)) else self.value

    def _execute_py(self, np_img):
        if not self.prob > random.random():
            return np_img
        if not isinstance(np_img, np.ndarray):
            raise TypeError(f"img should be NumPy array. Got {type(np_img)}.")
        channels, rows, columns = np_img.shape
        for _ in range(self.max_attempts):
            area = random.uniform(*self.scale) * rows * columns
            ratio = random.uniform(*self.ratio)
            width = round(math.sqrt(area * ratio))
            height = round(width / ratio)
            if height < rows and width < columns:
                top, left = random.randint(0, rows - height), random.randint(0, columns - width)
                out = np_img if self.inplace else np_img.copy()
                out[:, top:top + height, left:left + width] = self._filling((channels, height, width))
                return out
        return np_img if self.inplace else np_img.copy()


class Cutout(PyTensorOperation):
    """Squares of ``length`` pixels of a (C, H, W) array set to 0 (``py_transforms.Cutout`` of r1.x).

    Their middles are anywhere in the image; Python's own generator draws.
    """

    def __init__(self, length, num_patches=1):
        for name, value in (("length", length), ("num_patches", num_patches)):
            type_check(value, (int,), name)
            check_value(value, (1, FLOAT_MAX_INTEGER))
        super().__init__()
        self.length, self.num_patches = length, num_patches

    def _execute_py(self, image):
        if not isinstance(image, np.ndarray):
            raise TypeError(f"img should be NumPy array. Got {type(image)}.")
        rows, columns = image.shape[1:]
        out = image.copy()
        share = self.length * self.length / (rows * columns)
        for _ in range(self.num_patches):
            side = round(math.sqrt(random.uniform(share, share) * (rows * columns) * random.uniform(1, 1)))
            if side < rows and side < columns:
                x, y = random.randint(0, columns), random.randint(0, rows)
                out[:, max(y - side // 2, 0):y + side // 2, max(x - side // 2, 0):x + side // 2] = 0
        return out
