"""RAdam (``mindspore.experimental.optim.RAdam``)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.optim._undo import atomic, renew

from .optimizer import Optimizer, check_betas, check_not_less_than, check_not_less_than_without_equal


class RAdam(Optimizer):
    """Adam whose step is rectified once the variance of its rate can be told (rho_t > 5), else plain
    momentum.

    rho_t is computed in float32, as MindSpore does: with b2 near 1 its first steps differ from torch's in the
    third digit. State: ``step_t``, ``exp_avg.*``, ``exp_avg_sq.*``.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0) -> None:
        name = type(self).__name__
        check_not_less_than_without_equal(lr, "lr", name)
        check_not_less_than(weight_decay, "weight_decay", name)
        check_not_less_than_without_equal(eps, "eps", name)
        check_betas(betas, name)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.step_t = Parameter(Tensor(0, _dtype.int32), "step_t")
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")

    def construct(self, gradients):
        kernel = partial(_radam, self._counted(self.step_t))
        return self._update(gradients, kernel, self.exp_avg, self.exp_avg_sq)


@atomic
def _radam(step, group, params, grads, first, second, rate) -> None:
    # MindSpore's step is a graph, in which numbers are of 32 bits: near a length of 5 it shows.
    one, two, t = np.float32(1), np.float32(2), np.float32(step)
    beta1, beta2 = map(np.float32, group["betas"])
    mean = torch._foreach_lerp(first, grads, float(one - beta1))
    square = torch._foreach_mul(second, float(beta2))
    torch._foreach_addcmul_(square, grads, grads, float(one - beta2))
    power = beta2**t
    correction1, correction2 = one - beta1**t, one - power
    longest = two / (one - beta2) - one
    length, longest = float(longest - two * t * power / correction2), float(longest)
    if length <= 5.0:
        torch._foreach_add_(params, mean, alpha=-rate / float(correction1))
        renew((first, mean), (second, square))
        return
    rectified = math.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
    below = torch._foreach_sqrt(square)
    torch._foreach_add_(below, group["eps"])
    scale = -rate / float(correction1) * math.sqrt(float(correction2)) * rectified
    torch._foreach_addcdiv_(params, mean, below, scale)
    renew((first, mean), (second, square))
