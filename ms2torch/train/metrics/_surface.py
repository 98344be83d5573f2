"""Surfaces of masks and the distances between them: what the surface-distance metrics share."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as validator
from ms2torch._core.errors import unsupported


def morphology():
    """scipy.ndimage, which only these metrics need."""
    try:
        from scipy import ndimage
    except ImportError:
        raise unsupported("mindspore.train metrics over surfaces", "they need scipy, which is not installed.",
                          "pip install scipy.") from None
    return ndimage


def checked_distance(distance_metric) -> str:
    distance_metric = validator.check_value_type("distance_metric", distance_metric, [str])
    return validator.check_string(distance_metric, ["euclidean", "chessboard", "taxicab"], "distance_metric")


def checked_inputs(metric, name: str, inputs):
    """Prediction, true value and label index; ValueError where they do not go together."""
    if len(inputs) != 3:
        gap = "" if name == "RootMeanSquareDistance" else " "
        stop = "" if name == "MeanSurfaceDistance" else "."
        raise ValueError(f"For '{name}.update', it needs 3 inputs{gap}(predicted value, true value, label "
                         f"index), but got {len(inputs)}{stop}")
    y_pred, y, label = metric._convert_data(inputs[0]), metric._convert_data(inputs[1]), inputs[2]
    if not isinstance(label, (int, float)):
        other = name == "RootMeanSquareDistance"
        kind, what = (TypeError, "label index type: ") if other else (ValueError, "")
        raise kind(f"For '{name}.update', the label index (input[2]) must be int or float, but got {what}"
                   f"{type(label)}.")
    if label not in y_pred and label not in y:
        raise ValueError(f"For '{name}.update', the label index (input[2]) must be in predicted value "
                         f"(input[0]) or true value (input[1]), but {label} is not.")
    if y_pred.size == 0 or y_pred.shape != y.shape:
        raise ValueError(f"For '{name}.update', the size of predicted value (input[0]) and true value "
                         "(input[1]) must be greater than 0, in addition to that, predicted value and true "
                         f"value should have the same shape, but got predicted value size: {y_pred.size}, "
                         f"shape: {y_pred.shape}, true value size: {y.size}, shape: {y.shape}.")
    return y_pred, y, label


def mask(data, label):
    """Where ``data`` is ``label``; a bool array as it is."""
    return data if data.dtype == bool else data == label


def edges(region) -> np.ndarray:
    """The cells of a region that touch its outside."""
    return morphology().binary_erosion(region) ^ region


def distances(from_edges, to_edges, distance_metric: str) -> np.ndarray:
    """For each cell of one surface its distance to the other; infinite where there is no other."""
    if not np.any(from_edges):
        return np.array([])
    if not np.any(to_edges):
        return np.full(to_edges.shape, np.inf)[from_edges]
    ndimage = morphology()
    if distance_metric == "euclidean":
        return ndimage.distance_transform_edt(~to_edges)[from_edges]
    return ndimage.distance_transform_cdt(~to_edges, metric=distance_metric)[from_edges]
