"""The categorical distribution (``mindspore.nn.probability.distribution.categorical``)."""

from __future__ import annotations

import math

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import int32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.ops import functional

from .bernoulli import check_probabilities
from .distribution import FLOATS, INTEGERS, Distribution, data, same_name


def _whole(x):
    """The category that a number stands for: towards 0 from above -1, else downwards."""
    return torch.where((x < 0) & (x > -1), 0.0, x.floor())


class Categorical(Distribution):
    """One of n categories, with probabilities along the last dimension of ``probs``.

    (``mindspore.nn.probability.distribution.Categorical``.) ValueError unless each lies above 0 and below 1
    and they sum to one. Samples are Int32 by default; ``mean`` and ``var`` keep a last dimension of one.
    Unlike torch's there are no logits.
    """

    def __init__(self, probs=None, seed=None, dtype=int32, name="Categorical") -> None:
        check.check_type_name("dtype", dtype, (*INTEGERS[4:], *INTEGERS[:4], *FLOATS), type(self).__name__)
        super().__init__(seed, dtype, name, {"probs": probs, "seed": seed, "dtype": dtype, "name": name,
                                             "param_dict": {"probs": probs}})
        self._probs = self._add_parameter(probs, "probs")
        if self._probs is None:
            return
        if self._probs.ndim == 0:
            raise ValueError("probs for Categorical distribution must have rank >= 1.")
        check_probabilities(self._probs)
        sums = data(self._probs).sum(-1)
        if not torch.allclose(sums, torch.ones_like(sums), rtol=10 * torch.finfo(sums.dtype).eps,
                              atol=torch.finfo(sums.dtype).eps):
            raise ValueError("Probabilities for each category should sum to one for Categorical "
                             "distribution.")
        self._is_scalar_batch = self._is_scalar_batch or self._probs.ndim == 1
        self._broadcast_shape = self._broadcast_shape[:-1]

    @property
    def probs(self):
        """The probabilities of the categories."""
        return self._probs

    def extend_repr(self) -> str:
        return self._shown(probs=self._probs)

    def _get_dist_type(self) -> str:
        return "Categorical"

    def _moments(self, probs):
        p, = self._raw(probs)
        places = torch.arange(p.shape[-1], device=p.device, dtype=p.dtype)
        return (places * p).sum(-1, keepdim=True), (places * places * p).sum(-1, keepdim=True)

    def _mean(self, probs=None):
        return wrap(self._moments(probs)[0])

    def _var(self, probs=None):
        mean, squares = self._moments(probs)
        return wrap(squares - mean * mean)

    def _mode(self, probs=None):
        return wrap(self._raw(probs)[0].argmax(-1).to(self.dtype.torch))

    def _entropy(self, probs=None):
        p, = self._raw(probs)
        return wrap(-(p.log() * p).sum(-1).squeeze())

    def _kl_loss(self, dist, probs_b, probs=None):
        same_name(dist, "Categorical")
        b, (a,) = self._raw_value(probs_b, None, "probs_b").log(), self._raw(probs)
        a = a.log()
        return wrap((a.softmax(-1) * (a.log_softmax(-1) - b.log_softmax(-1))).sum(-1).squeeze())

    def _cross_entropy(self, dist, probs_b, probs=None):
        return self._entropy(probs) + self._kl_loss(dist, probs_b, probs)

    def _picked(self, value, table):
        """(numbers at the categories of ``value``, those categories, the last one)."""
        places = _whole(self._raw_value(value))
        shape = torch.broadcast_shapes(places.shape, table.shape[:-1])
        places, table, last = places.expand(shape), table.expand(*shape, -1), table.shape[-1] - 1
        found = table.gather(-1, places.clamp(0, last).long()[..., None])[..., 0]
        return found, places, last

    def _log_prob(self, value, probs=None):
        found, places, last = self._picked(value, self._raw(probs)[0].log())
        return wrap(torch.where((places < 0) | (places > last), torch.nan, found))

    def _cdf(self, value, probs=None):
        found, places, _ = self._picked(value, self._raw(probs)[0].cumsum(-1))
        return wrap(torch.where(places < 0, 0.0, found))

    def _sample(self, shape=(), probs=None):
        if not isinstance(shape, tuple):
            raise TypeError("For shape, input type must be a tuple.")
        p = self._raw(probs)[0].detach()
        drawn = functional.multinomial(Tensor(p.reshape(-1, p.shape[-1])), math.prod(shape), seed=self.seed)
        return wrap(drawn._t.T.reshape((*shape, *p.shape[:-1])).to(self.dtype.torch))
