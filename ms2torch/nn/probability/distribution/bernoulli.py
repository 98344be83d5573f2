"""The Bernoulli distribution (``mindspore.nn.probability.distribution.bernoulli``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import int32
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function.random_func import stream

from .distribution import FLOATS, INTEGERS, Distribution, data, same_name


def check_probabilities(probs) -> None:
    """ValueError unless all lie above 0 and below 1."""
    if not (data(probs) > 0).all():
        raise ValueError("Probabilities must be greater than zero")
    if not (data(probs) < 1).all():
        raise ValueError("Probabilities must be less than one")


class Bernoulli(Distribution):
    """1 with probability ``probs``, else 0 (``mindspore.nn.probability.distribution.Bernoulli``).

    ValueError unless the probability lies above 0 and below 1. Samples are Int32 by default.
    """

    def __init__(self, probs=None, seed=None, dtype=int32, name="Bernoulli") -> None:
        check.check_type_name("dtype", dtype, (*INTEGERS, *FLOATS), type(self).__name__)
        super().__init__(seed, dtype, name, {"probs": probs, "seed": seed, "dtype": dtype, "name": name,
                                             "param_dict": {"probs": probs}})
        self._probs = self._add_parameter(probs, "probs")
        if self._probs is not None:
            check_probabilities(self._probs)

    @property
    def probs(self):
        """The probability of 1."""
        return self._probs

    def extend_repr(self) -> str:
        return self._shown(probs=self._probs)

    def _get_dist_type(self) -> str:
        return "Bernoulli"

    def _mean(self, probs1=None):
        return wrap(self._raw(probs1)[0])

    def _mode(self, probs1=None):
        return wrap((self._raw(probs1)[0] > 0.5).to(self.dtype.torch))

    def _var(self, probs1=None):
        p, = self._raw(probs1)
        return wrap((1 - p) * p)

    def _entropy(self, probs1=None):
        p, = self._raw(probs1)
        return wrap(-((1 - p) * (1 - p).log() + p * p.log()))

    def _log_prob(self, value, probs1=None):
        x = self._raw_value(value)
        p, = self._raw(probs1)
        return wrap(p.log() * x + (1 - p).log() * (1 - x))

    def _cdf(self, value, probs1=None):
        x = self._raw_value(value).floor()
        p, = self._raw(probs1)
        return wrap(torch.where(x < 1, torch.where(x < 0, 0.0, 1 - p), 1.0))

    def _kl_loss(self, dist, probs1_b, probs1=None):
        same_name(dist, "Bernoulli")
        b, (a,) = self._raw_value(probs1_b, None, "probs1_b"), self._raw(probs1)
        return wrap(a * (a / b).log() + (1 - a) * ((1 - a) / (1 - b)).log())

    def _cross_entropy(self, dist, probs1_b, probs1=None):
        return self._entropy(probs1) + self._kl_loss(dist, probs1_b, probs1)

    def _sample(self, shape=(), probs1=None):
        return self._drawn(lambda shape, p: stream(self.seed, "uniform").uniform(shape) < p, shape, probs1)
