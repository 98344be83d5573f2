"""Confusion matrix, and the metrics made from one (``mindspore.train.ConfusionMatrix``,
``ConfusionMatrixMetric``)."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as validator

from .metric import Metric, _needs_update, _nothing_counted, rearrange_inputs

__all__ = ["ConfusionMatrix", "ConfusionMatrixMetric"]


class ConfusionMatrix(Metric):
    """How often each label (row) was predicted as each class (column).

    ``update(y_pred, y)``: classes (N,), scores in (0, 1) of two classes (N,) that ``threshold`` splits, or
    scores (N, C); labels (N,). ``normalize``: "no_norm", "target" (rows sum to 1), "prediction" (columns) or
    "all".
    """

    def __init__(self, num_classes, normalize="no_norm", threshold=0.5) -> None:
        super().__init__()
        self.num_classes = validator.check_value_type("num_classes", num_classes, [int])
        if normalize not in ("target", "prediction", "all", "no_norm"):
            raise ValueError("For 'ConfusionMatrix', the argument 'normalize' must be in "
                             f"['all', 'prediction', 'label', 'no_norm'(None)], but got {normalize}.")
        self.normalize = normalize
        self.threshold = validator.check_value_type("threshold", threshold, [float])
        self.clear()

    def clear(self) -> None:
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._two_arrays("ConfusionMatrix", inputs)
        if y_pred.ndim not in (y.ndim, y.ndim + 1):
            raise ValueError("For 'ConfusionMatrix.update', predicted value (input[0]) and true value "
                             "(input[1]) should have same dimensions, or the dimension of predicted value "
                             "equals the dimension of true value add 1, but got predicted value ndim: "
                             f"{y_pred.ndim}, true value ndim: {y.ndim}.")
        if y_pred.ndim == y.ndim + 1:
            y_pred = y_pred.argmax(axis=1)
        elif y_pred.dtype in (np.float16, np.float32, np.float64):
            y_pred = (y_pred >= self.threshold).astype(int)
        cells = (y.reshape(-1) * self.num_classes + y_pred.reshape(-1)).astype(int)
        counts = np.bincount(cells, minlength=self.num_classes ** 2)
        self.confusion_matrix += counts.reshape(self.num_classes, self.num_classes)
        self._is_update = True

    def eval(self):
        if not self._is_update:
            raise _needs_update()
        matrix = self.confusion_matrix.astype(float)
        if self.normalize == "no_norm":
            return matrix
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(matrix / matrix.sum(axis=axis, keepdims=True))


class ConfusionMatrixMetric(Metric):
    """A metric such as sensitivity or precision over binary masks or one-hot classes (N, C, ...).

    ``metric_name`` is any usual name of it ("sensitivity", "recall", "tpr", "F1 score", ...). Without
    ``calculation_method`` counts are summed over everything and the metric is computed once; with it, for
    each sample and class, and then reduced as ``decrease`` says. ``skip_channel=False`` leaves the first
    class out. Raises NotImplementedError for an unknown name.
    """

    def __init__(self, skip_channel=True, metric_name="sensitivity", calculation_method=False,
                 decrease="mean") -> None:
        super().__init__()
        self.skip_channel = validator.check_value_type("skip_channel", skip_channel, [bool])
        self.calculation_method = validator.check_value_type("calculation_method", calculation_method, [bool])
        self.metric_name = validator.check_value_type("metric_name", metric_name, [str])
        decrease = validator.check_value_type("decrease", decrease, [str])
        self.decrease = validator.check_string(decrease, list(_REDUCTIONS), "decrease")
        self.clear()

    def clear(self) -> None:
        self._total_num = 0
        self._class_num = 0
        self._total_tp = 0.0
        self._total_fp = 0.0
        self._total_tn = 0.0
        self._total_fn = 0.0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        y_pred, y = self._two_arrays("ConfusionMatrixMetric", inputs)
        counts = _counts(y_pred, y, self.skip_channel)
        if not self.calculation_method:
            tp, fp, tn, fn = counts.sum(axis=(0, 1)).tolist()
            self._total_tp += tp
            self._total_fp += fp
            self._total_tn += tn
            self._total_fn += fn
            return
        if y_pred.ndim == 2 or (y_pred.ndim == 3 and y_pred.shape[-1] == 1):
            raise ValueError("For 'ConfusionMatrixMetric', calculation_method=True needs more than one "
                             f"element per sample and class, but got predicted value shape {y_pred.shape}.")
        score, number = _reduced(_metric(self.metric_name, counts), self.decrease)
        number = int(number.item())
        self._total_num += score.item() * number
        self._class_num += number

    def eval(self):
        if not self.calculation_method:
            totals = np.array([[self._total_tp, self._total_fp, self._total_tn, self._total_fn]])
            return _metric(self.metric_name, totals)
        if self._class_num == 0:
            raise _nothing_counted("ConfusionMatrixMetric")
        return self._total_num / self._class_num


def _counts(y_pred, y, skip_channel: bool) -> np.ndarray:
    """True and false positives, true and false negatives of each sample and class: (N, C, 4)."""
    if not np.all(y.astype(np.uint8) == y):
        raise ValueError("For 'ConfusionMatrix.update', the true value (input[1]) must be a binarized "
                         "ndarray.")
    if y_pred.ndim < 2:
        raise ValueError("For 'ConfusionMatrix.update', the predicted value (input[0]) must have at least "
                         f"2 dimensions, but got {y_pred.ndim}.")
    if not skip_channel:
        y, y_pred = (x[:, 1:] if x.shape[1] > 1 else x for x in (y, y_pred))
    validator.check("y_shape", y.shape, "y_pred_shape", y_pred.shape)
    y, y_pred = (x.astype(float).reshape(*y_pred.shape[:2], -1) for x in (y, y_pred))
    both = y_pred + y
    tp, tn, positives = (both == 2).sum(axis=2), (both == 0).sum(axis=2), y.sum(axis=2)
    return np.stack([tp, y.shape[-1] - positives - tn, tn, positives - tp], axis=-1).astype(float)


def _over_classes(score, valid):
    number = valid.sum(axis=1)
    return _quotient(score.sum(axis=1), number), number


def _mean(score, valid):
    score, number = _over_classes(score, valid)
    number = (number > 0).astype(float).sum(axis=0)
    return _quotient(score.sum(axis=0), number), number


def _quotient(total, number):
    return np.where(number > 0, total / np.where(number > 0, number, 1), 0.0)


# Each gives the reduced score and over how many valid entries it goes.
_REDUCTIONS = {
    "none": lambda s, n: (s, n),
    "mean": _mean,
    "sum": lambda s, n: (s.sum(axis=(0, 1)), n.sum(axis=(0, 1))),
    "mean_batch": lambda s, n: (_quotient(s.sum(axis=0), n.sum(axis=0)), n.sum(axis=0)),
    "sum_batch": lambda s, n: (s.sum(axis=0), n.sum(axis=0)),
    "mean_channel": _over_classes,
    "sum_channel": lambda s, n: (s.sum(axis=1), n.sum(axis=1)),
}


def _reduced(score, how: str):
    valid = ~np.isnan(score)
    return _REDUCTIONS[how](np.where(valid, score, 0.0), valid.astype(float))


def _rate(part, whole):
    return np.where(whole > 0, part / whole, np.nan)


def _prevalence_threshold(tp, fp, tn, fn):
    tpr, tnr = _rate(tp, tp + fn), _rate(tn, tn + fp)
    return np.sqrt(tpr * (1.0 - tnr)) + tnr - 1.0, tpr + tnr - 1.0


# Numerator and denominator from true positives, false positives, true negatives and false negatives.
_FORMULAS = {
    "tpr": lambda tp, fp, tn, fn: (tp, tp + fn),
    "tnr": lambda tp, fp, tn, fn: (tn, tn + fp),
    "ppv": lambda tp, fp, tn, fn: (tp, tp + fp),
    "npv": lambda tp, fp, tn, fn: (tn, tn + fn),
    "fnr": lambda tp, fp, tn, fn: (fn, tp + fn),
    "fpr": lambda tp, fp, tn, fn: (fp, tn + fp),
    "fdr": lambda tp, fp, tn, fn: (fp, tp + fp),
    "for": lambda tp, fp, tn, fn: (fn, tn + fn),
    "pt": _prevalence_threshold,
    "ts": lambda tp, fp, tn, fn: (tp, tp + fn + fp),
    "acc": lambda tp, fp, tn, fn: (tp + tn, tp + fp + tn + fn),
    "ba": lambda tp, fp, tn, fn: (_rate(tp, tp + fn) + _rate(tn, tn + fp), 2.0),
    "f1": lambda tp, fp, tn, fn: (2.0 * tp, 2.0 * tp + fn + fp),
    "mcc": lambda tp, fp, tn, fn: (tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))),
    "fm": lambda tp, fp, tn, fn: (np.sqrt(_rate(tp, tp + fp) * _rate(tp, tp + fn)), 1.0),
    "bm": lambda tp, fp, tn, fn: (_rate(tp, tp + fn) + _rate(tn, tn + fp) - 1.0, 1.0),
    "mk": lambda tp, fp, tn, fn: (_rate(tp, tp + fp) + tn / (tn + fn) - 1.0, 1.0),
}
_NAMES = {
    "tpr": "sensitivity recall hit_rate true_positive_rate",
    "tnr": "specificity selectivity true_negative_rate",
    "ppv": "precision positive_predictive_value",
    "npv": "negative_predictive_value",
    "fnr": "miss_rate false_negative_rate",
    "fpr": "fall_out false_positive_rate",
    "fdr": "false_discovery_rate",
    "for": "false_omission_rate",
    "pt": "prevalence_threshold",
    "ts": "threat_score critical_success_index csi",
    "acc": "accuracy",
    "ba": "balanced_accuracy",
    "f1": "f1_score",
    "mcc": "matthews_correlation_coefficient",
    "fm": "fowlkes_mallows_index",
    "bm": "informedness bookmaker_informedness",
    "mk": "markedness deltap",
}
_FORMULA_OF = {name: key for key, names in _NAMES.items() for name in (key, *names.split())}


def _metric(name: str, counts):
    """The metric ``name`` of counts (..., 4)."""
    key = _FORMULA_OF.get(name.replace(" ", "_").lower())
    if key is None:
        raise NotImplementedError("The metric is not implemented.")
    with np.errstate(divide="ignore", invalid="ignore"):
        above, below = _FORMULAS[key](*np.moveaxis(counts, -1, 0))
        return np.where(np.not_equal(below, 0), above / below, np.nan)
