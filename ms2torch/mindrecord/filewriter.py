"""`FileWriter`: rows into MindRecord files (``mindspore.mindrecord.filewriter``)."""

from __future__ import annotations

import os
import re

import numpy as np

from .. import log as logger
from ..dataset.core.errors import pipeline_error
from . import config
from .common.exceptions import (
    MRMAddSchemaError,
    MRMDefineIndexError,
    MRMGetMetaError,
    MRMInvalidSchemaError,
    ParamTypeError,
    ParamValueError,
)
from .core.coding import pack_map
from .core.encryption import Plain
from .core.pages import Header, internal_error
from .core.shardutils import MAX_SHARD_COUNT, MIN_SHARD_COUNT, check_filename
from .core.shardwriter import Shard, check_header_size, check_page_size, check_place, encoded

__all__ = ["FileWriter"]

_ARRAYS = ("int32", "int64", "float32", "float64")
_FITTING = {int: ("int32", "int64"), float: ("float32", "float64"), str: ("string",), bytes: ("bytes",),
            np.int32: ("int32",), np.int64: ("int64",), np.float32: ("float32",), np.float64: ("float64",),
            np.ndarray: _ARRAYS}


class FileWriter:
    """Writes rows to a MindRecord file, or to ``shard_num`` of them (``mindspore.mindrecord.FileWriter``).

    `add_schema`, then `write_raw_data` as often as wanted, then `commit`, which makes the files and beside
    each its index, ``.db``. The files are byte for byte MindSpore's, except that rows that do not divide
    among the shards go round them in turn, where MindSpore draws. Files appear with `commit`: a program that
    ends before leaves none.

    Raises ParamValueError for a bad argument; RuntimeError on the first write if a file exists, unless
    ``overwrite``.
    """

    _without = pack_map({"id": 0})                   # the raw part of a row that has no raw fields

    def __init__(self, file_name, shard_num=1, overwrite=False):
        check_filename(file_name)
        if shard_num is None:
            raise ParamValueError("Parameter shard_num is None.")
        if not isinstance(shard_num, int):
            raise ParamValueError("Parameter shard_num's type is not int.")
        if not MIN_SHARD_COUNT <= shard_num <= MAX_SHARD_COUNT:
            raise ParamValueError(f"Parameter shard_num's value: {shard_num} should between "
                                  f"{MIN_SHARD_COUNT} and {MAX_SHARD_COUNT}.")
        if not isinstance(overwrite, bool):
            raise ParamValueError("Parameter overwrite's type is not bool.")
        if shard_num > 1 and config._get_enc_key() is not None:
            raise RuntimeError("When encode mode is enabled, the automatic sharding function is "
                               "unavailable.")
        self._file_name, self._shard_num, self._overwrite = file_name, shard_num, overwrite
        width = len(str(shard_num - 1))
        self._paths = [f"{file_name}{i:0{width}}" for i in range(shard_num)] if shard_num > 1 else [file_name]
        self._schema: dict | None = None
        self._desc = ""
        self._index_fields: list[str] = []
        self._header_size, self._page_size = 16 << 20, 32 << 20
        self._shards: list[Shard] = []
        self._next = 0                               # the shard that is first to get one row more
        self._flush = self._append = False
        self._parallel_writer: bool | None = None
        self._stopped = False
        self._plain: Plain | None = None

    @classmethod
    def open_for_append(cls, file_name):
        """A writer that adds rows to a file that is there; its schema is the file's.

        RuntimeError if there is none, or it is not one.
        """
        check_filename(file_name)
        plain = Plain(file_name)
        writer = cls("append")
        writer._plain = plain                        # which keeps what was decrypted
        writer.init_append(file_name, Header.read(plain.files))
        return writer

    def init_append(self, file_name, header):
        """Go on with the file whose header was read; what `open_for_append` does."""
        self._append, self._file_name, self._paths = True, file_name, [file_name]
        self._schema, self._index_fields = header.schema, header.index_fields
        self._shards = [Shard(file_name, header, append=self._plain.files if self._plain else file_name)]

    def add_schema(self, content, desc=None):
        """Say what a row is: ``{name: {"type": ...}}``.

        Types are int32, int64, float32, float64, string and bytes; numbers with a ``"shape"`` (a list, -1 for
        one free axis) are arrays. MRMInvalidSchemaError for anything else, MRMAddSchemaError for a second
        schema.
        """
        error = _schema_error(content)
        if error:
            raise MRMInvalidSchemaError(error)
        if self._schema is not None:
            raise MRMAddSchemaError
        if desc and not isinstance(desc, (str, bytes)):
            raise TypeError("build(): incompatible function arguments. The following argument types are "
                            "supported:\n    1. (arg0: str, arg1: object) -> Schema\n\nInvoked with: "
                            f"{desc}, {content}")
        self._schema, self._desc = content, desc or ""

    def add_index(self, index_fields):
        """Say which fields (numbers or strings) the index has, for `MindPage`; by default all of them."""
        if not index_fields or not isinstance(index_fields, list):
            raise ParamTypeError("index_fields", "list")
        if self._schema is None:
            raise MRMGetMetaError
        header = Header(self._schema)
        for field in index_fields:
            if field in header.blob_fields:
                raise MRMDefineIndexError(f"Failed to set field {field} since it's not primitive type.")
            if not isinstance(field, str):
                raise ParamTypeError("index field", "str")
        for field in index_fields:
            if field not in self._schema:
                text = Header(self._schema).dumps().decode()
                schema = text[text.index('"schema":{') + 9:text.index('}],"shard_addresses"')]
                raise pipeline_error(f"Invalid input, 'index_fields': {field} can not found in schema: "
                                     f"{schema}"
                                     ".\n Please use 'add_index' function to add proper 'index_fields'.")
            if field in self._index_fields:
                raise pipeline_error(f"The 'index_fields': {field} is added repeatedly. Please remove the "
                                     "redundant 'add_index' function.")
            self._index_fields.append(field)

    def set_header_size(self, header_size):
        """Room for the header in bytes, 16 KB to 128 MB; it grows with the number of pages. RuntimeError."""
        check_header_size(header_size)
        self._header_size = header_size

    def set_page_size(self, page_size):
        """Size of a page in bytes, 32 KB to 256 MB; a row's bytes and arrays must fit one. RuntimeError."""
        check_page_size(page_size)
        self._page_size = page_size

    def _open(self) -> None:
        """Begin the files."""
        if self._shards:
            return
        check_place(self._paths, self._overwrite)
        if self._schema is None:
            raise pipeline_error("Invalid data, schema is not found in header, please use 'add_schema' to "
                                 "add a schema for new mindrecord files.")
        addresses = [os.path.basename(path) for path in self._paths]
        for number, path in enumerate(self._paths):
            header = Header(self._schema, self._desc, self._index_fields or Header(self._schema).raw_fields,
                            self._header_size, self._page_size, addresses, number)
            self._shards.append(Shard(path, header))

    def write_raw_data(self, raw_data, parallel_writer=False):
        """Write rows: a list of dicts, which loses those that do not match the schema (a warning names them).

        ParamTypeError if it is not such a list, RuntimeError if no row is left or `commit` was before.
        ``parallel_writer``: each call's rows go to one shard, in turn; they are written by this process.
        """
        if not isinstance(parallel_writer, bool):
            raise TypeError("The parameter `parallel_writer` must be bool.")
        if self._parallel_writer is None:
            self._parallel_writer = parallel_writer
        if self._parallel_writer != parallel_writer:
            raise RuntimeError("The parameter `parallel_writer` must be consistent during use.")
        self._open()
        if not isinstance(raw_data, list):
            raise ParamTypeError("raw_data", "list")
        if self._flush:
            if self._append:
                raise internal_error("Failed to seekp file.")
            raise RuntimeError("Not allowed to call `write_raw_data` on flushed MindRecord files.When "
                               "creating new MindRecord files, please remove `commit` before "
                               "`write_raw_data`. In other cases, when appending to existing MindRecord "
                               "files, please call `open_for_append` first and then `write_raw_data`.")
        for row in raw_data:
            if not isinstance(row, dict):
                raise ParamTypeError("raw_data item", "dict")
        self._drop_unfit(raw_data)
        if not raw_data and parallel_writer:         # told at the end, as of a process that has stopped
            self._stopped = True
            return
        if not raw_data:
            raise RuntimeError("There is no valid data which can be written by 'write_raw_data' to "
                               "mindrecord file. Please check the abnormal input data indicated in the "
                               "warning log above.")
        only = self._shards[0].header.blob_fields
        if len(only) == 1:                           # the file cannot hold an empty blob alone
            filled = sum(len(row[only[0]]) > 0 for row in raw_data)
            if filled != len(raw_data):
                raise internal_error(f"raw data size: {len(raw_data)} is not equal to blob data size: "
                                     f"{filled}.")
        self._distribute(raw_data)

    def _distribute(self, rows: list[dict]) -> None:
        """Rows in order over the shards, equally many for each; the odd ones go round."""
        count = len(self._shards)
        if self._parallel_writer:
            share, left = 0, len(rows)
            sizes = [left if number == self._next else share for number in range(count)]
            self._next = (self._next + 1) % count
        else:
            share, left = divmod(len(rows), count)
            sizes = [share + ((number - self._next) % count < left) for number in range(count)]
            self._next = (self._next + left) % count
        start = 0
        for shard, size in zip(self._shards, sizes, strict=True):
            if size:
                shard.write([encoded(shard.header, row, self._without) for row in rows[start:start + size]])
            start += size

    def _drop_unfit(self, rows: list[dict]) -> None:
        bad = {}
        for name, field in sorted(self._schema.items()):
            for number, row in enumerate(rows):
                if number not in bad:
                    error = _unfit(name, field, row)
                    if error:
                        bad[number] = f"for schema, {number} th data is wrong, {error}"
        for number in sorted(bad, reverse=True):
            rows.pop(number)
            logger.warning(bad[number])

    def commit(self):
        """Write what is left, and each file's index. RuntimeError on a second call."""
        if self._flush:
            raise internal_error("Failed to seekp file.")
        if self._stopped:
            raise RuntimeError(f"Worker process(pid:{os.getpid()}) has stopped abnormally. Please check the "
                               "above log")
        self._open()
        self._flush = True
        for shard in self._shards:
            shard.commit()
        for shard in self._shards:
            shard.close()
        if self._plain is not None:
            self._plain.close()

    def check_all_worker_status(self):
        """Nothing to do: there are no worker processes."""

    def check_worker_status(self, index):
        """Nothing to do: there are no worker processes."""

    def __del__(self):
        for shard in getattr(self, "_shards", ()):
            shard.close()


