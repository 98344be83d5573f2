"""A body that runs again, for gradients that were not kept, draws what it drew before and reads what it read.

What it writes to Parameters holds from the first run on; while it runs again they take the same contents.
"""

from __future__ import annotations

import threading

from ms2torch._core.random.rng import kernel_seeds

# How many blocks are under way in all threads: at 0 a draw asks no further.
under_way = 0
_here = threading.local()


class Replay:
    """What a body draws from: the first ``with draws:`` notes it; in later ones every draw starts where it
    did then, and no stream moves on. What it writes has its first content again for the time. They nest."""

    __slots__ = ("_before", "_known", "_left", "_outer", "_seeds", "_starts", "_written")

    def __init__(self) -> None:
        self._known, self._left, self._starts = False, None, []
        self._before: dict = {}         # the Parameters that it writes, with their contents before
        self._written: list = []        # the same, with their contents outside of the block

    def __enter__(self) -> None:
        global under_way
        under_way += 1
        self._outer = getattr(_here, "draws", None)
        self._seeds = dict(kernel_seeds)
        self._left = iter(self._starts) if self._known else None
        if self._known:
            for holder, content in self._before.values():
                self._written.append((holder, holder._t))
                holder._t = content
        _here.draws = self

    def __exit__(self, kind, value, trace) -> None:
        global under_way
        under_way -= 1
        _here.draws = self._outer
        if self._known:
            kernel_seeds.clear()
            kernel_seeds.update(self._seeds)
            while self._written:
                holder, content = self._written.pop()
                holder._t = content
        self._known, self._left = True, None


def runs_again() -> bool:
    """Whether a body runs again: what it wrote the first time holds."""
    draws = under_way and getattr(_here, "draws", None)
    while draws and draws._left is None:
        draws = draws._outer
    return bool(draws)


def note_write(holder) -> bool:
    """Called before a Parameter is written to; True where a body runs again, and ``holder`` is to hold what
    is written until the body ends."""
    draws = under_way and getattr(_here, "draws", None)
    while draws and draws._left is None:
        draws._before.setdefault(id(holder), (holder, holder._t))
        draws = draws._outer
    return bool(draws)


def starting_state(take) -> tuple:
    """Where a draw starts: what ``take()`` gives, or where it started before; and whether it is that."""
    noting, draws = [], getattr(_here, "draws", None)
    while draws is not None and draws._left is None:
        noting.append(draws)
        draws = draws._outer
    at = take() if draws is None else next(draws._left)
    for one in noting:
        one._starts.append(at)
    return at, draws is not None
