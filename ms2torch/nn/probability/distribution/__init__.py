"""Probability distributions (``mindspore.nn.probability.distribution``)."""

from ._families import (
    Bernoulli,
    Categorical,
    Cauchy,
    Exponential,
    Geometric,
    HalfNormal,
    Laplace,
    Logistic,
    LogNormal,
    Normal,
    StudentT,
    Uniform,
)
from .distribution import Distribution

__all__ = ["Bernoulli", "Categorical", "Cauchy", "Distribution", "Exponential", "Geometric", "HalfNormal",
           "Laplace", "LogNormal", "Logistic", "Normal", "StudentT", "Uniform"]
