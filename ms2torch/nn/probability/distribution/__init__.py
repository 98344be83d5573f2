"""Probability distributions (``mindspore.nn.probability.distribution``)."""

from ._families import (
    Beta,
    Cauchy,
    Exponential,
    Gamma,
    Geometric,
    Gumbel,
    HalfNormal,
    Laplace,
    Logistic,
    LogNormal,
    Poisson,
    StudentT,
)
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform

__all__ = ["Bernoulli", "Beta", "Categorical", "Cauchy", "Distribution", "Exponential", "Gamma", "Geometric",
           "Gumbel", "HalfNormal", "Laplace", "LogNormal", "Logistic", "Normal", "Poisson", "StudentT",
           "TransformedDistribution", "Uniform"]
