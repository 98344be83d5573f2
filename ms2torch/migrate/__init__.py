"""For those who leave for PyTorch: the differences that bite (``facts()``), ``to_torch``."""

from .facts import Fact, facts

__all__ = ["Fact", "facts"]
