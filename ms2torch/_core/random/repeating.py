"""A body that runs again, for gradients that were not kept, draws what it drew before."""

from __future__ import annotations

import threading

from ms2torch._core.random.rng import kernel_seeds

# How many blocks are under way in all threads: at 0 a draw asks no further.
under_way = 0
_here = threading.local()


class Draws:
    """What a body draws from: the first ``with draws:`` notes it; in later ones every draw starts where it
    did then, and no stream moves on. They nest."""

    __slots__ = ("_known", "_left", "_outer", "_seeds", "_starts")

    def __init__(self) -> None:
        self._known, self._left, self._starts = False, None, []

    def __enter__(self) -> None:
        global under_way
        under_way += 1
        self._outer = getattr(_here, "draws", None)
        self._seeds = dict(kernel_seeds)
        self._left = iter(self._starts) if self._known else None
        _here.draws = self

    def __exit__(self, kind, value, trace) -> None:
        global under_way
        under_way -= 1
        _here.draws = self._outer
        if self._known:
            kernel_seeds.clear()
            kernel_seeds.update(self._seeds)
        self._known, self._left = True, None


def again() -> bool:
    """Whether a body runs again: what it wrote the first time holds."""
    draws = under_way and getattr(_here, "draws", None)
    while draws and draws._left is None:
        draws = draws._outer
    return bool(draws)


def start(take) -> tuple:
    """Where a draw starts: what ``take()`` gives, or where it started before; and whether it is that."""
    noting, draws = [], getattr(_here, "draws", None)
    while draws is not None and draws._left is None:
        noting.append(draws)
        draws = draws._outer
    at = take() if draws is None else next(draws._left)
    for one in noting:
        one._starts.append(at)
    return at, draws is not None
