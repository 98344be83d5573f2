"""Invertible maps of random values (``mindspore.nn.probability.bijector``)."""

from ._kinds import Exp, GumbelCDF, Invert, PowerTransform, ScalarAffine, Softplus
from .bijector import Bijector

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]
