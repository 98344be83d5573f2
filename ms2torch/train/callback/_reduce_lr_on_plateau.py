"""ReduceLROnPlateau (``mindspore.train.ReduceLROnPlateau``)."""

from __future__ import annotations

from ms2torch._checkparam import (
    INC_NEITHER,
    check_bool,
    check_float_range,
    check_non_negative_int,
    check_value_type,
)
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

from ._monitored import Monitored


class ReduceLROnPlateau(Monitored):
    """Multiplies the learning rate by ``factor`` after ``patience`` epochs without improvement.

    It does not go below ``min_lr``; ``cooldown`` epochs after a reduction do not count. ValueError for a
    dynamic learning rate or one by groups, and for a ``factor`` outside (0, 1).
    """

    _purpose = "Learning rate reduction"

    def __init__(
        self,
        monitor="eval_loss",
        factor=0.1,
        patience=10,
        verbose=False,
        mode="auto",
        min_delta=1e-4,
        cooldown=0,
        min_lr=0,
    ) -> None:
        super().__init__()
        check_value_type("monitor", monitor, str)
        self.factor = check_float_range(factor, 0.0, 1.0, INC_NEITHER)
        self.patience = check_non_negative_int(patience)
        self.verbose = check_bool(verbose)
        check_value_type("mode", mode, str)
        check_value_type("min_delta", min_delta, [float, int])
        self.cooldown = check_non_negative_int(cooldown)
        self.min_lr = check_value_type("min_lr", min_lr, [float, int])
        self.cooldown_counter = 0
        self._watch(monitor, mode, min_delta)

    def on_train_begin(self, run_context) -> None:
        self._forget()
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context) -> None:
        params = run_context.original_args()
        rate = params.optimizer.learning_rate
        if not isinstance(rate, Parameter):
            raise ValueError(
                "ReduceLROnPlateau does not support dynamic learning rate and group learning rate now."
            )
        value = self._get_monitor_value(params)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.is_improvement(value, self.best):
            self.best = value
            self.wait = 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(rate, params.cur_epoch_num)

    def _reduce(self, rate: Parameter, epoch: int) -> None:
        if rate > Tensor(self.min_lr):
            new = max(rate * self.factor, self.min_lr)
            rate._assign(Tensor(new, rate.dtype)._t)
            if self.verbose:
                print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {new}.")
        self.cooldown_counter = self.cooldown
        self.wait = 0
