"""Rates that fall when a metric no longer improves."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch._core.checks.calls import type_name
from ms2torch._core.checks.error_wrappers import wrap_class
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.ops.function.parameter_func import assign, assign_add

from ._rates import number, single
from .optimizer import Optimizer


@partial(wrap_class, calls=False)
class ReduceLROnPlateau:
    """Times ``factor`` when the metric given to ``step()`` has not improved for more than ``patience``
    epochs.

    ``mode`` "min" or "max", ``threshold`` relative or absolute (``threshold_mode`` "rel", "abs"); then it
    rests for ``cooldown`` epochs. Never below ``min_lr``, and not for a change of ``eps`` or less. ValueError
    and TypeError for bad arguments.
    """

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("The lr factor should be less than 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"Expected an `Optimizer`, but got type {type_name(optimizer)}")
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != groups:
                raise ValueError(f"Expected {groups} min_lrs, got {len(min_lr)}")
        else:
            min_lr = [min_lr] * groups
        if mode not in {"min", "max"}:
            raise ValueError(f"`mode` should be 'min' or 'max', but got {mode}.")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError(f"`threshold mode` should be 'rel' or 'abs', but got {threshold_mode}.")
        self.optimizer, self.factor, self.mode, self.patience = optimizer, factor, mode, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = (
            threshold,
            threshold_mode,
            cooldown,
            eps,
        )
        self.min_lrs = [Tensor(rate, _dtype.float32) for rate in min_lr]
        self.mode_worse = float("inf") if mode == "min" else float("-inf")
        self.best = number(self.mode_worse, "best")
        self.cooldown_counter, self.wait = number(0, "cooldown_counter"), number(0, "wait")
        self.last_epoch = number(0, "last_epoch_ReduceLROnPlateau", _dtype.int32)
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics) -> bool:
        """Note the metric of an epoch (a Tensor or a number) and reduce the rates if it is time."""
        current = single(metrics)
        host = self.optimizer._host
        wait, rest = host(self.wait), host(self.cooldown_counter)
        assign_add(self.last_epoch, Tensor(1, _dtype.int32))
        if self._is_improvement(current, single(host(self.best))):
            assign(self.best, float(current))
            wait = 0
        else:
            wait += 1
        if rest > 0:
            rest, wait = rest - 1, 0
        if wait > self.patience:
            self._reduce_lr()
            rest, wait = self.cooldown, 0
        assign(self.cooldown_counter, float(rest))
        assign(self.wait, float(wait))
        return True

    def _reduce_lr(self) -> None:
        for rate, low in zip(self._last_lr, self.min_lrs, strict=True):
            old = single(self.optimizer._host(rate))
            new = torch.maximum(old * self.factor, single(low))
            if old > new + self.eps:
                assign(rate, float(new))

    def in_cooldown(self) -> Tensor:
        """Whether it rests."""
        return self.cooldown_counter > 0

    def _is_improvement(self, current: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
        sign = -1.0 if self.mode == "min" else 1.0
        if self.threshold_mode == "rel":
            mark = best * (1.0 + sign * self.threshold)
        else:
            mark = best + sign * self.threshold
        return current < mark if self.mode == "min" else current > mark

    def get_last_lr(self) -> list[Tensor]:
        """The rates now, as Tensors."""
        return [rate.value() for rate in self._last_lr]
