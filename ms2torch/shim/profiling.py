"""``--profile``: where a program's time goes, by Cell, by operator and by line, and what slows it, in words.

Cells, the iterators of datasets and whatever brings a Tensor's numbers to the host are timed from the
program's start to its end, on the main thread. A step is a call of an optimizer, or, in a program without
one, of an outermost Cell; torch's profiler records steps 6 to 25 (`WINDOW`), and its Chrome trace lies beside
the report. The numbers that the program computes are untouched; it runs somewhat slower.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import torch

from ms2torch._core.devices.device import profiler_activities
from ms2torch._core.gradient import autodiff
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.compiler import steps
from ms2torch.compiler.watching import is_users
from ms2torch.dataset.engine.iterators import Iterator
from ms2torch.language import printing
from ms2torch.nn.cell import Cell

from .profiling_data import Pipelines

WINDOW = range(5, 25)
ROWS = 12
# What of a Tensor brings its numbers to the host.
_READS = ("asnumpy", "numpy", "_scalar", "item", "__bool__", "__index__", "tolist")
_PRINTS = ("__str__", "__repr__")
# A Tensor that one line prints so often, and in this part of the steps, is printed in a loop.
OFTEN, PART = 3, 0.05
TRACE = "ms2torch_profile.json"
_BACKWARD = "(backward passes)"


class Profile:
    """The clocks: seconds and calls by Cell (its own, without those inside it), by iterator, by line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.began = time.perf_counter()
        self.first: float | None = None         # when the first Cell, batch or backward pass began
        self.own = 0.0                          # seconds of torch's profiler starting and writing its trace
        self.cells: dict[str, list] = defaultdict(lambda: [0, 0.0])
        self.outermost, self.updates = [0, 0.0], 0
        self.reads: dict[str, list] = defaultdict(lambda: [0, 0.0])
        self.data, self.pipelines = [0, 0.0], Pipelines()
        self.backward = 0.0                     # seconds of backward passes outside Cells
        self.prints: dict[str, list] = defaultdict(lambda: [0, 0.0])
        self.breaks: dict[str, None] = {}
        self._inside: list[float] = []          # seconds in Cells below, for each Cell under way
        self._under: list = []                  # these Cells
        self._reading = False
        self._main = threading.get_ident()
        self._torch = None
        self.operators = None

    # ---- what is watched -----------------------------------------------------------------------------------

    def install(self) -> None:
        Cell.__call__ = self._around_cell(Cell.__call__)
        Iterator.__next__ = self._around_data(Iterator.__next__)
        autodiff.run_backward = self._around_backward(autodiff.run_backward)
        self.pipelines.install()
        for names, rows in ((_READS, self.reads), (_PRINTS, self.prints)):
            for name in names:
                if hasattr(Tensor, name):
                    setattr(Tensor, name, self._around_read(rows, getattr(Tensor, name)))
        printing.tensor_text = self._around_read(self.prints, printing.tensor_text)     # in a graph
        steps.Step._say = self._around_break(steps.Step._say)

    def _clock(self) -> float:
        now = time.perf_counter()
        if self.first is None:
            self.first = now
        return now

    def _around_cell(self, call):
        @functools.wraps(call)
        def timed(cell, *args, **kwargs):
            # (in graph mode a Cell's call begins the graph, which calls the Cell)
            if threading.get_ident() != self._main or (self._under and self._under[-1] is cell):
                return call(cell, *args, **kwargs)
            inside = self._inside
            if not inside:
                self._window(self.steps())
            inside.append(0.0)
            self._under.append(cell)
            start = self._clock()
            try:
                return call(cell, *args, **kwargs)
            finally:
                took = time.perf_counter() - start
                self._under.pop()
                self.updates += cell._updates_weights
                row = self.cells[type(cell).__name__]
                row[0] += 1
                row[1] += took - inside.pop()
                if inside:
                    inside[-1] += took
                else:
                    self.outermost[0] += 1
                    self.outermost[1] += took

        return timed

    def _around_backward(self, run):
        @functools.wraps(run)
        def timed(*args, **kwargs):
            if threading.get_ident() != self._main:
                return run(*args, **kwargs)
            start = self._clock()
            try:
                return run(*args, **kwargs)
            finally:
                took = time.perf_counter() - start
                row = self.cells[_BACKWARD]
                row[0] += 1
                row[1] += took
                if self._inside:
                    self._inside[-1] += took
                else:
                    self.backward += took

        return timed

    def _around_data(self, following):
        @functools.wraps(following)
        def timed(iterator):
            start = self._clock()
            try:
                return following(iterator)
            finally:
                self.data[0] += 1
                self.data[1] += time.perf_counter() - start

        return timed

    def _around_break(self, say):
        @functools.wraps(say)
        def noted(step, text: str) -> None:
            self.breaks[f"{step.name}: {text}"] = None
            say(step, text)

        return noted

    def _around_read(self, rows: dict, read):
        @functools.wraps(read)
        def timed(tensor, *args, **kwargs):
            if self._reading or threading.get_ident() != self._main:
                return read(tensor, *args, **kwargs)
            self._reading = True
            start = time.perf_counter()
            try:
                return read(tensor, *args, **kwargs)
            finally:
                self._reading = False
                row = rows[_line()]
                row[0] += 1
                row[1] += time.perf_counter() - start

        return timed

    def _window(self, step: int) -> None:
        """Begin and end torch's profiler, by the number of steps so far."""
        if step in WINDOW and self._torch is None and self.operators is None:
            start = time.perf_counter()
            self._torch = torch.profiler.profile(activities=profiler_activities())
            with _without_traces_of_kineto():
                self._torch.__enter__()
            self.own += time.perf_counter() - start
        elif step >= WINDOW.stop:
            self._stop()

    def steps(self) -> int:
        """How many there were so far."""
        return self.updates or self.outermost[0]

    def _stop(self) -> None:
        if self._torch is None:
            return
        start = time.perf_counter()
        profiler, self._torch = self._torch, None
        with _without_traces_of_kineto():
            profiler.__exit__(None, None, None)
        self.operators = sorted(profiler.key_averages(), key=lambda row: -row.self_cpu_time_total)
        profiler.export_chrome_trace(str(self.folder / TRACE))
        self.own += time.perf_counter() - start

    # ---- what is told --------------------------------------------------------------------------------------

    def show(self) -> None:
        """Print the report on stderr."""
        self._stop()
        total = time.perf_counter() - self.began - self.own
        print("\n".join(self.lines(total)), file=sys.stderr)

    def lines(self, total: float) -> list[str]:
        cells = self.outermost[1]
        parts = {"before the first step": total if self.first is None else self.first - self.began,
                 "in Cells": cells, "in backward passes outside them": self.backward,
                 "waiting for data": self.data[1]}
        parts["elsewhere"] = max(0.0, total - sum(parts.values()))
        out = [f"[ms2torch] profile: {total:.2f} s; "
               + ", ".join(f"{where} {_share(part, total)}" for where, part in parts.items())]
        out += ["  " + words for words in self.findings(total)]
        out.append("  by Cell, without the Cells inside it:")
        rows = sorted(self.cells.items(), key=lambda item: -item[1][1])
        out += [f"    {name:32}{n:8} calls {t:9.3f} s {_share(t, total)}" for name, (n, t) in rows[:ROWS]]
        if self.operators:
            out.append(f"  by operator, {min(self.steps(), WINDOW.stop) - WINDOW.start} steps:")
            out += [f"    {row.key[:32]:32}{row.count:8} calls {row.self_cpu_time_total / 1e6:9.3f} s"
                    for row in self.operators[:ROWS]]
            out.append(f"  Chrome trace: {self.folder / TRACE} (open in chrome://tracing or ui.perfetto.dev)")
        return out

    def findings(self, total: float) -> list[str]:
        """What slows the program, each with the program's own line."""
        found = []
        count, cells = self.steps(), self.outermost[1]
        if self.data[1] > 0.3 * (self.data[1] + cells):
            found.append(f"data-bound: {_share(self.data[1], self.data[1] + cells)} of a step is waiting for "
                         "the dataset. More num_parallel_workers, a simpler map, or batch before map. "
                         "数据读取是瓶颈。")
            found += self.pipelines.lines()
        for line, (n, t) in sorted(self.reads.items(), key=lambda item: -item[1][0]):
            if count and n >= 0.5 * count:
                found.append(f"{line}: a Tensor's numbers are read on the host {n} times ({t:.3f} s), "
                             f"{n / count:.1f} a step: on a GPU each read waits for it. Read every tenth "
                             "step. 每步把 Tensor 读回主机。")
        found += [f"{line}: a Tensor is printed {n} times ({t:.3f} s) in a loop: each waits for its numbers "
                  "and makes a text of them. Print every hundredth step. 循环中打印 Tensor。"
                  for line, (n, t) in self.prints.items() if n >= max(OFTEN, PART * count)]
        found += [f"graph break: {text}. 未编译。" for text in self.breaks]
        return found


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.0f} %"


def _line() -> str:
    """The program's own line, from where a Tensor is read."""
    frame = sys._getframe(2)
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        frame = frame.f_back
    return "a callback of MindSpore's"


@contextmanager
def _without_traces_of_kineto():
    """Without the lines that torch's profiler writes, from C++, when it starts and stops ("USDT: ...")."""
    if sys.stderr is None:  # started without an error stream: 2 is some other file
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            said.seek(0)
            for line in said:
                if not line.startswith(b"USDT:"):
                    os.write(2, line)


def start(folder: str) -> None:
    """Watch from here on, and report at the program's end."""
    place = Path(folder or ".")
    place.mkdir(parents=True, exist_ok=True)
    profile = Profile(place)
    profile.install()
    atexit.register(profile.show)
