"""AdaMax (``mindspore.nn.AdaMax``)."""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np
import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

from ._gradients import EVALUATED
from ._half import in_single
from ._mixed import refuse_cast
from ._undo import atomic, renew
from .adam import check_hyper, hyper
from .optimizer import Optimizer, opt_init_args_register


class AdaMax(Optimizer):
    """Adam with the largest gradient so far in place of the mean square.

    v = max(beta2 * v, |g|), p -= lr / (1 - beta1^t) * m / (v + eps). State: ``beta1_power``, ``moment1.*``,
    ``moment2.*``. torch's Adamax adds its epsilon to |g| instead.
    """

    _operator, _unlike = "ApplyAdaMax", EVALUATED
    _gathers = True

    _written = ""
    _for_mixed = refuse_cast()

    @opt_init_args_register
    def __init__(self, params, learning_rate=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.0,
                 loss_scale=1.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_hyper(beta1, beta2, eps, self.cls_name)
        self.beta1 = Tensor(beta1, _dtype.float32)
        self.beta2 = Tensor(beta2, _dtype.float32)
        self.beta1_power = Parameter(Tensor(np.ones(1, np.float32)), name="beta1_power")
        self.eps = Tensor(eps, _dtype.float32)
        self.moment1 = self.parameters.clone(prefix="moment1", init="zeros")
        self.moment2 = self.parameters.clone(prefix="moment2", init="zeros")

    _hyper = cached_property(hyper)

    def construct(self, gradients):
        correction = 1.0 / (1.0 - self._power(self.beta1_power, self._hyper[0]))
        kernel = in_single(partial(_adamax, self._hyper, correction))
        return self._update(gradients, kernel, self.moment1, self.moment2)


@atomic
def _adamax(hyper, correction, params, grads, first, largest, rate, _) -> None:
    beta1, beta2, eps = hyper
    mean = torch._foreach_lerp(first, grads, 1 - beta1)
    most = torch._foreach_mul(largest, beta2)
    torch._foreach_maximum_(most, torch._foreach_abs(grads))
    ahead = torch._foreach_mul(mean, rate * -correction)
    torch._foreach_div_(ahead, torch._foreach_add(most, eps))
    torch._foreach_add_(params, ahead)
    renew((first, mean), (largest, most))
