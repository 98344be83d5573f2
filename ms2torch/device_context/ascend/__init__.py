"""Ascend chips as devices (``mindspore.device_context.ascend``), where torch has them (torch_npu).

What sets an Ascend chip up is taken and has no effect, as MindSpore takes it on another device.
"""

from ms2torch._core.devices import device

from . import op_debug, op_precision, op_tuning

# The submodules are documented, but an import of * does not bring them.
__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """How many Ascend chips there are. RuntimeError where there is none."""
    if not is_available():
        raise RuntimeError("Device Ascend not exist.")
    return device.count("Ascend")


def is_available() -> bool:
    """Whether Ascend chips can be used."""
    return device.count("Ascend") > 0
