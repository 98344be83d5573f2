"""FTRL (``mindspore.nn.FTRL``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.tensor.dtype import float16

from ._mixed import cannot_widen, refuse_cast
from ._rows import in_turn
from ._undo import atomic, renew
from .optimizer import Optimizer, opt_init_args_register


class FTRL(Optimizer):
    """Follow the regularized leader, with L1 and L2 penalties; the rate is one constant float.

    With a' = a + g^2 and k = -lr_power: z += g - (a'^k - a^k) / lr * p; p = 0 where |z| <= l1, else (sign(z)
    * l1 - z) / (a'^k / lr + 2 * l2). State: ``moments.*`` (a), ``linear.*`` (z). Weight decay applies to all
    parameters. ValueError for groups with rates and rates by step, TypeError for a step of float16
    parameters. torch has no counterpart.
    """

    _operator = "ApplyFtrl"
    _unlike = ("For '{operator}', evaluator arg 'grad' must have the same shape as 'var'. "
               "But got 'grad' shape:  {grad}, 'var' shape: {var}.")
    _gathers = True

    _written = "the argument[var]'s data type of primitive[ApplyFtrl]"
    _for_mixed = refuse_cast("the argument[accum]'s data type of primitive[ApplyFtrl]")

    _of_rows = staticmethod(in_turn)

    @opt_init_args_register
    def __init__(self, params, initial_accum=0.1, learning_rate=0.001, lr_power=-0.5, l1=0.0, l2=0.0,
                 use_locking=False, loss_scale=1.0, weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale=loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ValueError("For 'FTRL', dynamic learning rate and group learning rate are currently not "
                             "supported in FTRL, they should all be false, but got dynamic learning rate "
                             f"{self.dynamic_lr} and group learning rate {self.is_group_lr}.")
        name = self.cls_name
        validator.check_value_type("initial_accum", initial_accum, [float], name)
        validator.check_number("initial_accum", initial_accum, 0.0, validator.GE, name)
        validator.check_value_type("learning_rate", learning_rate, [float], name)
        validator.check_positive_float(learning_rate, "learning_rate", name)
        for what, value, relation in (("lr_power", lr_power, validator.LE), ("l1", l1, validator.GE),
                                      ("l2", l2, validator.GE)):
            validator.check_value_type(what, value, [float], name)
            validator.check_number(what, value, 0.0, relation, name)
        validator.check_value_type("use_locking", use_locking, [bool], name)
        self.moments = self.parameters.clone(prefix="moments", init=initial_accum)
        self.linear = self.parameters.clone(prefix="linear", init="zeros")
        self.l1, self.l2, self.lr, self.lr_power = l1, l2, learning_rate, lr_power
        self.use_locking = use_locking
        if not self.is_group:
            self.decay_flags = (True,) * self.param_length
            self._buckets = self._make_buckets(self._preprocess_weight_decay(weight_decay))

    def construct(self, grads):
        if any(p.dtype is float16 for p in self.parameters):        # the rate is a float32
            raise cannot_widen(self._written, torch.float16, torch.float32)
        kernel = partial(_ftrl, self.l1, self.l2, -self.lr_power)
        return self._update(grads, kernel, self.moments, self.linear)

    @Optimizer.target.setter
    def target(self, value) -> None:
        if not isinstance(value, str):
            raise TypeError("For 'FTRL', the property 'target' must be string type, but got type "
                            f"{type(value)}.")
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError("For 'FTRL', the property 'target' must be 'CPU', 'Ascend' or 'GPU', "
                             f"but got {value}.")
        self._is_device = value != "CPU"
        self._target = value


@atomic
def _ftrl(l1, l2, power, params, grads, moments, linear, rate, _) -> None:
    before = torch._foreach_pow(moments, power)
    gathered = torch._foreach_addcmul(moments, grads, grads, 1)
    after = torch._foreach_pow(gathered, power)
    torch._foreach_sub_(before, after)
    torch._foreach_div_(before, rate)
    found = torch._foreach_addcmul(linear, before, params, 1)
    torch._foreach_add_(found, grads)
    torch._foreach_div_(after, rate)
    torch._foreach_add_(after, 2 * l2)
    # sign(z) * l1 - z is 0 where |z| <= l1 once |z| is clamped from below to l1.
    size = torch._foreach_abs(found)
    torch._foreach_clamp_min_(size, l1)
    torch._foreach_sub_(size, l1)
    torch._foreach_div_(size, after)
    torch._foreach_mul_(size, torch._foreach_sign(found))
    torch._foreach_neg_(size)
    torch._foreach_copy_(params, size)
    renew((moments, gathered), (linear, found))
