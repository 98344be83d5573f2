"""`DatasetCache`: rows that a pipeline keeps (``mindspore.dataset.engine.cache_client``)."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from ..core.errors import pipeline_error
from ..core.validator_helpers import (
    UINT32_MAX,
    UINT64_MAX,
    check_pos_int32,
    check_positive,
    check_value,
    type_check,
)

__all__ = ["DatasetCache"]


class DatasetCache:
    """Memory for the rows of a source or a ``map`` that is given it as ``cache``: they are made once, in the
    first epoch (``mindspore.dataset.DatasetCache``).

    MindSpore's is a session of a server, ``dataset-cache``; here the rows are in this process, and need
    neither. ``size`` is the most memory for them, in MB, 0 without limit: sources that read rows by number
    make the rows again that do not fit; for others it is a RuntimeError, unless ``spilling``, which here
    means more memory and no file. The other arguments are checked and have no effect.

    Rows and their order are MindSpore's, so sources that are read from the front (text, CSV, TFRecord) and
    shuffle give rows drawn **with replacement**. As there, ``batch``, ``filter``, ``take``, ``skip``,
    ``zip``, ``concat`` and random transforms are not cached (RuntimeError); nor are GeneratorDataset and
    NumpySlicesDataset. What is random in a ``map`` below the one with the cache, and in functions, is drawn
    once, in the first epoch.
    """

    def __init__(self, session_id, size=0, spilling=False, hostname=None, port=None, num_connections=None,
                 prefetch_size=None):
        type_check(session_id, (int,), "session_id")
        check_value(session_id, [1, UINT32_MAX], "session_id")
        type_check(size, (int,), "size")
        if size != 0:
            check_positive(size, "size")
            check_value(size, [0, UINT64_MAX], "size")
        type_check(spilling, (bool,), "spilling")
        if hostname is not None:
            type_check(hostname, (str,), "hostname")
        if port is not None:
            type_check(port, (int,), "port")
            check_value(port, (1025, 65535), "port")
        for name, value in (("num_connections", num_connections), ("prefetch_size", prefetch_size)):
            if value is not None:
                check_pos_int32(value, name)
        self.session_id, self.size, self.spilling = session_id, size, spilling
        self.hostname, self.port = hostname, port
        self.num_connections, self.prefetch_size = num_connections, prefetch_size
        self._signature = self._rows = None

    def __deepcopy__(self, memo):
        return self                                  # copies of a pipeline share their rows

    def _rows_of(self, signature: tuple) -> Rows:
        """The rows of a pipeline; RuntimeError if they are another's."""
        if self._signature not in (None, signature):
            raise pipeline_error("Cannot re-use a cache for a different tree!", "Unexpected error.")
        if self._rows is None:
            self._signature = signature
            self._rows = Rows(0 if self.spilling else self.size << 20)
        return self._rows

    def get_stat(self):
        """``num_mem_cached``, the number of rows kept; ``avg_cache_sz``, their mean size in bytes; and
        ``num_disk_cached``, 0. RuntimeError before a pipeline has used the cache.

        MindSpore's sizes count what its server adds to a row.
        """
        if self._rows is None:
            raise pipeline_error("GetStat called but the cache is not in use yet.")
        return SimpleNamespace(avg_cache_sz=self._rows.bytes // max(1, len(self._rows)),
                               num_mem_cached=len(self._rows), num_disk_cached=0)


class Rows:
    """Rows by number, up to a limit in bytes (0: none)."""

    def __init__(self, limit: int):
        self.limit, self.bytes, self.complete = limit, 0, False
        self._rows: dict[int, list] = {}
        self.get = self._rows.get

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, number: int, row: list) -> bool:
        """Keep a row; False if it does not fit."""
        size = sum(value.nbytes for value in row if isinstance(value, np.ndarray))
        if self.limit and self.bytes + size > self.limit:
            return False
        self.bytes += size
        self._rows[number] = row
        return True
