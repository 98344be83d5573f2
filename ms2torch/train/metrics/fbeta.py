"""F-beta and F1 scores (``mindspore.train.Fbeta``, ``mindspore.train.F1``)."""

from __future__ import annotations

import sys

from ms2torch import _checkparam as validator

from ._class_counts import one_hot
from .metric import Metric, _check_onehot_data, _nothing_counted, _same_classes, rearrange_inputs

__all__ = ["F1", "Fbeta"]


class Fbeta(Metric):
    """The weighted harmonic mean of precision and recall by class; ``beta`` is how much recall weighs.

    ``update(y_pred, y)``: scores (N, C, ...) against labels (N, ...) or one-hot (N, C, ...). ValueError
    unless beta > 0.
    """

    def __init__(self, beta) -> None:
        super().__init__()
        self.eps = sys.float_info.min
        if not beta > 0:
            raise ValueError(f"For 'Fbeta', the argument 'beta' must be greater than 0, but got {beta}.")
        self.beta = beta
        self.clear()

    def clear(self) -> None:
        self._true_positives = 0
        self._actual_positives = 0
        self._positives = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._two_arrays("Fbeta", inputs)
        if y_pred.ndim == y.ndim and _check_onehot_data(y):
            y = y.argmax(axis=1)
        _same_classes(self, "Fbeta", y_pred)
        if y.max() + 1 > self._class_num:
            raise ValueError("For 'Fbeta.update', predicted value(inputs[0]) and true value(inputs[1]) "
                             "should contain same classes, but got predicted value contains "
                             f"{self._class_num} classes and true value contains {y.max() + 1} classes.")
        y_pred, y = one_hot(y_pred, y, self._class_num)
        self._true_positives = self._true_positives + (y * y_pred).sum(axis=0)
        self._positives = self._positives + y_pred.sum(axis=0)
        self._actual_positives = self._actual_positives + y.sum(axis=0)

    def eval(self, average=False):
        """The score of each class; their mean with ``average``."""
        validator.check_value_type("average", average, [bool], self.__class__.__name__)
        if self._class_num == 0:
            raise _nothing_counted("Fbeta")
        weight = self.beta ** 2
        positives = weight * self._actual_positives + self._positives + self.eps
        score = (1.0 + weight) * self._true_positives / positives
        return score.mean() if average else score


class F1(Fbeta):
    """The harmonic mean of precision and recall by class."""

    def __init__(self) -> None:
        super().__init__(1.0)
