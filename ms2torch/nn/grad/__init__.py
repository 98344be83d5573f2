"""Cells that differentiate a network (``mindspore.nn.grad``)."""

from .cell_grad import Jvp, Vjp

__all__ = ["Jvp", "Vjp"]
