"""``mindspore.dataset.vision.c_transforms``: the array half of r1.x's image transforms."""

from ._adjust import (
    AdjustGamma,
    RandomAdjustSharpness,
    RandomAutoContrast,
    RandomEqualize,
    RandomInvert,
    RandomLighting,
    RandomSharpness,
    RandomSolarize,
)
from ._arrays import RgbToBgr
from ._batches import CutMixBatch, MixUpBatch
from ._blur import GaussianBlur
from ._boxes import *  # noqa: F403
from ._boxes import __all__ as _boxes
from ._colours import AutoContrast, ConvertColor, Equalize, Invert, RandomColor, RandomPosterize
from ._pieces import RandomResize, SlicePatches
from ._policies import AutoAugment, RandomSelectSubpolicy, UniformAugment
from ._warps import RandomAffine, RandomRotation, Rotate
from .transforms import (
    HWC2CHW,
    CenterCrop,
    Crop,
    CutOut,
    Decode,
    HorizontalFlip,
    ImageTensorOperation,
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
from .utils import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    Inter,
    SliceMode,
)

__all__ = ["AdjustGamma", "AutoAugment", "AutoAugmentPolicy", "AutoContrast", "Border", "CenterCrop",
           "ConvertColor", "ConvertMode", "Crop", "CutMixBatch", "CutOut", "Decode", "Equalize",
           "GaussianBlur", "HWC2CHW", "HorizontalFlip", "ImageBatchFormat", "ImageTensorOperation", "Inter",
           "Invert", "MixUpBatch", "Normalize", "NormalizePad", "Pad", "RandomAdjustSharpness",
           "RandomAffine", "RandomAutoContrast", "RandomColor", "RandomColorAdjust", "RandomCrop",
           "RandomCropDecodeResize", "RandomEqualize", "RandomHorizontalFlip", "RandomInvert",
           "RandomLighting", "RandomPosterize", "RandomResize", "RandomResizedCrop", "RandomRotation",
           "RandomSelectSubpolicy", "RandomSharpness", "RandomSolarize", "RandomVerticalFlip", "Rescale",
           "Resize", "RgbToBgr", "Rotate", "SliceMode", "SlicePatches", "UniformAugment", "VerticalFlip",
           *_boxes,
           # Not here, and said so when they are used: packages list all names of this module again.
           "SoftDvppDecodeRandomCropResizeJpeg",  # noqa: F405
           "SoftDvppDecodeResizeJpeg"]  # noqa: F405
