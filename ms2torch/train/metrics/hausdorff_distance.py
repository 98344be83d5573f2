"""Hausdorff distance (``mindspore.train.HausdorffDistance``)."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as validator

from ._surface import checked_distance, checked_inputs, distances, edges
from .metric import Metric, _needs_update, rearrange_inputs

__all__ = ["HausdorffDistance"]


class HausdorffDistance(Metric):
    """The largest distance from one surface to the nearest point of the other, of the last ``update(y_pred,
    y, label)``.

    ``distance_metric``: "euclidean", "chessboard" or "taxicab"; ``percentile`` of the distances in place of
    the largest; ``directed`` measures from the prediction only; ``crop`` to the region first (it counts the
    region's rim differently at the border). Needs scipy.
    """

    def __init__(self, distance_metric="euclidean", percentile=None, directed=False, crop=True) -> None:
        super().__init__()
        self.distance_metric = checked_distance(distance_metric)
        self.percentile = (None if percentile is None
                           else validator.check_value_type("percentile", percentile, [float]))
        self.directed = None if directed is None else validator.check_value_type("directed", directed, [bool])
        self.crop = None if crop is None else validator.check_value_type("crop", crop, [bool])
        self.clear()

    def clear(self) -> None:
        self.y_pred_edges = 0
        self.y_edges = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        self._is_update = True
        y_pred, y, label = checked_inputs(self, "HausdorffDistance", inputs)
        y_pred, y = y_pred == label, y == label
        if self.crop:
            both = y_pred | y
            if not both.any():
                self.y_pred_edges, self.y_edges = np.zeros_like(y_pred), np.zeros_like(y)
                return
            box = tuple(slice(where.min(), where.max() + 1) for where in np.nonzero(both))
            y_pred, y = np.squeeze(y_pred[box]), np.squeeze(y[box])
        self.y_pred_edges, self.y_edges = edges(y_pred), edges(y)

    def _directed_distance(self, from_edges, to_edges):
        found = distances(from_edges, to_edges, self.distance_metric)
        if found.shape == (0,):
            return np.inf
        if not self.percentile:
            return found.max()
        if not 0 <= self.percentile <= 100:
            raise ValueError("For 'HausdorffDistance', the value of the argument 'percentile' must be [0, "
                             f"100], but got {self.percentile}.")
        return np.percentile(found, self.percentile)

    def eval(self):
        if self._is_update is False:
            raise _needs_update()
        there = self._directed_distance(self.y_pred_edges, self.y_edges)
        if self.directed:
            return there
        return max(there, self._directed_distance(self.y_edges, self.y_pred_edges))
