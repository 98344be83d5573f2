"""`TFRecordDataset`: TFRecord files of tf.Examples as a dataset."""

from __future__ import annotations

import gzip
import os
import zlib

import numpy as np

from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import type_check
from ._files import FilesDataset
from ._schema import Schema
from ._tf_example import NotAnExample, is_record_file, parsed, records
from .datasets import UnionBaseDataset
from .samplers import Shuffle

_KINDS = {"S": "string", "f": "float", "i": "int64"}


class TFRecordDataset(FilesDataset, UnionBaseDataset):
    """Rows of TFRecord files, a column per feature (``mindspore.dataset.TFRecordDataset``).

    Without a ``schema`` (a `Schema` or its file) columns are in the order of their names: integers int64,
    floats float32, bytes uint8 (several padded with blanks to one length), all of one dimension. With one,
    columns have its order, dtypes and shapes. ``columns_list`` selects. ``shuffle``: Shuffle.GLOBAL or True
    (default) over files and rows, Shuffle.FILES over files. Shards are whole files unless
    ``shard_equal_rows``.
    ``compression_type``: "", "GZIP" or "ZLIB".

    Files that are not of this kind, features that are missing or do not fit the schema: RuntimeError. A
    schema's dtype of another kind than the file's (integers as floats), which MindSpore takes for the bits of
    the value, raises too.
    """

    _checked = "tfrecord file: {}"

    def __init__(self, dataset_files, schema=None, columns_list=None, num_samples=None,
                 num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None,
                 shard_equal_rows=False, cache=None, compression_type=None):
        if not isinstance(dataset_files, (str, list)):
            raise TypeError("dataset_files should be type str or a list of strings.")
        for name, value, kind in (("columns_list", columns_list, list),
                                  ("shard_equal_rows", shard_equal_rows, bool)):
            if value is not None:
                type_check(value, (kind,), name)
        if compression_type not in (None, "", "ZLIB", "GZIP"):
            raise ValueError("Input compression_type can only be either '' (no compression), 'ZLIB', or "
                             f"'GZIP', but got '{compression_type}'.")
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id,
                         cache)
        if compression_type and num_samples and len(self.dataset_files) < self.num_shards:
            raise ValueError("When compression_type is provided, the number of dataset files cannot be less "
                             f"than num_shards, but the actual number of files is {len(self.dataset_files)} "
                             f"and actual num_shards is {self.num_shards}.")
        self.columns_list = list(columns_list or ())
        self.shard_equal_rows = bool(shard_equal_rows)
        self.compression_type = compression_type or ""
        self._schema_file = schema if isinstance(schema, str) else None
        if isinstance(schema, str):
            schema = Schema._of_dataset(schema)
        self.schema = schema
        if schema is not None and not self.num_samples:
            self.num_samples = Schema.get_num_rows(schema)
        self._known_columns = None

    # ---- files ---------------------------------------------------------------------------------------------

    def _opened(self, file: str):
        if self.compression_type == "GZIP":
            with open(file, "rb") as source:
                packed = source.read(2) == b"\x1f\x8b"
            return gzip.open(file, "rb") if packed else open(file, "rb")
        if self.compression_type == "ZLIB":
            import io
            with open(file, "rb") as source:
                return io.BytesIO(zlib.decompress(source.read()))
        return open(file, "rb")

    def _check_files(self) -> None:
        wrong = []
        for path in self.dataset_files:
            try:
                with self._opened(path) as file:
                    good = is_record_file(file)
            except zlib.error:
                raise pipeline_error("Invalid or incomplete inflate data when inflating file "
                                     f"{path}!") from None
            except (OSError, EOFError):
                good = False
            if not good and self.compression_type:
                raise pipeline_error(f"Invalid TFRecord file: {path}")
            if not good:
                wrong.append(f"    {path}\n")
        if wrong:
            raise syntax_error("Invalid file. The following files either cannot be opened, or are not valid "
                               "TFRecordDataset files:\n" + "".join(wrong))

    def _examples(self, path: str):
        with self._opened(path) as file:
            for record in records(file):
                try:
                    yield parsed(record)
                except NotAnExample:
                    raise pipeline_error(f"Failed to parse tfrecord file: {os.path.realpath(path)}, fields "
                                         f"that failed to parse: {record[:64]!r}") from None

    def _count_of(self, file):
        with self._opened(file) as opened:
            return sum(1 for _ in records(opened))

    def _counts(self):
        if self._known_counts is None:
            files = len(self.dataset_files)
            if self.compression_type and files < self.num_shards:
                raise pipeline_error("When compression_type is provided, number of dataset files cannot be "
                                     f"less than num_shards but got {files} number of files with "
                                     f"{self.num_shards} num_shards")
            self._check_files()
            if not self.shard_equal_rows and len(self.dataset_files) < self.num_shards:
                raise pipeline_error("Invalid file, numbers of tfrecord file should not less than num_shards "
                                     "when shard_equal_rows is false, but got numbers of tfrecord file: "
                                     f"{len(self.dataset_files)}")
        return super()._counts()

    def _by_file(self) -> bool:
        return self.num_shards > 1 and not self.shard_equal_rows

    def _pieces(self, order):
        if self.compression_type and self.num_samples:
            return self._compressed_pieces(order)
        if not self._by_file():
            return super()._pieces(order)
        counts = self._counts()
        return [(file, 0, counts[file]) for file in order[self.shard_id::self.num_shards]]

    def _compressed_pieces(self, order):
        """As many rows of each file, which has to have them; of a shard, all from its first file."""
        counts, samples, shards = self._counts(), self.num_samples, self.num_shards
        files = order[self.shard_id::shards] if shards > 1 else order
        each = samples if shards > 1 else samples // len(files)
        for file in files:
            if counts[file] < each:
                raise pipeline_error(
                    f"This tfrecord file: {self.dataset_files[file]}, does not meet minimum rows per shard "
                    f"requirement: {samples} and {samples // shards} number of rows per file, but got "
                    f"{counts[file]} number of rows in this file.")
        return [(file, 0, each) for file in files]

    def _size(self):
        if self.compression_type and self.num_samples:
            self._counts()
            return self.num_samples
        if not self._by_file():
            return super()._size()
        rows = sum(self._counts()[self.shard_id::self.num_shards])
        return min(rows, self.num_samples) if self.num_samples else rows

    # ---- columns -------------------------------------------------------------------------------------------

    def _first(self) -> dict:
        """The features of the first row."""
        self._check_files()
        return next(self._examples(self.dataset_files[0]), {})

    def _kinds(self) -> dict:
        """Of each column: its dtype and shape by the schema, or its kind by the first row."""
        if self._known_columns is None:
            told = ""
            if self.schema is not None:
                fields = self.schema._fields()
                told = f" file: {self._schema_file}" if self._schema_file is not None else \
                    f" file content: {self.schema.to_json()}"
                for name in self.columns_list:
                    if name not in fields:
                        raise pipeline_error(f"Invalid data, failed to find column: {name} in JSON schema "
                                             f"file.{told}")
            else:
                fields = {name: _kind(value) for name, value in sorted(self._first().items())}
                for name in self.columns_list:
                    if name not in fields:
                        raise pipeline_error("Invalid columns_list, tfrecord file failed to find column "
                                             f"name: {name}")
            for name in self.columns_list:
                if self.columns_list.count(name) > 1:
                    raise pipeline_error(f"column name '{name}' already exists in schema.{told}")
            self._known_columns = {name: fields[name] for name in self.columns_list or fields}
        return self._known_columns

    def _columns(self):
        return list(self._kinds())

    def _rows_of(self, file):
        make = self._guessed if self.schema is None else self._declared
        kinds = self._kinds()
        for example in self._examples(file):
            yield [make(file, name, kind, example.get(name)) for name, kind in kinds.items()]

    def _guessed(self, file, name, kind, value):
        """A feature as it is."""
        if value is None:
            raise pipeline_error(f"Invalid columns_list, column name: {name} does not exist in tfrecord "
                                 "file, check tfrecord files.")
        if isinstance(value, list):
            if kind != "S":
                raise _other_kind(name, "S", kind)
            width = max(map(len, value), default=0)
            return np.frombuffer(b"".join(one.ljust(width) for one in value), np.uint8).copy()
        if value.dtype.kind != kind:
            raise _other_kind(name, value.dtype.kind, kind)
        return np.array(value)

    def _declared(self, file, name, kind, value):
        """A feature as the schema says."""
        dtype, shape = kind
        where = f"map operation: [ParseExample] failed. The corresponding data file is: {file}. "
        if value is None:
            raise pipeline_error(f"{where}Feature name: {name} is required in schema but could not be found "
                                 "in tfrecord file.")
        actual = "S" if isinstance(value, list) else value.dtype.kind
        if actual == "S":
            fits = dtype.kind == "U" or dtype == np.uint8
        else:
            fits = dtype.kind in {"f": "f", "i": "iub"}[actual]
        if not fits:
            raise pipeline_error(f"{where}The data type loaded from the example for feature name: {name} "
                                 "does not match the predefined type in schema, the actual type: "
                                 f"{_KINDS[actual]}, but the predefined type: "
                                 f"{dtype.name if dtype.kind != 'U' else 'string'}")
        if actual == "S":
            value = (np.array([one.decode() for one in value]) if dtype.kind == "U"
                     else np.frombuffer(b"".join(value), np.uint8).copy())
        else:
            value = value.astype(dtype)
        if shape is None:
            return value
        try:
            return value.reshape(shape)
        except ValueError:
            raise pipeline_error(f"{where}Column shape of {name} defined in schema does not match the shape "
                                 "actually load.") from None


def _kind(value) -> str:
    return "S" if isinstance(value, list) else value.dtype.kind


def _other_kind(name: str, wanted: str, first: str) -> RuntimeError:
    names = {"S": "int8, uint8 or string", "f": "float32", "i": "int64"}
    stored = {"S": "uint8", "f": "float32", "i": "int64"}
    return pipeline_error(f"Invalid column type, the column type of {name} should be {names[wanted]}, but "
                          f"got {stored[first]}")
