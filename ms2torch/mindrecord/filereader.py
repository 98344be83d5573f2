"""`FileReader`: rows from MindRecord files, one after the other (``mindspore.mindrecord.filereader``)."""

from __future__ import annotations

from ms2torch._core.checks.error_wrappers import binds_by_inspect

from .. import log as logger
from .common.exceptions import ParamTypeError
from .core.encryption import Plain
from .core.shardreader import ShardReader
from .core.shardutils import check_reading, populate_data

__all__ = ["FileReader"]


class FileReader:
    """Reads MindRecord files row by row, as dicts (``mindspore.mindrecord.FileReader``).

    ``file_name``: one file, read with all that were written together with it, or a list, of which no other
    file is read. ``columns`` selects fields. ``num_consumer`` changes nothing: rows are read by this thread.
    RuntimeError for a file that is missing, damaged, renamed, or of another schema than the first.
    """

    @binds_by_inspect
    def __init__(self, file_name, num_consumer=4, columns=None, operator=None):
        check_reading(file_name, num_consumer)
        if operator is not None:
            logger.warning("The parameter 'operator' will be deprecated in a future version.")
        if columns and not isinstance(columns, list):
            raise ParamTypeError("columns", "list")
        self._columns = columns or None
        self._plain = Plain(file_name)
        if operator or not all(isinstance(name, str) for name in columns or ()):
            raise TypeError("open(): incompatible function arguments. The following argument types are "
                            f"supported: list[str], list[ShardOperator]. Invoked with: {columns}, {operator}")
        self._reader = ShardReader(self._plain.files)
        self._reader.check_columns(columns)
        self._given, self._closed = 0, False

    def get_next(self):
        """Give the rows that were not given yet: a dict from field to int, float, str, bytes or array."""
        reader = self._reader
        while self._given < len(reader) and not self._closed:
            raw, blobs = reader.read(self._given)
            self._given += 1
            if self._columns:
                raw = {name: value for name, value in raw.items() if name in self._columns}
            yield populate_data(raw, blobs, self._columns, reader.blob_fields, reader.schema)

    def close(self):
        """Close the files; no row is given any more."""
        self._closed = True
        self._reader.close()
        self._plain.close()

    def schema(self):
        """The schema that the files were written with: a dict from field to its type and shape."""
        return self._reader.schema

    def len(self):
        """The number of rows."""
        return len(self._reader)
