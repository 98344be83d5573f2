"""Area under a curve (``mindspore.train.auc``)."""

from __future__ import annotations

import numpy as np

__all__ = ["auc"]


def auc(x, y, reorder=False):
    """The area under the points (x, y) by the trapezoidal rule; ``x`` rises or falls, or ``reorder`` sorts
    it.

    TypeError unless both are numpy arrays; ValueError for other lengths, dimensions, or an ``x`` that does
    neither.
    """
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        raise TypeError(f"For 'auc', the argument 'x' and 'y' must all be np.ndarray, but got {type(x)}, "
                        f"{type(y)}")
    for array in (x, y):
        if array.ndim == 0:
            raise TypeError(f"Singleton array {array} cannot be considered as a valid collection.")
    if len(x) != len(y):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(x), len(y)]}.")
    x, y = _column(x), _column(y)
    if x.shape[0] < 2:
        raise ValueError(f"For 'auc', the shape of the argument 'x' in axis 0 must be greater than 2, "
                         f"but got {x.shape[0]}.")
    direction = 1
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    elif np.any(np.diff(x) < 0):
        if not np.all(np.diff(x) <= 0):
            raise ValueError("For 'auc', if the argument is False, the argument 'x' array must be "
                             f"increasing or decreasing, but got 'x': {x}")
        direction = -1
    return direction * (getattr(np, "trapezoid", None) or np.trapz)(y, x)


def _column(values):
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        return values.ravel()
    raise ValueError("For 'auc', the input must be a 1-dimensional array, or a 2-dimensional array with "
                     f"the second dimension of 1, but got shape {values.shape}.")
