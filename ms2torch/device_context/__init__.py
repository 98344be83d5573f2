"""What kinds of devices there are (``mindspore.device_context``)."""

from . import cpu

__all__ = ["cpu"]
