"""Adam, its variants and AdamWeightDecay (``mindspore.nn.optim.adam``)."""

from __future__ import annotations

import math
from functools import cached_property, partial

import numpy as np
import torch

from ms2torch import _checkparam as validator
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

from ._half import in_single, nearer
from ._mixed import cannot_widen, in_widest, refuse_two_dtypes
from ._rows import add_all, moments
from ._undo import atomic, renew
from .optimizer import Optimizer, opt_init_args_register


def check_hyper(beta1, beta2, eps, cls_name: str) -> None:
    """The checks of beta1, beta2 and eps that the optimizers of Adam's family share."""
    validator.check_value_type("beta1", beta1, [float], cls_name)
    validator.check_value_type("beta2", beta2, [float], cls_name)
    validator.check_value_type("eps", eps, [float], cls_name)
    validator.check_float_range(beta1, 0.0, 1.0, validator.INC_NEITHER, "beta1", cls_name)
    validator.check_float_range(beta2, 0.0, 1.0, validator.INC_NEITHER, "beta2", cls_name)
    validator.check_positive_float(eps, "eps", cls_name)


def hyper(optimizer) -> tuple[float, float, float]:
    """beta1, beta2 and eps as MindSpore's float32 has them; a subclass or a program may have set them."""
    return tuple(float(np.float32(float(x))) for x in (optimizer.beta1, optimizer.beta2, optimizer.eps))


class AdamBase(Optimizer):
    """What Adam, LazyAdam and AdamOffload share: their state and their step.

    ``power_shape`` is the shape of the two powers of beta in the state.
    """

    _written = ""
    _for_mixed = in_widest

    _kernel_decays = True
    use_amsgrad = use_lazy = False

    def _init_adam(self, beta1, beta2, eps, use_locking, use_nesterov, power_shape: tuple[int, ...]) -> None:
        self.beta1 = Tensor(beta1, _dtype.float32)
        self.beta2 = Tensor(beta2, _dtype.float32)
        self.beta1_power = Parameter(Tensor(np.ones(power_shape, np.float32)), name="beta1_power")
        self.beta2_power = Parameter(Tensor(np.ones(power_shape, np.float32)), name="beta2_power")
        self.eps = Tensor(eps, _dtype.float32)
        self.use_locking, self.use_nesterov = use_locking, use_nesterov
        self._nesterov = use_nesterov                           # the operator's, whatever is assigned later
        self.moment1 = self.parameters.clone(prefix="moment1", init="zeros")
        self.moment2 = self.parameters.clone(prefix="moment2", init="zeros")

    _hyper = cached_property(hyper)

    def construct(self, gradients):
        beta1, beta2, _ = self._hyper
        power1, power2 = self._power(self.beta1_power, beta1), self._power(self.beta2_power, beta2)
        correction = math.sqrt(1.0 - power2) / (1.0 - power1)
        self._sparse_steps(correction)
        if self._nesterov and not self.use_amsgrad:       # MindSpore's kernel with v's largest has none
            kernel = partial(_nesterov, self._hyper, correction)
            return self._update(gradients, kernel, self.moment1, self.moment2)
        slots = (self.moment1, self.moment2) + ((self.vhat,) if self.use_amsgrad else ())
        return self._update(gradients, partial(adam_kernel, self._late, self._hyper, correction), *slots)

    def _sparse_steps(self, correction: float) -> None:
        if not self.use_amsgrad:
            self.__dict__["_of_rows"] = (
                add_all if self.use_lazy else partial(moments, self._hyper, correction, self._nesterov))

    @Optimizer.target.setter
    def target(self, value) -> None:
        self._set_base_target(value)


@atomic
def adam_kernel(late, hyper, correction, params, grads, first, second, *largest_rate_decay) -> None:
    *largest, rate, decay = largest_rate_decay
    beta1, beta2, eps = hyper
    if params[0].dtype is torch.float16:
        if largest:
            raise cannot_widen("", torch.float16, torch.float32)
        # MindSpore goes by the difference from the last square: one that float16 could not hold makes a nan.
        torch._foreach_add_(second, torch._foreach_sub(second, second))
    # MindSpore adds its epsilon to the uncorrected root: the correction goes into the rate, none into the
    # kernel.
    torch._fused_adam_(params, grads, first, second, largest[0] if largest else [], late(params),
                       lr=rate * correction, beta1=beta1, beta2=beta2, weight_decay=decay, eps=eps,
                       amsgrad=bool(largest), maximize=False)


@atomic
def _nesterov(hyper, correction, params, grads, first, second, rate, decay) -> None:
    if params[0].dtype is torch.float16:
        step = in_single(partial(_nesterov, hyper, correction))
        return step(params, grads, first, second, rate, decay)
    beta1, beta2, eps = hyper
    if decay:
        grads = torch._foreach_add(grads, params, alpha=decay)
    mean = torch._foreach_lerp(first, grads, 1 - beta1)
    square = nearer(second, torch._foreach_mul(grads, grads), 1 - beta2)
    ahead = torch._foreach_mul(mean, beta1)
    torch._foreach_add_(ahead, grads, alpha=1 - beta1)
    below = torch._foreach_sqrt(square)
    torch._foreach_add_(below, eps)
    torch._foreach_div_(ahead, below)
    torch._foreach_mul_(ahead, rate * -correction)
    torch._foreach_add_(params, ahead)
    renew((first, mean), (second, square))


