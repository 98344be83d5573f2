"""What a pipeline spends its time on, by dataset and operation: the part of `--profile` that names who is to
blame where a run waits for data.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections import defaultdict

from ms2torch.dataset.engine._map import MapDataset
from ms2torch.dataset.engine.datasets import Dataset

_SHOWN = 4


class Pipelines:
    """Seconds that each dataset of a running pipeline takes, without those under it, and each operation of a
    ``map`` (of its threads too; those of other processes are the map's own waiting).
    """

    def __init__(self) -> None:
        self.nodes: dict[str, float] = defaultdict(float)
        self.operations: dict[str, float] = defaultdict(float)
        self._local = threading.local()

    def install(self) -> None:
        started = Dataset._started

        @functools.wraps(started)
        def watched(dataset, *args):
            self._watch(dataset)
            return started(dataset, *args)

        Dataset._started = watched
        MapDataset._steps = self._around_steps(MapDataset._steps)

    def _watch(self, dataset) -> None:
        for kind in type(dataset).__mro__:
            opened = kind.__dict__.get("_open")
            if opened is not None:
                if not hasattr(opened, "watched"):
                    kind._open = self._around_open(opened)
                break
        for child in dataset.children:
            self._watch(child)

    def _around_open(self, opened):
        @functools.wraps(opened)
        def timed(dataset, run):
            epoch, name = opened(dataset, run), _name(dataset)
            return lambda: self._rows(name, epoch)

        timed.watched = True
        return timed

    def _rows(self, name: str, epoch):
        below = self._local.__dict__.setdefault("below", [])
        rows = None
        while True:
            below.append(0.0)
            start = time.perf_counter()
            try:
                rows = iter(epoch()) if rows is None else rows
                row = next(rows, None)
            finally:
                took = time.perf_counter() - start
                self.nodes[name] += took - below.pop()
                if below:
                    below[-1] += took
            if row is None:
                return
            yield row

    def _around_steps(self, steps_of):
        @functools.wraps(steps_of)
        def timed(dataset):
            return [self._around_step(one, f"{_name(dataset)} {_operation(one.operation)}")
                    for one in steps_of(dataset)]

        return timed

    def _around_step(self, step, name: str):
        def clocked(function):
            if function is None:
                return None

            @functools.wraps(function)
            def timed(*columns):
                start = time.perf_counter()
                try:
                    return function(*columns)
                finally:
                    self.operations[name] += time.perf_counter() - start

            return timed

        made = clocked(step)                                 # with the attributes of the step
        if hasattr(step, "parts"):
            made.parts = tuple(map(clocked, step.parts))
        return made

    def lines(self) -> list[str]:
        """The dearest datasets, and the dearest operations of a map among them."""
        whole = sum(self.nodes.values()) or 1.0
        out = []
        for name, seconds in sorted(self.nodes.items(), key=lambda item: -item[1])[:_SHOWN]:
            if seconds < 0.05 * whole:
                break
            inside = sorted(((t, key.removeprefix(name + " ")) for key, t in self.operations.items()
                             if key.startswith(name + " ")), reverse=True)
            what = "".join(f"; {key} {t:.3f} s" for t, key in inside[:_SHOWN])
            out.append(f"  {name}: {seconds:.3f} s, {100 * seconds / whole:.0f} %{what}")
        return out


def _name(dataset) -> str:
    """The kind of a dataset, with what it was made of."""
    kind = type(dataset).__name__
    if isinstance(dataset, MapDataset):
        name = f"{kind} of {', '.join(dataset.input_columns or ['the first column'])}"
        if dataset.python_multiprocessing:
            name += f" (in processes: {', '.join(map(_operation, dataset.operations))})"
        return name
    source = getattr(dataset, "source", None)
    function = getattr(dataset, "per_batch_map", None) or getattr(dataset, "predicate", None) or source
    return kind if function is None else f"{kind} ({_operation(function)})"


def _operation(operation) -> str:
    """A transform or a function by its name, a user's with its line."""
    if hasattr(operation, "by_table"):
        return " + ".join(map(_operation, operation.operations))
    code = getattr(operation, "__code__", None)
    if code is None:
        return type(operation).__name__
    return f"{operation.__name__} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"
