"""Sub-words by models of the package ``sentencepiece`` (the extra of that name).

MindSpore has a release of its own compiled in: a model's file gives the same pieces in both. What is learned
is the same for all kinds but unigrams, whose probabilities differ in their fourth digit.
"""

from __future__ import annotations

import io
import os
import re
from enum import IntEnum

import numpy as np

from ms2torch._core.tensor.printing import plain_repr

from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import UINT32_MAX, check_value, type_check, type_check_list
from ..transforms.operation import OperationError
from ._arrays import TextTensorOperation

__all__ = ["SPieceTokenizerLoadType", "SPieceTokenizerOutType", "SentencePieceModel",
           "SentencePieceTokenizer", "SentencePieceVocab"]


class SentencePieceModel(IntEnum):
    """How a model cuts (``mindspore.dataset.text.SentencePieceModel``)."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerOutType(IntEnum):
    """What a `SentencePieceTokenizer` gives."""

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(IntEnum):
    """Where a `SentencePieceTokenizer` has its model from."""

    FILE = 0
    MODEL = 1


def _library():
    try:
        import sentencepiece
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("This needs SentencePiece, to cut text into sub-words: pip install "
                                  "ms2torch[sentencepiece]") from error
    return sentencepiece


def _texts(dataset, column: str):
    """The texts of a column; what is no single text is left out."""
    for (value,) in dataset.create_tuple_iterator([column], num_epochs=1, output_numpy=True):
        if value.dtype.kind in "US" and not value.ndim:
            yield str(value)


# Parameters of SentencePiece for which MindSpore has arguments of its own, which count.
_SAID_OTHERWISE = frozenset(("input", "model_prefix", "vocab_size", "character_coverage", "model_type"))


def _trained(who: str, vocab_size, character_coverage, model_type, params, **source) -> bytes:
    """A model of sentences, in SentencePiece's format."""
    if not all(isinstance(one, str) for pair in params.items() for one in pair):
        raise TypeError(f"SentencePiece's own parameters should be a dict of strings, but got: {params}.")
    given = {name: value for name, value in params.items() if name not in _SAID_OTHERWISE}
    model = io.BytesIO()
    try:
        _library().SentencePieceTrainer.train(
            **given, **source, model_writer=model, vocab_size=vocab_size, minloglevel=2,
            character_coverage=character_coverage, model_type=SentencePieceModel(model_type).name.lower())
    except (RuntimeError, ValueError, OSError) as error:
        raise pipeline_error(f"{who}{_told(error)}") from None
    return model.getvalue()


def _told(error: Exception) -> str:
    """What the library says, without the kind of its error."""
    return re.sub(r"^[A-Z_]+: ", "", str(error))


def _check_training(vocab_size, character_coverage, model_type, params) -> None:
    if vocab_size is not None:
        type_check(vocab_size, (int,), "vocab_size")
        check_value(vocab_size, [0, UINT32_MAX], "vocab_size")
    if character_coverage is not None:
        type_check(character_coverage, (float,), "character_coverage")
    if model_type is not None:
        type_check(model_type, (str, SentencePieceModel), "model_type")
    if params is not None:
        type_check(params, (dict,), "params")
    if not isinstance(model_type, SentencePieceModel) or None in (vocab_size, character_coverage, params):
        raise TypeError("SentencePieceVocab needs a size, a coverage, a SentencePieceModel and a dict, but "
                        f"got: {vocab_size}, {character_coverage}, {model_type}, {params}.")


