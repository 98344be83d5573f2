"""Transforms of images (``mindspore.dataset.vision.transforms``)."""

from ..transforms.operation import PyTensorOperation, TensorOperation
from ..transforms.validators import check_prob  # noqa: F401  packages walk over all names of the modules
from . import _adjust, _arrays, _batches, _blur, _boxes, _colours, _hue, _needs, _pieces, _policies, _warps
from ._adjust import *  # noqa: F403
from ._arrays import *  # noqa: F403
from ._batches import *  # noqa: F403
from ._blur import *  # noqa: F403
from ._boxes import *  # noqa: F403
from ._colours import *  # noqa: F403
from ._convert import Decode, Grayscale, ToNumpy, ToPIL
from ._erasing import CutOut, RandomErasing
from ._geometry import (
    CenterCrop,
    Crop,
    HorizontalFlip,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomVerticalFlip,
    Resize,
    VerticalFlip,
)
from ._hue import *  # noqa: F403
from ._pieces import *  # noqa: F403
from ._policies import *  # noqa: F403
from ._random import RandomColorAdjust, RandomCropDecodeResize, RandomResizedCrop
from ._tables import fused as _fused  # noqa: F401  `map` looks whether the module is there
from ._values import HWC2CHW, Normalize, NormalizePad, Rescale, ToTensor, ToType
from ._video import DecodeVideo
from ._warps import *  # noqa: F403
from .images import ImageOperation as ImageTensorOperation
from .images import not_random  # noqa: F401
from .utils import AutoAugmentPolicy, Border, ConvertMode, ImageBatchFormat, Inter, SliceMode

__all__ = ["AutoAugmentPolicy", "Border", "CenterCrop", "ConvertMode", "Crop", "CutOut", "Decode",
           "DecodeVideo", "Grayscale", "HWC2CHW", "HorizontalFlip", "ImageBatchFormat",
           "ImageTensorOperation", "Inter", "Normalize", "NormalizePad", "Pad", "PyTensorOperation",
           "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomErasing",
           "RandomHorizontalFlip", "RandomResizedCrop", "RandomVerticalFlip", "Rescale", "Resize",
           "SliceMode", "TensorOperation", "ToNumpy", "ToPIL", "ToTensor", "ToType", "VerticalFlip",
           *_adjust.__all__, *_arrays.__all__, *_batches.__all__, *_blur.__all__, *_boxes.__all__,
           *_colours.__all__, *_hue.__all__, *_pieces.__all__, *_policies.__all__, *_warps.__all__]

_needs.install(globals())

# Users know these classes by this module, in messages and in pickles, wherever they are written down.
for _name in __all__:
    _one = globals()[_name]
    if isinstance(_one, type) and _one.__module__.startswith(__package__):
        _one.__module__ = __name__
