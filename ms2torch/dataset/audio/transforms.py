"""Transforms of sound (``mindspore.dataset.audio.transforms``)."""

from . import _cepstral, _detect, _effects, _filters, _levels, _masks, _phase, _spectral, _vad
from ._base import AudioTensorOperation
from ._cepstral import *  # noqa: F403
from ._detect import *  # noqa: F403
from ._effects import *  # noqa: F403
from ._filters import *  # noqa: F403
from ._levels import *  # noqa: F403
from ._masks import *  # noqa: F403
from ._phase import *  # noqa: F403
from ._spectral import *  # noqa: F403
from ._vad import *  # noqa: F403
from .utils import (
    BorderType,
    DensityFunction,
    FadeShape,
    GainType,
    Interpolation,
    MelType,
    Modulation,
    NormMode,
    NormType,
    ResampleMethod,
    ScaleType,
    WindowType,
)

__all__ = ["AudioTensorOperation", "BorderType", "DensityFunction", "FadeShape", "GainType", "Interpolation",
           "MelType", "Modulation", "NormMode", "NormType", "ResampleMethod", "ScaleType", "WindowType",
           *_cepstral.__all__, *_detect.__all__, *_effects.__all__, *_filters.__all__, *_levels.__all__,
           *_masks.__all__, *_phase.__all__, *_spectral.__all__, *_vad.__all__]

# Users know these classes by this module, in messages and in pickles, wherever they are written down.
for _name in __all__:
    _one = globals()[_name]
    if _one.__module__.startswith(__package__) and not _one.__module__.endswith("utils"):
        _one.__module__ = __name__
