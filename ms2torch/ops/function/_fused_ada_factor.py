"""FusedAdaFactor: Adafactor's step as one Primitive (``mindspore.ops.FusedAdaFactor``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators.registry import primitive
from ms2torch._core.tensor.tensor import lower, wrap

from ._writing import write

_ENABLED = {"enable_scale_parameter": False, "enable_first_moment": False, "enable_weight_decay": False}


def _means(old, squares, axis, decay):
    """The running average of the squares' means along ``axis``."""
    return decay * old + (1 - decay) * squares.mean(axis)


def _norm(t):
    return t.square().mean().sqrt()


def _step(epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, exp_avg,
          exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, scaled, with_moment, decayed):
    """Adafactor's step; squares by rows and columns where ``param`` has two axes or more."""
    (tiny, least), clip, first, second, decay, rate, grad, var, moment, row, col, squares = lower((
        tuple(epsilon), clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, exp_avg,
        exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq))
    squared = grad.square() + tiny
    if var.ndim > 1:
        row, col = _means(row, squared, -1, second), _means(col, squared, -2, second)
        write(exp_avg_sq_row, lambda old: row.to(old.dtype))
        write(exp_avg_sq_col, lambda old: col.to(old.dtype))
        scale = (row / row.mean(-1, keepdim=True)).unsqueeze(-1) * col.unsqueeze(-2)
    else:
        scale = second * squares + (1 - second) * squared
        write(exp_avg_sq, lambda old: scale.to(old.dtype))
    change = grad * scale.rsqrt()
    if scaled:
        rate = rate * _norm(var).clamp_min(least)
    change = change / (_norm(change) / clip).clamp_min(1) * rate
    if with_moment:
        change = first * moment + (1 - first) * change
        write(exp_avg, lambda old: change.to(old.dtype))
    kept = var * (1 - decay * rate) if decayed else var
    moved = write(param, lambda old: (kept - change).to(old.dtype))
    return (wrap(torch.zeros_like(moved._t)),)


@primitive("FusedAdaFactor", init=_ENABLED, on_tensors=True)
def _fused_ada_factor(epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param,
                      exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, enable_scale_parameter=False,
                      enable_first_moment=False, enable_weight_decay=False):
    """A step of Adafactor; the result is zeros of the parameter's shape, in a tuple."""
    return _step(epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, exp_avg,
                 exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, enable_scale_parameter, enable_first_moment,
                 enable_weight_decay)


@primitive("FusedAdaFactorWithGlobalNorm", init=_ENABLED, on_tensors=True)
def _by_global_norm(epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param,
                    exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, global_norm,
                    enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False):
    """`FusedAdaFactor` of the gradient over ``global_norm``."""
    return _step(epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient / global_norm,
                 param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, enable_scale_parameter,
                 enable_first_moment, enable_weight_decay)
