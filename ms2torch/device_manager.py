"""``mindspore.device_manager``: the device by name, and deterministic computation."""

from __future__ import annotations

from typing import NamedTuple

from ms2torch._naming.surface import install_lazy

from . import context
from ._checkparam import args_type_check
from .context import set_device  # noqa: F401


class DeviceCtx(NamedTuple):
    """A device target and its index."""

    device_target: str
    device_id: int


def get_current_device() -> DeviceCtx:
    """The device target that was chosen, and its index."""
    return DeviceCtx(context.get_context("device_target"), context.get_context("device_id"))


_deterministic_is_set = False


@args_type_check(deterministic=bool)
def set_deterministic(deterministic) -> None:
    """Ask for algorithms that give the same bits on every run; RuntimeError at a second call."""
    global _deterministic_is_set
    if _deterministic_is_set:
        raise RuntimeError("The 'mindspore.set_deterministic' can not be set repeatedly.")
    _deterministic_is_set = True
    context.set_context(deterministic="ON" if deterministic else "OFF")


install_lazy(__name__, globals())
