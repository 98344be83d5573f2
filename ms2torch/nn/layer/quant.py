"""Layers that round their weights and outputs as integers would (``mindspore.nn.layer.quant`` until 1.10).

`_core.operators.quantising` has the formula.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core.operators import normalising
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import initializer
from ms2torch.common.parameter import Parameter
from ms2torch.compression.common import QuantDtype

from ..cell import Cell
from ._fake_quant import FakeQuantWithMinMaxObserver
from .activation import get_activation
from .basic import Dense
from .conv import Conv2d, convolve
from .normalization import BatchNorm2d

__all__ = [
    "ActQuant",
    "Conv2dBnFoldQuant",
    "Conv2dBnFoldQuantOneConv",
    "Conv2dBnWithoutFoldQuant",
    "Conv2dQuant",
    "DenseQuant",
    "FakeQuantWithMinMaxObserver",
    "MulQuant",
    "TensorAddQuant",
]


class QuantConfig(NamedTuple):
    """What makes the observers of weights and of activations."""

    weight: object = FakeQuantWithMinMaxObserver.partial_init()
    activation: object = FakeQuantWithMinMaxObserver.partial_init()


quant_config_default = QuantConfig()


class Conv2dQuant(Conv2d):
    """Conv2d with rounded weights (``mindspore.nn.Conv2dQuant``)."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init="normal",
        bias_init="zeros",
        quant_config=quant_config_default,
        quant_dtype=QuantDtype.INT8,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        self.fake_quant_weight = _weight_observer(quant_config, quant_dtype, out_channels)

    def construct(self, x):
        bias = self.bias if self.has_bias else None
        return _convolved(self, x, self.fake_quant_weight(self.weight), bias)


def _weight_observer(config: QuantConfig, quant_dtype, channels: int):
    return config.weight(
        min_init=-6, max_init=6, ema=False, channel_axis=0, num_channels=channels, quant_dtype=quant_dtype
    )


def _convolved(cell: Conv2d, x, weight, bias=None) -> Tensor:
    """The cell's convolution with another weight."""
    bias = None if bias is None else bias._t
    stride, dilation, group = cell._made
    return wrap(convolve(x._t, weight._t, bias, stride, cell._pads, dilation, group))


class Conv2dBnWithoutFoldQuant(Conv2dQuant):
    """`Conv2dQuant`, then batch normalisation (``mindspore.nn.Conv2dBnWithoutFoldQuant``)."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        eps=1e-5,
        momentum=0.997,
        weight_init="normal",
        bias_init="zeros",
        quant_config=quant_config_default,
        quant_dtype=QuantDtype.INT8,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            quant_config,
            quant_dtype,
        )
        self.batchnorm = BatchNorm2d(out_channels, eps=eps, momentum=momentum)

    def construct(self, x):
        return self.batchnorm(super().construct(x))


class _Folded(Conv2d):
    """A convolution whose weights take the following normalisation's scale before they are rounded.

    Training and evaluation round ``weight * gamma / sqrt(moving_variance + eps)``; so what is trained is what
    an integer network without normalisation computes.
    """

    def _set(self, arguments, eps, momentum, inits, fake, config, quant_dtype, freeze_bn) -> None:
        super().__init__(*arguments)
        count = self.out_channels
        self.eps, self.momentum, self.fake, self.freeze_bn = eps, momentum, fake, freeze_bn
        for name, init in zip(("gamma", "beta", "moving_mean", "moving_variance"), inits, strict=True):
            trained = name in ("gamma", "beta")
            setattr(self, name, Parameter(initializer(init, [count]), name=name, requires_grad=trained))
        self.fake_quant_weight = _weight_observer(config, quant_dtype, count)
        self._steps = 0

    def _fold(self, x):
        """The convolution with folded, rounded weights, and the scale that went into them."""
        scale = self.gamma._t / torch.sqrt(self.moving_variance._t + self.eps)
        weight = wrap(self.weight._t * scale[:, None, None, None])
        weight = self.fake_quant_weight(weight) if self.fake else weight
        return _convolved(self, x, weight)._t, scale

    def _move(self, mean, variance) -> None:
        for statistic, seen in ((self.moving_mean, mean), (self.moving_variance, variance)):
            moved = statistic._t * self.momentum + seen.detach() * (1 - self.momentum)
            statistic.set_data(wrap(moved))

    def _shift(self, scale):
        """What evaluation adds to the folded convolution."""
        return (self.beta._t - self.moving_mean._t * scale)[:, None, None]

    def _biased(self, y):
        return wrap(y + self.bias._t[:, None, None] if self.has_bias else y)


class Conv2dBnFoldQuantOneConv(_Folded):
    """One convolution with folded weights, unscaled, then normalised
    (``mindspore.nn.Conv2dBnFoldQuantOneConv``)."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        eps=1e-5,
        momentum=0.997,
        has_bias=False,
        weight_init="normal",
        bias_init="zeros",
        beta_init="zeros",
        gamma_init="ones",
        mean_init="zeros",
        var_init="ones",
        fake=True,
        quant_config=quant_config_default,
        quant_dtype=QuantDtype.INT8,
    ):
        arguments = (in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group)
        inits = (gamma_init, beta_init, mean_init, var_init)
        self._set(
            (*arguments, has_bias, weight_init, bias_init),
            eps,
            momentum,
            inits,
            fake,
            quant_config,
            quant_dtype,
            None,
        )

    def construct(self, x):
        y, scale = self._fold(x)
        if not self.training:
            return self._biased(y + self._shift(scale))
        y = y / scale[:, None, None]
        if self.has_bias:
            y = y + self.bias._t[:, None, None]
        count = y.numel() // y.shape[1]
        mean, variance = y.mean((0, 2, 3)), y.var((0, 2, 3), unbiased=False)
        normed = normalising.batch_norm(y, self.gamma._t, self.beta._t, None, None, True, 0.0, self.eps, True)
        self._move(mean, variance * (count / max(count - 1, 1)))
        return wrap(normed)


