"""What a ``map`` does with samples that fail, where ``config.set_error_samples_mode`` says to go on."""

from __future__ import annotations

from ..core.config import ErrorSamplesMode
from ..core.errors import pipeline_error
from ._pipeline import Epoch, Row

_KEPT = 16                       # rows that replacements are taken from


def going_on(epoch: Epoch, mode: ErrorSamplesMode) -> Epoch:
    """Epochs in which a row that failed is None, without these."""
    if mode is ErrorSamplesMode.SKIP:
        return lambda: (row for row in epoch() if row is not None)
    replacing = _Replacing()
    return lambda: replacing.rows(epoch())


class _Replacing:
    """Puts rows that were good in the place of those that failed.

    A ring of good rows fills first. From then on a good row that arrives while a failed one is owed is led
    by a replacement; an epoch ends with all that are still owed. A full ring takes a row for each that it
    gives.
    """

    def __init__(self) -> None:
        self._ring: list[Row] = []
        self._written = self._given = 0

    def rows(self, rows):
        owed = 0
        for row in rows:
            if row is None:
                owed += 1
                continue
            if owed and self._full():
                owed -= 1
                yield self._replacement()
            if not self._full():
                self._keep(row)
            yield row
        if owed and not self._ring:
            raise pipeline_error("All data is garbage and cannot be replaced.")
        for _ in range(owed):
            yield self._replacement()

    def _full(self) -> bool:
        return self._written - self._given >= _KEPT

    def _keep(self, row: Row) -> None:
        place = self._written % _KEPT
        self._ring[place:place + 1] = [_copied(row)]
        self._written += 1

    def _replacement(self) -> Row:
        """The next row of the ring. One that is read around before it is full goes on as if its last place
        were the sixteenth."""
        place, size = self._given, len(self._ring)
        self._given += 1
        return _copied(self._ring[place if place < size else (place - _KEPT) % size])


def _copied(row: Row) -> Row:
    """A row of its own: those of a pipeline are written into."""
    return [value.copy() for value in row]
