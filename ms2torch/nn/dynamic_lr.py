"""Learning rates as lists with one for each step (``mindspore.nn.dynamic_lr``), constant within an epoch.

In all of them ``total_step`` is the length of the list and an epoch has ``step_per_epoch`` steps. TypeError
and ValueError for arguments that are not positive numbers.
"""

from __future__ import annotations

import math

from ms2torch import _checkparam as validator

__all__ = ["cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr",
           "piecewise_constant_lr", "polynomial_decay_lr", "warmup_lr"]


def piecewise_constant_lr(milestone, learning_rates) -> list[float]:
    """``learning_rates[i]`` until step ``milestone[i]``; ValueError unless the milestones rise."""
    validator.check_value_type("milestone", milestone, (tuple, list))
    validator.check_value_type("learning_rates", learning_rates, (tuple, list))
    if len(milestone) != len(learning_rates):
        raise ValueError("For 'piecewise_constant_lr', the size of 'milestone' must be same with the size of "
                         f"'learning_rates', but got 'milestone' size: {len(milestone)}, "
                         f"'learning_rates' size: {len(learning_rates)}.")
    rates: list[float] = []
    for i, (end, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        validator.check_positive_int(end, f"milestone[{i}]")
        validator.check_is_float(rate, f"learning_rates[{i}]")
        if end < len(rates):
            raise ValueError(f"For 'piecewise_constant_lr', the value of milestone[{i}] must be greater than "
                             f"milestone[{i - 1}], but got milestone[{i}]: {end}, "
                             f"milestone[{i - 1}]: {milestone[i - 1]}.")
        rates += [rate] * (end - len(rates))
    return rates


def exponential_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch,
                         is_stair=False) -> list[float]:
    """learning_rate * decay_rate ^ (epoch / decay_epoch); ``is_stair`` rounds the exponent down."""
    _check_decay(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair)
    periods = _stair(decay_epoch, is_stair)
    return [learning_rate * decay_rate ** periods(epoch) for epoch in _epochs(total_step, step_per_epoch)]


def natural_exp_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch,
                         is_stair=False) -> list[float]:
    """learning_rate * e ^ (-decay_rate * epoch); ``is_stair`` rounds to multiples of ``decay_epoch``."""
    _check_decay(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair)
    width = decay_epoch if is_stair else 1
    return [learning_rate * math.e ** (-decay_rate * (epoch // width * width))
            for epoch in _epochs(total_step, step_per_epoch)]


def inverse_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch,
                     is_stair=False) -> list[float]:
    """learning_rate / (1 + decay_rate * epoch / decay_epoch); ``is_stair`` rounds the quotient down."""
    _check_decay(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair)
    if is_stair:
        return [learning_rate / (1 + decay_rate * (epoch // decay_epoch))
                for epoch in _epochs(total_step, step_per_epoch)]
    return [learning_rate / (1 + decay_rate * epoch / decay_epoch)
            for epoch in _epochs(total_step, step_per_epoch)]


def cosine_decay_lr(min_lr, max_lr, total_step, step_per_epoch, decay_epoch) -> list[float]:
    """Half a cosine from ``max_lr`` down to ``min_lr`` over ``decay_epoch`` epochs, then ``min_lr``."""
    _check_non_negative("cosine_decay_lr", "min_lr", min_lr)
    validator.check_positive_float(max_lr, "max_lr")
    validator.check_is_float(max_lr, "max_lr")
    _check_steps(total_step, step_per_epoch, decay_epoch)
    if min_lr >= max_lr:
        raise ValueError("For 'cosine_decay_lr', the 'max_lr' must be greater than the 'min_lr', "
                         f"but got 'max_lr' value: {max_lr}, 'min_lr' value: {min_lr}.")
    half = 0.5 * (max_lr - min_lr)
    return [min_lr + half * (1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch))
            for epoch in _epochs(total_step, step_per_epoch)]


def polynomial_decay_lr(learning_rate, end_learning_rate, total_step, step_per_epoch, decay_epoch, power,
                        update_decay_epoch=False) -> list[float]:
    """From ``learning_rate`` to ``end_learning_rate`` as (1 - epoch / decay_epoch) ^ power, then the end
    rate.

    ``update_decay_epoch`` stretches the decay to the next multiple of ``decay_epoch`` in place of ending it.
    """
    validator.check_positive_float(learning_rate, "learning_rate")
    validator.check_is_float(learning_rate, "learning_rate")
    _check_non_negative("polynomial_decay_lr", "end_learning_rate", end_learning_rate)
    validator.check_positive_float(power, "power")
    validator.check_is_float(power, "power")
    _check_steps(total_step, step_per_epoch, decay_epoch)
    validator.check_value_type("update_decay_epoch", update_decay_epoch, [bool])

    def progress(epoch):
        if update_decay_epoch:
            return epoch / (decay_epoch * max(math.ceil(epoch / decay_epoch), 1))
        return min(epoch, decay_epoch) / decay_epoch

    span = learning_rate - end_learning_rate
    return [span * (1 - progress(epoch)) ** power + end_learning_rate
            for epoch in _epochs(total_step, step_per_epoch)]


def warmup_lr(learning_rate, total_step, step_per_epoch, warmup_epoch) -> list[float]:
    """From 0 up to ``learning_rate`` over ``warmup_epoch`` epochs, then constant."""
    _check_non_negative("warmup_lr", "learning_rate", learning_rate)
    validator.check_positive_int(warmup_epoch, "warmup_epoch")
    validator.check_positive_int(total_step, "total_step")
    validator.check_positive_int(step_per_epoch, "step_per_epoch")
    return [learning_rate * min(epoch, warmup_epoch) / warmup_epoch
            for epoch in _epochs(total_step, step_per_epoch)]


def _epochs(total_step: int, step_per_epoch: int):
    return (step // step_per_epoch for step in range(total_step))


def _stair(decay_epoch: int, is_stair: bool):
    return (lambda epoch: epoch // decay_epoch) if is_stair else (lambda epoch: epoch / decay_epoch)


def _check_steps(total_step, step_per_epoch, decay_epoch) -> None:
    validator.check_positive_int(total_step, "total_step")
    validator.check_positive_int(step_per_epoch, "step_per_epoch")
    validator.check_positive_int(decay_epoch, "decay_epoch")


def _check_decay(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair) -> None:
    _check_steps(total_step, step_per_epoch, decay_epoch)
    validator.check_positive_float(learning_rate, "learning_rate")
    validator.check_is_float(learning_rate, "learning_rate")
    validator.check_positive_float(decay_rate, "decay_rate")
    validator.check_is_float(decay_rate, "decay_rate")
    validator.check_value_type("is_stair", is_stair, [bool])


def _check_non_negative(owner: str, name: str, value) -> None:
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the argument '{name}' must be type of float, but got '{name}' type: "
                        f"{type(value)}.")
    validator.check_non_negative_float(value, name, None)
