"""Adadelta (``mindspore.nn.Adadelta``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.tensor.tensor import Tensor

from ._mixed import refuse_cast
from ._undo import atomic, renew
from .optimizer import Optimizer, opt_init_args_register


class Adadelta(Optimizer):
    """s = rho * s + (1 - rho) * g^2; d = sqrt((u + epsilon) / (s + epsilon)) * g; u = rho * u + (1 - rho) *
    d^2; p -= lr * d.

    State: ``accum.*`` (s), ``accum_update.*`` (u). As torch's. TypeError unless the gradients are a tuple of
    Tensors.
    """

    _operator = "ApplyAdadelta"
    _unlike = ("For '{operator}', 'var' and 'grad' must have the same shape when is not dynamic. "
               "But got 'var' shape: {var}, 'grad' shape: {grad}.")
    _gathers = True

    _written = ""
    _for_mixed = refuse_cast()

    @opt_init_args_register
    def __init__(self, params, learning_rate=1.0, rho=0.9, epsilon=1e-6, loss_scale=1.0,
                 weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        validator.check_value_type("rho", rho, [float], self.cls_name)
        validator.check_value_type("epsilon", epsilon, [float], self.cls_name)
        validator.check_float_range(rho, 0.0, 1.0, validator.INC_BOTH, "rho", self.cls_name)
        validator.check_non_negative_float(epsilon, "epsilon", self.cls_name)
        self.accum = self.parameters.clone(prefix="accum", init=0)
        self.accum_update = self.parameters.clone(prefix="accum_update", init=0)
        self.rho = rho
        self.epsilon = epsilon

    def construct(self, grads):
        if not isinstance(grads, tuple) or not isinstance(grads[0], Tensor):
            raise TypeError("For 'Adadelta', the 'grads' must be a tuple of Tensor.")
        kernel = partial(adadelta_kernel, self.rho, self.epsilon)
        return self._update(grads, kernel, self.accum, self.accum_update)


@atomic
def adadelta_kernel(rho, eps, params, grads, squares, updates, rate, _) -> None:
    square = torch._foreach_mul(squares, rho)
    torch._foreach_addcmul_(square, grads, grads, 1 - rho)
    ahead = torch._foreach_sqrt(torch._foreach_add(updates, eps))
    torch._foreach_div_(ahead, torch._foreach_sqrt(torch._foreach_add(square, eps)))
    torch._foreach_mul_(ahead, grads)
    update = torch._foreach_mul(updates, rho)
    torch._foreach_addcmul_(update, ahead, ahead, 1 - rho)
    torch._foreach_mul_(ahead, rate)
    torch._foreach_sub_(params, ahead)
    renew((squares, square), (updates, update))
