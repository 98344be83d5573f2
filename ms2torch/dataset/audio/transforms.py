"""Transforms of sound (``mindspore.dataset.audio.transforms``)."""

from . import _filters, _levels, _spectral
from ._base import AudioTensorOperation
from ._filters import *  # noqa: F403
from ._levels import *  # noqa: F403
from ._spectral import *  # noqa: F403
from .utils import (
    BorderType,
    FadeShape,
    GainType,
    MelType,
    NormMode,
    NormType,
    ResampleMethod,
    ScaleType,
    WindowType,
)

__all__ = ["AudioTensorOperation", "BorderType", "FadeShape", "GainType", "MelType", "NormMode", "NormType",
           "ResampleMethod", "ScaleType", "WindowType", *_filters.__all__, *_levels.__all__,
           *_spectral.__all__]

# Users know these classes by this module, in messages and in pickles, wherever they are written down.
for _name in __all__:
    _one = globals()[_name]
    if _one.__module__.startswith(__package__) and not _one.__module__.endswith("utils"):
        _one.__module__ = __name__
