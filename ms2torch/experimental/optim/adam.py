"""Adam (``mindspore.experimental.optim.Adam``)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.optim._undo import atomic
from ms2torch.nn.optim.adam import adam_kernel

from .optimizer import Optimizer


def adam_options(lr, betas, eps, weight_decay, amsgrad, maximize) -> dict:
    """The defaults of Adam's family; ValueError in MindSpore's words for bad ones."""
    if lr < 0.0:
        raise ValueError(f"Invalid learning rate: {lr}")
    if eps < 0.0:
        raise ValueError(f"Invalid epsilon value: {eps}")
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
    if weight_decay < 0.0:
        raise ValueError(f"Invalid weight_decay value: {weight_decay}")
    return {
        "lr": lr,
        "betas": betas,
        "eps": eps,
        "weight_decay": weight_decay,
        "amsgrad": amsgrad,
        "maximize": maximize,
    }


def graph_betas(group) -> tuple[float, float]:
    """The betas as MindSpore's step has them, which is a graph: numbers of 32 bits."""
    beta1, beta2 = map(np.float32, group["betas"])
    return float(beta1), float(beta2)


class Adam(Optimizer):
    """Adam as ``nn.Adam`` computes it: p -= lr * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps).

    torch's Adam adds its epsilon after the correction of v. ``amsgrad`` changes nothing: MindSpore 2.10 keeps
    the state for it and does not use it. State: ``exp_avg.*``, ``exp_avg_sq.*``, ``max_exp_avg_sq.*``,
    ``state_step``.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.0,
        amsgrad=False,
        *,
        maximize=False,
    ) -> None:
        super().__init__(params, adam_options(lr, betas, eps, weight_decay, amsgrad, maximize))
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self.max_exp_avg_sq = self.parameters.clone(prefix="max_exp_avg_sq", init="zeros")
        self.state_step = Parameter(Tensor(0, _dtype.int32), "state_step")

    def construct(self, gradients):
        kernel = partial(_adam, self._late, self._counted(self.state_step))
        return self._update(gradients, kernel, self.exp_avg, self.exp_avg_sq)


@atomic
def _adam(late, step, group, params, grads, first, second, rate) -> None:
    beta1, beta2 = map(np.float32, group["betas"])
    power1, power2 = float(beta1 ** np.float32(step)), float(beta2 ** np.float32(step))
    hyper = float(beta1), float(beta2), float(np.float32(group["eps"]))
    adam_kernel(
        late, hyper, math.sqrt(1.0 - power2) / (1.0 - power1), params, grads, first, second, rate, 0.0
    )
