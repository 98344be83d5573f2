"""``mindspore.hal``: devices by MindSpore's target names, and their memory."""

from __future__ import annotations

from ms2torch import runtime
from ms2torch._core.devices import device, memory
from ms2torch._core.devices.streams import Event, Stream, StreamCtx, current_stream, default_stream
from ms2torch._naming.surface import install_lazy


def _target(device_target: str | None) -> str:
    if device_target is None:
        from ms2torch.context import get_context

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

memory_summary = _of_target(runtime.memory_summary)
communication_stream, set_cur_stream = runtime.communication_stream, runtime.set_cur_stream


def memory_stats(device_target: str | None = None) -> dict:
    """Figures of the memory pool by name; none on the CPU."""
    return runtime.memory_stats() if device.device().type == "cuda" else {}


def _of_cuda(function):
    """``function(device_id)`` of torch.cuda, None on the CPU."""

    def ask(device_id: int, device_target: str | None = None):
        import torch

        on_cuda = _target(device_target) != "CPU" and torch.cuda.is_available()
        return getattr(torch.cuda, function)(device_id) if on_cuda else None

    ask.__name__ = function
    return ask


get_device_capability = _of_cuda("get_device_capability")
get_device_capability.__doc__ = "The CUDA device's compute capability, (major, minor); None on the CPU."
get_device_properties = _of_cuda("get_device_properties")
get_device_properties.__doc__ = "The CUDA device's name, memory and so on; None on the CPU."


def get_arch_list(device_target: str | None = None):
    """The CUDA architectures that torch was built for; None on the CPU."""
    import torch

    on_cuda = _target(device_target) != "CPU" and torch.cuda.is_available()
    return torch.cuda.get_arch_list() if on_cuda else None


install_lazy(__name__, globals())
