"""Quantisation-aware training's operators (``ops.operations._quant_ops``): ranges that are observed, numbers
that are rounded to them, steps that are learned, and batch normalisation folded into weights.

MindSpore has them on GPUs and Ascend. The gradients of ``FakeQuantPerLayer`` and ``FakeQuantPerChannel`` go
through where their own gradient operators, made with fewer settings, let them through.
"""

from __future__ import annotations

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.operators import quantising
from ms2torch._core.operators.primitive import Primitive
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function._writing import write

from .forms import on_tensors


class Delay:
    """Counts the calls of one operator that only begins after a number of them."""

    def __init__(self, calls: int) -> None:
        self._left = calls

    def is_over(self) -> bool:
        self._left -= 1
        return self._left < 0


def _checked(made: Primitive) -> None:
    name = f"For '{made.name}'"
    if made.num_bits not in (4, 7, 8):
        raise ValueError(f"{name} attr 'num_bits' is not support.")
    if getattr(made, "ema", False) and not made.ema_decay:
        raise ValueError(f"{name} attr 'ema' and 'ema_decay' should set together.")
    _delayed(made)


def _delayed(made: Primitive) -> None:
    validator.check_non_negative_int(made.quant_delay, "quant_delay", made.name)
    made._fixed["quant_delay"] = Delay(made.quant_delay)


def _along(t, values, channel_axis: int):
    """One value for each channel, shaped to go with ``t``."""
    size = [1] * t.ndim
    size[channel_axis if t.ndim > 1 else 0] = -1
    return values.reshape(size)


def _round(x, low, high, bits, symmetric, narrow, let_through):
    bottom, top, scale = quantising.grid(low, high, bits, symmetric, narrow)
    through = quantising.grid(low, high, bits, *let_through)[:2]
    return quantising.Rounded.apply(x, bottom, top, scale, *through)


def _per_layer(x, low, high, num_bits=8, ema=False, ema_decay=0.999, quant_delay=None, symmetric=False,
               narrow_range=False, training=True):
    if training and not quant_delay.is_over():
        return x.clone()
    return _round(x, low, high, num_bits, symmetric, narrow_range, (False, False))


def _per_channel(x, low, high, num_bits=8, ema=False, ema_decay=0.999, quant_delay=None, symmetric=False,
                 narrow_range=False, training=True, channel_axis=1):
    if training and not quant_delay.is_over():
        return x.clone()
    low, high = _along(x, low, channel_axis), _along(x, high, channel_axis)
    return _round(x, low, high, num_bits, symmetric, narrow_range, (symmetric, symmetric))


def _inside(dout, x, low, high, *settings):
    bottom, top, _ = quantising.grid(low, high, *settings)
    return dout * ((x >= bottom) & (x <= top))


def _per_layer_gradient(dout, x, low, high, num_bits=8, quant_delay=None, symmetric=False,
                        narrow_range=False):
    return _inside(dout, x, low, high, num_bits, symmetric, narrow_range) if quant_delay.is_over() else dout


def _per_channel_gradient(dout, x, low, high, num_bits=8, quant_delay=None, symmetric=False,
                          narrow_range=False, channel_axis=1):
    if not quant_delay.is_over():
        return dout
    low, high = _along(x, low, channel_axis), _along(x, high, channel_axis)
    return _inside(dout, x, low, high, num_bits, symmetric, narrow_range)


for _made in (_per_layer, _per_channel, _per_layer_gradient, _per_channel_gradient):
    _made.check_attributes = _checked


def _variables(x, low, high, num_bits=8, narrow_range=False):
    return _round(x, low, high, num_bits, False, narrow_range, (False, narrow_range))


def _variables_gradient(dout, x, low, high, num_bits=8, narrow_range=False):
    return _inside(dout, x, low, high, num_bits, False, narrow_range)


def _observed_layer(x, low, high, ema=False, ema_decay=0.999):
    return quantising.observed(x.detach(), low, high, list(range(x.ndim)), ema, ema_decay)


