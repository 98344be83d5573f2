"""Adamax (``mindspore.experimental.optim.Adamax``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.optim._undo import atomic, renew

from .optimizer import Optimizer, check_betas, check_not_less_than, check_not_less_than_without_equal


class Adamax(Optimizer):
    """u = max(b2 * u, |g| + eps); p -= lr / (1 - b1^t) * m / u. As torch's Adamax, not as ``nn.AdaMax``.

    State: ``step_t``, ``exp_avg.*`` (m), ``exp_inf.*`` (u).
    """

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize=False
    ) -> None:
        name = type(self).__name__
        check_not_less_than_without_equal(lr, "lr", name)
        check_not_less_than(weight_decay, "weight_decay", name)
        check_not_less_than_without_equal(eps, "eps", name)
        check_betas(betas, name)
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        )
        self.step_t = Parameter(Tensor(0, _dtype.int32), "step_t")
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_inf = self.parameters.clone(prefix="exp_inf", init="zeros")

    def construct(self, gradients):
        kernel = partial(_adamax, self._counted(self.step_t))
        return self._update(gradients, kernel, self.exp_avg, self.exp_inf)


@atomic
def _adamax(step, group, params, grads, first, largest, rate) -> None:
    beta1, beta2 = group["betas"]
    mean = torch._foreach_lerp(first, grads, 1 - beta1)
    most = torch._foreach_mul(largest, beta2)
    sizes = torch._foreach_abs(grads)
    torch._foreach_add_(sizes, group["eps"])
    torch._foreach_maximum_(most, sizes)
    torch._foreach_addcdiv_(params, mean, most, -rate / (1 - beta1**step))
    renew((first, mean), (largest, most))
