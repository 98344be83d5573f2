"""``mindspore.dataset.vision.c_transforms``: the array half of r1.x's image transforms."""

from ._adjust import RandomLighting, RandomSharpness, RandomSolarize
from ._batches import CutMixBatch, MixUpBatch
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

__all__ = ["Border", "CenterCrop", "Crop", "Decode", "HWC2CHW", "HorizontalFlip", "Inter", "Normalize",
           "NormalizePad", "Pad", "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize",
           "RandomHorizontalFlip", "RandomResizedCrop", "RandomVerticalFlip", "Rescale", "Resize",
           "VerticalFlip",
           "AutoContrast", "ConvertColor", "Equalize", "Invert", "RandomColor", "RandomPosterize",
           "AutoAugment", "AutoAugmentPolicy", "ConvertMode", "CutMixBatch", "CutOut", "ImageBatchFormat",
           "MixUpBatch",
           "RandomAffine", "RandomLighting", "RandomResize", "RandomRotation", "RandomSelectSubpolicy",
           "RandomSharpness", "RandomSolarize", "Rotate", "SliceMode", "SlicePatches", "UniformAugment"]
