"""The normal distribution (``mindspore.nn.probability.distribution.normal``)."""

from __future__ import annotations

import math

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function.random_func import stream

from .distribution import FLOATS, Distribution, data, same_name


class Normal(Distribution):
    """N(mean, sd^2) (``mindspore.nn.probability.distribution.Normal``).

    ``sd`` is the standard deviation: ValueError unless it is above 0. Without ``mean`` or ``sd``, every call
    has to give them.
    """

    def __init__(self, mean=None, sd=None, seed=None, dtype=float32, name="Normal") -> None:
        check.check_type_name("dtype", dtype, FLOATS, type(self).__name__)
        super().__init__(seed, dtype, name, {"mean": mean, "sd": sd, "seed": seed, "dtype": dtype,
                                             "name": name, "param_dict": {"mean": mean, "sd": sd}})
        self._mean_value = self._add_parameter(mean, "mean")
        self._sd_value = self._add_parameter(sd, "sd")
        if self._sd_value is not None and not (data(self._sd_value) > 0).all():
            raise ValueError("Standard deviation must be greater than zero.")

    def extend_repr(self) -> str:
        return self._shown(mean=self._mean_value, standard_deviation=self._sd_value)

    def _get_dist_type(self) -> str:
        return "Normal"

    def _mean(self, mean=None, sd=None):
        return wrap(self._raw(mean, sd)[0])

    _mode = _mean

    def _sd(self, mean=None, sd=None):
        return wrap(self._raw(mean, sd)[1])

    def _entropy(self, mean=None, sd=None):
        return wrap(self._raw(mean, sd)[1].log() + (0.5 + 0.5 * math.log(2 * math.pi)))

    def _log_prob(self, value, mean=None, sd=None):
        x = self._raw_value(value, self.dtype)
        mean, sd = self._raw(mean, sd)
        return wrap(-0.5 * ((x - mean) / sd) ** 2 - 0.5 * math.log(2 * math.pi) - sd.log())

    def _cdf(self, value, mean=None, sd=None):
        x = self._raw_value(value, self.dtype)
        mean, sd = self._raw(mean, sd)
        return wrap(0.5 * (1 + torch.erf((x - mean) / (sd * math.sqrt(2)))))

    def _kl_loss(self, dist, mean_b, sd_b, mean=None, sd=None):
        same_name(dist, "Normal")
        mean_b, sd_b = self._raw_value(mean_b, None, "mean_b"), self._raw_value(sd_b, None, "sd_b")
        mean, sd = self._raw(mean, sd)
        growth = sd.log() - sd_b.log()
        return wrap(0.5 * ((mean - mean_b) / sd_b) ** 2 + 0.5 * torch.expm1(2 * growth) - growth)

    def _cross_entropy(self, dist, mean_b, sd_b, mean=None, sd=None):
        return self._entropy(mean, sd) + self._kl_loss(dist, mean_b, sd_b, mean, sd)

    def _sample(self, shape=(), mean=None, sd=None):
        def draw(shape, mean, sd):
            return stream(self.seed, "normal").normal(shape) * sd + mean
        return self._drawn(draw, shape, mean, sd)