def _unfit(name: str, field: dict, row: dict) -> str | None:
    """Why a row does not match a field of the schema."""
    if name not in row:
        return f"there is not field: '{name}' in the raw data."
    value = row[name]
    fitting = _FITTING.get(type(value))
    if fitting is None:
        return f"data type: '{type(value).__name__}' for field: '{name}' is not matched."
    if field["type"] not in fitting:
        return f"data type: '{field['type']}' for field: '{name}' is not matched."
    if not isinstance(value, np.ndarray):
        return None
    if "shape" not in field:
        return f"data shape for field: '{name}' is not specified."
    if field["type"] != str(value.dtype):
        return f"data type: '{value.dtype}' for field: '{name}' is not matched."
    try:
        np.reshape(value, field["shape"])
    except ValueError:
        return f"data shape: '{value.shape}' for field: '{name}' is not matched."
    return None


def _schema_error(content) -> str | None:
    """What is wrong with a schema."""
    if not content:
        return "Schema content is empty."
    if not isinstance(content, dict):
        return "Schema content should be dict."
    for name, field in content.items():
        if not re.match(r"^[0-9a-zA-Z_]+$", name):
            return f"Field '{name}' should be composed of '0-9' or 'a-z' or 'A-Z' or '_'."
        if not field or not isinstance(field, dict):
            return f"Field '{name}' should be dict."
        if "type" not in field or len(field) > 2:
            return f"Field '{field}' contains illegal attributes."
        if field["type"] not in (_ARRAYS if len(field) == 2 else (*_ARRAYS, "string", "bytes")):
            return f"Field '{name}' contain illegal attribute '{field['type']}'."
        if len(field) == 2:
            if "shape" not in field:
                return f"Field '{field}' contains illegal attributes."
            if not isinstance(field["shape"], list):
                return f"Field '{name}' contain illegal attribute '{field['shape']}'."
    return None
