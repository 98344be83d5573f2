"""Vectors of words in published files, and their look-up (``mindspore.dataset.text``)."""

from __future__ import annotations

import fnmatch
import os

import numpy as np

from ..core.errors import pipeline_error
from ..core.validator_helpers import INT32_MAX, check_value, type_check
from ..transforms.operation import OperationError
from ._arrays import TextTensorOperation

__all__ = ["CharNGram", "FastText", "GloVe", "ToVectors", "Vectors"]


class _Vectors:
    """Vectors of words, read from a file."""

    _files: str | None = None           # what its files are called

    def __init__(self, vectors: dict[str, np.ndarray], size: int) -> None:
        self._vectors, self._size = vectors, size

    @classmethod
    def from_file(cls, file_path, max_vectors=None):
        """Read a file, of which ``max_vectors`` words are taken (0, as none: all).

        RuntimeError where it cannot be opened, is empty, or its vectors differ in length.
        """
        type_check(file_path, (str,), "file_path")
        if max_vectors is not None:
            type_check(max_vectors, (int,), "max_vectors")
            check_value(max_vectors, [0, INT32_MAX], "max_vectors")
        name, kind = os.path.basename(file_path), cls.__name__
        if not os.path.isfile(file_path):
            raise pipeline_error(f"{kind}: invalid file, failed to open {kind} file." if cls._files else
                                 f"Vectors: get real path failed, path: {file_path}")
        if cls._files and not fnmatch.fnmatchcase(name, cls._files):
            raise pipeline_error(f"{kind}: invalid file, can not find file '{cls._files}', but got: "
                                 f"{file_path}")
        vectors: dict[str, np.ndarray] = {}
        size = 0
        with open(file_path, encoding="utf-8", newline="\n") as text:
            for number, line in enumerate(text):
                word, *fields = list(filter(None, line.rstrip("\r\n").split(" "))) or [""]
                if number == 0 and len(fields) == 1:
                    continue
                if len(fields) < 2:
                    raise pipeline_error("Vectors: token with 1-dimensional vector.")
                if size and len(fields) != size:
                    raise pipeline_error("Vectors: all vectors must have the same number of dimensions, but "
                                         f"got dim {len(fields)} while expecting {size}")
                size = len(fields)
                vectors.setdefault(word, np.array([_number(field) for field in fields], np.float32))
                if len(vectors) == max_vectors:
                    break
        if not vectors:
            raise pipeline_error("Vectors: invalid file, file is empty.")
        return cls(vectors, size)

    def _look_up(self, word: str) -> np.ndarray | None:
        return self._vectors.get(word)


class Vectors(_Vectors):
    """Vectors of words from a text file, a word and its numbers a line (``mindspore.dataset.text.Vectors``).

    A first line of two fields is a head and counts for nothing; the first of several lines for a word holds.
    """


def _number(text: str) -> float:
    """A number, 0 for what is none, as C's ``atof`` has it."""
    try:
        return float(text)
    except ValueError:
        return 0.0


class GloVe(_Vectors):
    """GloVe's files ``glove.6B.*.txt`` (``mindspore.dataset.text.GloVe``)."""

    _files = "glove.6B.*.txt"


class FastText(_Vectors):
    """fastText's files ``*.vec`` (``mindspore.dataset.text.FastText``)."""

    _files = "*.vec"


class CharNGram(_Vectors):
    """Vectors of runs of characters, whose mean is a word's (``mindspore.dataset.text.CharNGram``).

    A run has two to four and is called ``2gram-th``; the beginning and the end of a word are ``#BEGIN#`` and
    ``#END#`` in it.
    """

    def _look_up(self, word):
        characters = ["#BEGIN#", *word, "#END#"]
        found = []
        for size in (2, 3, 4):
            for start in range(len(characters) - size + 1):
                vector = self._vectors.get(f"{size}gram-{''.join(characters[start:start + size])}")
                if vector is not None:
                    found.append(vector)
        return sum(found[1:], found[0]) / np.float32(len(found)) if found else None


class ToVectors(TextTensorOperation):
    """The vector of a word, float32 (``mindspore.dataset.text.ToVectors``).

    ``unk_init``: what stands for an unknown word (zeros); ``lower_case_backup``: words are looked up in lower
    case alone, as MindSpore does, whose documentation has it after the word itself.
    """

    def __init__(self, vectors, unk_init=None, lower_case_backup=False):
        type_check(vectors, (_Vectors,), "vectors")
        if unk_init is not None:
            type_check(unk_init, (list, tuple), "unk_init")
        type_check(lower_case_backup, (bool,), "lower_case_backup")
        super().__init__()
        self.vectors, self.unk_init, self.lower_case_backup = vectors, unk_init, lower_case_backup

    def _compute(self, column):
        words = self._texts(column, "ToVectors", "input tensor type should be string.").reshape(-1).tolist()
        if not words:
            raise OperationError("Input Tensor has no data.")
        size = self.vectors._size
        if self.unk_init is not None and len(self.unk_init) != size:
            raise OperationError("ToVectors: unk_init must be the same length as vectors, but got unk_init: "
                                 f"{len(self.unk_init)} and vectors: {size}")
        found = np.stack([self._of_word(word, size) for word in words])
        return found[0] if len(words) == 1 else found

    def _of_word(self, word: str, size: int) -> np.ndarray:
        found = self.vectors._look_up(word.lower() if self.lower_case_backup else word)
        if found is not None:
            return found
        return np.zeros(size, np.float32) if self.unk_init is None else np.array(self.unk_init, np.float32)
