"""SGD (``mindspore.nn.SGD``)."""

from __future__ import annotations

import torch

from ms2torch._core import dtype as _dtype
from ms2torch._core.tensor import Tensor
from ms2torch.common.parameter import Parameter

from .optimizer import Optimizer, opt_init_args_register


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum where asked for.

    v = momentum * v + (1 - dampening) * g, at the first step v = g; p -= lr * v, with ``nesterov`` p -= lr * (g + momentum * v).
    Parameters in its state: ``accum.*`` and ``stat.*`` (1 until the first step). Raises TypeError and ValueError for bad
    hyperparameters. torch's SGD has the same formula.
    """

    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False,
                 loss_scale=1.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        momentum = _checked("momentum", momentum)
        dampening = _checked("dampening", dampening)
        if not isinstance(nesterov, bool):
            raise TypeError(f"For 'SGD', the type of 'nesterov' must be bool, but got {type(nesterov).__name__}.")
        if nesterov and (momentum <= 0.0 or dampening != 0.0):
            raise ValueError("For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must "
                             f"equal to 0.0, but got 'momentum' {momentum}, 'dampening' {dampening}.")
        if self.dynamic_weight_decay:
            raise TypeError("For 'SGD', dynamic weight decay is currently not supported, the argument 'weight_decay' "
                            "or 'weight_decay' set in grouped 'params' must be float or int type.")
        self.dampening, self.nesterov = dampening, nesterov
        self.momentum = Parameter(Tensor(momentum, _dtype.float32), name="momentum")
        self.accum = self.parameters.clone(prefix="accum", init="zeros")
        self.stat = self.parameters.clone(prefix="stat", init="ones")
        self._fresh = None

    def construct(self, gradients):
        raw = self._raw(gradients)
        step = self._step()
        momentum = self._host(self.momentum)
        first = momentum > 0 and self._is_first()
        for bucket in self._buckets:
            places = bucket.places
            params = [self.parameters[i]._rest for i in places]
            grads = [raw[i] for i in places]
            rate = self._rate(bucket.rate, step)
            torch._fused_sgd_(params, grads, [self.accum[i]._rest for i in places] if momentum else [],
                              weight_decay=0.0, momentum=momentum, lr=rate, dampening=self.dampening,
                              nesterov=self.nesterov, maximize=False, is_first_step=first)
            torch.autograd.graph.increment_version(params)
        if first:
            torch._foreach_zero_([s._rest for s in self.stat])
            self.__dict__["_fresh"] = False
        return True

    def _is_first(self) -> bool:
        # ``stat`` is 1 before the first step, also when it came from a checkpoint.
        if self._fresh is None:
            self.__dict__["_fresh"] = bool(self.stat[0]._rest.any())
        return self._fresh


def _checked(name: str, value) -> float:
    value = float(value) if isinstance(value, int) else value
    if not isinstance(value, float):
        raise TypeError(f"For 'SGD', the argument '{name}' must be float type, but got {type(value)}.")
    if value < 0.0:
        raise ValueError(f"For 'SGD', the argument '{name}' must be at least 0.0, but got {value}.")
    return value
