"""Mean absolute and mean squared error (``mindspore.train.MAE``, ``mindspore.train.MSE``)."""

from __future__ import annotations

import numpy as np

from .metric import Metric, _nothing_counted, rearrange_inputs

__all__ = ["MAE", "MSE"]


class MAE(Metric):
    """The sum of all absolute errors over the number of rows: ``update(y_pred, y)`` with as many elements in
    both.

    (The mean only where a row is one number.)
    """

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._abs_error_sum = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._two_arrays("MAE", inputs)
        # Errors add up in float64, whatever the dtype: numpy 1 gave that, numpy 2 would stay in float32.
        self._abs_error_sum += np.float64(np.abs(y.reshape(y_pred.shape) - y_pred).sum())
        self._samples_num += y.shape[0]

    def eval(self):
        if self._samples_num == 0:
            raise _nothing_counted("MAE")
        return self._abs_error_sum / self._samples_num


class MSE(Metric):
    """The sum of all squared errors over the number of rows: ``update(y_pred, y)`` with as many elements in
    both."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._squared_error_sum = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._two_arrays("MSE", inputs)
        self._squared_error_sum += np.float64(np.power(y.reshape(y_pred.shape) - y_pred, 2).sum())
        self._samples_num += y.shape[0]

    def eval(self):
        if self._samples_num == 0:
            raise _nothing_counted("MSE")
        return self._squared_error_sum / self._samples_num