class Adam(AdamBase):
    """Adam with MindSpore's epsilon: p -= lr_t * m / (sqrt(v) + eps), lr_t = lr * sqrt(1 - b2^t) / (1 -
    b1^t).

    (torch adds its epsilon after the bias correction of v.) ``use_amsgrad`` divides by the largest v so far,
    ``use_nesterov`` looks ahead by one momentum step. ``use_lazy`` and ``use_offload`` tell MindSpore where
    and how to update sparse or host-side parameters; dense gradients have the same result. Parameters in its
    state: ``beta1_power``, ``beta2_power``, ``moment1.*``, ``moment2.*`` (``vhat.*``).
    """

    @opt_init_args_register
    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0, use_amsgrad=False, **kwargs) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if set(kwargs) - {"use_lazy", "use_offload"}:
            raise KeyError("For 'Adam', invalid keys are passed as kwargs, supported keys are 'use_lazy' "
                           f"and'use_offload', but got {kwargs.keys()}.")
        check_hyper(beta1, beta2, eps, self.cls_name)
        lazy, offload = kwargs.get("use_lazy", False), kwargs.get("use_offload", False)
        for name, flag in (("use_locking", use_locking), ("use_nesterov", use_nesterov),
                           ("use_amsgrad", use_amsgrad), ("use_lazy", lazy), ("use_offload", offload)):
            validator.check_value_type(name, flag, [bool], self.cls_name)
        if lazy and offload:
            raise ValueError("For 'Adam', 'use_lazy' and 'use_offload' can not both be True."
                             "But got use_lazy=True, use_offload=True.")
        if use_amsgrad and (lazy or offload):
            raise ValueError("For lazy Adam and Adam with offload, there is no parameter named "
                             f"'use_amsgrad'.but got 'use_amsgrad'={use_amsgrad}.")
        self.use_amsgrad, self.use_lazy, self.use_offload = use_amsgrad, lazy, offload
        self._init_adam(beta1, beta2, eps, use_locking, use_nesterov, ())
        if use_amsgrad:
            self.vhat = self.parameters.clone(prefix="vhat", init="zeros")


class AdamOffload(AdamBase):
    """Adam whose update MindSpore runs on the host; here it is Adam (``mindspore.nn.AdamOffload``)."""

    _for_mixed = refuse_two_dtypes("AdamNoUpdateParam", "m", "grad")
    _operator, _taken = "AdamNoUpdateParam", "same"
    _unlike = "For primitive[{operator}], the grad_shape: {grad_dims} must be equal to {var_dims}"

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_hyper(beta1, beta2, eps, self.cls_name)
        validator.check_value_type("use_locking", use_locking, [bool], self.cls_name)
        validator.check_value_type("use_nesterov", use_nesterov, [bool], self.cls_name)
        self.params = self.parameters
        self._init_adam(beta1, beta2, eps, use_locking, use_nesterov, (1,))

    @Optimizer.target.setter
    def target(self, value) -> None:
        raise NotImplementedError


class AdamWeightDecay(Optimizer):
    """Adam without bias correction and with decoupled weight decay, as BERT uses it.

    m and v as Adam's; p -= lr * (m / (sqrt(v) + eps) + weight_decay * p). Parameters with ``beta`` or
    ``gamma`` in their names do not decay unless groups say so. torch's AdamW corrects the bias; this one does
    not. State: ``adam_m.*``, ``adam_v.*``.
    """

    _for_mixed = in_widest

    _hyper_map = True

    @opt_init_args_register
    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6,
                 weight_decay=0.0) -> None:
        super().__init__(learning_rate, params, weight_decay)
        check_hyper(beta1, beta2, eps, self.cls_name)
        self.beta1 = Tensor(np.array([beta1], np.float32))
        self.beta2 = Tensor(np.array([beta2], np.float32))
        self.eps = Tensor(np.array([eps], np.float32))
        self.moments1 = self.parameters.clone(prefix="adam_m", init="zeros")
        self.moments2 = self.parameters.clone(prefix="adam_v", init="zeros")

    _hyper = cached_property(hyper)

    def construct(self, gradients):
        kernel = partial(_adam_weight_decay, self._late, self._hyper)
        return self._update(gradients, kernel, self.moments1, self.moments2, prepare=False)


@atomic
def _adam_weight_decay(late, hyper, params, grads, first, second, rate, decay) -> None:
    if params[0].dtype is torch.float16:
        return _in_halves(hyper, params, grads, first, second, rate, decay)
    beta1, beta2, eps = hyper
    torch._fused_adamw_(params, grads, first, second, [], late(params), lr=rate, beta1=beta1,
                        beta2=beta2, weight_decay=decay, eps=eps, amsgrad=False, maximize=False)


def _in_halves(hyper, params, grads, first, second, rate, decay) -> None:
    """AdamWeightDecay of float16 as MindSpore has it: every number and every step rounded to float16."""
    beta1, beta2, eps, decay = (torch.tensor(x, dtype=torch.float16) for x in (*hyper, decay))
    keep1, keep2 = float(1 - beta1), float(1 - beta2)        # with beta2 0.999: 0.00098
    rate = torch.as_tensor(rate).to(torch.float16)
    change = torch._foreach_sub(grads, first)
    torch._foreach_mul_(change, keep1)
    mean = torch._foreach_add(first, change)
    change = torch._foreach_mul(grads, grads)
    torch._foreach_sub_(change, second)
    torch._foreach_mul_(change, keep2)
    square = torch._foreach_add(second, change)
    scale = torch._foreach_sqrt(square)
    torch._foreach_add_(scale, float(eps))
    step = torch._foreach_div(mean, scale)
    if decay:
        torch._foreach_add_(step, torch._foreach_mul(params, float(decay)))
    torch._foreach_mul_(step, rate if rate.device == params[0].device else float(rate))
    torch._foreach_sub_(params, step)
    renew((first, mean), (second, square))
