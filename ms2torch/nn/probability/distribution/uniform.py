"""The uniform distribution (``mindspore.nn.probability.distribution.uniform``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import wrap
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function.random_func import stream

from .distribution import FLOATS, Distribution, data, same_name


class Uniform(Distribution):
    """Equal density from ``low`` to ``high`` (``mindspore.nn.probability.distribution.Uniform``).

    ValueError unless ``low`` is below ``high``. It has no mode.
    """

    def __init__(self, low=None, high=None, seed=None, dtype=float32, name="Uniform") -> None:
        check.check_type_name("dtype", dtype, FLOATS, type(self).__name__)
        super().__init__(seed, dtype, name, {"low": low, "high": high, "seed": seed, "dtype": dtype,
                                             "name": name, "param_dict": {"low": low, "high": high}})
        self._low = self._add_parameter(low, "low")
        self._high = self._add_parameter(high, "high")
        known = low is not None and high is not None and not isinstance(low, Parameter) \
            and not isinstance(high, Parameter)
        if known and not (data(self._low) < data(self._high)).all():
            raise ValueError("low must be less than high")

    @property
    def low(self):
        """The lower bound."""
        return self._low

    @property
    def high(self):
        """The upper bound."""
        return self._high

    def extend_repr(self) -> str:
        return self._shown(low=self._low, high=self._high)

    def _get_dist_type(self) -> str:
        return "Uniform"

    def _range(self, low=None, high=None):
        low, high = self._raw(low, high)
        return wrap(high - low)

    def _mean(self, low=None, high=None):
        low, high = self._raw(low, high)
        return wrap((low + high) / 2)

    def _var(self, low=None, high=None):
        return wrap(self._range(low, high)._t ** 2 / 12)

    def _entropy(self, low=None, high=None):
        return wrap(self._range(low, high)._t.log())

    def _prob(self, value, low=None, high=None):
        x = self._raw_value(value, self.dtype)
        low, high = self._raw(low, high)
        return wrap(torch.where((x >= low) & (x <= high), 1 / (high - low), 0.0))

    def _cdf(self, value, low=None, high=None):
        x = self._raw_value(value, self.dtype)
        low, high = self._raw(low, high)
        share = torch.where(x < low, 0.0, (x - low) / (high - low))
        return wrap(torch.where(x < high, share, 1.0))

    def _kl_loss(self, dist, low_b, high_b, low=None, high=None):
        same_name(dist, "Uniform")
        low_b, high_b = self._raw_value(low_b, None, "low_b"), self._raw_value(high_b, None, "high_b")
        low, high = self._raw(low, high)
        divergence = (high_b - low_b).log() - (high - low).log()
        return wrap(torch.where((low_b <= low) & (high <= high_b), divergence, torch.inf))

    def _cross_entropy(self, dist, low_b, high_b, low=None, high=None):
        return self._entropy(low, high) + self._kl_loss(dist, low_b, high_b, low, high)

    def _sample(self, shape=(), low=None, high=None):
        def draw(shape, low, high):
            return stream(self.seed, "uniform").uniform(shape) * (high - low) + low
        return self._drawn(draw, shape, low, high)
