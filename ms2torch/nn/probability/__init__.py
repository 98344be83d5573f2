"""Probability (``mindspore.nn.probability``)."""

from . import distribution
