"""Optimizers with torch's arguments (``mindspore.mint.optim``)."""

from .adam import Adam
from .adamw import AdamW
from .fused_adamw import FusedAdamW
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "FusedAdamW"]
