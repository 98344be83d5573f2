"""Probability (``mindspore.nn.probability``)."""

from . import bijector, distribution
