"""What changes the rates of an experimental optimizer (``mindspore.experimental.optim.lr_scheduler``).

A scheduler sets the rates for its first epoch when it is made, then at every ``step()``. Rates are float32
Parameters of the optimizer; what is computed from the epoch alone is computed on the host, in single
precision as MindSpore does.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from functools import partial

import numpy as np
import torch

from ms2torch import _checkparam as validator
from ms2torch._core.checks.calls import type_name
from ms2torch._core.checks.error_wrappers import wrap_class
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.ops.function.parameter_func import assign, assign_add, assign_sub

from ._plateau import ReduceLROnPlateau
from ._rates import by_group, check_float, check_iterations, number, rates_by_group, single
from .optimizer import Optimizer

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


@partial(wrap_class, calls=False)
class LRScheduler:
    """Base class: a subclass gives the rates of ``last_epoch`` in ``get_lr()``, a list with one per group.

    At hand are ``base_lrs`` (the rates at the start, Tensors), ``_last_lr`` (the rates now, Parameters) and
    ``last_epoch`` (a Parameter). ``step(epoch)`` goes to an epoch, by ``_get_closed_form_lr()`` where there
    is one. TypeError and ValueError for bad arguments, KeyError for a resumed optimizer without
    ``initial_lr``.
    """

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        wrap_class(cls, calls=False)

    def __init__(self, optimizer, last_epoch=-1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type_name(optimizer)} is not an Optimizer")
        validator.check_value_type("last_epoch", last_epoch, [int])
        if last_epoch < -1:
            raise ValueError(f"Invalid last_epoch: {last_epoch}")
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"].value())
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an optimizer"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.optimizer = optimizer
        self._last_lr = list(optimizer.lrs)
        self.groups_num = len(optimizer.param_groups)
        self.last_epoch = number(last_epoch, f"last_epoch_{type(self).__name__}")
        self.increase_tensor = Tensor(1, _dtype.int32)
        self.step()

    def get_lr(self):
        """The rates of this epoch."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Tensor]:
        """The rates now, as Tensors."""
        return [rate.value() for rate in self._last_lr]

    def step(self, epoch=None) -> bool:
        """Go one epoch on, or to ``epoch``."""
        if epoch is None:
            assign_add(self.last_epoch, self.increase_tensor)
            values = self.get_lr()
        else:
            assign(self.last_epoch, epoch)
            closed = getattr(self, "_get_closed_form_lr", None)
            values = closed() if closed else self.get_lr()
        for rate, value in zip(self._last_lr, values, strict=False):
            assign(rate, value)
        return True

    @property
    def _epoch(self) -> torch.Tensor:
        return single(self.optimizer._host(self.last_epoch))


class _Chained(LRScheduler):
    """A rate is the last one times ``_factor(epoch)``, or in closed form the first one times
    ``_total(epoch)``."""

    def get_lr(self):
        factor = self._factor(self._epoch)
        if isinstance(factor, np.ndarray):
            raise TypeError("Failed calling Mul with \"Mul()(input=Tensor, other=<class 'numpy.ndarray'>)\". "
                            "The valid calling should be: \"Mul()(input=<Number, Tensor>, other=<Number, "
                            "Tensor>)\".")
        factor = float(factor)
        return [rate * factor for rate in self._last_lr]

    def _get_closed_form_lr(self):
        total = float(self._total(self._epoch))
        return [base * total for base in self.base_lrs]


class StepLR(_Chained):
    """Times ``gamma`` every ``step_size`` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1) -> None:
        if not isinstance(step_size, int):
            raise TypeError(f"For 'StepLR', the 'step_size' must be int, but got {type(step_size)}.")
        check_float("StepLR", gamma=gamma)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        step = self.step_size
        return self.gamma if epoch and step and epoch % step == 0 else 1.0

    def _total(self, epoch):
        return self.gamma ** (epoch // self.step_size)


class LinearLR(_Chained):
    """From ``start_factor`` to ``end_factor`` of the first rate in ``total_iters`` equal steps."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less than or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        check_iterations("LinearLR", total_iters)
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        if epoch == 0:
            return self.start_factor
        if epoch > self.total_iters:
            return 1.0
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (epoch - 1) * rise)

    def _total(self, epoch):
        rise = self.end_factor - self.start_factor
        return self.start_factor + rise * min(self.total_iters, epoch) / self.total_iters


class ExponentialLR(_Chained):
    """Times ``gamma`` every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1) -> None:
        check_float("ExponentialLR", gamma=gamma)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        return self.gamma if epoch else 1.0

    def _total(self, epoch):
        return self.gamma**epoch


class PolynomialLR(_Chained):
    """The first rate times (1 - epoch / total_iters)^power, until ``total_iters`` epochs are over."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1) -> None:
        check_float("PolynomialLR", power=power)
        if power < 0:
            raise ValueError(f"For 'PolynomialLR', the 'power' must be >= 0, but got {power}.")
        check_iterations("PolynomialLR", total_iters)
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        if epoch == 0 or epoch > self.total_iters:
            return 1.0
        left = 1.0 - epoch / self.total_iters
        return (left / (1.0 - (epoch - 1) / self.total_iters)) ** self.power

    def _total(self, epoch):
        return (1.0 - min(self.total_iters, epoch) / self.total_iters) ** self.power


