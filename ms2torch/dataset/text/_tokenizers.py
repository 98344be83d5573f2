"""Tokenizers and normalization of text.

Tokenizers give words, or with ``with_offsets`` (words, start of each, end of each) counted in bytes of UTF-8.
Regular expressions are Python's here and ICU's in MindSpore: the same for all but rare constructs
(`_patterns` makes Unicode's properties of them).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import numpy as np

from ..core.validator_helpers import type_check
from ..transforms.operation import OperationError, PyTensorOperation
from ._arrays import (
    TextTensorOperation,
    check_flags,
    check_kind,
    check_max_bytes,
    check_normal_form,
    check_strings,
    check_vocab,
    words,
)
from ._patterns import compiled, matches, replaced
from .utils import NormalizeForm

__all__ = ["BasicTokenizer", "BertTokenizer", "CaseFold", "FilterWikipediaXML", "NormalizeUTF8",
           "PythonTokenizer", "RegexReplace", "RegexTokenizer", "UnicodeCharTokenizer",
           "UnicodeScriptTokenizer", "WhitespaceTokenizer", "WordpieceTokenizer"]

_CHINESE = ("\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002ceaf\uf900-\ufaff"
            "\U0002f800-\U0002fa1f")
_PUNCTUATION = r"[!-/:-@\[-`{-~\p{P}]"
_KEPT = r"\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]"
_UNUSED = _KEPT + r"|\[unused\d+\]"


class _Tokenizer(TextTensorOperation):
    """Base: `_cut` gives the words of a string as (start, end) in characters."""

    with_offsets = False

    def _cut(self, text: str) -> list[tuple[int, int]]:
        raise NotImplementedError

    def _compute(self, column):
        if column.ndim or column.dtype.kind != "U":
            raise OperationError(f"{type(self).__name__}Op: the input shape should be scalar and the input "
                                 "datatype should be string.")
        text = str(self._texts(column, "")[()])
        spans = self._cut(text)
        found = words([text[a:b] for a, b in spans])
        return self._with_offsets(found, text, spans) if self.with_offsets else found

    def _with_offsets(self, found, text: str, spans):
        at = np.cumsum([0] + [len(char.encode()) for char in text])
        spans = np.array(spans or [(0, 0)])
        return found, at[spans[:, 0]].astype(np.uint32), at[spans[:, 1]].astype(np.uint32)


class WhitespaceTokenizer(_Tokenizer):
    """What stands between blanks (``mindspore.dataset.text.WhitespaceTokenizer``)."""

    def __init__(self, with_offsets=False):
        check_flags(with_offsets=with_offsets)
        super().__init__()
        self.with_offsets = with_offsets

    def _cut(self, text):
        return [m.span() for m in re.finditer(r"\S+", text)]


class UnicodeCharTokenizer(_Tokenizer):
    """Single characters (``mindspore.dataset.text.UnicodeCharTokenizer``)."""

    def __init__(self, with_offsets=False):
        check_flags(with_offsets=with_offsets)
        super().__init__()
        self.with_offsets = with_offsets

    def _cut(self, text):
        return [(i, i + 1) for i in range(len(text))]


@lru_cache(1 << 16)
def _script(char: str) -> str:
    """The script that a character's name begins with; what is no letter belongs to all of them."""
    if char.isspace():
        return "space"
    if char in "\u200c\u200d":
        return "inherited"
    if unicodedata.category(char)[0] == "M":
        first = unicodedata.name(char, "COMMON").split()[0]
        return "inherited" if first in ("COMBINING", "VARIATION") else first
    return unicodedata.name(char, "COMMON").split()[0] if char.isalpha() else "COMMON"


