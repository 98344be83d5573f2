"""Losses (``mindspore.nn.loss``)."""

from .loss import *  # noqa: F403
from .loss import __all__ as _names

__all__ = [n for n in _names if not n.startswith("_")]
