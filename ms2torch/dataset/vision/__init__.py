"""Transforms of images (``mindspore.dataset.vision``)."""

from . import _colours, py_transforms_util, transforms, utils, validators
from ._colours import *  # noqa: F403
from .transforms import (
    HWC2CHW,
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

__all__ = ["Border", "CenterCrop", "ConvertMode", "Crop", "CutOut", "Decode", "Grayscale", "HWC2CHW",
           "HorizontalFlip", "ImageBatchFormat", "Inter", "Normalize", "NormalizePad", "Pad",
           "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomErasing",
           "RandomHorizontalFlip", "RandomResizedCrop", "RandomVerticalFlip", "Rescale", "Resize",
           "SliceMode", "ToNumpy", "ToPIL", "ToTensor", "ToType", "VerticalFlip", "py_transforms_util",
           "transforms", "utils", "validators", *_colours.__all__]
