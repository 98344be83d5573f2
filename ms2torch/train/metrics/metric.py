"""Metric, the base of all metrics, and what they share (``mindspore.train.metrics.metric``)."""

from __future__ import annotations

import functools
from abc import ABCMeta, abstractmethod

import numpy as np
import torch

from ms2torch._core.tensor.printing import plain_repr
from ms2torch._core.tensor.tensor import Tensor

__all__ = ["EvaluationBase", "Metric", "rearrange_inputs"]

_eval_types = {"classification", "multilabel"}


def rearrange_inputs(func):
    """Decorates ``update``: its inputs come in the order that ``set_indexes`` chose
    (``mindspore.train.rearrange_inputs``)."""

    @functools.wraps(func)
    def update(self, *inputs):
        chosen = self.indexes
        return func(self, *([inputs[i] for i in chosen] if chosen else inputs))

    return update


class Metric(metaclass=ABCMeta):
    """Base class of metrics: ``clear()``, ``update(*inputs)`` once per batch, then ``eval()``
    (``mindspore.train.Metric``).

    All three are for subclasses to define; calling a metric does the three in a row. Metrics work on numpy
    arrays.
    """

    __repr__ = plain_repr

    def __init__(self) -> None:
        self._indexes = None

    def _convert_data(self, data) -> np.ndarray:
        """A Tensor, PyTorch's too, a list or an array as an array; TypeError for anything else."""
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, torch.Tensor):      # where the rest of a program is PyTorch's already
            return data.numpy(force=True)
        if isinstance(data, list):
            return np.array(data)
        if isinstance(data, np.ndarray):
            return data
        raise TypeError("For 'Metric' and its derived classes, the input data type must be tensor, list or "
                        f"numpy.ndarray, but got {type(data)}.")

    def _two_arrays(self, name: str, inputs, got: str = "but got {}.") -> tuple[np.ndarray, np.ndarray]:
        """Prediction and label; ValueError unless there are two inputs."""
        if len(inputs) != 2:
            raise ValueError(f"For '{name}.update', it needs 2 inputs (predicted value, true value), "
                             + got.format(len(inputs)))
        return self._convert_data(inputs[0]), self._convert_data(inputs[1])

    @property
    def indexes(self):
        """The order in which ``update`` takes its inputs, or None."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes) -> Metric:
        """Choose which inputs of ``update`` count, and in which order; ValueError unless a list of ints."""
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise ValueError("For 'set_indexes', the argument 'indexes' must be a list and all its "
                             "elements must be int, please check whether it is correct.")
        self._indexes = indexes
        return self

    def __call__(self, *inputs):
        self.clear()
        self.update(*inputs)
        return self.eval()

    @abstractmethod
    def clear(self):
        """Forget what was counted."""
        raise NotImplementedError("Must define clear function to use this base class")

    @abstractmethod
    def eval(self):
        """The metric over all updates since ``clear``."""
        raise NotImplementedError("Must define eval function to use this base class")

    @abstractmethod
    def update(self, *inputs):
        """Count one batch."""
        raise NotImplementedError("Must define update function to use this base class")


class EvaluationBase(Metric):
    """Base of metrics over classes: ``eval_type`` is "classification" (scores against labels) or "multilabel"
    (0 and 1)."""

    def __init__(self, eval_type) -> None:
        super().__init__()
        if eval_type not in _eval_types:
            raise TypeError(f"The argument 'eval_type' must be in {_eval_types}, but got {eval_type}")
        self._type = eval_type

    def _check_shape(self, y_pred, y) -> None:
        if self._type == "classification":
            if y_pred.ndim != y.ndim + 1:
                raise ValueError("In classification case, the dimension of y_pred (predicted value) "
                                 "should equal to the dimension of y (true value) add 1, but got y_pred "
                                 f"dimension: {y_pred.ndim} and y dimension: {y.ndim}.")
            if y.shape != (y_pred.shape[0], *y_pred.shape[2:]):
                raise ValueError("In classification case, y_pred (predicted value) shape and y (true "
                                 "value) shape can not match, y shape should be equal to y_pred shape "
                                 "that the value at index 1 is deleted. Such as y_pred shape (1, 2, 3), "
                                 f"then y shape should be (1, 3). But got y_pred shape {y_pred.shape} and "
                                 f"y shape {y.shape}")
            return
        if y_pred.ndim != y.ndim:
            raise ValueError(f"In {self._type} case, the dimension of y_pred (predicted value) should "
                             "equal to the dimension of y (true value), but got y_pred dimension: "
                             f"{y_pred.ndim} and y dimension: {y.ndim}.")
        if y_pred.shape != y.shape:
            raise ValueError(f"In {self._type} case, the shape of y_pred (predicted value) should equal to "
                             f"the shape of y (true value), but got y_pred shape: {y_pred.shape} and y "
                             f"shape: {y.shape}.")

    def _check_value(self, y_pred, y) -> None:
        if self._type != "classification" and not (_is_binary(y_pred) and _is_binary(y)):
            raise ValueError("In multilabel case, all elements in y_pred (predicted value) and y (true "
                             "value) should be 0 or 1.Please check whether your inputs y_pred and y are "
                             "correct.")

    def _checked_pair(self, name: str, inputs, got: str = "but got {}.", end: str = ".") -> tuple:
        """Prediction and label with shapes, values and number of classes checked; one-hot labels as class
        indices."""
        y_pred, y = self._two_arrays(name, inputs, got)
        if self._type == "classification" and y_pred.ndim == y.ndim and _check_onehot_data(y):
            y = y.argmax(axis=1)
        self._check_shape(y_pred, y)
        self._check_value(y_pred, y)
        _same_classes(self, name, y_pred, end)
        return y_pred, y

    def clear(self):
        raise NotImplementedError

    def update(self, *inputs):
        raise NotImplementedError

    def eval(self):
        raise NotImplementedError


def _same_classes(metric, name: str, y_pred, end: str = ".") -> None:
    """Predictions of every update have as many classes as the first's; ValueError otherwise."""
    if metric._class_num == 0:
        metric._class_num = y_pred.shape[1]
    elif y_pred.shape[1] != metric._class_num:
        raise ValueError(f"For '{name}.update', class number not match, last input predicted data contain "
                         f"{metric._class_num} classes, but current predicted data contain "
                         f"{y_pred.shape[1]} classes, please check your predicted value(inputs[0]){end}")


