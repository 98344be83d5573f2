"""Adadelta (``mindspore.experimental.optim.Adadelta``)."""

from __future__ import annotations

from ms2torch import _checkparam as validator
from ms2torch.nn.optim._undo import atomic
from ms2torch.nn.optim.adadelta import adadelta_kernel

from .optimizer import Optimizer, check_not_less_than, check_not_less_than_without_equal


class Adadelta(Optimizer):
    """s = rho * s + (1 - rho) * g^2; d = sqrt((u + eps) / (s + eps)) * g; u likewise from d^2; p -= lr * d.

    As torch's. State: ``accum.*`` (s), ``accum_update.*`` (u).
    """

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize=False) -> None:
        name = type(self).__name__
        check_not_less_than_without_equal(lr, "lr", name)
        check_not_less_than_without_equal(eps, "eps", name)
        check_not_less_than(weight_decay, "weight_decay", name)
        validator.check_float_range(rho, 0.0, 1.0, validator.INC_BOTH, "rho", name)
        super().__init__(
            params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        )
        self.accum = self.parameters.clone(prefix="accum", init=0)
        self.accum_update = self.parameters.clone(prefix="accum_update", init=0)

    def construct(self, gradients):
        return self._update(gradients, _adadelta, self.accum, self.accum_update)


@atomic
def _adadelta(group, params, grads, squares, updates, rate) -> None:
    adadelta_kernel(group["rho"], group["eps"], params, grads, squares, updates, rate, None)