class UnicodeScriptTokenizer(_Tokenizer):
    """Runs of one script (``mindspore.dataset.text.UnicodeScriptTokenizer``); digits too."""

    def __init__(self, keep_whitespace=False, with_offsets=False):
        check_flags(keep_whitespace=keep_whitespace, with_offsets=with_offsets)
        super().__init__()
        self.keep_whitespace, self.with_offsets = keep_whitespace, with_offsets

    def _cut(self, text):
        spans, last = [], None
        for i, char in enumerate(text):
            script = _script(char)
            if script == last:
                spans[-1] = spans[-1][0], i + 1
            else:
                spans.append((i, i + 1))
                last = script
        return [(a, b) for a, b in spans if self.keep_whitespace or not text[a].isspace()]


class RegexTokenizer(_Tokenizer):
    """What stands between matches of ``delim_pattern``, and those that also match ``keep_delim_pattern``.

    (``mindspore.dataset.text.RegexTokenizer``.)
    """

    def __init__(self, delim_pattern, keep_delim_pattern="", with_offsets=False):
        check_strings(delim_pattern=delim_pattern, keep_delim_pattern=keep_delim_pattern)
        check_flags(with_offsets=with_offsets)
        super().__init__()
        self.delim_pattern, self.keep_delim_pattern = delim_pattern, keep_delim_pattern
        self.with_offsets = with_offsets

    def _cut(self, text):
        try:
            pattern, kept = compiled(self.delim_pattern), compiled(self.keep_delim_pattern)
        except re.error:
            raise OperationError("RegexTokenizer: create ICU RegexMatcher failed, you may input one error "
                                 "pattern") from None
        spans, start = [], 0
        for match in matches(pattern, text):
            if match.start() > start:
                spans.append((start, match.start()))
            if self.keep_delim_pattern and match[0] and kept.fullmatch(match[0]):
                spans.append(match.span())
            start = match.end()
        return [*spans, (start, len(text))] if start < len(text) else spans


class _Mapped(TextTensorOperation):
    """Base: another string for each string."""

    def _changed(self, text: str) -> str:
        raise NotImplementedError

    def _all_changed(self, texts: list[str]) -> list[str]:
        return [self._changed(text) for text in texts]

    def _compute(self, column):
        column = self._texts(column, type(self).__name__)
        found = self._all_changed(column.reshape(-1).tolist())
        return np.array(found, dtype=np.str_).reshape(column.shape)


class RegexReplace(_Mapped):
    """``pattern`` replaced (``mindspore.dataset.text.RegexReplace``); ``$1`` is the first group."""

    def __init__(self, pattern, replace, replace_all=True):
        type_check(replace, (str,), "replace")
        type_check(pattern, (str,), "pattern")
        type_check(replace_all, (bool,), "replace_all")
        super().__init__()
        self.pattern, self.replace, self.replace_all = pattern, replace, replace_all

    def _all_changed(self, texts):
        """MindSpore joins what becomes of several strings, and the others are empty."""
        found = super()._all_changed(texts)
        return ["".join(found), *[""] * (len(found) - 1)] if found else found

    def _changed(self, text):
        try:
            pattern = compiled(self.pattern)
        except re.error:
            raise OperationError("RegexReplace: create icu RegexMatcher failed, you may input one error "
                                 "pattern.") from None
        try:
            return replaced(pattern, text, self.replace, self.replace_all)
        except re.error:
            raise OperationError("RegexReplace: RegexReplace failed.") from None


# What Unicode lets a program that does not know it pass over: joiners, marks of direction, soft hyphens.
_IGNORABLE = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
                        "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
                        "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")


def _folded(text: str) -> str:
    """Unicode's NFKC_Casefold."""
    text = _IGNORABLE.sub("", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFKC", text)


class CaseFold(_Mapped):
    """Text without differences of case (``mindspore.dataset.text.CaseFold``)."""

    def _changed(self, text):
        return _folded(text)


class NormalizeUTF8(_Mapped):
    """Text in one of Unicode's normal forms (``mindspore.dataset.text.NormalizeUTF8``)."""

    def __init__(self, normalize_form=NormalizeForm.NFKC):
        check_normal_form(normalize_form)
        super().__init__()
        self.normalize_form = normalize_form

    def _changed(self, text):
        form = self.normalize_form
        return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)


