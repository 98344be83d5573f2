"""The CPU as a device (``mindspore.device_context.cpu``)."""

__all__ = ["device_count", "is_available"]


def device_count() -> int:
    """How many CPUs MindSpore counts as devices: one."""
    return 1


def is_available() -> bool:
    """Whether the CPU can be used."""
    return True
