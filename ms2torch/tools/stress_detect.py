"""``mindspore.tools.stress_detect``."""

from ms2torch.utils.stress_detect import stress_detect

__all__ = ["stress_detect"]
