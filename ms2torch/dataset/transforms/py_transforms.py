"""``mindspore.dataset.transforms.py_transforms``: the Python half of r1.x's transforms."""

from __future__ import annotations

from .operation import PyTensorOperation
from .transforms import Compose, OneHot, RandomApply, RandomChoice, RandomOrder

__all__ = ["Compose", "OneHotOp", "PyTensorOperation", "RandomApply", "RandomChoice", "RandomOrder"]


class OneHotOp(OneHot):
    """One-hot vectors as float64, which r1.x's Python transform gives whatever the smoothing."""

    def _compute(self, column):
        return super()._compute(column).astype("float64")
