"""Transforms of text (``mindspore.dataset.text.transforms``)."""

from ._arrays import *  # noqa: F403
from ._arrays import __all__ as _arrays
from ._jieba import JiebaTokenizer
from ._sentencepiece import SentencePieceTokenizer
from ._tokenizers import *  # noqa: F403
from ._tokenizers import __all__ as _tokenizers
from ._vectors import ToVectors

__all__ = [*_arrays, *_tokenizers, "JiebaTokenizer", "SentencePieceTokenizer", "ToVectors"]

# Users know these classes by this module, in messages and in pickles, wherever they are written down.
for _name in __all__:
    globals()[_name].__module__ = __name__