class Conv2dBnFoldQuant(_Folded):
    """Two convolutions: a plain one for the batch's statistics, one with folded weights
    (``mindspore.nn.Conv2dBnFoldQuant``). After ``freeze_bn`` training steps the moving statistics are used
    and stay."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        eps=1e-5,
        momentum=0.997,
        has_bias=False,
        weight_init="normal",
        bias_init="zeros",
        beta_init="zeros",
        gamma_init="ones",
        mean_init="zeros",
        var_init="ones",
        fake=True,
        quant_config=quant_config_default,
        quant_dtype=QuantDtype.INT8,
        freeze_bn=100000,
    ):
        arguments = (in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group)
        inits = (gamma_init, beta_init, mean_init, var_init)
        self._set(
            (*arguments, has_bias, weight_init, bias_init),
            eps,
            momentum,
            inits,
            fake,
            quant_config,
            quant_dtype,
            freeze_bn,
        )

    def construct(self, x):
        if not self.training or self._steps >= self.freeze_bn:
            self._steps += self.training
            y, scale = self._fold(x)
            return self._biased(y + self._shift(scale))
        self._steps += 1
        plain = _convolved(self, x, self.weight)._t
        mean, variance = plain.mean((0, 2, 3)), plain.var((0, 2, 3), unbiased=False)
        self._move(mean, variance)
        deviation = torch.sqrt(variance + self.eps)
        moving = torch.sqrt(self.moving_variance._t + self.eps)
        y, _ = self._fold(x)
        shift = self.beta._t - self.gamma._t * mean / deviation
        y = y * (moving / deviation)[:, None, None] + shift[:, None, None]
        return self._biased(y)


class DenseQuant(Dense):
    """Dense with rounded weights (``mindspore.nn.DenseQuant``); ``activation`` is a name, a Cell or a
    Primitive."""

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias=True,
        activation=None,
        quant_config=quant_config_default,
        quant_dtype=QuantDtype.INT8,
    ):
        activation = get_activation(activation) if isinstance(activation, str) else activation
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self.fake_quant_weight = _weight_observer(quant_config, quant_dtype, out_channels)

    def construct(self, x):
        weight = self.fake_quant_weight(self.weight)._t
        y = wrap(F.linear(x._t, weight, self.bias._t if self.has_bias else None))
        return self.activation(y) if self.activation_flag else y


class _OutputQuant(Cell):
    """An operation whose result is rounded."""

    def _observe(self, config, ema, ema_decay, quant_dtype):
        return config.activation(
            min_init=-6, max_init=6, ema=ema, ema_decay=ema_decay, quant_dtype=quant_dtype
        )


class ActQuant(_OutputQuant):
    """An activation whose result is rounded, with ``fake_before`` its input too (``mindspore.nn.ActQuant``).
    TypeError for an activation that is no Cell."""

    def __init__(
        self,
        activation,
        ema=False,
        ema_decay=0.999,
        fake_before=False,
        quant_config=quant_config_default,
        quant_dtype=QuantDtype.INT8,
    ):
        super().__init__()
        if not isinstance(activation, torch.nn.Module):
            raise TypeError(
                f"For '{self.cls_name}', the 'activation' must be Cell, but got {type(activation).__name__}."
            )
        self.act, self.fake_before = activation, check.check_bool(fake_before, "fake_before", self.cls_name)
        if fake_before:
            self.fake_quant_act_before = self._observe(quant_config, ema, ema_decay, quant_dtype)
        self.fake_quant_act = self._observe(quant_config, ema, ema_decay, quant_dtype)

    def construct(self, x):
        if self.fake_before:
            x = self.fake_quant_act_before(x)
        return self.fake_quant_act(self.act(x))

    def get_origin(self):
        """The activation."""
        return self.act


class TensorAddQuant(_OutputQuant):
    """The rounded sum of two Tensors (``mindspore.nn.TensorAddQuant``)."""

    def __init__(self, ema_decay=0.999, quant_config=quant_config_default, quant_dtype=QuantDtype.INT8):
        super().__init__()
        self.fake_quant_act = self._observe(quant_config, True, ema_decay, quant_dtype)

    def construct(self, x1, x2):
        return self.fake_quant_act(x1 + x2)


class MulQuant(TensorAddQuant):
    """The rounded product of two Tensors (``mindspore.nn.MulQuant``)."""

    def construct(self, x1, x2):
        return self.fake_quant_act(x1 * x2)