_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class FilterWikipediaXML(_Mapped):
    """Wikipedia's markup as lower-case letters a to z with single blanks; digits are spelled out.

    (``mindspore.dataset.text.FilterWikipediaXML``.)
    """

    def _texts(self, column, name, said="input is not of type string."):
        return super()._texts(column, "RegexReplace", said)

    def _all_changed(self, texts):
        """Of several strings MindSpore keeps the first."""
        return [self._changed(text) if i == 0 else "" for i, text in enumerate(texts)]

    def _changed(self, text):
        text = re.sub(r"&[^;]*;", " ", re.sub("<[^>]*>", "", compiled("<.*>").sub("", text)))
        text = "".join(f" {_DIGITS[int(c)]} " if c in "0123456789" else c.lower() if c.isascii() else " "
                       for c in text)
        return " ".join(re.sub(r"\n ", "", re.sub(r"[^a-z\n]+", " ", text)).split())


class PythonTokenizer(PyTensorOperation):
    """A function from a string to words (``mindspore.dataset.text.PythonTokenizer``)."""

    def __init__(self, tokenizer):
        if not callable(tokenizer):
            raise TypeError("tokenizer is not a callable Python function.")
        super().__init__()
        self.tokenizer = tokenizer

    def __call__(self, in_array):
        if not isinstance(in_array, np.ndarray):
            raise TypeError(f"input should be a NumPy array. Got {type(in_array)}.")
        if in_array.dtype.kind == "S":
            in_array = np.char.decode(in_array, "utf8")
        try:
            if in_array.dtype.kind == "U" and not in_array.ndim:
                return np.array(self.tokenizer(str(in_array[()])), np.str_)
            found = np.vectorize(lambda text: np.array(self.tokenizer(text), np.str_), signature="()->(n)")
            return found(in_array)
        except Exception as error:
            name = getattr(self.tokenizer, "__name__", type(self.tokenizer).__name__)
            raise RuntimeError(f"Error occurred in Pyfunc [{name}], error message: {error}") from error


class WordpieceTokenizer(_Tokenizer):
    """Words cut into the longest pieces in a vocabulary (``mindspore.dataset.text.WordpieceTokenizer``).

    Pieces inside a word begin with ``suffix_indicator`` there. A word without such pieces is
    ``unknown_token``, or stays where that is empty.
    """

    def __init__(self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]",
                 with_offsets=False):
        check_vocab(vocab)
        check_strings(suffix_indicator=suffix_indicator)
        check_max_bytes(max_bytes_per_token)
        check_strings(unknown_token=unknown_token)
        check_flags(with_offsets=with_offsets)
        super().__init__()
        self.vocab, self.suffix_indicator, self.unknown_token = vocab, suffix_indicator, unknown_token
        self.max_bytes_per_token, self.with_offsets = max_bytes_per_token, with_offsets

    def _pieces(self, word: str) -> tuple[list[str], list[tuple[int, int]]]:
        """The pieces of a word, and where each begins and ends in bytes; what was found of a word before it
        turned out to be unknown keeps its place there.
        """
        size, known = len(word.encode()), self.vocab.vocab()
        unknown = self.unknown_token or word
        if size > self.max_bytes_per_token:
            return [unknown], [(0, len(unknown.encode()))]
        found, places, start = [], [], 0
        while start < len(word):
            end = len(word)
            while end > start:
                piece = (self.suffix_indicator if start else "") + word[start:end]
                if piece in known:
                    break
                end -= 1
            else:
                return [unknown], [*places, (0, size)]
            found.append(piece)
            places.append((len(word[:start].encode()), len(word[:end].encode())))
            start = end
        return found, places

    def _compute(self, column):
        if column.ndim > 1 or column.dtype.kind != "U":
            raise OperationError("WordpieceTokenizer: The input shape should be 1D scalar the input datatype "
                                 "should be string.")
        given = self._texts(column, "").reshape(-1).tolist()
        return self._joined([(0, word) for word in given])

    def _joined(self, given):
        """The pieces of (start, word) pairs."""
        pieces, places = [], []
        for at, word in given:
            found, here = self._pieces(word)
            pieces += found
            places += [(at + a, at + b) for a, b in here]
        if not self.with_offsets:
            return words(pieces)
        starts, ends = np.array(places or [(0, 0)], np.uint32).T
        return words(pieces), starts, ends


