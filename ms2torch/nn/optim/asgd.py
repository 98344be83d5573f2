"""ASGD (``mindspore.nn.ASGD``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter, ParameterTuple

from ._half import in_single
from .optimizer import Optimizer, opt_init_args_register


class ASGD(Optimizer):
    """Averaged gradient descent: p = p * (1 - lambd * eta) - eta * g, eta = lr / (1 + lambd * lr * t)^alpha.

    From step ``t0`` on ``ax`` averages the parameters. State: ``mu_*``, ``eta_*`` and ``ax_.*``. As torch's.
    """

    _gathers = _loops = True

    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, value in (("lambd", lambd), ("alpha", alpha), ("t0", t0)):
            validator.check_value_type(name, value, [float], self.cls_name)
        self.lambd = lambd
        self.alpha = alpha
        self.t0 = Tensor([t0], dtype=_dtype.float32)
        self._start = t0
        self.lens = self.param_length
        self.mu = ParameterTuple(Parameter(Tensor(1.0, _dtype.float32), name=f"mu_{p.name}")
                                 for p in self.parameters)
        self.eta = ParameterTuple(Parameter(Tensor(0.0, _dtype.float32), name=f"eta_{p.name}")
                                  for p in self.parameters)
        self.ax = self.parameters.clone(prefix="ax_", init="zeros")

    def construct(self, gradients):
        step = int(self._host(self.global_step)) + 1
        place = 0

        def kernel(params, grads, averages, mus, etas, rate, _):
            nonlocal place
            # All parameters of a bucket share one rate, hence one eta and one mu.
            one = self._buckets[place].places[0]
            place += 1
            eta = rate if step == 1 else self._host(self.eta[one])
            mu = self._host(self.mu[one])
            torch._foreach_mul_(params, 1.0 - self.lambd * eta)
            torch._foreach_sub_(params, torch._foreach_mul(grads, eta))
            if mu == 1:
                torch._foreach_copy_(averages, params)
            else:
                torch._foreach_lerp_(averages, params, mu)
            self._note(one, etas, self.eta, rate / (1.0 + self.lambd * rate * step) ** self.alpha)
            self._note(one, mus, self.mu, 1.0 / max(1.0, step - self._start))

        self._update(gradients, in_single(kernel), self.ax, self.mu, self.eta)
        return True

    def _note(self, one: int, tensors, kept, value) -> None:
        torch._foreach_zero_(tensors)
        torch._foreach_add_(tensors, value)
        if not isinstance(value, torch.Tensor):
            self._know(kept[one], value)
