"""Accuracy (``mindspore.train.Accuracy``)."""

from __future__ import annotations

import numpy as np

from .metric import EvaluationBase, _nothing_counted, rearrange_inputs

__all__ = ["Accuracy"]


class Accuracy(EvaluationBase):
    """The fraction of samples that are right.

    ``update(y_pred, y)``: for "classification" scores (N, C, ...) against labels (N, ...) or one-hot (N, C,
    ...); for "multilabel" zeros and ones, both (N, C, ...), where a sample is right if all its classes are.
    """

    def __init__(self, eval_type="classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        self._correct_num = 0
        self._total_num = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._checked_pair("Accuracy", inputs, got="but got {}")
        if self._type == "classification":
            right = (y_pred.argmax(axis=1) == y).reshape(-1)
        else:
            right = (_by_class(y_pred, self._class_num) == _by_class(y, self._class_num)).all(axis=1)
        self._correct_num += np.sum(right, dtype=np.int64)
        self._total_num += right.shape[0]

    def eval(self):
        if self._total_num == 0:
            raise _nothing_counted("Accuracy")
        return self._correct_num / self._total_num


def _by_class(data, class_num: int):
    return data.swapaxes(1, data.ndim - 1).reshape(-1, class_num)
