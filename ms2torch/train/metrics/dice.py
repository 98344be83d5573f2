"""Dice coefficient (``mindspore.train.Dice``)."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as validator

from .metric import Metric, _nothing_counted, rearrange_inputs

__all__ = ["Dice"]


class Dice(Metric):
    """How far two masks overlap: 2 |A * B| / (|A|^2 + |B|^2 + ``smooth``) of each batch, over the number of
    rows.

    ``update(y_pred, y)`` with equal shapes. Each batch counts once, and the sum is divided by all rows, as
    MindSpore does.
    """

    def __init__(self, smooth=1e-5) -> None:
        super().__init__()
        self.smooth = validator.check_positive_float(smooth, "smooth")
        self.clear()

    def clear(self) -> None:
        self._dice_coeff_sum = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._two_arrays("Dice", inputs)
        self._samples_num += y.shape[0]
        if y_pred.shape != y.shape:
            raise ValueError("For 'Dice.update', predicted value (input[0]) and true value (input[1]) "
                             f"should have same shape, but got predicted value shape: {y_pred.shape}, true "
                             f"value shape: {y.shape}.")
        a, b = y_pred.ravel(), y.ravel()
        self._dice_coeff_sum += 2 * float(np.dot(a, b)) / (float(np.dot(a, a) + np.dot(b, b)) + self.smooth)

    def eval(self):
        if self._samples_num == 0:
            raise _nothing_counted("Dice coefficient")
        return self._dice_coeff_sum / float(self._samples_num)
