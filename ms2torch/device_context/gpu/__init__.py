"""Accelerators other than Ascend's (``mindspore.device_context.gpu``)."""

from ms2torch._core.devices import device

from . import op_precision, op_tuning

# The submodules are documented, but an import of * does not bring them.
__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """How many such devices there are. RuntimeError where there is none."""
    if not is_available():
        raise RuntimeError("Device_target GPU not exist.")
    return device.count("GPU")


def is_available() -> bool:
    """Whether such devices can be used."""
    return device.count("GPU") > 0
