"""``mindspore.hal``: devices by MindSpore's target names, and their memory."""

from __future__ import annotations

from . import runtime
from ._core import memory
from ._core.streams import Event, Stream, StreamCtx, current_stream, default_stream  # noqa: F401
from ._core.surface import install_lazy


def _target(device_target: str | None) -> str:
    if device_target is None:
        from .context import get_context

        return get_context("device_target")
    return device_target


def is_available(device_target: str) -> bool:
    """Whether the target is here: "CPU" always, "GPU" and "Ascend" where torch has CUDA."""
    import torch

    return device_target == "CPU" or (device_target in ("GPU", "Ascend") and torch.cuda.is_available())


def is_initialized(device_target: str) -> bool:
    """Whether the device has been used."""
    import torch

    return device_target == "CPU" or torch.cuda.is_initialized()


def device_count(device_target: str | None = None) -> int:
    """How many devices of the target there are."""
    import torch

    return 1 if _target(device_target) == "CPU" else max(torch.cuda.device_count(), 1)


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """The device's name: "CPU", or what CUDA calls it."""
    import torch

    on_cuda = _target(device_target) != "CPU" and torch.cuda.is_available()
    return torch.cuda.get_device_name(device_id) if on_cuda else "CPU"


def synchronize() -> None:
    """Wait until the device has done all that was asked of it."""
    memory.do("synchronize")


def empty_cache() -> None:
    """Give memory that no tensor holds back to the device."""
    memory.do("empty_cache")


def _of_target(function):
    def call(device_target: str | None = None):
        return function()

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    return call


memory_allocated = _of_target(runtime.memory_allocated)
max_memory_allocated = _of_target(runtime.max_memory_allocated)
memory_reserved = _of_target(runtime.memory_reserved)
max_memory_reserved = _of_target(runtime.max_memory_reserved)
reset_peak_memory_stats = _of_target(runtime.reset_peak_memory_stats)
reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats

install_lazy(__name__, globals())
