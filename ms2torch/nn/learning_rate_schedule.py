"""Learning rates as functions of the step (``mindspore.nn.learning_rate_schedule``)."""

from __future__ import annotations

from ms2torch.nn.cell import Cell


class LearningRateSchedule(Cell):
    """Base of learning-rate schedules: ``construct(global_step)`` gives the rate as a Tensor."""

    _never_recorded = True

    def construct(self, global_step):
        raise NotImplementedError
