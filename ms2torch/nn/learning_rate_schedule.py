"""Learning rates as functions of the step (``mindspore.nn.learning_rate_schedule``).

All arithmetic is float32, as MindSpore's; the step is a Tensor (or a number), the rate a Tensor of its shape.
"""

from __future__ import annotations

import math

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.nn.cell import Cell

__all__ = ["CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "NaturalExpDecayLR", "PolynomialDecayLR",
           "WarmUpLR"]


class LearningRateSchedule(Cell):
    """Base of learning-rate schedules: ``construct(global_step)`` gives the rate as a Tensor."""

    _never_recorded = True

    def construct(self, global_step):
        raise NotImplementedError


class _Formula(LearningRateSchedule):
    """A schedule whose rate is a formula of the step alone; ``_at`` computes it over a float32 torch
    tensor."""

    def construct(self, global_step):
        if isinstance(global_step, Tensor):
            return wrap(self._at(global_step._t.to(torch.float32)))
        return wrap(self._at(torch.tensor(global_step, dtype=torch.float32)))

    def _at(self, step: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError


class _Decay(_Formula):
    """The arguments that the decays by a rate share."""

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False) -> None:
        super().__init__()
        name = self.cls_name
        validator.check_positive_int(decay_steps, "decay_steps", name)
        validator.check_positive_float(learning_rate, "learning_rate", name)
        validator.check_is_float(learning_rate, "learning_rate", name)
        validator.check_positive_float(decay_rate, "decay_rate", name)
        validator.check_is_float(decay_rate, "decay_rate", name)
        validator.check_value_type("is_stair", is_stair, [bool], name)
        self.learning_rate = learning_rate
        self.decay_rate = decay_rate
        self.decay_steps = decay_steps
        self.is_stair = is_stair

    def _periods(self, step: torch.Tensor) -> torch.Tensor:
        periods = step / self.decay_steps
        return periods.floor() if self.is_stair else periods


class ExponentialDecayLR(_Decay):
    """learning_rate * decay_rate ^ (step / decay_steps); ``is_stair`` rounds the exponent down.

    TypeError and ValueError for arguments that are not positive numbers
    (``mindspore.nn.ExponentialDecayLR``).
    """

    def _at(self, step):
        return torch.pow(self.decay_rate, self._periods(step)) * self.learning_rate


class NaturalExpDecayLR(_Decay):
    """learning_rate * e ^ (-decay_rate * step); ``is_stair`` rounds the step down to a multiple of
    ``decay_steps``.

    (Without ``is_stair``, ``decay_steps`` has no effect.) ``mindspore.nn.NaturalExpDecayLR``.
    """

    def _at(self, step):
        if self.is_stair:
            step = (step / self.decay_steps).floor() * self.decay_steps
        return torch.pow(math.e, step * -self.decay_rate) * self.learning_rate


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate * step / decay_steps); ``is_stair`` rounds the quotient down.

    ``mindspore.nn.InverseDecayLR``.
    """

    def _at(self, step):
        return self.learning_rate / (1 + self._periods(step) * self.decay_rate)


class CosineDecayLR(_Formula):
    """Half a cosine from ``max_lr`` down to ``min_lr`` over ``decay_steps`` steps, then ``min_lr``.

    TypeError unless both rates are floats, ValueError unless min_lr < max_lr
    (``mindspore.nn.CosineDecayLR``).
    """

    def __init__(self, min_lr, max_lr, decay_steps) -> None:
        super().__init__()
        _check_non_negative("CosineDecayLR", "min_lr", min_lr, self.cls_name)
        validator.check_positive_float(max_lr, "max_lr", self.cls_name)
        validator.check_is_float(max_lr, "max_lr", self.cls_name)
        validator.check_positive_int(decay_steps, "decay_steps", self.cls_name)
        if min_lr >= max_lr:
            raise ValueError("For 'CosineDecayLR', the 'max_lr' must be greater than the 'min_lr', "
                             f"but got 'max_lr' value: {max_lr}, 'min_lr' value: {min_lr}.")
        self.min_lr = min_lr
        self.max_lr = max_lr
        self.decay_steps = decay_steps
        self.math_pi = math.pi
        self.delta = 0.5 * (max_lr - min_lr)

    def _at(self, step):
        # MindSpore takes the cosine as a sine a quarter period on; the last bits differ from a cosine's.
        ahead = step.clamp(max=self.decay_steps) / self.decay_steps + 0.5
        return (torch.sin(ahead * self.math_pi) + 1.0) * self.delta + self.min_lr


class PolynomialDecayLR(_Formula):
    """From ``learning_rate`` to ``end_learning_rate`` as (1 - step / decay_steps) ^ power, then the end rate.

    ``update_decay_steps`` stretches the decay to the next multiple of ``decay_steps`` in place of ending it.
    ``mindspore.nn.PolynomialDecayLR``.
    """

    def __init__(self, learning_rate, end_learning_rate, decay_steps, power,
                 update_decay_steps=False) -> None:
        super().__init__()
        validator.check_positive_float(learning_rate, "learning_rate")
        validator.check_is_float(learning_rate, "learning_rate")
        _check_non_negative("PolynomialDecayLR", "end_learning_rate", end_learning_rate, self.cls_name)
        validator.check_positive_int(decay_steps, "decay_steps", self.cls_name)
        validator.check_value_type("update_decay_steps", update_decay_steps, [bool], self.cls_name)
        validator.check_positive_float(power, "power", self.cls_name)
        validator.check_is_float(power, "power", self.cls_name)
        self.decay_steps = decay_steps
        self.start_learning_rate = learning_rate
        self.end_learning_rate = end_learning_rate
        self.diff_learning_rate = learning_rate - end_learning_rate
        self.power = power
        self.update_decay_steps = update_decay_steps

    def _at(self, step):
        if self.update_decay_steps:
            last = (step / self.decay_steps).ceil().clamp(min=1) * self.decay_steps
        else:
            step, last = step.clamp(max=self.decay_steps), self.decay_steps
        return torch.pow(1.0 - step / last, self.power) * self.diff_learning_rate + self.end_learning_rate


class WarmUpLR(_Formula):
    """From 0 up to ``learning_rate`` in ``warmup_steps`` equal steps, then constant
    (``mindspore.nn.WarmUpLR``)."""

    def __init__(self, learning_rate, warmup_steps) -> None:
        super().__init__()
        _check_non_negative("WarmUpLR", "learning_rate", learning_rate, self.cls_name)
        validator.check_positive_int(warmup_steps, "warmup_steps", self.cls_name)
        self.warmup_steps = warmup_steps
        self.learning_rate = learning_rate

    def _at(self, step):
        return step.clamp(max=self.warmup_steps) / self.warmup_steps * self.learning_rate


def _check_non_negative(owner: str, name: str, value, cls_name: str) -> None:
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the argument '{name}' must be type of float, but got '{name}' type: "
                        f"{type(value)}.")
    validator.check_non_negative_float(value, name, cls_name)
