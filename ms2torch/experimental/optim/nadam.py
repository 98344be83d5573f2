"""NAdam (``mindspore.experimental.optim.NAdam``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.optim._undo import atomic, renew

from .adam import graph_betas
from .optimizer import Optimizer, check_betas, check_not_less_than, check_not_less_than_without_equal


class NAdam(Optimizer):
    """Adam that looks one momentum step ahead, with mu_t = b1 * (1 - 0.96^(t * momentum_decay) / 2).

    As torch's. State: ``step_t``, ``exp_avg.*``, ``exp_avg_sq.*``, and the list ``mu_product``.
    """

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3
    ) -> None:
        name = type(self).__name__
        check_not_less_than_without_equal(lr, "lr", name)
        check_not_less_than_without_equal(eps, "eps", name)
        check_not_less_than(weight_decay, "weight_decay", name)
        check_not_less_than(momentum_decay, "momentum_decay", name)
        check_betas(betas, name)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum_decay": momentum_decay,
            },
        )
        self.step_t = Parameter(Tensor(0, _dtype.int32), "step_t")
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self.mu_product = [Parameter(Tensor(1.0), "mu_product_" + p.name) for p in self.parameters]

    def construct(self, gradients):
        kernel = partial(_nadam, self._counted(self.step_t))
        return self._update(gradients, kernel, self.exp_avg, self.exp_avg_sq, self.mu_product)


@atomic
def _nadam(step, group, params, grads, first, second, products, rate) -> None:
    beta1, beta2 = graph_betas(group)
    mu, ahead = (beta1 * (1.0 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
    multiplied = torch._foreach_mul(products, mu)
    product = float(multiplied[0])  # a group's parameters share it
    mean = torch._foreach_lerp(first, grads, 1 - beta1)
    square = torch._foreach_mul(second, beta2)
    torch._foreach_addcmul_(square, grads, grads, 1 - beta2)
    below = torch._foreach_div(square, 1 - beta2**step)
    torch._foreach_sqrt_(below)
    torch._foreach_add_(below, group["eps"])
    moved = torch._foreach_addcdiv(params, grads, below, -rate * (1.0 - mu) / (1.0 - product))
    torch._foreach_addcdiv_(moved, mean, below, -rate * ahead / (1.0 - product * ahead))
    torch._foreach_copy_(params, moved)
    renew((first, mean), (second, square), (products, multiplied))
