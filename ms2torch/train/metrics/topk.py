"""Top-k accuracy (``mindspore.train.TopKCategoricalAccuracy`` and its two special cases)."""

from __future__ import annotations

import numpy as np

from .metric import Metric, _check_onehot_data, _nothing_counted, rearrange_inputs

__all__ = ["Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy"]


class TopKCategoricalAccuracy(Metric):
    """The fraction of samples whose label is among the ``k`` highest scores.

    ``update(y_pred, y)``: scores (N, C) against labels (N,) or one-hot (N, C). TypeError and ValueError for a
    bad ``k``.
    """

    def __init__(self, k) -> None:
        super().__init__()
        if not isinstance(k, int):
            raise TypeError("For 'TopKCategoricalAccuracy', the type of the argument 'k' should be int, "
                            f"but got 'k' type: {type(k)}.")
        if k < 1:
            raise ValueError("For 'TopKCategoricalAccuracy', the argument 'k' must be at least 1, but got "
                             f"'k' value: {k}.")
        self.k = k
        self.clear()

    def clear(self) -> None:
        self._correct_num = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._two_arrays("TopKCategoricalAccuracy", inputs, got="but got 'inputs' size: {}.")
        if y_pred.ndim == y.ndim and _check_onehot_data(y):
            y = y.argmax(axis=1)
        # numpy's default sort decides which of equal scores are in, as in MindSpore.
        best = np.argsort(-y_pred, axis=1)[:, :self.k]
        labels = y.reshape(-1, 1).repeat(self.k, axis=1)
        self._correct_num += np.equal(best, labels).sum(axis=1).sum()
        self._samples_num += labels.shape[0]

    def eval(self):
        if self._samples_num == 0:
            raise _nothing_counted("TopKCategoricalAccuracy", "inputs (predicted value, true value)")
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose label has the highest score."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose label is among the five highest scores."""

    def __init__(self) -> None:
        super().__init__(5)
