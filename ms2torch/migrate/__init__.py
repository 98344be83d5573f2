"""For those who leave for plain PyTorch: ``facts()`` are the differences that bite."""

from .facts import Fact, facts

__all__ = ["Fact", "facts"]
