"""Momentum (``mindspore.nn.Momentum``)."""

from __future__ import annotations

import torch

from ms2torch._core import dtype as _dtype
from ms2torch._core.tensor import Tensor
from ms2torch.common.parameter import Parameter

from .optimizer import Optimizer, opt_init_args_register


class Momentum(Optimizer):
    """Gradient descent with momentum: v = momentum * v + g; p -= lr * v (``use_nesterov``: p -= lr * (g + momentum * v)).

    Parameters in its state: ``momentum`` and ``moments.*``. TypeError where ``momentum`` is no float, ValueError where it is
    negative. torch's SGD with momentum and no dampening has the same formula.
    """

    @opt_init_args_register
    def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0, use_nesterov=False) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if not isinstance(momentum, float):
            raise TypeError(f"For 'Momentum', the type of 'momentum' should be one of '['float']', but got {momentum!r} "
                            f"with type '{type(momentum).__name__}'.")
        if momentum < 0.0:
            raise ValueError(f"For 'Momentum', the argument 'momentum' must be at least 0.0, but got {momentum}")
        if not isinstance(use_nesterov, bool):
            raise TypeError(f"For 'Momentum', the 'use_nesterov' must be a bool, but got {use_nesterov!r}.")
        self.momentum = Parameter(Tensor(momentum, _dtype.float32), name="momentum")
        self.params = self.parameters
        self.use_nesterov = use_nesterov
        self.moments = self.parameters.clone(prefix="moments", init="zeros")

    def construct(self, gradients):
        raw = self._raw(gradients)
        step = self._step()
        momentum = self._host(self.momentum)
        for bucket in self._buckets:
            places = bucket.places
            params = [self.parameters[i]._rest for i in places]
            torch._fused_sgd_(params, [raw[i] for i in places], [self.moments[i]._rest for i in places],
                              weight_decay=0.0, momentum=momentum, lr=self._rate(bucket.rate, step), dampening=0.0,
                              nesterov=self.use_nesterov, maximize=False, is_first_step=False)
            torch.autograd.graph.increment_version(params)
        return True
