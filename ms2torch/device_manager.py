"""``mindspore.device_manager``: the device by name, and deterministic computation."""

from __future__ import annotations

from typing import NamedTuple

from ms2torch._naming.surface import install_lazy

from ._checkparam import args_type_check


class DeviceCtx(NamedTuple):
    """A device target and its index."""

    device_target: str
    device_id: int


@args_type_check(device_target=str, device_id=int)
def set_device(device_target, device_id=None) -> None:
    """Choose the device (``mindspore.set_device``): "CPU", "GPU" or "Ascend" mean the best device here.

    ValueError for another target or a negative index.
    """
    from . import context

    valid_targets = ["CPU", "GPU", "Ascend"]
    if device_target not in valid_targets:
        raise ValueError(
            f"The argument 'device_target' must be one of {valid_targets}, but got {device_target}."
        )
    if device_id is not None and device_id < 0:
        raise ValueError("The device id must bigger than or equal to 0.")
    context.set_context(device_target=device_target, device_id=device_id or 0)


def get_current_device() -> DeviceCtx:
    """The device target that was chosen, and its index."""
    from . import context

    return DeviceCtx(context.get_context("device_target"), context.get_context("device_id"))


@args_type_check(deterministic=bool)
def set_deterministic(deterministic) -> None:
    """Ask for algorithms that give the same bits on every run."""
    from . import context

    context.set_context(deterministic="ON" if deterministic else "OFF")


install_lazy(__name__, globals())
