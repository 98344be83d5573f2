"""``mindspore.dataset.vision.py_transforms``: the PIL half of r1.x's image transforms.

The same names as in ``c_transforms``, with other defaults: `Decode` gives a PIL image, `Normalize` takes
channels first.
"""

from __future__ import annotations

import numpy as np

from . import transforms as _now
from ._adjust import AdjustGamma, RandomLighting, RandomSharpness
from ._arrays import HsvToRgb, LinearTransformation, MixUp, RgbToHsv
from ._arrays import RgbToBgr as _RgbToBgr
from ._colours import AutoContrast, Equalize, Invert, RandomColor, RandomGrayscale
from ._erasing import Cutout
from ._pieces import FiveCrop, TenCrop
from ._policies import UniformAugment
from ._warps import RandomAffine, RandomPerspective, RandomRotation
from .py_transforms_util import is_pil
from .transforms import (
    HWC2CHW,
    CenterCrop,
    Grayscale,
    Pad,
    RandomColorAdjust,
    RandomCrop,
    RandomErasing,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    Resize,
    ToPIL,
    ToTensor,
    not_random,
)
from .utils import Border, Inter

__all__ = [
    "HWC2CHW",
    "AdjustGamma",
    "AutoContrast",
    "Border",
    "CenterCrop",
    "Cutout",
    "Decode",
    "Equalize",
    "FiveCrop",
    "Grayscale",
    "HsvToRgb",
    "Inter",
    "Invert",
    "LinearTransformation",
    "MixUp",
    "Normalize",
    "NormalizePad",
    "Pad",
    "RandomAffine",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomLighting",
    "RandomPerspective",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSharpness",
    "RandomVerticalFlip",
    "Resize",
    "RgbToBgr",
    "RgbToHsv",
    "TenCrop",
    "ToPIL",
    "ToTensor",
    "ToType",
    "UniformAugment",
    "is_pil",
    "not_random",
]


class RgbToBgr(_RgbToBgr):
    """The first of three channels becomes the last, of (C, H, W), or of (H, W, C) with ``is_hwc``."""

    def __init__(self, is_hwc=False):
        super().__init__(is_hwc)


class Decode(_now.Decode):
    """The bytes of an image file as a PIL image."""

    def __init__(self):
        super().__init__(to_pil=True)


class Normalize(_now.Normalize):
    """``(image - mean) / std`` for a channels-first float array, as `ToTensor` gives it."""

    def __init__(self, mean, std):
        super().__init__(mean, std, is_hwc=False)

    def _compute(self, image):
        if image.ndim != 3:
            raise TypeError(f"img dimension should be 3. Got {image.ndim}.")
        if image.dtype.kind in "iu":
            raise NotImplementedError(f"Unsupported image datatype: [{image.dtype}], pls execute [ToTensor] "
                                      "before [Normalize].")
        return super()._compute(image)


class NormalizePad(_now.NormalizePad):
    """`Normalize`, then one more channel of zeros."""

    def __init__(self, mean, std, dtype="float32"):
        super().__init__(mean, std, dtype, is_hwc=False)


class ToType(_now.ToType):
    """Cast to a numpy dtype."""

    def __init__(self, output_type=np.float32):
        super().__init__(output_type)
