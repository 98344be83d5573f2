"""LAMB (``mindspore.nn.Lamb``)."""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np
import torch

from ms2torch._core.tensor.tensor import Tensor

from ._mixed import refuse_two_dtypes
from ._undo import atomic, renew
from .adam import check_hyper, hyper
from .optimizer import Optimizer, opt_init_args_register


class Lamb(Optimizer):
    """Adam whose step for each parameter is as long as the parameter: p -= lr * |p| / |u| * u,

    u = m' / (sqrt(v') + eps) + weight_decay * p with bias-corrected m' and v'; the ratio is 1 where a norm is
    0. State: ``lamb_m.*``, ``lamb_v.*``. There is no loss scale. torch has no counterpart.
    """

    _hyper_map = True
    _by_elements = False
    _for_mixed = refuse_two_dtypes("Lamb", "m", "var")

    @opt_init_args_register
    def __init__(self, params, learning_rate, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay)
        check_hyper(beta1, beta2, eps, self.cls_name)
        self.beta1 = Tensor(np.array([beta1], np.float32))
        self.beta2 = Tensor(np.array([beta2], np.float32))
        self.eps = Tensor(np.array([eps], np.float32))
        self.params = self.parameters
        self.moments1 = self.parameters.clone(prefix="lamb_m", init="zeros")
        self.moments2 = self.parameters.clone(prefix="lamb_v", init="zeros")

    _hyper = cached_property(hyper)

    def construct(self, gradients):
        kernel = partial(_lamb, self._hyper, int(self._host(self.global_step)) + 1)
        return self._update(self.gradients_centralization(gradients), kernel, self.moments1, self.moments2,
                            prepare=False)


@atomic
def _lamb(hyper, step, params, grads, first, second, rate, decay) -> None:
    beta1, beta2, eps = hyper
    mean = torch._foreach_lerp(first, grads, 1 - beta1)
    square = torch._foreach_mul(second, beta2)
    torch._foreach_addcmul_(square, grads, grads, 1 - beta2)
    below = torch._foreach_div(square, 1 - beta2 ** step)
    torch._foreach_sqrt_(below)
    torch._foreach_add_(below, eps)
    ahead = torch._foreach_div(mean, 1 - beta1 ** step)
    torch._foreach_div_(ahead, below)
    if decay:
        torch._foreach_add_(ahead, params, alpha=decay)
    lengths, moves = torch.stack(torch._foreach_norm(params)), torch.stack(torch._foreach_norm(ahead))
    ratio = torch.where((lengths > 0) & (moves > 0), lengths / moves, 1.0).to(lengths.dtype) * rate
    torch._foreach_mul_(ahead, list(ratio.unbind()))
    torch._foreach_sub_(params, ahead)
    renew((first, mean), (second, square))
