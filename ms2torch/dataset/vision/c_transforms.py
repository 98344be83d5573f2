"""``mindspore.dataset.vision.c_transforms``: the array half of r1.x's image transforms."""

from ._colours import AutoContrast, ConvertColor, Equalize, Invert, RandomColor, RandomPosterize
from .transforms import (
    HWC2CHW,
    CenterCrop,
    Crop,
    Decode,
    HorizontalFlip,
    Normalize,
    NormalizePad,
    Pad,
    RandomColorAdjust,
    RandomCrop,
    RandomCropDecodeResize,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    Rescale,
    Resize,
    VerticalFlip,
)
from .utils import Border, Inter

__all__ = ["Border", "CenterCrop", "Crop", "Decode", "HWC2CHW", "HorizontalFlip", "Inter", "Normalize",
           "NormalizePad", "Pad", "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize",
           "RandomHorizontalFlip", "RandomResizedCrop", "RandomVerticalFlip", "Rescale", "Resize",
           "VerticalFlip",
           "AutoContrast", "ConvertColor", "Equalize", "Invert", "RandomColor", "RandomPosterize"]
