"""Vocabularies and text arrays (``mindspore.dataset.text.utils``)."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum

import numpy as np

from ms2torch._core.checks.error_wrappers import binds_by_inspect

from ..core.errors import pipeline_error
from ..core.validator_helpers import INT32_MAX, check_value, type_check, type_check_list

__all__ = ["JiebaMode", "NormalizeForm", "Vocab", "to_bytes", "to_str"]


class NormalizeForm(IntEnum):
    """Unicode's normal forms."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class JiebaMode(IntEnum):
    """Ways to cut Chinese text."""

    MIX = 0
    MP = 1
    HMM = 2


def _checked_words(words, special_tokens, special_first) -> None:
    type_check(words, (list,), "word_list")
    for word in words:
        type_check(word, (str,), "word_list")
    seen = set()
    for word in words:
        if word in seen:
            raise ValueError(f"word_list contains duplicate word: {word}.")
        seen.add(word)
    _checked_special(special_tokens, special_first)
    if both := seen & set(special_tokens or ()):
        raise ValueError(f"special_tokens and word_list contain duplicate word :{both}.")


def _check_counting(freq_range, top_k) -> None:
    if freq_range is not None:
        type_check(freq_range, (tuple,), "freq_range")
        if len(freq_range) != 2:
            raise ValueError("freq_range needs to be a tuple of 2 element.")
        if not all(one is None or isinstance(one, int) for one in freq_range):
            raise ValueError("freq_range needs to be either None or a tuple of 2 integers or an int and a "
                             "None.")
        if None not in freq_range and not 0 <= freq_range[0] <= freq_range[1]:
            raise ValueError("frequency range [a,b] should be 0 <= a <= b (a,b are inclusive).")
    type_check(top_k, (int, type(None)), "top_k")
    if top_k is not None and top_k <= 0:
        raise ValueError("Input top_k must be greater than 0.")


def _checked_special(special_tokens, special_first) -> None:
    type_check(special_first, (bool,), "special_first")
    if special_tokens is not None:
        type_check(special_tokens, (list,), "special_tokens")
        for word in special_tokens:
            type_check(word, (str,), "special_tokens")
        for word in special_tokens:
            if special_tokens.count(word) > 1:
                raise ValueError(f"special_tokens contains duplicate word: {word}.")


