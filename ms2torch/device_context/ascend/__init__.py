"""Ascend chips as devices (``mindspore.device_context.ascend``): there are none here.

What sets an Ascend chip up is taken and has no effect, as MindSpore takes it on another device.
"""

from . import op_debug, op_precision, op_tuning

# The submodules are documented, but an import of * does not bring them.
__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """RuntimeError, for there is no Ascend chip."""
    raise RuntimeError("Device Ascend not exist.")


def is_available() -> bool:
    """Whether Ascend chips can be used: never."""
    return False
