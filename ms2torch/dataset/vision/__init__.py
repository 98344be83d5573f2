"""Transforms of images (``mindspore.dataset.vision``)."""

from . import py_transforms_util, transforms, utils, validators
from .transforms import (
    HWC2CHW,
    Border,
    CenterCrop,
    ConvertMode,
    Crop,
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

__all__ = ["Border", "CenterCrop", "ConvertMode", "Crop", "Decode", "Grayscale", "HWC2CHW", "HorizontalFlip",
           "ImageBatchFormat", "Inter", "Normalize", "NormalizePad", "Pad", "RandomColorAdjust", "RandomCrop",
           "RandomCropDecodeResize", "RandomHorizontalFlip", "RandomResizedCrop", "RandomVerticalFlip",
           "Rescale", "Resize", "SliceMode", "ToNumpy", "ToPIL", "ToTensor", "ToType", "VerticalFlip",
           "py_transforms_util", "transforms", "utils", "validators"]
