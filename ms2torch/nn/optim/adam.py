"""Adam and AdamWeightDecay (``mindspore.nn.Adam``, ``mindspore.nn.AdamWeightDecay``)."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core import dtype as _dtype
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor import Tensor
from ms2torch.common.parameter import Parameter

from .optimizer import Optimizer, opt_init_args_register


def _check_hyper(beta1, beta2, eps, cls_name: str) -> None:
    for name, value in (("beta1", beta1), ("beta2", beta2), ("eps", eps)):
        if not isinstance(value, float):
            raise TypeError(f"For '{cls_name}', the type of '{name}' should be one of '['float']', but got {value!r} "
                            f"with type '{type(value).__name__}'.")
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        if not 0.0 < value < 1.0:
            raise ValueError(f"For '{cls_name}', the '{name}' must be in range of (0.0, 1.0), "
                             f"but got {value} with type 'float'.")
    if eps <= 0:
        raise ValueError(f"For '{cls_name}', the 'eps' must be float and must > 0, "
                         f"but got '{eps}' with type 'float'.")


class Adam(Optimizer):
    """Adam with MindSpore's epsilon: p -= lr_t * m / (sqrt(v) + eps), lr_t = lr * sqrt(1 - beta2^t) / (1 - beta1^t).

    (torch adds its epsilon after the bias correction of v.) ``use_amsgrad`` divides by the largest v so far,
    ``use_nesterov`` looks ahead by one momentum step. Parameters in its state: ``beta1_power``, ``beta2_power``,
    ``moment1.*``, ``moment2.*`` (``vhat.*``). ``use_lazy`` updates dense gradients as usual; ``use_offload`` is not supported.
    """

    @opt_init_args_register
    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0, use_amsgrad=False, **kwargs) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if set(kwargs) - {"use_lazy", "use_offload"}:
            raise KeyError("For 'Adam', invalid keys are passed as kwargs, supported keys are 'use_lazy' and"
                           f"'use_offload', but got {kwargs.keys()}.")
        _check_hyper(beta1, beta2, eps, self.cls_name)
        flags = {"use_locking": use_locking, "use_nesterov": use_nesterov, "use_amsgrad": use_amsgrad,
                 "use_lazy": kwargs.get("use_lazy", False), "use_offload": kwargs.get("use_offload", False)}
        for name, value in flags.items():
            if not isinstance(value, bool):
                raise TypeError(f"For '{self.cls_name}', the type of '{name}' should be one of '['bool']', "
                                f"but got {value!r} with type '{type(value).__name__}'.")
        if flags["use_lazy"] and flags["use_offload"]:
            raise ValueError("For 'Adam', 'use_lazy' and 'use_offload' can not both be True."
                             "But got use_lazy=True, use_offload=True.")
        if use_amsgrad and (flags["use_lazy"] or flags["use_offload"]):
            raise ValueError("For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'."
                             f"but got 'use_amsgrad'={use_amsgrad}.")
        if flags["use_offload"]:
            raise unsupported("mindspore.nn.Adam(use_offload=True)", "updating on the host is not supported.",
                              "leave use_offload out; the result is the same.")
        for name, value in flags.items():
            setattr(self, name, value)
        self.beta1 = Tensor(beta1, _dtype.float32)
        self.beta2 = Tensor(beta2, _dtype.float32)
        self.beta1_power = Parameter(Tensor(1.0, _dtype.float32), name="beta1_power")
        self.beta2_power = Parameter(Tensor(1.0, _dtype.float32), name="beta2_power")
        self.eps = Tensor(eps, _dtype.float32)
        self._hyper = tuple(float(np.float32(x)) for x in (beta1, beta2, eps))
        self.moment1 = self.parameters.clone(prefix="moment1", init="zeros")
        self.moment2 = self.parameters.clone(prefix="moment2", init="zeros")
        if use_amsgrad:
            self.vhat = self.parameters.clone(prefix="vhat", init="zeros")

    def construct(self, gradients):
        raw = self._raw(gradients)
        step = self._step()
        beta1, beta2, eps = self._hyper
        self.beta1_power._rest.mul_(beta1)
        self.beta2_power._rest.mul_(beta2)
        correction = math.sqrt(1.0 - beta2 ** (step + 1))
        for bucket in self._buckets:
            places = bucket.places
            params = [self.parameters[i]._rest for i in places]
            grads = [raw[i] for i in places]
            first, second = [self.moment1[i]._rest for i in places], [self.moment2[i]._rest for i in places]
            rate = self._rate(bucket.rate, step)
            if self.use_nesterov:
                _nesterov(params, grads, first, second, rate, step + 1, self._hyper)
                continue
            largest = [self.vhat[i]._rest for i in places] if self.use_amsgrad else []
            count = torch.full((), step + 1.0, dtype=torch.float32, device=params[0].device)
            # torch's fused kernel corrects v before it adds its epsilon: eps / correction there is MindSpore's eps.
            torch._fused_adam_(params, grads, first, second, largest, [count] * len(params), lr=rate, beta1=beta1,
                               beta2=beta2, weight_decay=0.0, eps=eps / correction, amsgrad=self.use_amsgrad,
                               maximize=False)
            torch.autograd.graph.increment_version(params)
        return True


def _nesterov(params, grads, first, second, rate, step: int, hyper) -> None:
    beta1, beta2, eps = hyper
    torch._foreach_lerp_(first, grads, 1 - beta1)
    torch._foreach_mul_(second, beta2)
    torch._foreach_addcmul_(second, grads, grads, 1 - beta2)
    rate = rate * math.sqrt(1 - beta2 ** step) / (1 - beta1 ** step)
    ahead = torch._foreach_mul(first, beta1)
    torch._foreach_add_(ahead, grads, alpha=1 - beta1)
    below = torch._foreach_sqrt(second)
    torch._foreach_add_(below, eps)
    torch._foreach_div_(ahead, below)
    torch._foreach_mul_(ahead, -rate)
    torch._foreach_add_(params, ahead)


class AdamWeightDecay(Optimizer):
    """Adam without bias correction and with decoupled weight decay, as BERT uses it.

    m and v as Adam's; p -= lr * (m / (sqrt(v) + eps) + weight_decay * p). Parameters with ``beta`` or ``gamma`` in their names
    do not decay unless groups say so. torch's AdamW corrects the bias; this one does not. State: ``adam_m.*``, ``adam_v.*``.
    """

    @opt_init_args_register
    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay)
        _check_hyper(beta1, beta2, eps, self.cls_name)
        self.beta1 = Tensor(np.array([beta1], np.float32))
        self.beta2 = Tensor(np.array([beta2], np.float32))
        self.eps = Tensor(np.array([eps], np.float32))
        self._hyper = tuple(float(np.float32(x)) for x in (beta1, beta2, eps))
        self.moments1 = self.parameters.clone(prefix="adam_m", init="zeros")
        self.moments2 = self.parameters.clone(prefix="adam_v", init="zeros")

    def construct(self, gradients):
        raw = self._laid_out([g._t for g in gradients])
        step = self._step()
        beta1, beta2, eps = self._hyper
        for bucket in self._buckets:
            places = bucket.places
            params = [self.parameters[i]._rest for i in places]
            # At a step this late the kernel's bias corrections are 1: none, as here.
            late = torch.full((), 1e30, dtype=torch.float32, device=params[0].device)
            torch._fused_adamw_(params, [raw[i] for i in places], [self.moments1[i]._rest for i in places],
                                [self.moments2[i]._rest for i in places], [], [late] * len(params),
                                lr=self._rate(bucket.rate, step), beta1=beta1, beta2=beta2,
                                weight_decay=self._decay_of(bucket), eps=eps, amsgrad=False, maximize=False)
            torch.autograd.graph.increment_version(params)
        return True
