"""Several rows of a ``map`` at once, in threads: for transforms whose work is done outside of Python's lock.

Rows are cut into chunks. What draws random numbers lets the chunks pass in their order, so that no draw
depends on which thread is faster, and rows come out in their order. Threads go ahead by
``config.get_prefetch_size()`` rows each, less where these would be more than 128 MB.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import cycle, islice
from threading import Condition

from ..core import config

_TRIED = 4                       # rows that are computed here, to see what one costs
_WORTHWHILE = 1e-4               # seconds a row from which on threads pay
_CHUNK = 2e-3                    # seconds of work in a chunk, about
_BURST = 2e-2                    # seconds of work that may be waited for at a time
_AHEAD = 128 << 20               # bytes of rows that may wait


class _Turn:
    """Lets chunks pass in the order of their numbers."""

    def __init__(self) -> None:
        self._next, self._moved = 0, Condition()

    def wait(self, number: int) -> None:
        with self._moved:
            self._moved.wait_for(lambda: self._next == number)

    def pass_on(self, number: int) -> None:
        with self._moved:
            self._next = number + 1
            self._moved.notify_all()


def count(wanted: int | None) -> int:
    """Threads for an operation with ``num_parallel_workers=wanted``: no more than there are processors."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(wanted or config.get_num_parallel_workers(), processors, 32)


class Threads:
    """The threads of one ``map``, kept from epoch to epoch.

    ``parts``: of each operation what draws for each of MindSpore's workers, who take turns (or None),
    and what computes (see `step`); ``take``: their column.
    """

    def __init__(self, parts: list, take: int, workers: int) -> None:
        self._parts, self._take, self._workers, self._pool = parts, take, workers, None

    def rows(self, rows, work, first: int):
        """The rows, computed: a few by the generator ``work``, the rest by threads if that was slow.
        ``first``: which worker's turn it is.
        """
        rows, spent, held = iter(rows), [], 1
        for number, row in enumerate(islice(rows, _TRIED), first):
            start = time.perf_counter()
            row = next(work((row,), number))
            spent.append(time.perf_counter() - start)
            held = max(held, sum(getattr(value, "nbytes", 0) for value in row))
            yield row
        if len(spent) < _TRIED or min(spent) < _WORTHWHILE:
            yield from work(rows, first + len(spent))
            return
        size = max(1, min(32, round(_CHUNK / min(spent))))
        wanted = max(2, config.get_prefetch_size() // size) * self._workers
        ahead = max(self._workers, min(wanted, _AHEAD // (held * size)))
        together = max(1, min(ahead // 2, int(_BURST / (size * min(spent)))))
        yield from self._by_threads(rows, size, ahead, together, first + _TRIED)

    def end(self) -> None:
        """Leave what is not begun, and let the threads go."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _by_threads(self, rows, size: int, ahead: int, together: int, first: int):
        """Chunks of ``size`` rows, at most ``ahead`` of them under way; where one has to be waited for, it is
        until ``together`` are done, for each awakening disturbs the threads at work."""
        if self._pool is None:
            kernels = sys.modules.get("ms2torch.dataset.vision.kernels")     # image programs have it
            self._pool = ThreadPoolExecutor(self._workers, "ms2torch-map", kernels and kernels.settle)
        turns = [_Turn() if draw else None for draw, _ in self._parts]
        waiting: deque = deque()
        number, failure, more = 0, None, True
        try:
            while more or waiting:
                while more and len(waiting) < ahead:
                    chunk = []
                    try:
                        for row in islice(rows, size):
                            chunk.append(row)
                    except Exception as error:               # the rows before it come first
                        failure, more = error, False
                    more = more and len(chunk) == size
                    if chunk:
                        waiting.append(self._pool.submit(self._chunk, chunk, number, turns,
                                                         first + number * size))
                        number += 1
                if waiting and not waiting[0].done():
                    wait([waiting[min(together, len(waiting)) - 1]])
                if waiting:
                    for row in waiting.popleft().result():
                        if isinstance(row, Exception):
                            raise row
                        yield row
            if failure is not None:
                raise failure
        finally:
            for future in reversed(waiting):         # none may begin whose turn never comes
                future.cancel()

    def _chunk(self, chunk: list, number: int, turns: list, first: int) -> list:
        """The rows of a chunk from row ``first`` on, operation by operation; an error stands where one fails
        and ends it."""
        take, error = self._take, None
        for (draws, compute), turn in zip(self._parts, turns, strict=True):
            chosen = None
            if turn is not None:
                turn.wait(number)
                try:
                    draw = islice(cycle(draws), first % len(draws), None)
                    chosen, failed = _each(lambda row, draw=draw: next(draw)(row[take]), chunk)
                finally:
                    turn.pass_on(number)
                if failed is not None:
                    chunk, error = chunk[:len(chosen)], failed
            if chosen is None:
                made, failed = _each(lambda row, compute=compute: compute(row[take]), chunk)
            else:
                made, failed = _each(lambda pair, compute=compute: compute(pair[0], pair[1][take]),
                                     list(zip(chosen, chunk, strict=True)))
            if failed is not None:
                chunk, error = chunk[:len(made)], failed
            for row, value in zip(chunk, made, strict=True):
                row[take] = value[0] if type(value) is tuple else value
        return chunk if error is None else [*chunk, error]


def _each(function, items: list) -> tuple[list, Exception | None]:
    """What a function gives for each item up to the one where it raises, and what it raises."""
    found = []
    for item in items:
        try:
            found.append(function(item))
        except Exception as error:
            return found, error
    return found, None