class _BasicTokens(_Tokenizer):
    """Words by Unicode, in one form, without what is no text."""

    def __init__(self, lower_case=False, keep_whitespace=False, normalization_form=NormalizeForm.NONE,
                 preserve_unused_token=True, with_offsets=False):
        check_flags(lower_case=lower_case, keep_whitespace=keep_whitespace,
                    preserve_unused_token=preserve_unused_token, with_offsets=with_offsets)
        check_normal_form(normalization_form)
        super().__init__()
        self.lower_case, self.keep_whitespace = lower_case, keep_whitespace
        self.normalization_form, self.preserve_unused_token = normalization_form, preserve_unused_token
        self.with_offsets = with_offsets
        alone = f"{_PUNCTUATION}|[{_CHINESE}]"
        alone = f"{_UNUSED}|{alone}" if preserve_unused_token else alone
        self._parts = compiled(rf"\s+|{alone}")

    def _prepared(self, text: str) -> str:
        if self.lower_case:
            text = self._lowered(text)
        elif self.normalization_form is not NormalizeForm.NONE:
            text = unicodedata.normalize(self.normalization_form.name, text)
        return "".join(" " if unicodedata.category(c) in ("Cc", "Cf") else c for c in text)

    def _lowered(self, text: str) -> str:
        """Without case and accents. Before each token that is kept, and behind the last one, MindSpore puts
        the whole text up to there.
        """
        made, end = [], 0
        for match in re.finditer(_KEPT, text) if self.preserve_unused_token else ():
            made += self._plain(text[:match.start()]), match[0]
            end = match.end()
        return "".join(made) + (self._plain(text) if end < len(text) else "")

    @staticmethod
    def _plain(text: str) -> str:
        parts = unicodedata.normalize("NFD", _folded(text))
        return "".join(c for c in parts if unicodedata.category(c) != "Mn")

    def _cut(self, text):
        spans, start = [], 0
        for match in self._parts.finditer(text):
            if match.start() > start:
                spans.append((start, match.start()))
            if self.keep_whitespace or not match[0].isspace():
                spans.append(match.span())
            start = match.end()
        return [*spans, (start, len(text))] if start < len(text) else spans

    def _compute(self, column):
        if column.ndim:
            raise OperationError("BasicTokenizer: the input should be a scalar, but got a tensor with rank: "
                                 f"{column.ndim}")
        self._texts(column, "BasicTokenizer", "the input should be of type string.")
        text = self._prepared(str(column[()]))
        return super()._compute(np.array(text))


class BasicTokenizer(_BasicTokens):
    """Words between blanks, marks and Chinese characters on their own.

    (``mindspore.dataset.text.BasicTokenizer``.) ``lower_case`` folds case and drops accents;
    ``preserve_unused_token`` keeps tokens like [CLS] whole.
    """


class BertTokenizer(_BasicTokens):
    """`BasicTokenizer`, then `WordpieceTokenizer` (``mindspore.dataset.text.BertTokenizer``)."""

    def __init__(self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]",
                 lower_case=False, keep_whitespace=False, normalization_form=NormalizeForm.NONE,
                 preserve_unused_token=True, with_offsets=False):
        super().__init__(lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets)
        check_kind(max_bytes_per_token, int, "max_bytes_per_token", "int")
        self._wordpiece = WordpieceTokenizer(vocab, suffix_indicator, max_bytes_per_token, unknown_token,
                                             with_offsets)

    def _compute(self, column):
        self.with_offsets, asked = True, self.with_offsets
        try:
            found, starts, _ = super()._compute(column)
        finally:
            self.with_offsets = asked
        return self._wordpiece._joined(list(zip(starts.tolist(), found.tolist(), strict=True)))
