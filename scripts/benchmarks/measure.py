"""Interleaved measurements: ratios of medians, because machines are noisy and absolute times mean little."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable


def interleaved(functions: dict[str, Callable[[], object]], rounds: int = 40, inner: int = 1,
                warm_up: int = 5, clock: Callable[[], float] = time.perf_counter) -> dict[str, float]:
    """Median seconds per call of each function; they take turns, so that a slow moment hits all of them.

    ``clock=time.process_time`` leaves out what other processes take; it counts the time of all threads.
    """
    for function in functions.values():
        for _ in range(warm_up):
            function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    names = list(functions)
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds):
            for name in names if turn % 2 else reversed(names):
                function = functions[name]
                start = clock()
                for _ in range(inner):
                    function()
                times[name].append((clock() - start) / inner)
    finally:
        gc.enable()
    return {name: statistics.median(values) for name, values in times.items()}
