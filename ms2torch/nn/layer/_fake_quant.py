"""Numbers rounded as integers would be, in a range that is observed (`_core.operators.quantising` has the
formulas)."""

from __future__ import annotations

from functools import partial

import numpy as np

from ms2torch import _checkparam as check
from ms2torch._core.errors import unsupported
from ms2torch._core.operators import quantising
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.compression.common import QuantDtype

from ..cell import Cell


class FakeQuantWithMinMaxObserver(Cell):
    """Watches the range of its inputs and rounds them (``mindspore.nn.FakeQuantWithMinMaxObserver``).

    In training the range becomes that of the input, 0 included, or with ``ema`` moves there by
    ``1 - ema_decay``; it is the parameters ``quant_min`` and ``quant_max``, one number or one for each of
    ``num_channels`` along ``channel_axis``. ``symmetric`` makes it even around 0, ``narrow_range`` leaves out
    the lowest integer. The first ``quant_delay`` training steps change nothing. NotImplementedError for the
    mode "LEARNED_SCALE".
    """

    def __init__(
        self,
        min_init=-6,
        max_init=6,
        ema=False,
        ema_decay=0.999,
        per_channel=False,
        channel_axis=1,
        num_channels=1,
        quant_dtype=QuantDtype.INT8,
        symmetric=False,
        narrow_range=False,
        quant_delay=0,
        neg_trunc=False,
        mode="DEFAULT",
    ):
        super().__init__()
        check.check_value_type("min_init", min_init, [int, float, list], self.cls_name)
        check.check_value_type("max_init", max_init, [int, float, list], self.cls_name)
        check.check_non_negative_int(quant_delay, "quant_delay", self.cls_name)
        if mode != "DEFAULT":
            raise unsupported(
                f"mindspore.nn.FakeQuantWithMinMaxObserver(mode={mode!r})",
                "ranges that are trained are not supported.",
                'mode="DEFAULT".',
            )
        self.ema, self.ema_decay, self.per_channel = ema, ema_decay, per_channel
        self.channel_axis, self.num_channels, self.quant_dtype = channel_axis, num_channels, quant_dtype
        self.num_bits = int(quant_dtype.name.lstrip("UINT"))
        self.symmetric, self.narrow_range, self.quant_delay = symmetric, narrow_range, quant_delay
        self.neg_trunc, self.mode = neg_trunc, mode
        self.minq = Parameter(self._range(min_init, "min_init"), name="quant_min", requires_grad=False)
        self.maxq = Parameter(self._range(max_init, "max_init"), name="quant_max", requires_grad=False)
        if np.any(self.minq.asnumpy() >= self.maxq.asnumpy()):
            raise ValueError(
                f"For '{self.cls_name}', 'min_init' must be less than 'max_init', "
                f"but got 'min_init': {min_init}, 'max_init': {max_init}."
            )
        self.quant_min, self.quant_max = quantising.levels(self.num_bits, symmetric, narrow_range)
        self._steps = 0

    def _range(self, value, name: str) -> Tensor:
        count = self.num_channels if self.per_channel else 1
        if isinstance(value, list) and len(value) != count:
            raise ValueError(
                f"For '{self.cls_name}', the length of '{name}' list must be {count}, but got {len(value)}."
            )
        return Tensor(np.array(value if isinstance(value, list) else [value] * count, np.float32))

    @classmethod
    def partial_init(cls, *args, **kwargs):
        """The class with these arguments given already."""
        return partial(cls, *args, **kwargs)

    def construct(self, x):
        t = x._t
        if self.training:
            self._watch(t.detach())
            self._steps += 1
            if self._steps <= self.quant_delay:
                return wrap(t)
        low, high, scale = self._grid(t.ndim)
        return wrap(quantising.Rounded.apply(t, low, high, scale, low, high))

    def _watch(self, t) -> None:
        axes = [i for i in range(t.ndim) if not self.per_channel or i != self.channel_axis % t.ndim]
        low, high = quantising.observed(t, self.minq._t, self.maxq._t, axes, self.ema, self.ema_decay)
        self.minq.set_data(wrap(low.float()))
        self.maxq.set_data(wrap(high.float()))

    def _grid(self, ndim: int):
        """The lowest and highest number of the grid and its step, shaped for the channels."""
        shape = [1] * ndim
        if self.per_channel:
            shape[self.channel_axis] = -1
        parts = quantising.grid(
            self.minq._t, self.maxq._t, self.num_bits, self.symmetric, self.narrow_range
        )
        return [part.reshape(shape) for part in parts]

    def extend_repr(self) -> str:
        return (
            f"quant_dtype={self.quant_dtype}, symmetric={self.symmetric}, narrow_range={self.narrow_range}, "
            f"ema={self.ema}({self.ema_decay}), per_channel={self.per_channel}({self.channel_axis}, "
            f"{self.num_channels}), quant_delay={self.quant_delay}"
        )
