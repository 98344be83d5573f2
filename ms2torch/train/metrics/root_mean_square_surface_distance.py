"""Root mean square surface distance (``mindspore.train.RootMeanSquareDistance``)."""

from __future__ import annotations

import numpy as np

from .mean_surface_distance import _SurfaceDistance

__all__ = ["RootMeanSquareDistance"]


class RootMeanSquareDistance(_SurfaceDistance):
    """As `MeanSurfaceDistance` with squared distances; the root is taken with ``symmetric`` only, as
    MindSpore does."""

    _name = "RootMeanSquareDistance"

    # Python's errors for wrong arguments name the class that defines this.
    def __init__(self, symmetric=False, distance_metric="euclidean") -> None:
        super().__init__(symmetric, distance_metric)

    @staticmethod
    def _average(found):
        return (found ** 2).mean()

    @staticmethod
    def _both(there, back):
        return np.sqrt(np.mean((there, back)))
