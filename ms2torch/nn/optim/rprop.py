"""Rprop (``mindspore.nn.Rprop``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch import _checkparam as validator

from .optimizer import Optimizer, opt_init_args_register


class Rprop(Optimizer):
    """Resilient backpropagation: every weight moves by its own step against the sign of its gradient.

    A step (at first the learning rate) grows by ``etas[1]`` where the sign stays, shrinks by ``etas[0]``
    where it changes (and the weight rests), within ``step_sizes``. State: ``prev.*``, ``step_size.*``. As
    torch's, but for the rate's default.
    """

    _gathers = _loops = True

    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, etas=(0.5, 1.2), step_sizes=(1e-6, 50.0),
                 weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay)
        if not isinstance(etas, tuple):
            raise TypeError(f"For Rprop, etas must be a tuple, but got {type(etas)}.")
        if len(etas) != 2:
            raise ValueError(f"For Rprop, etas must be a tuple with the size of 2, but got {len(etas)}.")
        if not isinstance(step_sizes, tuple):
            # (MindSpore names the type of etas here.)
            raise TypeError(f"For Rprop, step_sizes must be a tuple, but got {type(etas)}.")
        if len(step_sizes) != 2:
            raise ValueError("For Rprop, step_sizes must be a tuple with the size of 2, but got "
                             f"{len(step_sizes)}.")
        if step_sizes[0] > step_sizes[1]:
            raise ValueError("For Rprop, maximal step size should not be less than minimal step size, "
                             f"but got {step_sizes[0]} > {step_sizes[1]}.")
        name = self.cls_name
        validator.check_float_range(etas[0], 0.0, 1.0, validator.INC_NEITHER, "etaminus", name)
        validator.check_value_type("etaplus", etas[1], [float], name)
        if etas[1] <= 1.0:
            raise ValueError(f"For Rprop, etaplus must be greater than 1.0, but got etaplus {etas[1]}.")
        validator.check_value_type("min_step_sizes", step_sizes[0], [float], name)
        validator.check_value_type("max_step_sizes", step_sizes[1], [float], name)
        self.etaminus, self.etaplus = etas
        self.step_size_min, self.step_size_max = step_sizes
        self.prev = self.parameters.clone(prefix="prev", init="zeros")
        self.step_size = self.parameters.clone(prefix="step_size", init="zeros")

    def construct(self, gradients):
        first = self._host(self.global_step) == 0
        kernel = partial(rprop_kernel, first, self.etaminus, self.etaplus, self.step_size_min,
                         self.step_size_max)
        self._update(gradients, kernel, self.prev, self.step_size)
        return True


def rprop_kernel(first, shrink, grow, least, most, params, grads, before, steps, rate, _) -> None:
    if first:
        torch._foreach_zero_(steps)
        torch._foreach_add_(steps, rate)
    turns = torch._foreach_mul(grads, before)
    factors = [torch.where(t > 0, grow, torch.where(t < 0, shrink, 1.0)).to(t.dtype) for t in turns]
    torch._foreach_mul_(steps, factors)
    torch._foreach_clamp_min_(steps, least)
    torch._foreach_clamp_max_(steps, most)
    torch._foreach_copy_(before, [torch.where(t < 0, 0.0, g) for t, g in zip(turns, grads, strict=True)])
    torch._foreach_addcmul_(params, torch._foreach_sign(before), steps, -1)
