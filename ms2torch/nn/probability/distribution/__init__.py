"""Probability distributions (``mindspore.nn.probability.distribution``)."""

from ._families import (
    Cauchy,
    Exponential,
    Geometric,
    HalfNormal,
    Laplace,
    Logistic,
    LogNormal,
    StudentT,
)
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform

__all__ = ["Bernoulli", "Categorical", "Cauchy", "Distribution", "Exponential", "Geometric", "HalfNormal",
           "Laplace", "LogNormal", "Logistic", "Normal", "StudentT", "TransformedDistribution", "Uniform"]
