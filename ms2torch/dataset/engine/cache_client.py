"""`DatasetCache`: the client of a cache server, of which there is none here."""

from __future__ import annotations

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
    """A session of MindSpore's cache server (``mindspore.dataset.DatasetCache``).

    It can be made, so that programs that offer one run; a dataset that is given one raises
    NotImplementedError, where MindSpore without a running server raises RuntimeError.
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

    def get_stat(self):
        """Statistics of a cache in use: RuntimeError, since none is."""
        raise pipeline_error("GetStat called but the cache is not in use yet.")
