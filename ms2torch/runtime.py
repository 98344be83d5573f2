"""``mindspore.runtime``: memory of the device in use, in bytes, and waiting for it; zeros on the CPU."""

from __future__ import annotations

from ._checkparam import args_type_check
from ._core import memory
from ._core.streams import Event, Stream, StreamCtx, current_stream, default_stream  # noqa: F401
from ._core.surface import install_lazy


def memory_allocated() -> int:
    """Bytes that tensors hold now."""
    return memory.ask("memory_allocated")


def max_memory_allocated() -> int:
    """The most bytes that tensors held since the start or the last reset."""
    return memory.ask("max_memory_allocated")


def memory_reserved() -> int:
    """Bytes that the memory pool holds now."""
    return memory.ask("memory_reserved")


def max_memory_reserved() -> int:
    """The most bytes that the memory pool held since the start or the last reset."""
    return memory.ask("max_memory_reserved")


def reset_peak_memory_stats() -> None:
    """Count the most bytes from now on."""
    memory.do("reset_peak_memory_stats")


reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats


def empty_cache() -> None:
    """Give memory that no tensor holds back to the device."""
    memory.do("empty_cache")


def synchronize() -> None:
    """Wait until the device has done all that was asked of it."""
    memory.do("synchronize")


@args_type_check(threads_num=int)
def dispatch_threads_num(threads_num) -> None:
    """Accepted: how many threads MindSpore's runtime uses."""


def launch_blocking() -> None:
    """Accepted: MindSpore then launches one kernel after the other, which changes no result."""


@args_type_check(str, str, str, str, str)
def set_memory(
    init_size="2GB", increase_size="2GB", max_size="1024GB", optimize_level="O0", huge_page_reserve_size="0GB"
) -> None:
    """Accepted: sizes of MindSpore's memory pool; torch's pool grows by itself."""


install_lazy(__name__, globals())
