"""Mean surface distance (``mindspore.train.MeanSurfaceDistance``)."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as validator

from ._surface import checked_distance, checked_inputs, distances, edges, mask
from .metric import Metric, _needs_update, rearrange_inputs

__all__ = ["MeanSurfaceDistance"]


class _SurfaceDistance(Metric):
    """The distances from the prediction's surface to the true one, made one number."""

    _name = "MeanSurfaceDistance"

    # Python's errors for wrong arguments name the class that defines this.
    def __init__(self, symmetric=False, distance_metric="euclidean") -> None:
        super().__init__()
        self.distance_metric_list = ["euclidean", "chessboard", "taxicab"]
        self.distance_metric = checked_distance(distance_metric)
        self.symmetric = validator.check_value_type("symmetric", symmetric, [bool])
        self.clear()

    def clear(self) -> None:
        self._y_pred_edges = 0
        self._y_edges = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y, label = checked_inputs(self, self._name, inputs)
        self._y_pred_edges, self._y_edges = edges(mask(y_pred, label)), edges(mask(y, label))
        self._is_update = True

    @staticmethod
    def _average(found):
        return found.mean()

    @staticmethod
    def _both(there, back):
        return np.mean((there, back))

    def eval(self):
        if self._is_update is False:
            raise _needs_update()
        found = distances(self._y_pred_edges, self._y_edges, self.distance_metric)
        if found.shape == (0,):
            return np.inf
        if not self.symmetric:
            return self._average(found)
        back = distances(self._y_edges, self._y_pred_edges, self.distance_metric)
        return np.inf if back.shape == (0,) else self._both(self._average(found), self._average(back))


class MeanSurfaceDistance(_SurfaceDistance):
    """The mean distance from the prediction's surface to the true one, of the last ``update(y_pred, y,
    label)``.

    ``symmetric`` takes the mean of both directions; ``distance_metric`` is "euclidean", "chessboard" or
    "taxicab". Infinite where one side has no surface. Needs scipy.
    """

    def __init__(self, symmetric=False, distance_metric="euclidean") -> None:
        super().__init__(symmetric, distance_metric)
