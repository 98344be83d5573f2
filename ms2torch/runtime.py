"""``mindspore.runtime``: memory of the device in use, in bytes, and waiting for it; zeros on the CPU."""

from __future__ import annotations

import contextlib
import ctypes
import re

from ms2torch._core.devices import memory
from ms2torch._core.devices.device import current_module
from ms2torch._core.devices.streams import Event, Stream, StreamCtx, current_stream, default_stream  # noqa: F401
from ms2torch._core.errors import unsupported
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
    """Accepted: which cores MindSpore's threads run on; taskset does it for a process.

    ``affinity_cpu_list`` is a list of ranges, or as releases up to 2.5 had it a dict. TypeError and
    ValueError for what is neither; cores that this machine has not are no error.
    """
    if isinstance(affinity_cpu_list, dict) or affinity_cpu_list is False:
        affinity_cpu_list = None
    for value, kind in ((affinity_cpu_list, list), (module_to_cpu_dict, dict)):
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"The parameter '{value}' must be {kind.__name__}, but got {type(value)}")
    for cores in affinity_cpu_list or ():
        if not isinstance(cores, str):
            raise ValueError(f"CPU range '{cores}' in '{affinity_cpu_list}' should be a string.")
        if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", cores):
            raise ValueError(f"CPU range '{cores}' in '{affinity_cpu_list}' should be in format "
                             "'cpuidX-cpuidY' or 'cpuidX,cpuidY,cpuidZ'.")
    for module, cores in (module_to_cpu_dict or {}).items():
        if not isinstance(cores, list):
            raise ValueError(f"The value of module_to_cpu_dict: {cores} should be a list.")
        for core in cores:
            if not isinstance(core, int) or core < 0:
                raise ValueError(f"CPU index '{core}' for module '{module}' in '{cores}' should be a "
                                 "non-negative integer.")


@args_type_check(thread_num=int, kernel_group_num=int)
def set_kernel_launch_group(thread_num=2, kernel_group_num=8) -> None:
    """Accepted: how MindSpore's runtime spreads kernels over threads."""


def set_kernel_launch_capture(enable_capture_graph, op_capture_skip=None) -> None:
    """Accepted: whether MindSpore's runtime keeps a graph of its launches."""


def set_device_limit(device, cube_num=-1, vector_num=-1) -> None:
    """Accepted: how many of an Ascend chip's cores work; no other device is divided so."""


def get_device_limit(device) -> dict:
    """The cores of an Ascend chip that work, -1 for all of them."""
    return {"cube_core_num": -1, "vector_core_num": -1}


def _need_stream(stream, function: str) -> None:
    if not isinstance(stream, Stream):
        raise TypeError(f"For '{function}', the argument 'stream' should be Stream, but got {type(stream)}.")


def set_stream_limit(stream, cube_num=-1, vector_num=-1) -> None:
    """Accepted: how many of an Ascend chip's cores work for a stream. TypeError for what is no stream."""
    _need_stream(stream, "set_stream_limit")


def get_stream_limit(stream) -> dict:
    """The cores of an Ascend chip that work for a stream, -1 for all of them."""
    _need_stream(stream, "get_stream_limit")
    return get_device_limit(0)


def reset_stream_limit(stream) -> None:
    """Accepted: takes `set_stream_limit` back."""
    _need_stream(stream, "set_stream_limit")


class StreamLimitCtx(contextlib.AbstractContextManager):
    """`set_stream_limit` inside ``with``."""

    def __init__(self, stream, cube_num=-1, vector_num=-1) -> None:
        _need_stream(stream, "StreamLimitCtx")
        self.stream, self.cube_num, self.vector_num = stream, cube_num, vector_num
        self.prev_cube_num = self.prev_vector_num = -1

    def __exit__(self, exc_type, exc_val, exc_tb) -> None:
        pass


class PluggableAllocator:
    """Two functions of a library that take memory of the device and give it back. OSError where there is no
    such library, AttributeError without the functions."""

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        library = ctypes.CDLL(path_to_so_file)
        self._pointers = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value
                          for name in (alloc_fn_name, free_fn_name)]
        self._named = (path_to_so_file, alloc_fn_name, free_fn_name)

    @property
    def alloc_fn_ptr(self) -> int:
        """The address of the function that takes memory."""
        return self._pointers[0]

    @property
    def free_fn_ptr(self) -> int:
        """The address of the function that gives it back."""
        return self._pointers[1]


class MemPool:
    """Memory of the device that an ``allocator`` provides."""

    def __init__(self, allocator: PluggableAllocator) -> None:
        self._allocator = allocator

    @property
    def allocator(self) -> PluggableAllocator:
        """Where the memory comes from."""
        return self._allocator


@contextlib.contextmanager
def use_mem_pool(pool: MemPool):
    """The device's memory inside ``with`` comes from ``pool``. A CPU's is the C library's, as in MindSpore;
    NotImplementedError on other devices."""
    if current_module() is not None:
        raise unsupported("mindspore.runtime.use_mem_pool", "it changes where MindSpore's device takes "
                          "memory.", "torch.cuda.MemPool and torch.cuda.use_mem_pool.")
    yield


def set_cur_stream(stream) -> None:
    """Make ``stream`` the one that work goes to; nothing on the CPU."""
    if isinstance(stream, Stream) and stream._stream:
        current_module().set_stream(stream._stream)


def communication_stream():
    """The stream of communication: None, because torch.distributed keeps streams of its own."""


install_lazy(__name__, globals())
