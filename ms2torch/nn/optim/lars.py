"""LARS (``mindspore.nn.LARS``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter

from .optimizer import Optimizer, opt_init_args_register


def _lars_filter(param) -> bool:
    return "LayerNorm" not in param.name and "bias" not in param.name


class LARS(Optimizer):
    """Wraps an optimizer: each gradient becomes r * (g + weight_decay * p), r = coefficient * |p| / (|g| +
    weight_decay * |p| +
    epsilon).

    Weight decay and loss scale move from the wrapped optimizer to this one. ``use_clip``: r is at most the
    rate, over the rate. ``lars_filter(param)`` tells which parameters take part. ValueError where
    ``use_clip`` meets rates by group and by step.
    """

    _by_elements = None

    @opt_init_args_register
    def __init__(self, optimizer, epsilon=1e-05, coefficient=0.001, use_clip=False,
                 lars_filter=_lars_filter) -> None:
        super().__init__(0.0, [Parameter(Tensor(0.0, float32), name="fake_param")])
        if not isinstance(optimizer, Optimizer):
            raise AttributeError(f"'{type(optimizer).__name__}' object has no attribute 'init_params'")
        validator.check_value_type("epsilon", epsilon, [float], self.cls_name)
        validator.check_value_type("coefficient", coefficient, [float], self.cls_name)
        validator.check_value_type("use_clip", use_clip, [bool], self.cls_name)
        if optimizer._sharing:
            raise unsupported("mindspore.nn.LARS with enable_parallel_optimizer=True",
                              "its ratios need whole parameters.",
                              "train with enable_parallel_optimizer=False, or with nn.Lamb.")
        self.opt = optimizer
        self.epsilon, self.coefficient, self.use_clip = epsilon, coefficient, use_clip
        self.global_step = optimizer.global_step
        self.parameters = optimizer.parameters
        self.__dict__["_optimized"] = self.parameters
        self.param_length = len(self.parameters)
        self.lars_flag = tuple(bool(lars_filter(p)) for p in self.parameters)
        self.is_group = optimizer.is_group
        self.decay_flags = optimizer.decay_flags
        self.dynamic_decay_flags = optimizer.dynamic_decay_flags
        self.dynamic_weight_decay = optimizer.dynamic_weight_decay
        self.weight_decay = optimizer.weight_decay
        self.reciprocal_scale, self.need_scale = optimizer.reciprocal_scale, optimizer.need_scale
        self.loss_scale = optimizer.loss_scale
        if use_clip:
            self.is_group_lr, self.dynamic_lr = optimizer.is_group_lr, optimizer.dynamic_lr
            if self.is_group_lr and self.dynamic_lr:
                raise ValueError("For 'LARS', if the argument 'use_clip' is set to True, then the dynamic "
                                 "learning rate and group learning rate cannot both be true.")
        # One host copy of the step, which the wrapped optimizer counts: nothing is read again.
        self.__dict__["_hosted"] = optimizer._hosted
        self._buckets = optimizer._buckets
        # From here on the wrapped optimizer neither decays nor unscales.
        optimizer.decay_flags = (False,) * self.param_length
        optimizer.dynamic_decay_flags = optimizer.decay_flags if self.is_group else False
        optimizer.dynamic_weight_decay = optimizer.exec_weight_decay = optimizer.need_scale = False
        optimizer.reciprocal_scale = Tensor(1.0, float32)
        optimizer._buckets = [bucket._replace(decay=0.0) for bucket in optimizer._buckets]

    def construct(self, gradients):
        raw = self._raw(gradients)
        if self.need_scale:
            raw = self._unscaled(raw)
        step = int(self._host(self.global_step))
        for bucket in self._buckets:
            places = [i for i in bucket.places if self.lars_flag[i] and not raw[i].is_meta]
            # (A gradient without data is of a weight that another stage of a pipeline updates.)
            if not places:
                continue
            params, grads = [self.parameters[i]._rest for i in places], [raw[i] for i in places]
            decay = self._decay(bucket, step) / self.loss_scale
            source = self.opt.learning_rate if bucket.rate is None else bucket.rate
            rate = self._rate(source, step) if self.use_clip else None
            for i, g in zip(places, self._scaled(params, grads, decay, rate), strict=True):
                raw[i] = g
        return self.opt(tuple(map(wrap, raw)))

    def _scaled(self, params, grads, decay: float, rate):
        lengths, slopes = torch.stack(torch._foreach_norm(params)), torch.stack(torch._foreach_norm(grads))
        trust = self.coefficient * lengths / (slopes + decay * lengths + self.epsilon)
        trust = torch.where((lengths > 0) & (slopes > 0), trust, 1.0).to(lengths.dtype)
        if rate is not None:
            trust = (trust / rate).clamp(0.0, 1.0)
        if decay:
            grads = torch._foreach_add(grads, params, alpha=decay)
        return torch._foreach_mul(grads, list(trust.unbind()))
