"""Transforms of text (``mindspore.dataset.text``)."""

from . import transforms, utils
from ._vectors import CharNGram, FastText, GloVe, Vectors
from .transforms import *  # noqa: F403
from .transforms import __all__ as _transforms
from .utils import *  # noqa: F403
from .utils import __all__ as _utils

__all__ = [*(name for name in _transforms if name != "TextTensorOperation"), *_utils, "CharNGram", "FastText",
           "GloVe", "Vectors", "transforms", "utils"]
