"""scipy's names on Tensors (``mindspore.scipy``)."""

from . import fft, linalg, optimize

__all__ = ["fft", "linalg", "optimize"]
