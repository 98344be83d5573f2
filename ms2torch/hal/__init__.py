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


def _asked(device_target: str | None, what: str, without, *args):
    """What torch's module of the accelerator says (``torch.cuda.<what>(*args)``), or ``without``."""
    module = device.module_of(device.accelerator())
    if _target(device_target) == "CPU" or not hasattr(module, what):
        return without
    return getattr(module, what)(*args)


def is_available(device_target: str) -> bool:
    """Whether the target is here: "CPU" always, "GPU" and "Ascend" where torch has an accelerator."""
    return device_target == "CPU" or (device_target in ("GPU", "Ascend")
                                      and device.accelerator() is not None)


def is_initialized(device_target: str) -> bool:
    """Whether the device has been used."""
    return device_target == "CPU" or _asked(device_target, "is_initialized", False)


def device_count(device_target: str | None = None) -> int:
    """How many devices of the target there are."""
    return max(_asked(device_target, "device_count", 1), 1)


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """The device's name: "CPU", or what the accelerator calls it."""
    return _asked(device_target, "get_device_name", "CPU", device_id)


def synchronize() -> None:
    """Wait until the device has done all that was asked of it."""
    memory.call("synchronize")


def empty_cache() -> None:
    """Give memory that no tensor holds back to the device."""
    memory.call("empty_cache")


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
    return {} if device.current_module() is None else runtime.memory_stats()


def _of_device(function):
    """``function(device_id)`` of the accelerator, None on the CPU."""

    def ask(device_id: int, device_target: str | None = None):
        return _asked(device_target, function, None, device_id)

    ask.__name__ = function
    return ask


get_device_capability = _of_device("get_device_capability")
get_device_capability.__doc__ = "The device's compute capability, (major, minor) of CUDA; None on the CPU."
get_device_properties = _of_device("get_device_properties")
get_device_properties.__doc__ = "The device's name, memory and so on; None on the CPU."


def get_arch_list(device_target: str | None = None):
    """The architectures that torch was built for, of CUDA and XPU; None on the CPU."""
    return _asked(device_target, "get_arch_list", None)


install_lazy(__name__, globals())
