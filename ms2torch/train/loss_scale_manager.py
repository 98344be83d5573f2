"""Loss-scale managers (``mindspore.train.loss_scale_manager``)."""

from __future__ import annotations

from ms2torch import _checkparam as check

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]


class LossScaleManager:
    """Base of loss-scale managers: the scale, how it changes, and the Cell that does so in training."""

    def get_loss_scale(self):
        """The scale in force."""

    def update_loss_scale(self, overflow) -> None:
        """Take note of a step and whether it overflowed."""

    def get_update_cell(self):
        """The Cell for ``TrainOneStepWithLossScaleCell``, or None."""


class FixedLossScaleManager(LossScaleManager):
    """A constant scale (``mindspore.FixedLossScaleManager``).

    With ``drop_overflow_update`` a step that overflows is skipped; without it there is no update Cell and
    the optimizer must be given the same ``loss_scale``. ValueError for a scale below 1.
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True) -> None:
        if loss_scale < 1:
            raise ValueError(f"The argument 'loss_scale' must be >= 1, but got {loss_scale}")
        self._loss_scale = loss_scale
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self):
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether a step that overflows is skipped."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow) -> None:
        """The scale stays as it is."""

    def get_update_cell(self):
        if not self._drop_overflow_update:
            return None
        from ms2torch.nn.wrap.loss_scale import FixedLossScaleUpdateCell

        return FixedLossScaleUpdateCell(self._loss_scale)


class DynamicLossScaleManager(LossScaleManager):
    """Falls at an overflow, rises after a window without one (``mindspore.DynamicLossScaleManager``).

    Starts at ``init_loss_scale`` (2**24); divided by ``scale_factor`` at an overflow, not below 1;
    multiplied by it whenever ``scale_window`` steps passed since the last overflow. RuntimeError after more
    than 1,000 overflows in a row.
    """

    def __init__(self, init_loss_scale=2**24, scale_factor=2, scale_window=2000) -> None:
        if init_loss_scale < 1.0:
            raise ValueError(f"The argument 'init_loss_scale' must be > 1, but got {init_loss_scale}")
        self.loss_scale = init_loss_scale
        self.scale_window = check.check_positive_int(scale_window, "scale_window", type(self).__name__)
        if scale_factor <= 0:
            raise ValueError(f"The argument 'scale_factor' must be > 0, but got {scale_factor}")
        self.scale_factor = scale_factor
        self.increase_ratio = scale_factor
        self.decrease_ratio = 1 / scale_factor
        self.cur_iter = 1
        self.last_overflow_iter = 0
        self.bad_step_max = 1000
        self.bad_step = 0

    def get_loss_scale(self):
        return self.loss_scale

    def update_loss_scale(self, overflow) -> None:
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
            self.bad_step = 0
        if self.bad_step > self.bad_step_max:
            raise RuntimeError("Dynamic loss scale Continuous overflow ", self.bad_step,
                               " times, has exceeded maximum threshold.")
        self.cur_iter += 1

    def get_drop_overflow_update(self) -> bool:
        """True: a step that overflows is skipped."""
        return True

    def get_update_cell(self):
        from ms2torch.nn.wrap.loss_scale import DynamicLossScaleUpdateCell

        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