class SentencePieceVocab:
    """A model of SentencePiece (``mindspore.dataset.text.SentencePieceVocab``), made by a ``from_`` method.

    ``vocab_size`` is the number of its pieces, ``character_coverage`` the share of the characters that have
    one, ``params`` are SentencePiece's own, as strings.
    """

    __repr__ = plain_repr

    def __init__(self):
        self.c_sentence_piece_vocab = None           # the model's bytes

    @classmethod
    def from_dataset(cls, dataset, col_names, vocab_size, character_coverage, model_type, params):
        """Learned from the texts of the first of the columns, of "text" for an empty list; MindSpore does not
        look at the others.
        """
        if col_names is not None:
            type_check_list(col_names, (str,), "col_names")
        if vocab_size is None:
            raise TypeError("vocab_size must be provided.")
        _check_training(vocab_size, character_coverage, model_type, params)
        if col_names is None:
            raise TypeError("SentencePieceVocab.from_dataset needs a list of columns.")
        column, known = col_names[0] if col_names else "text", dataset.get_col_names()
        if column not in known:
            raise pipeline_error(f"Invalid column, column name: {column} does not exist, check existed "
                                 "column with dataset API 'get_col_names'" if col_names
                                 else "Invalid data, 'text' column does not exist.")
        made = cls()
        made.c_sentence_piece_vocab = _trained("", vocab_size, character_coverage, model_type, params,
                                               sentence_iterator=_texts(dataset, column))
        return made

    @classmethod
    def from_file(cls, file_path, vocab_size, character_coverage, model_type, params):
        """Learned from the lines of files."""
        type_check(file_path, (list,), "file_path")
        _check_training(vocab_size, character_coverage, model_type, params)
        if not file_path:
            raise IndexError("SentencePieceVocab.from_file needs a file.")
        made = cls()
        made.c_sentence_piece_vocab = _trained("SentencePieceVocab: ", vocab_size, character_coverage,
                                               model_type, params, input=file_path)
        return made

    @classmethod
    def save_model(cls, vocab, path, filename):
        """Write the model into the file ``filename`` of the folder ``path``."""
        type_check(vocab, (SentencePieceVocab,), "vocab")
        type_check(path, (str,), "path")
        type_check(filename, (str,), "filename")
        if vocab.c_sentence_piece_vocab is None:
            raise ValueError("The SentencePieceVocab is empty: make it by from_file or from_dataset.")
        if not os.path.isdir(path):
            raise pipeline_error(f"Get real path failed, path={path}")
        with open(os.path.join(path, filename), "wb") as file:
            file.write(vocab.c_sentence_piece_vocab)


class SentencePieceTokenizer(TextTensorOperation):
    """The sub-words of a text, or their numbers, int32 (``mindspore.dataset.text.SentencePieceTokenizer``).

    ``mode`` is a `SentencePieceVocab` or the path of a model's file.
    """

    def __init__(self, mode, out_type):
        type_check(mode, (str, SentencePieceVocab), "mode is not an instance of str or "
                                                    "text.SentencePieceVocab.")
        type_check(out_type, (SPieceTokenizerOutType,), "out_type is not an instance of "
                                                        "SPieceTokenizerOutType")
        super().__init__()
        self.mode, self.out_type = mode, out_type
        self._model = None                           # loaded when it is used

    def __getstate__(self):
        return {**self.__dict__, "_model": None}

    def __deepcopy__(self, memo):
        return type(self)(self.mode, self.out_type)

    def _loaded(self):
        if isinstance(self.mode, SentencePieceVocab):
            if self.mode.c_sentence_piece_vocab is None:
                raise syntax_error("SentencePieceTokenizer: vocab object type is incorrect or null.")
            return _library().SentencePieceProcessor(model_proto=self.mode.c_sentence_piece_vocab)
        if os.path.isdir(self.mode):
            raise syntax_error(f"SentencePieceTokenizer : vocab file: [{self.mode}] is invalid or does not "
                               "exist.")
        if not os.path.exists(self.mode):
            raise pipeline_error(f"The file {self.mode} does not exist.")
        try:
            return _library().SentencePieceProcessor(model_file=self.mode)
        except (RuntimeError, OSError):
            raise pipeline_error(f"SentencePieceTokenizer: load vocab model file: {self.mode} "
                                 "failed.") from None

    def _compute(self, column):
        if column.ndim or column.dtype.kind != "U":
            raise OperationError("SentencePieceTokenizer: the input shape should be scalar and the input "
                                 "datatype should be string.")
        if self._model is None:
            self._model = self._loaded()
        if self.out_type is SPieceTokenizerOutType.INT:
            return np.array(self._model.encode(column.item(), out_type=int), np.int32)
        return np.array(self._model.encode(column.item(), out_type=str), np.str_)
