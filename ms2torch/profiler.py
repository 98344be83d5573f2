"""``mindspore.profiler``: programs that profile themselves run; torch measures, and writes what it found.

``Profiler`` records with ``torch.profiler`` and writes a Chrome trace (``ms2torch_trace.json``) into
``output_path``, instead of the files that MindSpore's own viewer reads.
"""

from __future__ import annotations

import os

from ._core.errors import notice
from ._core.surface import install_lazy


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
        activities = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        self._running = torch.profiler.profile(activities=activities, **self._options)
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


install_lazy(__name__, globals())
