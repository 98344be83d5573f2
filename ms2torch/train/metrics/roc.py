"""ROC curve (``mindspore.train.ROC``)."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as validator

from .metric import Metric, _binary_clf_curve, _needs_update, rearrange_inputs

__all__ = ["ROC"]


class ROC(Metric):
    """The ROC curve of the last ``update(y_pred, y)``: ``eval()`` gives (false positive rates, true positive
    rates, thresholds).

    Scores (N,) against labels (N,), where ``pos_label`` (1) is the positive one; or scores (N, C) against
    labels (N,) with ``class_num`` C: then each of the three is a list with one curve per class, against the
    rest.
    """

    def __init__(self, class_num=None, pos_label=None) -> None:
        super().__init__()
        for name, value in (("class_num", class_num), ("pos_label", pos_label)):
            setattr(self, name, None if value is None else validator.check_value_type(name, value, [int]))
        self.clear()

    def clear(self) -> None:
        self.y_pred = 0
        self.y = 0
        self.sample_weights = None
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._two_arrays("ROC", inputs, got="but got {}")
        arranged = _arranged(y_pred, y, self.class_num, self.pos_label)
        self.y_pred, self.y, self.class_num, self.pos_label = arranged
        self._is_update = True

    def eval(self):
        if self._is_update is False:
            raise _needs_update()
        y_pred, y = np.squeeze(self.y_pred), np.squeeze(self.y)
        if self.class_num == 1:
            return _curve(y_pred, y, self.pos_label)
        curves = [_curve(y_pred[:, c], y, c) for c in range(self.class_num)]
        return tuple([curve[i] for curve in curves] for i in range(3))


def _curve(y_pred, y, pos_label):
    fps, tps, thresholds = _binary_clf_curve(y_pred, y, pos_label=pos_label)
    fps, tps = (np.hstack([np.zeros(1, dtype=x.dtype), x]) for x in (fps, tps))
    thresholds = np.hstack([thresholds[0][None] + 1, thresholds])
    for count, kind, rate in ((fps, "negative", "false"), (tps, "positive", "true")):
        if count[-1] <= 0:
            raise ValueError(f"For 'ROC.eval', there is no {kind} samples in true value, {rate} positive "
                             "value is meaningless.")
    return fps / fps[-1], tps / tps[-1], thresholds


def _arranged(y_pred, y, class_num, pos_label):
    """Scores and labels in the shape that a curve needs, with the number of classes and the positive
    label."""
    if y_pred.ndim not in (y.ndim, y.ndim + 1):
        raise ValueError("For 'ROC', predicted value (input[0]) and true value (input[1]) must have same "
                         "dimensions, or the dimension of predicted value equal the dimension of true value "
                         f"add 1, but got predicted value ndim: {y_pred.ndim}, true value ndim: {y.ndim}.")
    if y_pred.ndim == y.ndim:
        if class_num not in (None, 1):
            raise ValueError("For 'ROC', when predicted value (input[0]) and true value (input[1]) have "
                             f"the same shape, the 'class_num' must be 1, but got {class_num}.")
        return y_pred.flatten(), y.flatten(), 1, 1 if pos_label is None else pos_label
    if pos_label is not None:
        raise ValueError("For 'ROC', when the dimension of predicted value (input[0]) equals the "
                         "dimension of true value (input[1]) add 1, the 'pos_label' must be None, but got "
                         f"{pos_label}.")
    if class_num != y_pred.shape[1]:
        raise ValueError("For 'ROC', the 'class_num' must equal the number of classes from predicted "
                         f"value (input[0]), but got 'class_num' {class_num}, the number of classes from "
                         f"predicted value {y_pred.shape[1]}.")
    # MindSpore reshapes here without moving axes: right where there are as many samples as classes.
    return y_pred.reshape(class_num, -1), y.flatten(), class_num, pos_label
