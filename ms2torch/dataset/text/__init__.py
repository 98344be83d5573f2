"""Transforms of text (``mindspore.dataset.text``)."""

from . import transforms, utils
from ._sentencepiece import (
    SentencePieceModel,
    SentencePieceVocab,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
from ._vectors import CharNGram, FastText, GloVe, Vectors
from .transforms import *  # noqa: F403
from .transforms import __all__ as _transforms
from .utils import *  # noqa: F403
from .utils import __all__ as _utils

__all__ = [*(name for name in _transforms if name != "TextTensorOperation"), *_utils, "CharNGram", "FastText",
           "GloVe", "SPieceTokenizerLoadType", "SPieceTokenizerOutType", "SentencePieceModel",
           "SentencePieceVocab", "Vectors", "transforms", "utils"]

# Users know these classes by the module of utilities, in messages and in pickles.
for _one in (CharNGram, FastText, GloVe, SPieceTokenizerLoadType, SPieceTokenizerOutType, SentencePieceModel,
             SentencePieceVocab, Vectors):
    _one.__module__ = utils.__name__
