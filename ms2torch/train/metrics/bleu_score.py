"""BLEU score (``mindspore.train.BleuScore``)."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ms2torch import _checkparam as validator

from .metric import Metric, _needs_update, rearrange_inputs

__all__ = ["BleuScore"]


class BleuScore(Metric):
    """BLEU of ``update(candidates, references)``: lists of token lists, and for each candidate a list of
    references.

    ``n_gram`` from 1 to 4; ``smooth`` adds one to both counts. ValueError for other lengths or ``n_gram``.
    """

    def __init__(self, n_gram=4, smooth=False) -> None:
        super().__init__()
        self.n_gram = validator.check_value_type("n_gram", n_gram, [int])
        if not 1 <= n_gram <= 4:
            raise ValueError("For 'BleuScore', the argument 'n_gram' should range from 1 to 4, but got "
                             f"{n_gram}.")
        self.smooth = validator.check_value_type("smooth", smooth, [bool])
        self.clear()

    def clear(self) -> None:
        self._numerator = np.zeros(self.n_gram)
        self._denominator = np.zeros(self.n_gram)
        self._c = 0.0
        self._r = 0.0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        if len(inputs) != 2:
            raise ValueError("For 'BleuScore.update', it needs 2 inputs (candidate_corpus, "
                             f"reference_corpus), but got {len(inputs)}.")
        candidates, corpus = inputs
        if len(candidates) != len(corpus):
            raise ValueError("For 'BleuScore.update', 'translate_corpus' (inputs[0]) and "
                             "'reference_corpus' (inputs[1]) should be equal in length, but got "
                             f"{len(candidates)}, {len(corpus)}")
        for candidate, references in zip(candidates, corpus, strict=True):
            self._c += len(candidate)
            self._r += min((len(ref) for ref in references), key=lambda n: abs(len(candidate) - n))
            found = self._grams(candidate)
            wanted = Counter()
            for ref in references:
                wanted |= self._grams(ref)
            for gram, count in (found & wanted).items():
                self._numerator[len(gram) - 1] += count
            for gram, count in found.items():
                self._denominator[len(gram) - 1] += count
        self._is_update = True

    def _grams(self, tokens) -> Counter:
        return Counter(tuple(tokens[i:i + n])
                       for n in range(1, self.n_gram + 1) for i in range(len(tokens) - n + 1))

    def eval(self):
        if self._is_update is False:
            raise _needs_update()
        if min(self._numerator) == 0.0:
            return np.array(0.0)
        added = 1 if self.smooth else 0
        precision = (self._numerator + added) / (self._denominator + added)
        mean = np.exp(np.sum(np.log(precision) / self.n_gram))
        brevity = np.array(1.0) if self._c > self._r else np.exp(1 - self._r / self._c)
        return brevity * mean