def _observed_channels(x, low, high, ema=False, ema_decay=0.999, channel_axis=1):
    own = channel_axis if x.ndim > 1 else 0
    return quantising.observed(x.detach(), low, high, [i for i in range(x.ndim) if i != own], ema, ema_decay)


def _learned_layer(input_x, alpha, quant_max, quant_delay=None, neg_trunc=False, training=True):
    if training and not quant_delay.is_over():
        return input_x.clone()
    return quantising.Learned.apply(input_x, alpha, quant_max, neg_trunc)


def _learned_channels(input_x, alpha, quant_max, quant_delay=None, neg_trunc=False, training=True,
                      channel_axis=1):
    alpha = _along(input_x, alpha, channel_axis)
    return _learned_layer(input_x, alpha, quant_max, quant_delay, neg_trunc, training)


def _learned_layer_gradient(dout, x, alpha, quant_max, quant_delay=None, neg_trunc=False):
    if not quant_delay.is_over():
        return dout, torch.zeros_like(alpha)
    return quantising.learned_gradients(dout, x, alpha, quant_max, neg_trunc)


def _learned_channels_gradient(dout, x, alpha, quant_max, quant_delay=None, neg_trunc=False, channel_axis=1):
    of_x, of_alpha = _learned_layer_gradient(dout, x, _along(x, alpha, channel_axis), quant_max, quant_delay,
                                             neg_trunc)
    return of_x, of_alpha.reshape(alpha.shape)


for _made in (_learned_layer, _learned_channels, _learned_layer_gradient, _learned_channels_gradient):
    _made.check_attributes = _delayed


def _fold(x, mean, variance, global_step, momentum=0.9, epsilon=1e-5, is_training=True, freeze_bn=0):
    """The batch's means and deviations (0 and 1 from step ``freeze_bn`` on), then the running ones, which
    move on."""
    before = mean._t.clone(), (variance._t + epsilon).sqrt()
    if not is_training or int(global_step._t.reshape(-1)[0]) >= freeze_bn:
        return tuple(map(wrap, (torch.zeros_like(mean._t), torch.ones_like(mean._t), *before)))
    t = x._t
    others = [i for i in range(t.ndim) if i != 1]
    spread, centre = torch.var_mean(t, others, correction=0)
    count = t.numel() // t.shape[1]
    write(mean, lambda old: momentum * old + (1 - momentum) * centre.detach())
    unbiased = spread.detach() * (count / max(count - 1, 1))
    write(variance, lambda old: momentum * old + (1 - momentum) * unbiased)
    return tuple(map(wrap, (centre, (spread + epsilon).sqrt(), *before)))