class ConstantLR(_Chained):
    """``factor`` times the first rate until ``total_iters`` epochs are over, then the first rate."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1) -> None:
        if factor > 1.0 or factor < 0:              # (a Tensor or an array of several has no answer)
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        check_iterations("ConstantLR", total_iters)
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self._epoch == self.total_iters != 0:
            return [rate / self.factor for rate in self._last_lr]
        return super().get_lr()

    def _factor(self, epoch):
        return self.factor if epoch == 0 else 1.0

    def _total(self, epoch):
        return self.factor + (epoch >= self.total_iters) * (1 - self.factor)


class MultiStepLR(LRScheduler):
    """Times ``gamma`` at each of the epochs in ``milestones``, as often as it is listed."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1) -> None:
        validator.check_value_type("milestones", milestones, [list])
        for milestone in milestones:
            if not isinstance(milestone, int):
                raise TypeError(
                    "For 'MultiStepLR', elements of the 'milestones' must be type of int, but got "
                    f"one element of 'milestones' type: {type(milestone)}."
                )
        validator.check_value_type("gamma", gamma, [float, int])
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        factor = self.gamma ** self.milestones[int(self._epoch)]
        return [rate * factor for rate in self._last_lr]

    def _get_closed_form_lr(self):
        # MindSpore has this method, and it reads an attribute that the class does not have.
        raise AttributeError("'MultiStepLR' object has no attribute 'step_size'")


class LambdaLR(LRScheduler):
    """The first rate times ``lr_lambda(epoch)``; one function for all groups, or a list with one for each."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1) -> None:
        self.lr_lambdas = by_group(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * by(self.last_epoch) for by, base in zip(self.lr_lambdas, self.base_lrs, strict=False)]


class MultiplicativeLR(LRScheduler):
    """The last rate times ``lr_lambda(epoch)``; one function for all groups, or a list with one for each."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1) -> None:
        self.lr_lambdas = by_group(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self._epoch <= 0:
            return [rate * 1.0 for rate in self._last_lr]
        return [rate * by(self.last_epoch) for by, rate in zip(self.lr_lambdas, self._last_lr, strict=False)]


class CosineAnnealingLR(LRScheduler):
    """Along half a cosine from the first rate to ``eta_min`` in ``T_max`` epochs, and back."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1) -> None:
        if not isinstance(eta_min, (float, int)):
            raise TypeError(
                f"For 'CosineAnnealingLR', the 'eta_min' must be float or int, but got {type(eta_min)}."
            )
        if not isinstance(T_max, int):
            raise TypeError(f"For 'CosineAnnealingLR', the 'T_max' must be int, but got {type(eta_min)}.")
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _swing(self, epoch) -> torch.Tensor:
        return 1 + torch.cos(math.pi * epoch / self.T_max)

    def get_lr(self):
        epoch, low = self._epoch, self.eta_min
        if epoch == 0:
            return [rate * 1.0 for rate in self._last_lr]
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = float((1 - torch.cos(single(math.pi / self.T_max))) / 2)
            return [
                rate + (base - low) * rise for rate, base in zip(self._last_lr, self.base_lrs, strict=True)
            ]
        factor = float(self._swing(epoch) / self._swing(epoch - 1))
        return [(rate - low) * factor + low for rate in self._last_lr]

    def _get_closed_form_lr(self):
        half = float(self._swing(self._epoch) / 2)
        return [(base - self.eta_min) * half + self.eta_min for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Along half a cosine to ``eta_min`` in ``T_0`` epochs, again and again, each time ``T_mult`` times as
    long.

    ``step(epoch)`` takes fractions of an epoch.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0, last_epoch=-1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"T_0 should be an integer and equal or greater than 0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"T_mult should be an integer and equal or greater than 1, but got {T_mult}")
        validator.check_value_type("eta_min", eta_min, [float, int])
        self.T_0, self.T_i = number(T_0, "T_0"), number(T_0, "T_i")
        self.T_mult, self.eta_min = T_mult, Tensor(eta_min)
        _ = optimizer.param_groups          # (which it reads before it asks what it was given)
        validator.check_value_type("last_epoch", last_epoch, [int])
        self.T_cur = number(last_epoch, "T_cur")
        self._first_length, self._length, self._at = T_0, T_0, float(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        half = float((1 + torch.cos(math.pi * single(self._at) / self._length)) / 2)
        return [(base - self.eta_min) * half + self.eta_min for base in self.base_lrs]

    def step(self, epoch=None) -> None:
        if epoch is None and self._epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = float(self._epoch) + 1
            self._at += 1
            if self._at >= self._length:
                self._at -= self._length
                self._length *= self.T_mult
        else:
            epoch = float(single(epoch))
            if epoch < 0:
                raise ValueError(f"epoch should be a non-negative integer, but got {epoch}")
            self._go_to(epoch)
        assign(self.T_cur, self._at)
        assign(self.T_i, float(self._length))
        assign(self.last_epoch, float(math.floor(epoch)))
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=False):
            assign(group["lr"], rate)

    def _go_to(self, epoch: float) -> None:
        first, times = self._first_length, self.T_mult
        if epoch < first:
            self._at, self._length = epoch, first
        elif times == 1:
            self._at = epoch % first
        else:
            past = int(math.log(epoch / first * (times - 1) + 1, times))
            self._at = epoch - first * (times**past - 1) / (times - 1)
            self._length = first * times**past


class CyclicLR(LRScheduler):
    """Up from ``base_lr`` to ``max_lr`` in ``step_size_up`` steps, down in ``step_size_down``, again and
    again.

    ``mode``: "triangular", "triangular2" (each cycle half as high) or "exp_range" (height ``gamma``^step), or
    ``scale_fn`` of the cycle or of the step (``scale_mode`` "cycle" or "iterations") gives the height.
    """

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up=2000,
        step_size_down=None,
        mode="triangular",
        gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        last_epoch=-1,
    ) -> None:
        if isinstance(base_lr, bool):
            raise ValueError("Parameter data can not be `bool`")
        base_lrs = rates_by_group(optimizer, base_lr, "base_lr")
        for rate in base_lrs:
            if not isinstance(rate, float) and isinstance(rate, (np.generic, complex, bytes)):
                raise TypeError("The type of the argument 'default_input' must be in ['Tensor', 'int', "
                                f"'float', 'numpy.ndarray', 'list']. But got type {type(rate)}.")
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, base_lrs, strict=True):
                assign(group["lr"], rate)
        self.max_lrs = [Tensor(rate) for rate in rates_by_group(optimizer, max_lr, "max_lr")]
        up = float(step_size_up)
        self.total_step_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_up_ratio = up / self.total_step_size
        if scale_fn is None:
            if mode not in tuple(_HEIGHTS):             # (not hashed: it may be a list)
                raise ValueError("mode is invalid and scale_fn is None")
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.mode, self.gamma, self.scale_mode = mode, gamma, scale_mode
        self._scale_fn_custom = scale_fn
        super().__init__(optimizer, last_epoch)
        self.base_lrs = [Tensor(rate) for rate in base_lrs]

    def scale_fn(self, x):
        """The height of a cycle: ``x`` is the cycle's number, or the step's."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return _HEIGHTS[self.mode](self.gamma, x)

    def get_lr(self):
        done = self._epoch / self.total_step_size
        cycle = torch.floor(1 + done)
        x = 1.0 + done - cycle
        ratio = self.step_up_ratio
        part = float(x / ratio if x <= ratio else (x - 1) / (ratio - 1))
        at = Tensor(float(cycle), _dtype.float32) if self.scale_mode == "cycle" else self.last_epoch
        scale = self.scale_fn(at)
        return [
            low + (high - low) * part * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=False)
        ]


