"""Linear systems that are solved by products with their matrix (``mindspore.scipy.sparse``, 1.6 to 1.10)."""

from . import linalg
from .linalg import bicgstab, cg, gmres

__all__ = ["bicgstab", "cg", "gmres", "linalg"]
