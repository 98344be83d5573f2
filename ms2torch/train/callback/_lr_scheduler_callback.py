"""LearningRateScheduler (``mindspore.train.LearningRateScheduler``)."""

from __future__ import annotations

import math

import numpy as np

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor

from ._callback import Callback


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step to ``learning_rate_function(rate, step)``.

    The function gets the rate as MindSpore prints it, with 8 digits; the optimizer's rate has to be a
    Parameter.
    """

    def __init__(self, learning_rate_function) -> None:
        super().__init__()
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context) -> None:
        params = run_context.original_args()
        rate = float(np.array2string(params.optimizer.learning_rate.asnumpy()))
        new = self.learning_rate_function(rate, params.cur_step_num)
        if not math.isclose(rate, new, rel_tol=1e-10):
            params.optimizer.learning_rate._assign(Tensor(new, _dtype.float32)._t)
