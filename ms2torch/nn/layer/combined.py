"""Layers that are several in one: Conv2dBnAct, DenseBnAct (``mindspore.nn.layer.combined``)."""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch._core.operators.registry import Primitive

from ..cell import Cell
from .activation import LeakyReLU, get_activation
from .basic import Dense
from .conv import Conv2d
from .normalization import BatchNorm1d, BatchNorm2d

__all__ = ["Conv2dBnAct", "DenseBnAct"]


class _BnAct(Cell):
    """A layer, batch normalisation where ``has_bn``, an activation where one is named."""

    def _set(self, has_bn, bn, activation, alpha, after_fake) -> None:
        self.has_bn = check.check_bool(has_bn, "has_bn", self.cls_name)
        self.has_act = activation is not None
        self.after_fake = check.check_bool(after_fake, "after_fake", self.cls_name)
        if has_bn:
            self.batchnorm = bn()
        if activation == "leakyrelu":
            self.activation = LeakyReLU(alpha)
        else:
            self.activation = get_activation(activation) if isinstance(activation, str) else activation
        if activation is not None and not isinstance(self.activation, (Cell, Primitive)):
            raise TypeError(f"For '{self.cls_name}', the 'activation' must be str or Cell or Primitive, but "
                            f"got {type(activation).__name__}.")

    def _finish(self, x):
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class Conv2dBnAct(_BnAct):
    """Conv2d, BatchNorm2d and an activation (``mindspore.nn.Conv2dBnAct``).

    Weights are "normal" (0.01), unlike Conv2d's; ``alpha`` is LeakyReLU's slope; ``after_fake`` tells
    quantisation something and changes nothing.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False, weight_init="normal", bias_init="zeros", has_bn=False,
                 momentum=0.997, eps=1e-5, activation=None, alpha=0.2, after_fake=True) -> None:
        super().__init__()
        self.conv = Conv2d(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                           has_bias, weight_init, bias_init)
        self._set(has_bn, lambda: BatchNorm2d(out_channels, eps, momentum), activation, alpha, after_fake)

    def construct(self, x):
        return self._finish(self.conv(x))


class DenseBnAct(_BnAct):
    """Dense, BatchNorm1d and an activation (``mindspore.nn.DenseBnAct``); arguments as Conv2dBnAct's."""

    def __init__(self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True,
                 has_bn=False, momentum=0.9, eps=1e-5, activation=None, alpha=0.2, after_fake=True) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self._set(has_bn, lambda: BatchNorm1d(out_channels, eps, momentum), activation, alpha, after_fake)

    def construct(self, x):
        return self._finish(self.dense(x))
