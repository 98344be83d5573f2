"""`MindDataset`: MindRecord files as a dataset."""

from __future__ import annotations

import json
import math
import re

import numpy as np

from ms2torch._core.errors import unsupported
from ms2torch._naming import generations

from ..core.errors import pipeline_error, syntax_error, unexpected_error
from ..core.validator_helpers import (
    check_file,
    check_num_parallel_workers,
    check_num_samples,
    check_sampler_shuffle_shard_options,
    type_check,
)
from . import samplers
from ._mindrecord import Order
from ._sources import MappableDataset, check_shuffle
from .datasets import UnionBaseDataset
from .samplers import Shuffle

_SAMPLERS = (samplers.SubsetSampler, samplers.PKSampler, samplers.DistributedSampler, samplers.RandomSampler,
             samplers.SequentialSampler)


class MindDataset(MappableDataset, UnionBaseDataset):
    """Rows of MindRecord files, a column per field (``mindspore.dataset.MindDataset``).

    ``dataset_files``: one file, read with all that were written together with it, or a list, of which no
    other file is read (``dataset_file`` in r1.x). Columns are in the order of their names, or of
    ``columns_list``. Numbers are scalars and arrays have their schema's shape; ``bytes`` is an array of one
    bytes object, and before 2.0 (``--api 1.9``) of uint8.

    ``shuffle``: True or Shuffle.ADAPTIVE (default) over all rows, Shuffle.FILES the order of the files,
    Shuffle.INFILE within each file, Shuffle.PARTIAL both, a million rows at a time. With a seed the order is
    MindSpore's. ``padded_sample`` (a dict) is appended ``num_padded`` times, to fill the last shards.

    Files that are missing, renamed, cut or damaged, and columns that are not there, raise RuntimeError.
    """

    _shared = ("_opened_files", "_plain")

    def __init__(self, dataset_files=None, columns_list=None, num_parallel_workers=None, shuffle=None,
                 num_shards=None, shard_id=None, sampler=None, padded_sample=None, num_padded=None,
                 num_samples=None, cache=None, *, dataset_file=None):
        dataset_files = dataset_file if dataset_files is None else dataset_files
        for file in dataset_files if isinstance(dataset_files, list) else [dataset_files]:
            check_file(file)
        _check(columns_list, num_parallel_workers, num_shards, shard_id, padded_sample, num_padded,
               num_samples)
        check_sampler_shuffle_shard_options(shuffle, sampler, num_shards, shard_id, num_samples)
        _check_padding(columns_list, padded_sample, num_padded)
        check_shuffle(shuffle)
        if sampler is None and (shuffle is None or shuffle is True):
            shuffle = Shuffle.ADAPTIVE
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        if num_samples and shuffle in (Shuffle.FILES, Shuffle.INFILE):
            raise ValueError("'Shuffle.FILES' or 'Shuffle.INFILE' and 'num_samples' cannot be specified at "
                             "the same time.")
        if sampler is not None and not isinstance(sampler, _SAMPLERS):
            raise ValueError("The sampler is not supported yet.")
        _check_sampler(self.sampler)
        self.dataset_files, self.columns_list = dataset_files, list(columns_list or ())
        self.shuffle_option, self.load_dataset = shuffle, not isinstance(dataset_files, list)
        self.padded_sample, self.num_padded = padded_sample, num_padded or 0
        self._opened_files = None
        from ...mindrecord.core.encryption import Plain
        from ...mindrecord.core.shardreader import shard_paths
        self._plain = Plain(dataset_files)           # decrypted now, whatever key is set later
        shard_paths(self._plain.files)

    def _files(self):
        """The files, opened and checked once."""
        if self._opened_files is None:
            from ...mindrecord.core.shardreader import ShardReader
            reader = ShardReader(self._plain.files)
            if len(set(self.columns_list)) < len(self.columns_list):
                twice = next(c for c in self.columns_list if self.columns_list.count(c) > 1)
                raise syntax_error("MindDataset: 'columns_list' : Invalid parameter, duplicate column names "
                                   f"are not allowed: {twice}")
            self._opened_files = reader
        return self._opened_files

    def _columns(self):
        if not self.columns_list:
            return sorted(self._files().schema)
        self._files().check_columns([str(name) for name in self.columns_list])
        return self.columns_list

    def _source_size(self):
        return len(self._files()) + self.num_padded

    def _size(self):
        first = self._order().chain[0]
        if self.num_padded and self._source_size() % getattr(first, "num_shards", 1):
            raise pipeline_error("Invalid data, the size of dataset and padded samples: "
                                 f"{self.num_padded} can not be divisible by the value of 'num_shards'.\n "
                                 "Please adjust the value of 'num_padded'.")
        return super()._size()

    def _reader(self):
        reader, columns, count = self._files(), self._columns(), len(self._files())
        fields = {name: reader.schema[name] for name in columns}
        raw = any(name not in reader.blob_fields for name in columns)
        blobs = any(name in reader.blob_fields for name in columns)
        padding = self.padded_sample or {}

        def read(number):
            if number < count:
                values, parts = reader.read(number, raw, blobs)
                values = {**values, **parts}
            else:
                values = {name: _padding(name, fields[name], padding[name]) for name in columns}
            try:
                return [_column(fields[name], values[name]) for name in columns]
            except KeyError as missing:
                text = f"[Internal ERROR] Failed to read row {number}: it has no {missing}."
                raise pipeline_error(text) from None

        return read

    def _file_of(self, row, columns):
        """MindSpore names the first of the files that it was given, whichever the row is from."""
        return self.dataset_files[0] if isinstance(self.dataset_files, list) else self.dataset_files

    def _order(self) -> Order:
        return Order(self._files().counts, self.sampler, self.num_padded)

    def _numbers(self):
        return self._order().open()

    def __getitem__(self, index):
        """The row with this number, as a list of arrays."""
        type_check(index, (int,), "index")
        if index < 0:
            raise ValueError(f"index cannot be negative, but got {index}.")
        rows = self._order().open()()
        if index >= len(rows):
            raise RuntimeError(f"Input index is not within the required interval of [0, {len(rows) - 1}], "
                               f"but got {index}.")
        return self._reader()(rows[index])


