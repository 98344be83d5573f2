"""Transforms of sound (``mindspore.dataset.audio``): arrays whose last axis is time, in numpy."""

from . import transforms, utils
from .transforms import *  # noqa: F403
from .transforms import __all__ as _transforms

__all__ = [*(name for name in _transforms if name != "AudioTensorOperation"), "transforms", "utils"]
