"""What kinds of devices there are (``mindspore.device_context``)."""

from . import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