def _column(field: dict, value) -> np.ndarray:
    """A value as the array that its field's schema says."""
    kind = field["type"]
    if kind == "string":
        return np.array(value)
    if "shape" in field:
        try:
            return np.frombuffer(value, kind).reshape(field["shape"]).copy()
        except ValueError:
            raise pipeline_error("Invalid data, the shape in the schema does not match the data.") from None
    if kind == "bytes":
        if generations.has_old_meaning("mindspore.dataset.MindDataset"):
            return np.frombuffer(value, np.uint8).copy()
        return np.array([value], f"S{max(len(value), 1)}")
    if kind == "int32" and not -(1 << 31) <= value < 1 << 31:
        raise pipeline_error(f"[Internal ERROR] column value: {value} is out of range.")
    return np.array(value, kind)


def _padding(name: str, field: dict, value):
    """A value of ``padded_sample`` as a file would have kept it, by way of JSON as MindSpore goes."""
    if not isinstance(value, (str, bytes, int, float, np.ndarray, type(None))):
        raise RuntimeError(f"Unable to cast Python instance of type {type(value)} to C++ type 'std::string'")
    blob, kind = isinstance(value, (bytes, np.ndarray)), field["type"]
    if "shape" in field or kind == "bytes":
        if not blob:
            raise pipeline_error("Invalid padded_sample, failed to retrieve blob data from padding sample, "
                                 "check 'padded_sample'.")
        return value.tobytes() if isinstance(value, np.ndarray) else value
    if blob or value is None:
        raise pipeline_error(f"Invalid padded_sample, the value of column: {name} should be string or number "
                             f"but got: {'{}' if blob else 'null'}, check 'padded_sample'.")
    if isinstance(value, str):
        text = json.dumps(value)
    else:
        text = "null" if isinstance(value, float) and not math.isfinite(value) else json.dumps(+value)
    if kind == "string":
        return value if isinstance(value, str) else text
    if kind.startswith("float"):
        if isinstance(value, str):
            raise unexpected_error(f"[Internal ERROR] Failed to convert column value:{text} to type float, "
                                   "[json.exception.type_error.302] type must be number, but is string")
        return value
    if isinstance(value, float):
        raise unexpected_error("[Internal ERROR] column value should be type string or number but got: "
                               f"{text}")
    if isinstance(value, str):
        number = re.match(r"\s*[-+]?\d+", value)
        if number is None:
            raise unexpected_error(f"[Internal ERROR] Failed to convert column value:{value} to type int, "
                                   "stoull")
        return int(number[0])
    return +value


def _check_sampler(sampler) -> None:
    """What MindSpore answers with rows that are not the ones asked for is refused."""
    if isinstance(sampler, samplers.PKSampler):
        raise unsupported("mindspore.dataset.MindDataset(sampler=PKSampler(...))",
                          "MindSpore 2.10 reads the first row of a file for each row that it asks for.",
                          "a SubsetSampler of the row numbers wanted, or mindspore.mindrecord.MindPage.")
    if isinstance(sampler, samplers.DistributedSampler) and sampler.offset != -1:
        raise unsupported("mindspore.dataset.MindDataset: a DistributedSampler with an offset",
                          "it is not supported.", "leave out the offset.")


def _check(columns_list, num_parallel_workers, num_shards, shard_id, padded_sample, num_padded,
           num_samples) -> None:
    if num_samples is not None:
        check_num_samples(num_samples)
    if num_parallel_workers is not None:
        check_num_parallel_workers(num_parallel_workers)
    for name, value, kind in (("num_shards", num_shards, int), ("shard_id", shard_id, int),
                              ("num_padded", num_padded, int), ("columns_list", columns_list, list),
                              ("padded_sample", padded_sample, dict)):
        if value is not None:
            type_check(value, (kind,), name)


def _check_padding(columns_list, padded_sample, num_padded) -> None:
    if padded_sample is None:
        if num_padded is not None:
            raise RuntimeError("num_padded is specified but padded_sample is not.")
        return
    if num_padded is None:
        raise RuntimeError("padded_sample is specified and requires num_padded as well.")
    if num_padded < 0:
        raise ValueError(f"num_padded is invalid, num_padded={num_padded}.")
    if columns_list is None:
        raise RuntimeError("padded_sample is specified and requires columns_list as well.")
    if any(column not in padded_sample for column in columns_list):
        raise ValueError("padded_sample cannot match columns_list.")