def _fold_gradient(d_batch_mean, d_batch_std, x, batch_mean, batch_std, global_step, epsilon=1e-5,
                   is_training=True, freeze_bn=0):
    if not is_training or int(global_step.reshape(-1)[0]) >= freeze_bn:
        return torch.zeros_like(x)
    d_mean, d_std, mean, std = (_along(x, t, 1) for t in (d_batch_mean, d_batch_std, batch_mean, batch_std))
    return (d_mean + d_std * (x - mean) / std) / (x.numel() // x.shape[1])


def _correct(x, batch_std, running_std, channel_axis=0):
    return x * _along(x, batch_std, channel_axis) / _along(x, running_std.detach(), channel_axis)


def _correct_gradient(dout, x, gamma, running_std, channel_axis=0):
    dx = dout * _along(x, gamma, channel_axis) / _along(x, running_std, channel_axis)
    others = [i for i in range(x.ndim) if i != channel_axis % x.ndim]
    return dx, (dout * x).sum(others).reshape(gamma.shape) / running_std


def _fold_second(x, beta, gamma, batch_std, batch_mean, running_std, running_mean, global_step, freeze_bn=0):
    running_std, running_mean = running_std.detach(), running_mean.detach()
    if int(global_step.reshape(-1)[0]) >= freeze_bn:
        return x + _along(x, beta - gamma * running_mean / running_std, 1)
    return x * _along(x, running_std / batch_std, 1) + _along(x, beta - gamma * batch_mean / batch_std, 1)


def _fold_second_gradient(dout, x, gamma, batch_std, batch_mean, running_std, running_mean, global_step,
                          freeze_bn=0):
    """The gradients of batch_std, batch_mean, beta, gamma and x."""
    def outputs(batch_std, batch_mean, beta, gamma, x):
        return _fold_second(x, beta, gamma, batch_std, batch_mean, running_std, running_mean, global_step,
                            freeze_bn)

    _, back = torch.func.vjp(outputs, batch_std, batch_mean, torch.zeros_like(gamma), gamma, x)
    return back(dout)


class FakeQuantParam(Primitive):
    """Carries the scale and the zero point of a quantised value; gives the value itself.

    MindSpore: ``mindspore.ops.operations._quant_ops.FakeQuantParam``.
    """

    attr_key_linear_quant_scale = "linear_quant_scale"
    attr_key_linear_quant_zero_point = "linear_quant_zero_point"
    attr_value_linear_quant_algo_name = "linear_quant_algo"

    def __init__(self, quant_dtype, quant_algo_name: str, is_per_channel: bool, **kwargs) -> None:
        super().__init__("FakeQuantParam")
        held = {"quant_algo_name": quant_algo_name, "is_per_channel": is_per_channel,
                "quant_dtype": quant_dtype.value(), **kwargs}
        for name, value in held.items():
            self.add_prim_attr(name, value)

    @classmethod
    def linear_quant_param(cls, quant_dtype, scale, zp, is_per_channel=False, **kwargs):
        """The operator of one scale and zero point, or of lists of them."""
        validator.check_value_type("scale", scale, [float, tuple, list], "FakeQuantParam")
        validator.check_value_type("zero_point", zp, [int, tuple, list], "FakeQuantParam")
        validator.check_value_type("is_per_channel", is_per_channel, [bool], "FakeQuantParam")
        kwargs[cls.attr_key_linear_quant_scale] = [scale] if isinstance(scale, float) else scale
        kwargs[cls.attr_key_linear_quant_zero_point] = [zp] if isinstance(zp, int) else zp
        return cls(quant_dtype, cls.attr_value_linear_quant_algo_name, is_per_channel, **kwargs)

    def __call__(self, input_x):
        return input_x


ROWS = {
    "BatchNormFold": on_tensors(_fold),
    "BatchNormFold2": _fold_second,
    "BatchNormFold2Grad": _fold_second_gradient,
    "BatchNormFoldGrad": _fold_gradient,
    "CorrectionMul": _correct,
    "CorrectionMulGrad": _correct_gradient,
    "FakeLearnedScaleQuantPerChannel": _learned_channels,
    "FakeLearnedScaleQuantPerChannelGrad": _learned_channels_gradient,
    "FakeLearnedScaleQuantPerLayer": _learned_layer,
    "FakeLearnedScaleQuantPerLayerGrad": _learned_layer_gradient,
    "FakeQuantParam": FakeQuantParam,
    "FakeQuantPerChannel": _per_channel,
    "FakeQuantPerChannelGrad": _per_channel_gradient,
    "FakeQuantPerLayer": _per_layer,
    "FakeQuantPerLayerGrad": _per_layer_gradient,
    "FakeQuantWithMinMaxVars": _variables,
    "FakeQuantWithMinMaxVarsGradient": _variables_gradient,
    "FakeQuantWithMinMaxVarsPerChannel": _variables,
    "FakeQuantWithMinMaxVarsPerChannelGradient": _variables_gradient,
    "MinMaxUpdatePerChannel": _observed_channels,
    "MinMaxUpdatePerLayer": _observed_layer,
}
