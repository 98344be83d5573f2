"""AdamW (``mindspore.experimental.optim.AdamW``)."""

from __future__ import annotations

from functools import partial

import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.optim._undo import atomic

from .adam import adam_options, graph_betas
from .optimizer import Optimizer


class AdamW(Optimizer):
    """Adam with decoupled weight decay, torch's AdamW: p -= lr * decay * p, then Adam's step.

    The step is lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps); ``amsgrad`` takes the largest v so
    far. State: ``exp_avg.*``, ``exp_avg_sq.*``, ``max_exp_avg_sq.*``, ``state_step``.
    """

    _adds_decay = False

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
    ) -> None:
        super().__init__(params, adam_options(lr, betas, eps, weight_decay, amsgrad, maximize))
        self._make_state()

    def _make_state(self) -> None:
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self.max_exp_avg_sq = self.parameters.clone(prefix="max_exp_avg_sq", init="zeros")
        self.state_step = Parameter(Tensor(0, _dtype.int32), "state_step")

    def construct(self, gradients):
        kernel = partial(adamw_kernel, self._counted(self.state_step))
        return self._update(gradients, kernel, self.exp_avg, self.exp_avg_sq, self.max_exp_avg_sq)


class SpeedAdamW(AdamW):
    """AdamW by the ``ApplyAdamW`` kernel: the same step; ``amsgrad`` is refused when the step is taken.

    MindSpore has the kernel on Ascend only. State: ``exp_avg.*``, ``exp_avg_sq.*``, ``state_step``.
    """

    def _make_state(self) -> None:
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self.state_step = Parameter(Tensor([0], _dtype.float32), "state_step")

    def construct(self, gradients):
        if any(group["amsgrad"] for group in self.param_groups):
            raise ValueError("For SpeedAdamW, the value of amsgrad can only be False.")
        kernel = partial(adamw_kernel, self._counted(self.state_step))
        return self._update(gradients, kernel, self.exp_avg, self.exp_avg_sq)


@atomic
def adamw_kernel(step, group, params, grads, first, second, *largest_rate) -> None:
    """One step of torch's AdamW."""
    *largest, rate = largest_rate
    beta1, beta2 = graph_betas(group)
    amsgrad = bool(group["amsgrad"])
    at = torch.full((), step, dtype=torch.float32, device=params[0].device)
    torch._fused_adamw_(
        params,
        grads,
        first,
        second,
        largest[0] if amsgrad else [],
        [at] * len(params),
        lr=rate,
        beta1=beta1,
        beta2=beta2,
        weight_decay=group["weight_decay"],
        eps=group["eps"],
        amsgrad=amsgrad,
        maximize=False,
    )