class Vocab:
    """Words and their numbers (``mindspore.dataset.text.Vocab``); made by one of the ``from_`` methods."""

    def __init__(self):
        self.c_vocab = None
        self._words = {}

    @classmethod
    def _of(cls, numbers: dict) -> Vocab:
        made = cls()
        made.c_vocab = numbers
        made._words = {number: word for word, number in numbers.items()}
        return made

    @classmethod
    @binds_by_inspect
    def from_dict(cls, word_dict):
        """From a dict of words and their numbers."""
        type_check(word_dict, (dict,), "word_dict")
        for word, number in word_dict.items():
            type_check(word, (str,), "word")
            type_check(number, (int,), "word_id")
            check_value(number, (0, INT32_MAX), "word_id")
        return cls._of(dict(word_dict))

    @classmethod
    @binds_by_inspect
    def from_list(cls, word_list, special_tokens=None, special_first=True):
        """From words, numbered in order; the special tokens stand before them, or behind."""
        _checked_words(word_list, special_tokens, special_first)
        special = special_tokens or []
        words = [*special, *word_list] if special_first else [*word_list, *special]
        return cls._of({word: number for number, word in enumerate(words)})

    @classmethod
    def from_file(cls, file_path, delimiter="", vocab_size=None, special_tokens=None, special_first=True):
        """From a file with a word per line: what stands before ``delimiter``, of the first ``vocab_size``."""
        type_check(file_path, (str,), "file_path")
        type_check(delimiter, (str,), "delimiter")
        if vocab_size is not None:
            type_check(vocab_size, (int,), "vocab_size")
            if vocab_size <= 0:
                raise ValueError("Input vocab_size must be greater than 0.")
        with open(file_path, encoding="utf-8") as file:
            words = [line.rstrip("\r\n") for line in file][:vocab_size]
        words = [word.partition(delimiter)[0] for word in words] if delimiter else words
        return cls.from_list(words, special_tokens, special_first)

    @classmethod
    def from_dataset(cls, dataset, columns=None, freq_range=None, top_k=None, special_tokens=None,
                     special_first=True):
        """From the words of a data set's columns: the most frequent first, equals in alphabetical order.

        ``freq_range`` says how often a word has to occur, at least and at most; ``top_k`` how many are kept.
        """
        if columns is not None and not isinstance(columns, list):
            columns = [columns]
            type_check_list(columns, (str,), "col")
        _check_counting(freq_range, top_k)
        _checked_special(special_tokens, special_first)
        known, low, high = dataset.get_col_names(), *(freq_range or (None, None))
        for name in columns or ():
            if name not in known:
                raise pipeline_error(f"Invalid column name, column name: {name} does not exist, check "
                                     "existed column with dataset API 'get_col_names'")
            if columns.count(name) > 1:
                raise pipeline_error("BuildVocabNode: 'columns' : Invalid parameter, duplicate column names "
                                     f"are not allowed: {name}", "Syntax error.")
        counts: Counter = Counter()
        for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
            for name in columns or row:
                counts.update(np.asarray(row[name]).reshape(-1).tolist())
        kept = [(word, n) for word, n in counts.items() if (low or 0) <= n and (high is None or n <= high)]
        kept.sort(key=lambda item: (-item[1], item[0]))
        return cls.from_list([word for word, _ in kept[:top_k]], special_tokens, special_first)

    def vocab(self) -> dict:
        """Words and numbers, as a dict. RuntimeError before it is built."""
        if self.c_vocab is None:
            raise RuntimeError("The Vocab has not built yet, got type <class 'NoneType'>. Use "
                               "Vocab.from_dataset(), Vocab.from_list(), Vocab.from_file() or "
                               "Vocab.from_dict() to build a Vocab.")
        return dict(self.c_vocab)

    @binds_by_inspect
    def tokens_to_ids(self, tokens):
        """The number of a word, or a list of them; -1 for a word that is not there.

        A list or an array of one word gives its number, as in MindSpore.
        """
        type_check(tokens, (str, list, np.ndarray), "tokens")
        known = self.c_vocab if self.c_vocab is not None else self.vocab()
        words = _listed(tokens)
        type_check_list(words, (str, np.str_), "tokens")
        numbers = [known.get(word, -1) for word in words]
        return numbers[0] if len(numbers) == 1 else numbers

    @binds_by_inspect
    def ids_to_tokens(self, ids):
        """The word of a number, or a list of them; '' for a number that is not there.

        A list or an array of one number gives its word, as in MindSpore.
        """
        type_check(ids, (int, list, np.ndarray), "ids")
        if self.c_vocab is None:
            self.vocab()
        numbers = _listed(ids)
        for number in numbers:
            type_check(number, (int,), "ids")
            if not isinstance(ids, np.ndarray):
                check_value(number, (0, INT32_MAX), "ids")
        words = [self._words.get(number, "") for number in numbers]
        return words[0] if len(words) == 1 else words


def _listed(items) -> list:
    """One thing, a list or an array of things as a list."""
    if isinstance(items, np.ndarray):
        items = items.tolist()
    return items if isinstance(items, list) else [items]


def to_bytes(array, encoding="utf8"):
    """An array of strings as one of bytes. ValueError for what is no array."""
    if not isinstance(array, np.ndarray):
        raise ValueError("input should be a NumPy array.")
    return np.char.encode(array, encoding)


def to_str(array, encoding="utf8"):
    """An array of bytes as one of strings. TypeError for what is no array and for one of numbers."""
    if not isinstance(array, np.ndarray):
        raise TypeError("input should be a NumPy array.")
    return array if array.dtype.kind == "U" else np.char.decode(array, encoding)
