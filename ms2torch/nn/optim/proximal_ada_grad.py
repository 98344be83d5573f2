"""ProximalAdagrad (``mindspore.nn.ProximalAdagrad``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor

from ._half import in_single
from ._mixed import refuse_cast
from .optimizer import Optimizer, opt_init_args_register


class ProximalAdagrad(Optimizer):
    """Adagrad with L1 and L2 penalties: with r = lr / sqrt(s) and q = p - r * g,

    p = sign(q) * max(|q| - r * l1, 0) / (1 + r * l2). State: ``accum.*``. torch has no counterpart.
    """

    _operator = "ApplyProximalAdagrad"
    _unlike = ("For '{operator}', evaluator arg 'grad' must have the same shape as 'var'. "
               "But got 'grad' shape: {grad}, 'var' shape: {var}.")
    _gathers = True

    _written = "the argument[var]'s data type of primitive[ApplyProximalAdagrad]"
    _for_mixed = refuse_cast("the argument[accum]'s data type of primitive[ApplyProximalAdagrad]")

    @opt_init_args_register
    def __init__(self, params, accum=0.1, learning_rate=0.001, l1=0.0, l2=0.0, use_locking=False,
                 loss_scale=1.0, weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        name = self.cls_name
        for what, value in (("accum", accum), ("l1", l1), ("l2", l2)):
            validator.check_value_type(what, value, [float], name)
        validator.check_value_type("use_locking", use_locking, [bool], name)
        for what, value in (("accum", accum), ("l1", l1), ("l2", l2)):
            validator.check_non_negative_float(value, what, name)
        self.accum = self.parameters.clone(prefix="accum", init=accum)
        self.l1, self.l2 = Tensor(l1, _dtype.float32), Tensor(l2, _dtype.float32)
        self.use_locking = use_locking
        self._penalties = (l1, l2)

    def construct(self, grads):
        return self._update(grads, in_single(partial(_proximal_adagrad, *self._penalties)), self.accum)

    @Optimizer.target.setter
    def target(self, value) -> None:
        if not isinstance(value, str):
            raise TypeError("For 'ProximalAdagrad', the property 'target' must be string type, "
                            f"but got {type(value)}")
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError("For 'ProximalAdagrad', the property 'target' must be 'CPU', 'Ascend' or 'GPU', "
                             f"but got {value}.")
        self._target = value


def _proximal_adagrad(l1, l2, params, grads, accum, rate, _) -> None:
    torch._foreach_addcmul_(accum, grads, grads, 1)
    rates = torch._foreach_reciprocal(torch._foreach_sqrt(accum))
    torch._foreach_mul_(rates, rate)
    torch._foreach_addcmul_(params, grads, rates, -1)
    if l1:
        size = torch._foreach_abs(params)
        torch._foreach_add_(size, rates, alpha=-l1)
        torch._foreach_clamp_min_(size, 0.0)
        torch._foreach_sign_(params)
        torch._foreach_mul_(params, size)
    if l2:
        torch._foreach_mul_(rates, l2)
        torch._foreach_add_(rates, 1.0)
        torch._foreach_div_(params, rates)
