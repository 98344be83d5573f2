"""True positives, predicted and actual positives by class: what Precision, Recall and Fbeta count."""

from __future__ import annotations

import sys

import numpy as np

from ms2torch import _checkparam as validator

from .metric import EvaluationBase, _nothing_counted, rearrange_inputs


def one_hot(y_pred, y, class_num: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels as one-hot rows, one per sample."""
    eye = np.eye(class_num)
    return eye[y_pred.argmax(axis=1).reshape(-1)], eye[y.reshape(-1)]


class TruePositiveRate(EvaluationBase):
    """True positives over some other count by class: Precision and Recall.

    A subclass names the attribute that holds the other count and picks it from (prediction, label) in
    ``_counted``.
    """

    _name = _base = _end = ""

    def __init__(self, eval_type="classification") -> None:
        super().__init__(eval_type)
        self.eps = sys.float_info.min
        self.clear()

    @staticmethod
    def _counted(y_pred, y):
        raise NotImplementedError

    def clear(self) -> None:
        self._class_num = 0
        if self._type == "multilabel":
            self._true_positives = np.empty(0)
            setattr(self, self._base, np.empty(0))
            self._true_positives_average = 0
            setattr(self, self._base + "_average", 0)
        else:
            self._true_positives = 0
            setattr(self, self._base, 0)

    @rearrange_inputs
    def update(self, *inputs) -> None:
        name = self._name
        y_pred, y = self._checked_pair(name, inputs, end=self._end)
        if self._type == "classification":
            if y.max() + 1 > self._class_num:
                raise ValueError(f"For '{name}.update', predicted value (input[0]) should have the same "
                                 "classes number as true value (input[1]), but got predicted value "
                                 f"classes {self._class_num}, true value classes {y.max() + 1}.")
            y_pred, y = one_hot(y_pred, y, self._class_num)
        else:
            y_pred, y = (x.swapaxes(1, 0).reshape(self._class_num, -1) for x in (y_pred, y))
        count, hits = self._counted(y_pred, y).sum(axis=0), (y * y_pred).sum(axis=0)
        before = getattr(self, self._base)
        if self._type == "multilabel":
            self._true_positives_average += np.sum(hits / (count + self.eps))
            setattr(self, self._base + "_average", getattr(self, self._base + "_average") + len(count))
            self._true_positives = np.concatenate((self._true_positives, hits))
            setattr(self, self._base, np.concatenate((before, count)))
        else:
            self._true_positives = self._true_positives + hits
            setattr(self, self._base, before + count)

    def eval(self, average=False):
        """The rate of each class (for "multilabel" of each sample); their mean with ``average``."""
        if self._class_num == 0:
            raise _nothing_counted(self._name, "inputs (predicted value, true value)")
        validator.check_value_type("average", average, [bool], self.__class__.__name__)
        if average and self._type == "multilabel":
            return (self._true_positives_average / (getattr(self, self._base + "_average") + self.eps)).mean()
        result = self._true_positives / (getattr(self, self._base) + self.eps)
        return result.mean() if average else result
