"""Adagrad (``mindspore.experimental.optim.Adagrad``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.optim._undo import atomic, renew

from .optimizer import Optimizer, check_not_less_than, check_not_less_than_without_equal


class Adagrad(Optimizer):
    """s += g^2; p -= lr / (1 + t * lr_decay) * g / (sqrt(s) + eps), t counting from 0. As torch's.

    State: ``accum.*`` (s, from ``initial_accumulator_value``), ``step_t``.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0.0,
        weight_decay=0.0,
        initial_accumulator_value=0.0,
        eps=1e-10,
        *,
        maximize=False,
    ) -> None:
        name = type(self).__name__
        check_not_less_than_without_equal(lr, "lr", name)
        check_not_less_than(lr_decay, "lr_decay", name)
        check_not_less_than(weight_decay, "weight_decay", name)
        check_not_less_than(initial_accumulator_value, "initial_accumulator_value", name)
        check_not_less_than_without_equal(eps, "eps", name)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "maximize": maximize,
            },
        )
        self.accum = self.parameters.clone(prefix="accum", init=initial_accumulator_value)
        self.step_t = Parameter(Tensor(0, _dtype.int32), "step_t")

    def construct(self, gradients):
        return self._update(gradients, partial(_adagrad, self._counted(self.step_t) - 1), self.accum)


@atomic
def _adagrad(step, group, params, grads, accum, rate) -> None:
    found = torch._foreach_addcmul(accum, grads, grads, 1)
    below = torch._foreach_sqrt(found)
    torch._foreach_add_(below, group["eps"])
    torch._foreach_addcdiv_(params, grads, below, -rate / (1 + step * group["lr_decay"]))
    renew((accum, found))
