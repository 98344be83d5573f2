"""Chinese text cut into words (``mindspore.dataset.text.JiebaTokenizer``), by the dictionaries of cppjieba.

The most probable path through the words of a dictionary (MP); letters between them by a hidden Markov model
over beginnings, middles and ends of words (HMM).
"""

from __future__ import annotations

import math
import os
import re
from functools import cache

import numpy as np

from ..core.errors import pipeline_error
from ..core.validator_helpers import UINT32_MAX, check_value, type_check
from ._tokenizers import _Tokenizer
from .utils import JiebaMode

_IMPOSSIBLE = -3.14e100                              # the logarithm of 0 in cppjieba
_LONGEST = 512                                       # characters of a word
_BEGIN, _END, _MIDDLE, _SINGLE = range(4)            # the states, in the order of the model's file
_USER_LINE = re.compile(r"\s*([^\s*]+?)\s*([0-9]+)?\s*")


class _Words:
    """A dictionary: logarithms of the words' probabilities."""

    def __init__(self, path: str) -> None:
        counts = {}
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines():
                parts = line.split(" ")
                if len(parts) != 3:
                    raise pipeline_error(f"JiebaTokenizer: {path} holds a line without word, number and tag: "
                                         f"{line}")
                counts[parts[0]] = float(parts[1])
        self.total = sum(counts.values())
        self.weights = {word: math.log(count / self.total) for word, count in counts.items()}
        ordered = sorted(self.weights.values())
        self.least, self.usual = ordered[0], ordered[len(ordered) // 2]
        self.longest = max(map(len, counts))

    def with_more(self, more: list) -> _Words:
        """With the user's words; a number of 0 stands for what is usual."""
        new = object.__new__(_Words)
        new.__dict__.update(self.__dict__)
        new.weights = dict(self.weights)
        for word, count in more:
            new.weights[word] = math.log(count / self.total) if count else self.usual
            new.longest = max(new.longest, len(word))
        return new

    def cut(self, text: str) -> list[tuple[int, int]]:
        """The most probable words; of equally probable ones the shorter first."""
        size, longest = len(text), min(self.longest, _LONGEST)
        best, following = [0.0] * (size + 1), [0] * size
        for start in range(size - 1, -1, -1):
            first = self.weights.get(text[start], self.least)
            best[start], following[start] = first + best[start + 1], start + 1
            for end in range(start + 2, min(start + longest, size) + 1):
                weight = self.weights.get(text[start:end])
                if weight is not None and weight + best[end] > best[start]:
                    best[start], following[start] = weight + best[end], end
        spans, start = [], 0
        while start < size:
            spans.append((start, following[start]))
            start = following[start]
        return spans


class _Model:
    """A hidden Markov model: logarithms of starts, of steps, and of a state's characters."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            lines = [line for line in map(str.strip, file) if line and not line.startswith("#")]
        try:
            self.start, *self.steps = [list(map(float, line.split(" "))) for line in lines[:5]]
            self.characters = [{pair[0]: float(pair[2:]) for pair in line.split(",")} for line in lines[5:9]]
            if [len(self.start), *map(len, self.steps), len(self.characters)] != [4] * 6:
                raise ValueError
        except ValueError:
            raise pipeline_error(f"JiebaTokenizer: {path} is no model of cppjieba.") from None

    def cut(self, text: str) -> list[tuple[int, int]]:
        """Words; of ASCII, runs of letters and digits, and numbers."""
        spans, left = [], 0
        for match in re.finditer(r"[a-zA-Z][a-zA-Z0-9]*|[0-9][0-9.]*|[\x00-\x7f]", text):
            spans += [*self._among(text, left, match.start()), match.span()]
            left = match.end()
        return spans + self._among(text, left, len(text))

    def _among(self, text: str, left: int, right: int) -> list[tuple[int, int]]:
        """Words of characters beyond ASCII, by the most probable states."""
        if left == right:
            return []
        weights = [self.start[state] + self._emitted(state, text[left]) for state in range(4)]
        paths = []
        for place in range(left + 1, right):
            new, path = [], []
            for state in range(4):
                emitted, best, before = self._emitted(state, text[place]), _IMPOSSIBLE, _END
                for previous in range(4):
                    weight = weights[previous] + self.steps[previous][state] + emitted
                    if weight > best:
                        best, before = weight, previous
                new.append(best)
                path.append(before)
            weights = new
            paths.append(path)
        states = [_END if weights[_END] >= weights[_SINGLE] else _SINGLE]
        for path in reversed(paths):
            states.append(path[states[-1]])
        spans, start = [], left
        for place, state in enumerate(reversed(states), left + 1):
            if state in (_END, _SINGLE):
                spans.append((start, place))
                start = place
        return spans

    def _emitted(self, state: int, character: str) -> float:
        return self.characters[state].get(character, _IMPOSSIBLE)


_words, _model = cache(_Words), cache(_Model)


class JiebaTokenizer(_Tokenizer):
    """The words of Chinese text (``mindspore.dataset.text.JiebaTokenizer``).

    ``hmm_path``, ``mp_path``: cppjieba's ``hmm_model.utf8`` and ``jieba.dict.utf8``. ``mode``: the dictionary
    alone (MP), the model alone (HMM), or the model where the dictionary leaves single characters (MIX).
    """

    def __init__(self, hmm_path, mp_path, mode=JiebaMode.MIX, with_offsets=False):
        for name, kind, path in (("hmm_path", "HMM", hmm_path), ("mp_path", "MP", mp_path)):
            if path is None:
                raise ValueError(f"The dict of {kind}Segment in cppjieba is not provided.")
            if not isinstance(path, str):
                raise TypeError(f"Wrong input type for {name}, should be string.")
        if not isinstance(with_offsets, bool):
            raise TypeError("Wrong input type for with_offsets, should be boolean.")
        super().__init__()
        if not isinstance(mode, JiebaMode):
            raise TypeError("Wrong input type for mode, should be JiebaMode.")
        for path in (hmm_path, mp_path):
            if not os.path.exists(path):
                raise ValueError(f" jieba mode file {path} is not exist.")
        self.hmm_path, self.mp_path, self.mode, self.with_offsets = hmm_path, mp_path, mode, with_offsets
        self.words = []

    def add_word(self, word, freq=None):
        """Know one more word; ``freq``: how often it is seen, else as often as a usual word."""
        if word is None:
            raise ValueError("word is not provided.")
        if freq is not None:
            type_check(freq, (int,), "")
            check_value(freq, [0, UINT32_MAX])
        self.words.append((word, freq or 0))

    def add_dict(self, user_dict):
        """Know the words of a dict from words to numbers, or of a file: a word, perhaps a number a line."""
        if isinstance(user_dict, dict):
            found = user_dict.items()
        elif isinstance(user_dict, str):
            if not os.path.exists(user_dict):
                raise ValueError(f"user dict file {user_dict} is not exist.")
            with open(user_dict, encoding="utf-8") as file:
                matches = [_USER_LINE.fullmatch(line.strip()) for line in file]
            found = [(match[1], int(match[2] or 0)) for match in matches if match]
        else:
            raise TypeError("The type of user_dict must str or dict.")
        for word, freq in found:
            self.add_word(word, freq)

    def _opened(self):
        self._model = _model(self.hmm_path)
        self._dictionary = _words(self.mp_path).with_more(self.words)
        return super()._opened()

    def _cut(self, text):
        spans, left = [], 0
        for match in re.finditer("[ \t\n\uff0c\u3002]", text):           # each is a word of its own
            spans += [*self._part(text, left, match.start()), match.span()]
            left = match.end()
        return spans + self._part(text, left, len(text))

    def _with_offsets(self, found, text, spans):
        if not spans:
            return found, np.array([], np.uint32), np.array([], np.uint32)
        return super()._with_offsets(found, text, spans)

    def _part(self, text: str, left: int, right: int) -> list[tuple[int, int]]:
        part = text[left:right]
        if self.mode is JiebaMode.HMM:
            spans = self._model.cut(part)
        else:
            spans = self._dictionary.cut(part)
            if self.mode is JiebaMode.MIX:
                spans = self._mixed(part, spans)
        return [(left + start, left + end) for start, end in spans]

    def _mixed(self, part: str, spans: list) -> list[tuple[int, int]]:
        """The model's words where there are single characters."""
        found, first = [], None
        for start, end in [*spans, (len(part), len(part) + 2)]:
            if end - start == 1:
                first = start if first is None else first
                continue
            if first is not None:
                found += [(first + a, first + b) for a, b in self._model.cut(part[first:start])]
                first = None
            found.append((start, end))
        return found[:-1]
