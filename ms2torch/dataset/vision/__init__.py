"""Transforms of images (``mindspore.dataset.vision``)."""

from . import py_transforms_util, transforms, utils, validators
from .transforms import *  # noqa: F403
from .transforms import __all__ as _transforms
from .transforms import not_random
from .utils import *  # noqa: F403
from .utils import __all__ as _utils

_BASES = {"ImageTensorOperation", "PyTensorOperation", "TensorOperation"}

__all__ = [
    *(name for name in _transforms if name not in _BASES),
    *(name for name in _utils if name not in _transforms),
    "not_random",
    "py_transforms_util",
    "transforms",
    "utils",
    "validators",
]
