"""Where a library registers how it recomputes Cells (``mindspore.common._register_for_recompute``)."""

from __future__ import annotations

from types import FunctionType


class RecomputeRegistry:
    """Holds one generator. ``Cell.recompute`` keeps to ms2torch's own, which gives the same numbers."""

    def __init__(self) -> None:
        self.recompute_generator = None

    def register(self, fn) -> None:
        """Take ``fn``; TypeError for what is no function."""
        if not isinstance(fn, FunctionType):
            raise TypeError("Fn should be function type, but got", type(fn))
        self.recompute_generator = fn

    def get(self):
        """What was registered last, or what makes a recomputed Cell of a Cell."""
        from ms2torch.common.recompute import _RecomputeCell

        return self.recompute_generator or _RecomputeCell


recompute_registry = RecomputeRegistry()
