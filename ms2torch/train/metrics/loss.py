"""Loss (``mindspore.train.Loss``)."""

from __future__ import annotations

import numpy as np

from .metric import Metric, rearrange_inputs

__all__ = ["Loss"]


class Loss(Metric):
    """The mean of the losses of all batches: ``update(loss)`` with a 0-d loss, or a 1-d one whose mean
    counts."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum_loss = 0
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        if len(inputs) != 1:
            raise ValueError(f"For 'Loss.update', it needs 1 input (loss), but got {len(inputs)}")
        loss = self._convert_data(inputs[0])
        if loss.ndim > 1:
            raise ValueError("For 'Loss.update', the dimension of your input (loss) must be 1, but got "
                             f"{loss.ndim}.")
        # Losses add up in float64, whatever their dtype: numpy 1 gave that, numpy 2 would stay in float32.
        self._sum_loss += np.float64(loss.reshape(-1).mean(-1))
        self._total_num += 1

    def eval(self):
        if self._total_num == 0:
            raise RuntimeError("The 'Loss' can not be calculated, because the number of samples is 0, "
                               "please check whether has called update method before calling eval method.")
        return self._sum_loss / self._total_num
