"""Transforms of arrays of words: numbers for words, n-grams, windows, lengths."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from ms2torch._core.tensor.dtype import Type, int32

from ..core.errors import syntax_error
from ..core.validator_helpers import (
    UINT32_MAX,
    check_pos_int32,
    check_value,
    type_check,
    wrong_type,
)
from ..transforms.operation import OperationError, TensorOperation, calls_through
from ..transforms.py_transforms_util import Implementation
from ..transforms.validators import numpy_dtype
from .utils import NormalizeForm, Vocab

__all__ = ["AddToken", "Lookup", "Ngram", "SlidingWindow", "TextTensorOperation", "ToNumber", "Truncate",
           "TruncateSequencePair"]


class TextTensorOperation(TensorOperation):
    """Base of transforms of text."""

    implementation = Implementation.C
    threads = False

    @calls_through
    def __call__(self, *inputs):
        """Apply to texts, outside a pipeline; a list is an array of as long strings as it has."""
        found = []
        for one in inputs:
            if isinstance(one, (list, tuple)):
                given, one = one, np.array(one)
                if one.dtype.kind == "U" and one.size:
                    one = np.array(one.tolist())
                elif one.dtype.kind == "O":
                    one = given
            if np.asarray(one).dtype.kind == "U":
                _check_encodable(one)
            found.append(one)
        return super().__call__(*found)

    __call__.__qualname__ = "TensorOperation.__call__"           # whose call it is in MindSpore

    def _texts(self, column, name: str, said: str = "input is not string datatype."):
        """The strings of an array. OperationError where it holds something else, bytes too."""
        if column.dtype.kind != "U":
            raise OperationError(f"{name}: {said}")
        return column


def _check_encodable(text) -> None:
    """TypeError for halves of surrogate pairs, which UTF-8 has no place for."""
    try:
        "".join(np.asarray(text).reshape(-1).tolist()).encode()
    except UnicodeEncodeError:
        raise TypeError(f"Invalid user input. Got {type(text)}: {text}, cannot be converted into "
                        "tensor.") from None


def words(found) -> np.ndarray:
    """A list of words as an array; a single empty one stands for none."""
    return np.array(found if len(found) else [""], dtype=np.str_)


class Lookup(TextTensorOperation):
    """The numbers of words in a vocabulary (``mindspore.dataset.text.Lookup``), Int32 or ``data_type``.

    ``unknown_token`` stands in for words that are not there; without it they are a RuntimeError.
    """

    def __init__(self, vocab, unknown_token=None, data_type=int32):
        type_check(vocab, (Vocab,), "vocab is not an instance of text.Vocab.")
        if unknown_token is not None:
            type_check(unknown_token, (str,), "unknown_token")
        if not isinstance(data_type, Type):
            raise TypeError(f"Argument data_type with value {data_type} is not of type [<class "
                            f"'mindspore._c_expression.typing.Type'>], but got {type(data_type)}.")
        super().__init__()
        self.vocab, self.unknown_token = vocab, unknown_token
        self.data_type = numpy_dtype(data_type)

    def _compute(self, column):
        if self.data_type is None:
            raise syntax_error("Lookup : The parameter data_type must be numeric including bool.")
        column = self._texts(column, "Lookup")
        numbers = self.vocab.vocab()
        spare = -1 if self.unknown_token is None else numbers.get(self.unknown_token, -1)
        if spare < 0 and self.unknown_token is not None:
            raise syntax_error(f'Lookup: "{self.unknown_token}" doesn\'t exist in vocab.')
        found = [numbers.get(word, spare) for word in column.reshape(-1).tolist()]
        if spare < 0 and -1 in found:
            word = column.reshape(-1)[found.index(-1)]
            raise OperationError(f'Lookup: invalid data, token: "{word}" doesn\'t exist in vocab and no '
                                 "unknown token is specified.")
        return np.array(found, np.int32).reshape(column.shape).astype(self.data_type)


class Ngram(TextTensorOperation):
    """Runs of ``n`` words (or of each of several lengths), joined by ``separator``.

    ``left_pad`` and ``right_pad`` are (word, how many of it), at most one less than the length.
    (``mindspore.dataset.text.Ngram``.)
    """

    _whole = ("ngrams",)

    def __init__(self, n, left_pad=("", 0), right_pad=("", 0), separator=" "):
        lengths = [n] if isinstance(n, int) else n
        type_check(lengths, (list,), "n")
        if not lengths:
            raise ValueError("n needs to be a non-empty list of positive integers.")
        for i, length in enumerate(lengths):
            type_check(length, (int,), f"gram[{i}]")
            if length <= 0:
                raise ValueError(f"Input gram_{i} must be greater than 0.")
        for name, pad in (("left_pad", left_pad), ("right_pad", right_pad)):
            if not (isinstance(pad, tuple) and len(pad) == 2 and isinstance(pad[0], str)
                    and isinstance(pad[1], int)):
                raise ValueError(f"{name} needs to be a tuple of (str, int) str is pad token and int is "
                                 "pad_width.")
            if pad[1] < 0:
                raise ValueError("padding width need to be positive numbers.")
        type_check(separator, (str,), "separator")
        super().__init__()
        self.ngrams, self.left_pad, self.right_pad, self.separator = lengths, left_pad, right_pad, separator

    def _compute(self, column):
        if column.ndim != 1 or column.dtype.kind != "U":
            raise OperationError("Ngram: input is not a 1D data with string datatype.")
        given, runs = self._texts(column, "Ngram").tolist(), []
        for n in self.ngrams:
            (left, before), (right, after) = self.left_pad, self.right_pad
            line = [left] * min(n - 1, before) + given + [right] * min(n - 1, after)
            runs += [self.separator.join(line[i:i + n]) for i in range(len(line) - n + 1)] or [""]
        return words(runs)


class SlidingWindow(TextTensorOperation):
    """All runs of ``width`` elements, as rows (``mindspore.dataset.text.SlidingWindow``)."""

    def __init__(self, width, axis=0):
        check_pos_int32(width, "width")
        type_check(axis, (int,), "axis")
        super().__init__()
        self.width, self.axis = width, axis

    def _compute(self, column):
        if column.ndim != 1:
            raise OperationError("SlidingWindow: SlidingWindow supports 1D input only for now, but got "
                                 f"{column.ndim}D.")
        if self.axis not in (0, -1):
            raise OperationError("SlidingWindow: The parameter axis supports 0 or -1 only for now, "
                                 f"but got {self.axis}.")
        if not len(column):
            raise OperationError("Input Tensor has no data.\n")
        if len(column) < self.width:
            return np.zeros(0, f"{column.dtype.kind}1" if column.dtype.kind in "US" else column.dtype)
        return np.lib.stride_tricks.sliding_window_view(column, self.width).copy()


# What C++ reads of a text; what stands behind it is passed over.
_INTEGER = re.compile(r"\s*[+-]?\d+", re.ASCII)
_FLOAT = re.compile(r"\s*[+-]?(?:0x[0-9a-f]+(?:\.[0-9a-f]*)?(?:p[+-]?\d+)?"
                    r"|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE)


def _lost_below(text: str, number: float, kind: np.dtype) -> bool:
    """Whether the number is nearer 0 than ``kind`` can tell: rounded below its smallest normal number."""
    kept = float(kind.type(number))
    if not abs(kept) < float(np.finfo(kind).tiny):
        return False
    exact = Fraction(number) if "x" in text.lower() else Fraction(text.strip())
    return exact != Fraction(kept)


class ToNumber(TextTensorOperation):
    """Strings as numbers (``mindspore.dataset.text.ToNumber``). RuntimeError for others, too large or
    too near 0.
    """

    def __init__(self, data_type):
        if not isinstance(data_type, Type):
            raise wrong_type(data_type, "[<class 'mindspore._c_expression.typing.Type'>]", "data_type")
        dtype = numpy_dtype(data_type)
        if dtype is None or dtype.kind not in "iuf":
            raise TypeError(f"data_type: {data_type} is not numeric data type.")
        super().__init__()
        self.data_type = dtype

    def _compute(self, column):
        column = self._texts(column, "ToNumber", "input should be string datatype.")
        return np.array([self._number(word) for word in column.reshape(-1).tolist()],
                        self.data_type).reshape(column.shape)

    def _number(self, word: str):
        integer = self.data_type.kind != "f"
        read = (_INTEGER if integer else _FLOAT).match(word)
        if read is None:
            it, what = {"u": ("It", "an unsigned integer"), "f": ("it", "an unsigned integer")}.get(
                self.data_type.kind, ("it", "a number"))
            raise OperationError(f'ToNumber: {it} is invalid to convert "{word}" to {what}.')
        written = float.fromhex if "x" in read[0].lower() else float
        number = int(read[0]) if integer else written(read[0])
        # of float16 MindSpore asks first whether float32 has the number
        wide = np.dtype(np.float32) if self.data_type == np.float16 else self.data_type
        limits = np.iinfo(wide) if integer else np.finfo(wide)
        low, high = (limits.min, limits.max) if integer else (float(limits.min), float(limits.max))
        below = self.data_type.kind == "u" and "-" in word                      # -0 and 1e-3 too
        if (below or not (low <= number <= high or number != number)
                or (not integer and _lost_below(read[0], number, wide))):
            ends = f"{low}, {high}" if integer else f"{low:f}, {high:f}"
            raise OperationError(f"ToNumber: string input {word} will be out of bounds if cast to "
                                 f"{self.data_type.name}. The valid range is: [{ends}].")
        if self.data_type == np.float16 and abs(number) > 65504:
            raise OperationError(f"ToFloat16: value {float(np.float32(number)):f}in input data is outside of "
                                 "valid float16 range [65504.000000, -65504.000000].")
        return number


class Truncate(TextTensorOperation):
    """The first ``max_seq_len`` elements, or of each row (``mindspore.dataset.text.Truncate``)."""

    def __init__(self, max_seq_len):
        check_pos_int32(max_seq_len, "max_seq_len")
        super().__init__()
        self.max_seq_len = max_seq_len

    def _compute(self, column):
        if column.ndim not in (1, 2):
            raise OperationError("Truncate: the input tensor should be of dimension 1 or 2.")
        if column.dtype.kind == "S":
            raise OperationError("Truncate: Truncate: the input tensor should be in type of [bool, int, "
                                 "float, double, string].")
        return column[..., :self.max_seq_len]


class TruncateSequencePair(TextTensorOperation):
    """Two rows cut to ``max_length`` elements together, the longer one first.

    (``mindspore.dataset.text.TruncateSequencePair``.)
    """

    one_to_one = False
    _whole = ("max_length",)

    def __init__(self, max_length):
        super().__init__()
        self.max_length = max_length

    def _compute(self, *columns):
        if self.max_length < 0:                  # looked at when it is used, as MindSpore does
            raise syntax_error("TruncateSequencePair : The parameter max_length must be greater than or "
                               f"equal to 0: {self.max_length}")
        if len(columns) != 2:
            raise OperationError(f"TruncateSequencePair: Expected two inputs, but got {len(columns)} inputs.")
        if any(column.ndim != 1 for column in columns):
            raise OperationError("TruncateSequencePair: both data column should be of rank 1.")
        first, second = map(len, columns)
        while first + second > self.max_length:
            first, second = (first - 1, second) if first > second else (first, second - 1)
        return columns[0][:first], columns[1][:second]


class AddToken(TextTensorOperation):
    """A word before or behind a line of words, or each of several (``mindspore.dataset.text.AddToken``)."""

    def __init__(self, token, begin=True):
        type_check(token, (str,), "token")
        type_check(begin, (bool,), "begin")
        super().__init__()
        self.token, self.begin = token, begin

    def _compute(self, column):
        if column.ndim not in (1, 2):
            raise OperationError("AddToken: input tensor rank should be 1 or 2.")
        column = self._texts(column, "AddToken", "input tensor type should be string.")
        if not self.token:
            raise syntax_error("AddToken: Parameter token is not provided.")
        token = np.full((*column.shape[:-1], 1), self.token)
        return np.concatenate((token, column) if self.begin else (column, token), axis=-1)


def check_max_bytes(value) -> None:
    """A limit of bytes per word."""
    type_check(value, (int,), "")
    check_value(value, (0, UINT32_MAX))


def check_flags(**flags) -> None:
    """TypeError for a flag of a tokenizer that is no bool."""
    for name, value in flags.items():
        check_kind(value, bool, name, "boolean")


def check_strings(**strings) -> None:
    """TypeError for an argument of a tokenizer that is no string."""
    for name, value in strings.items():
        check_kind(value, str, name, "string")


def check_normal_form(form) -> None:
    """TypeError for what is no `NormalizeForm`."""
    check_kind(form, NormalizeForm, "normalization_form", "enum of 'NormalizeForm'")


def check_vocab(vocab) -> None:
    """TypeError for what is no `Vocab`, of a tokenizer."""
    check_kind(vocab, Vocab, "vocab", "text.Vocab object")


def check_kind(value, kind: type, name: str, said: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"Wrong input type for {name}, should be {said}.")
