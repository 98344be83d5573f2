"""``mindspore.profiler``: programs that profile themselves run; torch measures, and writes what it found.

``Profiler`` records with ``torch.profiler`` and writes a Chrome trace (``ms2torch_trace.json``) into
``output_path``, instead of the files that MindSpore's own viewer reads.
"""

from __future__ import annotations

import os
from enum import Enum
from typing import ClassVar

from ms2torch._core.devices.device import profiler_activities
from ms2torch._core.errors import notice
from ms2torch._naming.surface import install_lazy


class Profiler:
    """Measures a program from its making (or `start`) until `analyse` (or `stop`).

    Takes MindSpore's arguments: ``output_path`` (default ``./data``), ``start_profile`` and
    ``profile_memory`` count here; the others choose what Ascend hardware reports and are accepted.
    """

    def __init__(
        self,
        *,
        output_path: str = "./data",
        start_profile: bool = True,
        profile_memory: bool = False,
        with_stack: bool = False,
        **kwargs,
    ) -> None:
        self.output_path = os.path.abspath(output_path)
        self._options = {"profile_memory": bool(profile_memory), "with_stack": bool(with_stack)}
        self._running = None
        notice(
            "profiler",
            f"mindspore.Profiler records with torch.profiler; its trace goes to {self.output_path}.",
        )
        if start_profile:
            self.start()

    def start(self) -> None:
        """Begin to record; RuntimeError if it does already."""
        import torch

        if self._running is not None:
            raise RuntimeError("The profiler has already started.")
        self._running = torch.profiler.profile(activities=profiler_activities(), **self._options)
        self._running.start()

    def stop(self) -> None:
        """End recording and write the trace; RuntimeError if nothing is recorded."""
        if self._running is None:
            raise RuntimeError("The profiler has not started, so can not stop.")
        self._running.stop()
        os.makedirs(self.output_path, exist_ok=True)
        self._running.export_chrome_trace(os.path.join(self.output_path, "ms2torch_trace.json"))
        self._running = None

    def step(self) -> None:
        """Mark the end of a training step."""
        if self._running is not None:
            self._running.step()

    def analyse(self, offline_path=None, pretty=False, step_list=None, mode="sync") -> None:
        """End recording and write the trace, if that was not done."""
        if self._running is not None:
            self.stop()

    def __enter__(self) -> Profiler:
        if self._running is None:
            self.start()
        return self

    def __exit__(self, *error) -> None:
        self.analyse()


def analyse(profiler_path, max_process_number=1, pretty=False, step_list=None,
            data_simplification=True) -> None:
    """Nothing is left to do: traces are whole then (``mindspore.profiler.profiler.analyse``)."""


class _Choice(Enum):
    """What to report of Ascend hardware; accepted."""


class ProfilerLevel(_Choice):
    """How much is recorded of the device; accepted."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(_Choice):
    """Where to record: the CPU is always recorded; "GPU" and "NPU" stand for the accelerator."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(_Choice):
    """Counters of Ascend cores; accepted."""

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(_Choice):
    """Kinds of files; torch writes a Chrome trace with each of them."""

    Db = "db"
    Text = "text"


class HostSystem(_Choice):
    """Parts of the host to report; accepted."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


class _ExperimentalConfig:
    """Options of MindSpore's profiler for Ascend; kept, and of no effect."""

    def __init__(
        self,
        profiler_level=ProfilerLevel.Level0,
        aic_metrics=AicoreMetrics.AiCoreNone,
        l2_cache=False,
        mstx=False,
        data_simplification=True,
        export_type=None,
        mstx_domain_include=None,
        mstx_domain_exclude=None,
        sys_io=False,
        sys_interconnection=False,
        host_sys=None,
    ) -> None:
        vars(self).update({k: v for k, v in locals().items() if k != "self"})


