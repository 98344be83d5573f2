"""Quantisation-aware layers as MindSpore 1.0 had them, with ``num_bits`` in the place of a dtype.

`_fake_quant` has the observer that 1.1 made of the first; the ranges, the rounding and its gradients are the
same.
"""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch.compression.common import QuantDtype

from ..cell import Cell
from ._fake_quant import FakeQuantWithMinMaxObserver
from .activation import HSigmoid, HSwish, LeakyReLU


class FakeQuantWithMinMax(FakeQuantWithMinMaxObserver):
    """Watches the range of its inputs and rounds them (``mindspore.nn.FakeQuantWithMinMax``, 1.0).

    As FakeQuantWithMinMaxObserver, with ``num_bits`` of 4, 7 or 8 for the integers' width.
    """

    def __init__(self, min_init=-6, max_init=6, ema=False, ema_decay=0.999, per_channel=False, channel_axis=1,
                 num_channels=1, num_bits=8, symmetric=False, narrow_range=False, quant_delay=0) -> None:
        if num_bits not in (4, 7, 8):
            raise ValueError(f"For '{type(self).__name__}' attr 'num_bits' is not support.")
        check.check_value_type("min_init", min_init, [int, float], type(self).__name__)
        check.check_value_type("max_init", max_init, [int, float], type(self).__name__)
        super().__init__(min_init, max_init, ema, ema_decay, per_channel, channel_axis, num_channels,
                         QuantDtype[f"INT{num_bits}"], symmetric, narrow_range, quant_delay)
        self.min_init, self.max_init = min_init, max_init

    def extend_repr(self) -> str:
        return (f"num_bits={self.num_bits}, symmetric={self.symmetric}, narrow_range={self.narrow_range}, "
                f"ema={self.ema}({self.ema_decay}), per_channel={self.per_channel}({self.channel_axis}, "
                f"{self.num_channels}), quant_delay={self.quant_delay}, min_init={self.min_init}, "
                f"max_init={self.max_init}")


class _RoundedAround(Cell):
    """An activation whose input and result are rounded."""

    _of: type

    def __init__(self, activation, ema_decay=0.999, per_channel=False, num_bits=8, symmetric=False,
                 narrow_range=False, quant_delay=0) -> None:
        super().__init__()
        settings = {"min_init": -6, "max_init": 6, "ema": True, "ema_decay": ema_decay,
                    "per_channel": per_channel, "num_bits": num_bits, "symmetric": symmetric,
                    "narrow_range": narrow_range, "quant_delay": quant_delay}
        self.fake_quant_act_before = FakeQuantWithMinMax(**settings)
        self.fake_quant_act_after = FakeQuantWithMinMax(**settings)
        if not isinstance(activation, self._of):
            raise ValueError(f"Activation should be `nn.{self._of.__name__}`")
        self.act = activation

    def construct(self, x):
        return self.fake_quant_act_after(self.act(self.fake_quant_act_before(x)))

    def get_origin(self):
        """The activation."""
        return self.act


class LeakyReLUQuant(_RoundedAround):
    """A LeakyReLU whose input and result are rounded (``mindspore.nn.LeakyReLUQuant``, 1.0)."""

    _of = LeakyReLU


class HSwishQuant(_RoundedAround):
    """An HSwish whose input and result are rounded (``mindspore.nn.HSwishQuant``, 1.0)."""

    _of = HSwish


class HSigmoidQuant(_RoundedAround):
    """An HSigmoid whose input and result are rounded (``mindspore.nn.HSigmoidQuant``, 1.0)."""

    _of = HSigmoid
