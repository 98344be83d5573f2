"""What is measured of a pipeline between ``start`` and ``stop`` of MindSpore's profiling manager, and its
three files: the operations, the machine, and how long each batch took.

Rows run through all operations at once here, so that no queue stands between two of them: their sizes are 0.
"""

from __future__ import annotations

import json
import os
import time
import weakref

from ..core import config
from ..core.errors import pipeline_error
from ._sampler import Shuffle

# Operations without a thread of their own in MindSpore, so without a queue.
_INLINE = frozenset(("Concat", "EpochCtrl", "Project", "Rename", "Repeat", "Skip", "Take", "Zip"))
_NAMES = {"NumpySlices": "Generator", "MindData": "MindRecord", "PaddedBatch": "Batch"}
_NOTHING = {("Skip", 0), ("Repeat", 1), ("Take", -1)}
_PER_MEGABYTE = 1024 * 1024

# The manager that is running; iterators ask it at each row.
running: ProfilingManager | None = None
# The last iterator that was made while the pipeline was to be tuned.
tuned = None


def note_tuned(iterator) -> None:
    global tuned
    tuned = weakref.ref(iterator)


class ProfilingManager:
    """``mindspore._c_dataengine.GlobalContext.profiling_manager()``."""

    def __init__(self) -> None:
        self._begun = False
        self._forget()

    def _forget(self) -> None:
        self._source, self._epochs, self._batches = None, 1, []

    def init(self) -> None:
        if running is not None:
            raise pipeline_error("Stop MD Profiler before initializing it.")
        if tuned is not None and tuned() is not None:
            raise pipeline_error("Stop MD Autotune before initializing the MD Profiler.")
        self._begun = False
        self._forget()

    def start(self) -> None:
        global running
        if running is not None:
            raise pipeline_error("MD ProfilingManager is already running.")
        self._begun = True
        self._forget()
        running = self

    def stop(self) -> None:
        global running
        if not self._begun:
            raise pipeline_error("MD ProfilingManager has not started yet.")
        if running is None:
            from ms2torch import log

            log.warning("MD ProfilingManager had already stopped.")
        running = None

    def save(self, profile_data_path: str) -> None:
        """Write what was measured; nothing where no row was read."""
        if not os.path.isdir(profile_data_path):
            raise pipeline_error("Invalid file, can not get realpath of Profiling directory.")
        if self._source is None:
            return
        rank, interval = os.environ.get("RANK_ID", "0"), config.get_monitor_sampling_interval()
        operations = self._operations()
        lines = [f"{line}\n" for i, batch in enumerate(self._batches, 1) for line in _lines(i, *batch)]
        texts = {f"pipeline_profiling_{rank}.json": json.dumps(
                     {"op_info": operations, "sampling_interval": interval}),
                 f"minddata_cpu_utilization_{rank}.json": json.dumps(_machine(operations, interval)),
                 f"dataset_iterator_profiling_{rank}.txt": "".join(lines)}
        for name, text in texts.items():
            with open(os.path.join(profile_data_path, name), "w", encoding="utf-8") as file:
                file.write(text)

    def row(self, source, epochs: int, began: float) -> None:
        """A row came out of a pipeline that is read for so many epochs."""
        self._source, self._epochs = source, epochs
        now = time.monotonic()
        self._batches.append((int((now - began) * 1000), int(now * 1000)))

    def _operations(self) -> list[dict]:
        if os.environ.get("MS_INDEPENDENT_DATASET", "").strip() in ("True", "true"):
            return [_operation("ReceiveBridge", 0, [], 1)]
        found: list[dict] = []
        above = _operation("EpochCtrl", 0, [1], 1)
        _walk(self._source, int(self._epochs != 1), found)
        return [above, *found] if self._epochs != 1 else found


def _walk(dataset, number: int, found: list) -> int:
    """Put an operation and those under it into ``found``, the last child first; the number after theirs."""
    name = type(dataset).__name__.removesuffix("Dataset")
    if (name, getattr(dataset, "count", None)) in _NOTHING:
        return _walk(dataset.children[0], number, found)
    workers = getattr(dataset, "num_parallel_workers", None) or config.get_num_parallel_workers()
    if name == "TFRecord":          # a reader, a shuffle and an operation that reads the records
        several = ["Map", *["Shuffle"] * (dataset.shuffle_mode is Shuffle.GLOBAL), "TFReader"]
        for i, one in enumerate(several, 1):
            below = [number + i] if i < len(several) else []
            found.append(_operation(one, number + i - 1, below, 1 if one == "Shuffle" else workers))
        return number + len(several)
    here, after, places = [], number + 1, []
    for child in dataset.children:
        places.append(after)
        below: list[dict] = []
        after = _walk(child, after, below)
        here.append(below)
    name = _NAMES.get(name, name)
    one = name in _INLINE or name in ("Shuffle", "Generator")
    found.append(_operation(name, number, places, 1 if one else workers))
    for below in reversed(here):
        found.extend(below)
    return after


def _operation(name: str, number: int, children: list[int], workers: int) -> dict:
    queue = None if name in _INLINE else {
        "output_queue": {"length": config.get_prefetch_size(), "size": [0]}}
    said = {"metrics": queue, "num_workers": workers, "op_id": number, "op_type": f"{name}Op"}
    return {"children": children, **said} if children else said


def _lines(number: int, took: int, at: int):
    """Times, of kind 0 (1: waiting for the device, 2: the batch, 0: both), and how full the queue is."""
    yield f"0 1 {number} 0 {at}"
    yield f"0 2 {number} {took} {at}"
    yield f"0 0 {number} {took} {at}"
    yield f"1 {config.get_prefetch_size()} {number} 0 {at}"


def _machine(operations: list[dict], interval: int) -> dict:
    none = {"sys_utilization": [], "user_utilization": []}
    memory = _numbers("/proc/meminfo")
    own, parts = _numbers("/proc/self/status"), _numbers("/proc/self/smaps_rollup")
    total, free = memory.get("MemTotal", 0.0), memory.get("MemAvailable", 0.0)
    return {
        "cpu_processor_num": os.cpu_count(),
        "device_info": {"context_switch_count": [], "idle_utilization": [], "io_utilization": [],
                        "runnable_process": [], **none},
        "op_info": [{"metrics": none, "op_id": one["op_id"]} for one in operations],
        "process_info": none,
        "process_memory_info": {"pss_mbytes": [parts.get("Pss", own.get("VmRSS", 0.0))],
                                "rss_mbytes": [own.get("VmRSS", 0.0)],
                                "vss_mbytes": [own.get("VmSize", 0.0)]},
        "sampling_interval": interval,
        "system_memory_info": {"available_sys_memory_mbytes": [free], "total_sys_memory_mbytes": [total],
                               "used_sys_memory_mbytes": [total - free]},
        "time_stamp": [int(time.monotonic() * 1000)],
    }


def _numbers(path: str) -> dict[str, float]:
    """The sizes that a file of the system's lists, in megabytes; none where there is no such file."""
    found = {}
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, _, rest = line.partition(":")
                if rest.endswith("kB\n"):
                    found[name] = int(rest.split()[0]) * 1024 / _PER_MEGABYTE
    except OSError:
        pass
    return found


MANAGER = ProfilingManager()
