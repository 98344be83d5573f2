"""``mindspore.boost``: gradient accumulation. What else is there changes the arithmetic."""

from ms2torch._naming.surface import install_lazy

from .grad_accumulation import GradientAccumulation

__all__ = ["GradientAccumulation"]

install_lazy(__name__, globals())