def _nothing_counted(name: str, inputs: str = "inputs(predicted value, true value)") -> RuntimeError:
    """The error of ``eval`` before any sample."""
    return RuntimeError(f"The '{name}' can not be calculated, because the number of samples is 0, please "
                        f"check whether your {inputs} are empty, or has called update method before "
                        "calling eval method.")


def _needs_update() -> RuntimeError:
    return RuntimeError("Please call the 'update' method before calling 'eval' method.")


def _is_binary(data) -> bool:
    return np.equal(data ** 2, data).all()


def _check_onehot_data(data) -> bool:
    """Whether each row along axis 1 is all 0 but for one 1."""
    if data.ndim < 2 or not _is_binary(data):
        return False
    return bool((data.sum(axis=1) == 1).all())


def _binary_clf_curve(preds, target, sample_weights=None, pos_label=1):
    """False positives, true positives and scores at each distinct score, from the highest down."""
    if preds.ndim > target.ndim:
        preds = preds[:, 0]
    order = np.argsort(-preds)
    preds, hits = preds[order], (target[order] == pos_label).astype(np.int64)
    last = np.append(np.flatnonzero(np.diff(preds)), hits.shape[0] - 1)
    if sample_weights is None:
        tps = np.cumsum(hits * 1.0)[last]
        fps = 1 + last - tps
    else:
        weights = np.asarray(sample_weights)[order]
        tps = np.cumsum(hits * weights)[last]
        fps = np.cumsum((1 - hits) * weights)[last]
    return fps, tps, preds[last]
