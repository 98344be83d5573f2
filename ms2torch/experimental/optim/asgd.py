"""ASGD (``mindspore.experimental.optim.ASGD``)."""

from __future__ import annotations

from functools import partial
from math import inf

import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

from .optimizer import Optimizer, check_not_less_than, check_not_less_than_without_equal


class ASGD(Optimizer):
    """Averaged gradient descent: p = p * (1 - lambd * eta) - eta * g, eta = lr / (1 + lambd * lr * t)^alpha.

    From step ``t0`` on ``ax`` averages the parameters. As torch's. State: ``ax.*``, ``step_t``, and the lists
    ``mu`` and ``eta``.
    """

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False
    ) -> None:
        name = type(self).__name__
        check_not_less_than_without_equal(lr, "lr", name)
        check_not_less_than(weight_decay, "weight_decay", name)
        for key, value in (("lambd", lambd), ("t0", t0)):
            if not isinstance(value, float):
                raise TypeError(f"For 'ASGD', the type of {key} must be float, but got {type(value)}.")
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )
        self.mu = [Parameter(Tensor(1.0), "mu_" + p.name) for p in self.parameters]
        self.eta = [Parameter(Tensor(0.0), "eta_" + p.name) for p in self.parameters]
        self.ax = self.parameters.clone(prefix="ax", init="zeros")
        self.step_t = Parameter(Tensor(0, _dtype.int32), "step_t")

    def construct(self, gradients):
        kernel = partial(_asgd, self._counted(self.step_t))
        return self._update(gradients, kernel, self.mu, self.eta, self.ax)


def _asgd(step, group, params, grads, mus, etas, averages, rate) -> None:
    # A group's parameters share one rate, hence one eta and one mu.
    eta, mu = (rate if step == 1 else float(etas[0])), float(mus[0])
    torch._foreach_mul_(params, 1.0 - group["lambd"] * eta)
    torch._foreach_sub_(params, torch._foreach_mul(grads, eta))
    if mu == 1:
        torch._foreach_copy_(averages, params)
    else:
        torch._foreach_lerp_(averages, params, mu)
    for kept, value in (
        (etas, rate / _power(1.0 + group["lambd"] * rate * step, group["alpha"])),
        (mus, 1.0 / max(1.0, step - group["t0"])),
    ):
        torch._foreach_zero_(kept)
        torch._foreach_add_(kept, value)


def _power(base: float, exponent: float) -> float:
    try:
        return base ** exponent
    except OverflowError:               # infinite, in tensors
        return inf
