"""``mindspore.runtime``: memory of the device in use, in bytes, and waiting for it; zeros on the CPU."""

from __future__ import annotations

from ms2torch._core.devices import memory
from ms2torch._core.devices.device import current_module
from ms2torch._core.devices.streams import Event, Stream, StreamCtx, current_stream, default_stream  # noqa: F401
from ms2torch._naming.surface import install_lazy

from ._checkparam import args_type_check


def memory_allocated() -> int:
    """Bytes that tensors hold now."""
    return memory.statistic("memory_allocated")


def max_memory_allocated() -> int:
    """The most bytes that tensors held since the start or the last reset."""
    return memory.statistic("max_memory_allocated")


def memory_reserved() -> int:
    """Bytes that the memory pool holds now."""
    return memory.statistic("memory_reserved")


def max_memory_reserved() -> int:
    """The most bytes that the memory pool held since the start or the last reset."""
    return memory.statistic("max_memory_reserved")


def reset_peak_memory_stats() -> None:
    """Count the most bytes from now on."""
    memory.call("reset_peak_memory_stats")


reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats


def empty_cache() -> None:
    """Give memory that no tensor holds back to the device."""
    memory.call("empty_cache")


def synchronize() -> None:
    """Wait until the device has done all that was asked of it."""
    memory.call("synchronize")


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


def memory_stats() -> dict:
    """Figures of the memory pool, in bytes, by name."""
    reserved, allocated = memory_reserved(), memory_allocated()
    blocks = {"block_unit_size": 0, "block_counts": 0, "blocks_info": {}}
    return {
        "total_reserved_memory": reserved,
        "total_allocated_memory": allocated,
        "total_idle_memory": reserved - allocated,
        "total_eager_free_memory": 0,
        "max_reserved_memory": max_memory_reserved(),
        "max_allocated_memory": max_memory_allocated(),
        "common_mem_pool_stats": dict(blocks),
        "persistent_mem_pool_stats": dict(sorted(blocks.items())),
    }


def memory_summary() -> str:
    """`memory_stats` as a table."""
    stats = memory_stats()
    rule, line = "|" + "=" * 45 + "|", "|" + "-" * 45 + "|"
    rows = [rule, f"|{'Memory summary':^45}|", rule, f"| {'Metric':<20} | {'Data':<20} |"]
    for name in ("reserved", "allocated", "idle", "eager_free"):
        shown = name.replace("_", " ").capitalize() + " memory"
        rows += [line, f"| {shown:<20} | {_size(stats[f'total_{name}_memory']):<20} |"]
    for name in ("reserved", "allocated"):
        rows += [line, f"| {f'Max {name} memory':<20} | {_size(stats[f'max_{name}_memory']):<20} |"]
    return "\n".join([*rows, rule, ""])


def _size(count: int) -> str:
    unit = 0
    while count >= 1024 and unit < 4:
        count, unit = count // 1024, unit + 1
    return f"{count:>6} {('B', 'KB', 'MB', 'GB', 'TB')[unit]}"


def set_cpu_affinity(
    enable_affinity, affinity_cpu_list=None, module_to_cpu_dict=None, bind_file=None
) -> None:
    """Accepted: which cores MindSpore's threads run on; taskset does it for a process. TypeError for a list
    that is none."""
    for value, kind in ((affinity_cpu_list, list), (module_to_cpu_dict, dict)):
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"The parameter '{value}' must be {kind.__name__}, but got {type(value)}")


@args_type_check(thread_num=int, kernel_group_num=int)
def set_kernel_launch_group(thread_num=2, kernel_group_num=8) -> None:
    """Accepted: how MindSpore's runtime spreads kernels over threads."""


def set_kernel_launch_capture(enable_capture_graph, op_capture_skip=None) -> None:
    """Accepted: whether MindSpore's runtime keeps a graph of its launches."""


def set_cur_stream(stream) -> None:
    """Make ``stream`` the one that work goes to; nothing on the CPU."""
    if isinstance(stream, Stream) and stream._stream:
        current_module().set_stream(stream._stream)


def communication_stream():
    """The stream of communication: None, because torch.distributed keeps streams of its own."""


install_lazy(__name__, globals())
