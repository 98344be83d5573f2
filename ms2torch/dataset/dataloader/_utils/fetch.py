"""Reading one batch, or one sample where nothing is batched."""

from __future__ import annotations

from itertools import islice

from .collate import default_collate, default_convert


class MapFetcher:
    """Reads a dataset by index."""

    def __init__(self, dataset, batched: bool, collate_fn) -> None:
        self._dataset, self._batched = dataset, batched
        self._collate = collate_fn or (default_collate if batched else default_convert)

    def fetch(self, index):
        """The samples of a list of indices as a batch, or the one sample at an index."""
        data = [self._dataset[i] for i in index] if self._batched else self._dataset[index]
        return self._collate(data)


class IterableFetcher:
    """Reads what a dataset gives one after the other, in batches of ``batch_size`` (None: unbatched)."""

    def __init__(self, dataset, batch_size: int | None, drop_last: bool, collate_fn) -> None:
        self._dataset, self._size, self._drop_last = dataset, batch_size, drop_last
        self._collate = collate_fn or (default_convert if batch_size is None else default_collate)
        self._samples = None

    def start(self) -> None:
        """Begin a pass."""
        self._samples = iter(self._dataset)

    def fetch(self, index=None):
        """The next batch or sample; StopIteration at the end. There are no indices to ask with."""
        if self._size is None:
            return self._collate(next(self._samples))
        data = list(islice(self._samples, self._size))
        if len(data) < self._size:
            self._samples = iter(())             # ended: it is not asked again
            if not data or self._drop_last:
                raise StopIteration
        return self._collate(data)
