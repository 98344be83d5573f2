"""Adam (``mindspore.mint.optim.Adam``)."""

from __future__ import annotations

from functools import partial

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.experimental.optim.adamw import adamw_kernel
from ms2torch.experimental.optim.optimizer import Optimizer

from .adamw import checked_options


class Adam(Optimizer):
    """torch's Adam: p -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps).

    ``amsgrad`` changes nothing: MindSpore 2.10 forgets the largest v after each step. State: ``exp_avg.*``,
    ``exp_avg_sq.*``, ``state_step``.
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
        super().__init__(
            params, checked_options(type(self).__name__, lr, betas, eps, weight_decay, amsgrad, maximize)
        )
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self.state_step = Parameter(Tensor([0], _dtype.float32), "state_step")

    def construct(self, gradients):
        kernel = partial(_adam, self._counted(self.state_step))
        return self._update(gradients, kernel, self.exp_avg, self.exp_avg_sq)


def _adam(step, group, *state) -> None:
    # The decay is in the gradients already; without one AdamW's step is Adam's.
    adamw_kernel(step, {**group, "weight_decay": 0.0, "amsgrad": False}, *state)
