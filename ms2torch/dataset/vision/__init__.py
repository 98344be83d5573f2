"""Transforms of images (``mindspore.dataset.vision``)."""

from . import (
    _adjust,
    _batches,
    _colours,
    _pieces,
    _policies,
    _warps,
    py_transforms_util,
    transforms,
    utils,
    validators,
)
from ._adjust import *  # noqa: F403
from ._batches import *  # noqa: F403
from ._colours import *  # noqa: F403
from ._pieces import *  # noqa: F403
from ._policies import *  # noqa: F403
from ._warps import *  # noqa: F403
from .transforms import (
    HWC2CHW,
    AutoAugmentPolicy,
    Border,
    CenterCrop,
    ConvertMode,
    Crop,
    CutOut,
    Decode,
    Grayscale,
    HorizontalFlip,
    ImageBatchFormat,
    Inter,
    Normalize,
    NormalizePad,
    Pad,
    RandomColorAdjust,
    RandomCrop,
    RandomCropDecodeResize,
    RandomErasing,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    Rescale,
    Resize,
    SliceMode,
    ToNumpy,
    ToPIL,
    ToTensor,
    ToType,
    VerticalFlip,
)

__all__ = ["AutoAugmentPolicy", "Border", "CenterCrop", "ConvertMode", "Crop", "CutOut", "Decode",
           "Grayscale", "HWC2CHW",
           "HorizontalFlip", "ImageBatchFormat", "Inter", "Normalize", "NormalizePad", "Pad",
           "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomErasing",
           "RandomHorizontalFlip", "RandomResizedCrop", "RandomVerticalFlip", "Rescale", "Resize",
           "SliceMode", "ToNumpy", "ToPIL", "ToTensor", "ToType", "VerticalFlip", "py_transforms_util",
           "transforms", "utils", "validators", *_adjust.__all__,
           *_batches.__all__, *_colours.__all__, *_pieces.__all__,
           *_policies.__all__, *_warps.__all__]