class schedule:
    """Which steps are recorded (``mindspore.profiler.schedule``): after ``skip_first``, again and again (or
    ``repeat`` times) ``wait`` steps not, ``warmup`` not yet, ``active`` recorded.

    A number that is no int or too small counts as its default (``active``: 1), as in MindSpore.
    """

    def __init__(self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0):
        def plain(value, least: int) -> int:
            return value if isinstance(value, int) and value >= least else least

        self.wait, self.active, self.warmup = plain(wait, 0), plain(active, 1), plain(warmup, 0)
        self.repeat, self.skip_first = plain(repeat, 0), plain(skip_first, 0)

    def __call__(self, step: int):
        """What is done in this step, as torch's ProfilerAction."""
        from torch.profiler import ProfilerAction

        step -= self.skip_first
        period = self.wait + self.warmup + self.active
        if step < 0 or (self.repeat and step >= self.repeat * period):
            return ProfilerAction.NONE
        step %= period
        if step < self.wait:
            return ProfilerAction.NONE
        if step < self.wait + self.warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if step == period - 1 else ProfilerAction.RECORD

    def to_dict(self) -> dict:
        """The numbers by name."""
        return dict(vars(self))


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    """What writes a trace into ``dir_name`` (default ``./data``) each time one is complete, for TensorBoard
    and chrome://tracing (``mindspore.profiler.tensorboard_trace_handler``)."""
    import torch

    return torch.profiler.tensorboard_trace_handler(dir_name or "./data", worker_name)


tensor_board_trace_handler = tensorboard_trace_handler  # until 2.5


class profile:
    """Records a part of a program with torch.profiler (``mindspore.profiler.profile``).

    Used in ``with``, or by `start` and `stop`; `step` ends a step, which ``schedule`` counts. Each complete
    trace goes to ``on_trace_ready``, by default to `tensorboard_trace_handler`. ``activities``,
    ``with_stack``, ``profile_memory`` and ``record_shapes`` count; the others choose what Ascend hardware
    reports and are accepted.
    """

    def __init__(
        self,
        activities=None,
        with_stack=False,
        profile_memory=False,
        data_process=False,
        parallel_strategy=False,
        start_profile=True,
        hbm_ddr=False,
        pcie=False,
        sync_enable=True,
        record_shapes=False,
        schedule=None,
        on_trace_ready=None,
        experimental_config=None,
    ) -> None:
        import torch

        asked = set(activities or ProfilerActivity)
        kinds = profiler_activities() if asked - {ProfilerActivity.CPU} else profiler_activities()[:1]
        self._profile = torch.profiler.profile(
            activities=kinds,
            schedule=schedule,
            on_trace_ready=on_trace_ready or tensorboard_trace_handler(),
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
        )
        self._on = False
        if start_profile:
            self.start()

    def start(self) -> None:
        """Begin to record."""
        if not self._on:
            self._on = True
            self._profile.start()

    def stop(self) -> None:
        """End recording."""
        if self._on:
            self._on = False
            self._profile.stop()

    def step(self) -> None:
        """End a step."""
        self._profile.step()

    def add_metadata(self, key: str, value: str) -> None:
        """Write a string into the trace."""
        self._profile.add_metadata(key, value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Write a value, given as JSON, into the trace."""
        self._profile.add_metadata_json(key, value)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error) -> None:
        self.stop()


class mstx:
    """Marks and ranges of a program's own in a trace (``mindspore.profiler.mstx``); ``stream`` and
    ``domain`` are accepted."""

    _ranges: ClassVar[dict] = {}

    @staticmethod
    def mark(message: str, stream=None, domain: str = "default") -> None:
        """A point in time."""
        mstx.range_end(mstx.range_start(message))

    @staticmethod
    def range_start(message: str, stream=None, domain: str = "default") -> int:
        """Begin a range; its number, for `range_end`."""
        import torch

        found = torch.profiler.record_function(message)
        found.__enter__()
        number = max(mstx._ranges, default=0) + 1
        mstx._ranges[number] = found
        return number

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """End a range; nothing for a number that none has."""
        found = mstx._ranges.pop(range_id, None)
        if found is not None:
            found.__exit__(None, None, None)


install_lazy(__name__, globals())
