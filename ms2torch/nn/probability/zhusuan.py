"""Bayesian networks of MindSpore 1.x (``mindspore.nn.probability.zhusuan``)."""

from __future__ import annotations

from ms2torch import ops
from ms2torch.common.dtype import float32
from ms2torch.nn.cell import Cell

from . import distribution

__all__ = ["BayesianNet", "ELBO"]


class BayesianNet(Cell):
    """A network of random variables, of MindSpore 1.1 to 1.10
    (``mindspore.nn.probability.zhusuan.BayesianNet``).

    A subclass writes ``construct(x, z, y)`` (observation, latent, condition) with the methods below, each of
    which gives a sample, or the ``observation`` where there is one, and its log density summed over axis 1,
    which stays. ``name``, ``seed`` and ``dtype`` change nothing, as in MindSpore.
    """

    def __init__(self) -> None:
        super().__init__()
        self.normal_dist = distribution.Normal(dtype=float32)
        self.bernoulli_dist = distribution.Bernoulli(dtype=float32)
        self.reduce_sum = ops.ReduceSum(keep_dims=True)

    def Normal(self, name, observation=None, mean=None, std=None, seed=0, dtype=float32, shape=(),
               reparameterize=True):
        """A normal variable; with ``reparameterize`` gradients reach ``mean`` and ``std``."""
        assert name is not None and seed is not None and dtype is not None
        sample = observation
        if sample is None and reparameterize:
            standard = ops.zeros(mean.shape, float32), ops.ones(std.shape, float32)
            sample = mean + std * self.normal_dist("sample", shape, *standard)
        elif sample is None:
            sample = self.normal_dist("sample", shape, mean, std)
        return sample, self.reduce_sum(self.normal_dist("log_prob", sample, mean, std), 1)

    def Bernoulli(self, name, observation=None, probs=None, seed=0, dtype=float32, shape=()):
        """A variable of zeros and ones."""
        assert name is not None and seed is not None and dtype is not None
        sample = observation
        if sample is None:
            sample = self.bernoulli_dist("sample", shape, probs)
        return sample, self.reduce_sum(self.bernoulli_dist("log_prob", sample, probs), 1)

    def construct(self, *inputs, **kwargs):
        raise NotImplementedError


class ELBO(Cell):
    """The negative evidence lower bound of two Bayesian networks, of MindSpore 1.1 to 1.10
    (``mindspore.nn.probability.zhusuan.ELBO``).

    ``variational(x, None, y)`` gives (z, its log density), ``generator(x, z, y)`` (x, its log density, z, its
    log density); of each the mean is taken. Called with x, or x and y.
    """

    def __init__(self, generator, variational) -> None:
        super().__init__()
        self.generator, self.variational = generator, variational

    def construct(self, *inputs, **kwargs):
        x, y = inputs[0], inputs[1] if len(inputs) >= 2 else None
        z, of_posterior = self.variational(x, None, y)
        _, of_data, _, of_prior = self.generator(x, z, y)
        return -(of_data.mean() + of_prior.mean() - of_posterior.mean())
