"""Structures for reinforcement learning (``mindspore.nn.reinforcement``, 1.6 to 2.6)."""

from .tensor_array import TensorArray

__all__ = ["TensorArray"]
