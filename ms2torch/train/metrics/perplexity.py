"""Perplexity (``mindspore.train.Perplexity``)."""

from __future__ import annotations

import math

import numpy as np

from ms2torch import _checkparam as validator

from .metric import Metric, rearrange_inputs

__all__ = ["Perplexity"]


class Perplexity(Metric):
    """exp of the mean negative log-likelihood: ``update(probabilities, labels)`` of shapes (N, C) and (N,).

    ``ignore_label`` leaves that label's samples out. RuntimeError where the sizes do not fit.
    """

    def __init__(self, ignore_label=None) -> None:
        super().__init__()
        self.ignore_label = (None if ignore_label is None
                             else validator.check_value_type("ignore_label", ignore_label, [int]))
        self.clear()

    def clear(self) -> None:
        self._sum_metric = 0.0
        self._num_inst = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        if len(inputs) != 2:
            raise ValueError("For 'Perplexity.update', it needs 2 inputs (predicted value, label), "
                             f"but got {len(inputs)}.")
        pred, label = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        if label.size != pred.size / pred.shape[-1]:
            raise RuntimeError("For 'Perplexity.update', predicted value (input[0]) and label (input[1]) "
                               f"should have the same shape, but got predicted value shape {pred.shape}, "
                               f"label shape {label.shape}.")
        label = label.reshape(-1)
        likelihood = np.squeeze(pred[np.arange(label.size)[:, None], label.astype(int)[:, None]])
        count = likelihood.size
        if self.ignore_label is not None:
            ignored = (label == self.ignore_label).astype(pred.dtype)
            count -= np.sum(ignored)
            likelihood = likelihood * (1 - ignored) + ignored
        self._sum_metric -= float(np.sum(np.log(np.maximum(1e-10, likelihood))))
        self._num_inst += count

    def eval(self):
        if self._num_inst == 0:
            raise RuntimeError("The 'Perplexity' can not be calculated, because the number of samples is "
                               "0, please check whether the update method has been called before calling "
                               "eval method.")
        return math.exp(self._sum_metric / self._num_inst)