_HEIGHTS = {
    "triangular": lambda gamma, x: 1.0,
    "triangular2": lambda gamma, x: 1 / (2.0 ** (x - 1)),
    "exp_range": lambda gamma, x: gamma**x,
}


@partial(wrap_class, calls=False)
class SequentialLR:
    """Hands over from each of ``schedulers`` to the next at the epochs in ``milestones``.

    ValueError unless all have this optimizer and there is one milestone less than schedulers.
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1) -> None:
        for i in range(len(schedulers)):
            if schedulers[i].optimizer is not optimizer:
                raise ValueError(
                    "Sequential Schedulers expects all schedulers to belong to the same optimizer, "
                    f"but got scheduler at index {i} is different from the optimizer passed in."
                )
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones {len(milestones)}"
            )
        self._schedulers, self.milestones, self.optimizer = schedulers, milestones, optimizer
        self.last_epoch = number(last_epoch + 1, "last_epoch_SequentialLR")
        # Each scheduler has made its first step: take them back, then make that of the first one.
        for group in optimizer.param_groups:
            assign(group["lr"], group["initial_lr"])
        for scheduler in schedulers:
            assign_sub(scheduler.last_epoch, Tensor(1, _dtype.int32))
        schedulers[0].step()
        self._last_lr = schedulers[0]._last_lr

    def step(self) -> None:
        """Go one epoch on."""
        assign_add(self.last_epoch, Tensor(1, _dtype.int32))
        epoch = int(self.optimizer._host(self.last_epoch))
        number = bisect_right(self.milestones, epoch)
        if number and self.milestones[number - 1] == epoch:
            self._schedulers[number].step(0)
        else:
            self._schedulers[number].step()

    def get_last_lr(self) -> list[Tensor]:
        """The rates now, as Tensors."""
        return [rate.value() for rate in self._last_lr]

