"""AdaFactor (``mindspore.nn.AdaFactor``)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import torch

from ms2torch import _checkparam as validator
from ms2torch._core.errors import notice
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter, ParameterTuple

from .optimizer import Optimizer, opt_init_args_register

_LEAST = 1e-30                           # what is divided by is at least this


class AdaFactor(Optimizer):
    """Adam with the mean squares of matrices kept by row and column only, and steps relative to the weights'
    size.

    ``learning_rate`` None with ``relative_step``: min(0.01, 1 / sqrt(t)) (``warmup_init``: min(1e-6 * t,
    ...)); ``scale_parameter`` multiplies it by the weights' root mean square. ``clip_threshold`` bounds the
    update's root mean square, ``decay_rate`` sets how fast old squares fade, ``beta1`` 0 or None leaves the
    first moment out. ValueError where a rate and ``relative_step`` meet. State: ``exp_avg.*``,
    ``exp_avg_sq_row_*``, ``exp_avg_sq_col_*``, ``exp_avg_sq_*``, ``afactor_step``.
    """

    _hyper_map = True
    _by_elements = None

    @opt_init_args_register
    def __init__(self, params, learning_rate=None, eps=(1e-30, 1e-3), clip_threshold=1.0, decay_rate=0.8,
                 beta1=0.9, weight_decay=0.0, scale_parameter=True, relative_step=True, warmup_init=False,
                 compression=False, loss_scale=1.0) -> None:
        if learning_rate is not None and relative_step:
            raise ValueError("Cannot combine manual lr and relative_step options", learning_rate)
        if warmup_init and not relative_step:
            raise ValueError("warmup_init requires relative_step=True")
        if learning_rate is None and not relative_step:
            raise ValueError("Cannot learning_rate is None and relative_step=False")
        learning_rate = 0.0 if learning_rate is None else learning_rate
        beta1 = 0.0 if beta1 is None else beta1
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.scale_lr = isinstance(learning_rate, (float, int))
        if not self.scale_lr and scale_parameter:
            notice("AdaFactor", "AdaFactor: with a rate by step, scale_parameter has no effect.")
        self._check(eps, clip_threshold, decay_rate, beta1, weight_decay, scale_parameter, relative_step,
                    compression)
        self.eps = tuple(Tensor(x, _dtype.float32) for x in eps)
        self.clip_threshold = Tensor(clip_threshold, _dtype.float32)
        self.decay_rate = Tensor(-decay_rate, _dtype.float32)
        self.beta1 = Tensor(beta1, _dtype.float32)
        self.weight_decay = Tensor(weight_decay, _dtype.float32)
        self.weight_decay_flag = bool(weight_decay)
        self.scale_parameter = scale_parameter and self.scale_lr
        self.relative_step, self.warmup_init, self.compression = relative_step, warmup_init, compression
        self._numbers = (*eps, clip_threshold, beta1, weight_decay, decay_rate)
        self._init_state(beta1)
        self.step = Parameter(Tensor(np.zeros(1, np.float32)), name="afactor_step")

    def _check(self, eps, clip_threshold, decay_rate, beta1, weight_decay, scale_parameter, relative_step,
               compression) -> None:
        name = self.cls_name
        validator.check_value_type("eps", eps, [list, tuple], name)
        if len(eps) != 2:
            raise ValueError("eps must have 2 value: (eps1, eps2).")
        for i, value in enumerate(eps):
            validator.check_value_type(f"eps{i}", value, [float], name)
            validator.check_non_negative_float(value, f"eps{i}", name)
        validator.check_value_type("clip_threshold", clip_threshold, [float], name)
        validator.check_non_negative_float(clip_threshold, "clip_threshold", name)
        validator.check_value_type("decay_rate", decay_rate, [float], name)
        validator.check_float_range(decay_rate, 0, 1, validator.INC_NEITHER, "decay_rate", name)
        validator.check_float_range(weight_decay, 0, 1, validator.INC_LEFT, "weight_decay", name)
        validator.check_value_type("scale_parameter", scale_parameter, [bool], name)
        validator.check_value_type("relative_step", relative_step, [bool], name)
        validator.check_value_type("compression", compression, [bool], name)
        validator.check_value_type("beta1", beta1, [int, float], name)
        validator.check_non_negative_float(float(beta1), "beta1", name)

    def _init_state(self, beta1) -> None:
        self.use_first_moment = beta1 > 0
        if self.use_first_moment:
            self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        else:
            self.exp_avg = ParameterTuple([Parameter(Tensor(0.0, _dtype.float32))] * self.param_length)
        rows, columns, whole = [], [], []
        for param in self.parameters:
            shape, dtype = param.shape, param._rest.dtype
            matrix = len(shape) > 1
            small = torch.float16 if self.compression and not matrix else dtype
            for kept, name, size, kind in (
                    (rows, "row_", shape[:-1] if matrix else (1,), dtype),
                    (columns, "col_", shape[:-2] + shape[-1:] if matrix else (1,), dtype),
                    (whole, "", (1,) if matrix else shape, small)):
                zeros = torch.zeros(size, dtype=kind, device=param._rest.device)
                kept.append(Parameter(Tensor(zeros), name=f"exp_avg_sq_{name}{param.name}"))
        self.exp_avg_sq_row = ParameterTuple(rows)
        self.exp_avg_sq_col = ParameterTuple(columns)
        self.exp_avg_sq = ParameterTuple(whole)

    @property
    def supports_memory_efficient_fp16(self) -> bool:
        return True

    @property
    def supports_flat_params(self) -> bool:
        return False

    @Optimizer.target.setter
    def target(self, value) -> None:
        self._set_base_target(value)

    def construct(self, gradients):
        if self.is_group_lr:
            raise ValueError("For 'MultitypeFuncGraph', cannot find fn match given args. AdaFactor takes one "
                             "learning rate for all groups.")
        step = self._count(self.step) + 1
        relative = None
        if self.scale_lr and self.relative_step:
            relative = min(1e-6 * step if self.warmup_init else 1e-2, 1.0 / math.sqrt(step))
        kernel = partial(self._kernel, 1.0 - step ** -self._numbers[-1], relative)
        return self._update(gradients, kernel, self.exp_avg, self.exp_avg_sq_row, self.exp_avg_sq_col,
                            self.exp_avg_sq, prepare=False)

    def _kernel(self, beta2, relative, params, grads, means, rows, columns, squares, rate, _) -> None:
        for p, g, mean, row, column, square in zip(params, grads, means, rows, columns, squares, strict=True):
            self._one(beta2, rate if relative is None else relative, p, g.float(), mean, row, column, square)

    def _one(self, beta2, rate, param, grad, mean, row, column, square) -> None:
        eps, floor, threshold, beta1, decay, _ = self._numbers
        value = param.float()
        if self.scale_parameter:
            rate = rate * _rms(value).clamp(min=floor)
        new = grad * grad + eps
        if grad.ndim > 1:
            along, across = _kept(row, new.mean(-1), beta2), _kept(column, new.mean(-2), beta2).sqrt()
            if self.use_first_moment:
                along = row.float()      # what float16 holds of it; may be 0, and is not divided by then
            share = along / along.mean(-1, keepdim=True).clamp(min=_LEAST)
            update = grad / (share.sqrt().unsqueeze(-1) * across.unsqueeze(-2)).clamp(min=_LEAST)
        else:
            update = grad * _kept(square, new, beta2).rsqrt()
        update = update / (_rms(update) / threshold).clamp(min=1.0) * rate
        if self.use_first_moment:
            update = _kept(mean, update, beta1)
        if decay:
            value = value - value * decay * rate
        param.copy_(value - update)


def _kept(state: torch.Tensor, new: torch.Tensor, share: float) -> torch.Tensor:
    """The mean of what ``state`` held and ``new``, in float32: what it holds now is rounded to its dtype."""
    found = state.float() * share + new * (1.0 - share)
    state.copy_(found)
    return found


def _rms(t: torch.Tensor) -> torch.Tensor:
    return t.square().mean().sqrt()
