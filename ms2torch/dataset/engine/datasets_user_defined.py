"""Datasets over the user's own objects: functions, iterables, random access, arrays."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Iterable
from types import GeneratorType

import numpy as np

from ms2torch._core.tensor.dtype import Type
from ms2torch._core.tensor.tensor import Tensor

from ..core.datatypes import is_data, mstype_to_detype
from ..core.errors import UserCodeError, pipeline_error, syntax_error, user_stack
from ..core.validator_helpers import (
    INT32_MAX,
    check_columns,
    check_pos_int32,
    check_source_arguments,
    check_value,
    is_iterable,
    type_check,
)
from . import samplers
from ._batch_sampler import batches, check_batch_sampler
from ._schema import Schema, columns_of
from ._sources import MappableDataset
from .datasets import UnionBaseDataset, to_list

__all__ = ["GeneratorDataset", "NumpySlicesDataset", "PaddedDataset"]


class GeneratorDataset(MappableDataset, UnionBaseDataset):
    """Rows from the user's object (``mindspore.dataset.GeneratorDataset``).

    ``source``: an object with ``__getitem__`` and ``__len__`` (read in the sampler's order, shuffled by
    default), an iterable, or a function that gives an iterator; the last two are read in their own order,
    whatever ``shuffle`` says. A row is one value or a tuple of them, a value per name in ``column_names``:
    Python ints become int64, floats float64, arrays and Tensors keep their dtype, text stays text. Errors in
    the source surface as RuntimeError with the user's traceback. Where there is random access and
    ``num_parallel_workers`` is more than 1, as many processes read (threads of this one have nothing to gain:
    with ``python_multiprocessing=False`` it reads alone); ``max_rowsize`` changes nothing. A ``schema`` names
    the columns and their dtypes. What a ``batch_sampler`` gives are lists of row numbers: each makes a batch,
    by ``collate_fn`` where there is one, of a list of values for each column.
    """

    _shared = ("source", "collate_fn")

    def __init__(self, source, column_names=None, column_types=None, schema=None, num_samples=None,
                 num_parallel_workers=1, shuffle=None, sampler=None, num_shards=None, shard_id=None,
                 python_multiprocessing=True, max_rowsize=None, batch_sampler=None, collate_fn=None):
        _check_source(source, column_names, column_types, schema, sampler)
        check_source_arguments(num_samples, num_parallel_workers, shuffle, num_shards, shard_id,
                               python_multiprocessing=python_multiprocessing)
        if max_rowsize is not None:
            type_check(max_rowsize, (int,), "max_rowsize")
            check_value(max_rowsize, [-1, INT32_MAX], "max_rowsize")
        if (num_shards is None) != (shard_id is None):
            raise ValueError("num_shards and shard_id need to be passed in together.")
        if num_shards is not None:
            check_pos_int32(num_shards, "num_shards")
            if shard_id >= num_shards:
                raise ValueError("shard_id should be less than num_shards.")
        if (batch_sampler, collate_fn) != (None, None):
            check_batch_sampler(batch_sampler, collate_fn,
                                (num_samples, shuffle, num_shards, shard_id, sampler))
        _check_by_number(source, sampler, batch_sampler, num_shards)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id)
        if isinstance(source, builtins.zip):
            source = list(source)
        self.source = _Replayed(source) if isinstance(source, GeneratorType) else source
        self.column_names = to_list(column_names)
        self.column_types = [None if t is None else _numpy_type(t) for t in column_types or []]
        if schema is not None:
            fields = columns_of(schema)
            self.column_names, self.column_types = list(fields), list(fields.values())
        self.has_batch_sampler, self.collate_fn = batch_sampler is not None, collate_fn
        if self.has_batch_sampler:
            self.sampler = batch_sampler if isinstance(batch_sampler, samplers.BuiltinSampler) \
                else samplers.IterSampler(batch_sampler)
        self.python_multiprocessing = python_multiprocessing
        self.source_len = len(self.source) if hasattr(self.source, "__len__") else -1

    # A source without random access has no use for the sampler: it gives what it gives.

    def _by_number(self) -> bool:
        return hasattr(self.source, "__getitem__")

    def _columns(self):
        return self.column_names

    def _source_size(self):
        if self.source_len == -1:
            raise RuntimeError("Attempt to construct a random access dataset, '__len__' method is required!")
        if self.source_len == 0:
            raise syntax_error("GeneratorNode: data row of input source must not be 0, got: 0")
        return self.source_len

    def _size(self):
        if self._by_number():
            return super()._size()
        if self.source_len == -1:
            return self._count()
        return min(self.source_len, self.num_samples) if self.num_samples else self.source_len

    def get_batch_size(self):
        return -1 if self.has_batch_sampler else 1

    def _reader(self):
        source, checked = self.source, self._checked

        def read(number):
            try:
                row = _converted(source[number])
            except Exception as error:
                raise UserCodeError(user_stack(error)) from error
            return checked(row)

        return read

    def _open(self, run):
        if self._by_number():
            return self._open_by_number(run)
        if self.source_len == 0:
            raise syntax_error("GeneratorNode: data row of input source must not be 0, got: 0")
        source, wanted, checked = self.source, self.num_samples or None, self._checked

        def epoch():
            try:
                rows = iter(source) if hasattr(source, "__iter__") else source()
                rows = itertools.islice(rows, wanted)
            except Exception as error:
                raise UserCodeError(user_stack(error)) from error
            while True:
                try:
                    row = _converted(next(rows))
                except StopIteration:
                    return
                except Exception as error:
                    raise UserCodeError(user_stack(error)) from error
                yield checked(row)

        return epoch

    def _open_by_number(self, run):
        from . import _processes
        alone = (self.num_parallel_workers or 1) == 1 or not self.python_multiprocessing
        workers = None
        if not (alone or isinstance(self.source, _HELD)) and _processes.possible():
            workers = _processes.Workers(self._reader(), self.num_parallel_workers, "GeneratorDataset")
            run.at_stop.append(workers.end)
        if self.has_batch_sampler:
            rows, announced = batches(self, run, workers), self.sampler._chosen(self._source_size())
        else:
            read = self._reader()                      # (it knows which numbers are outside of the source)
            numbers, announced = self.sampler._opened(self._source_size(), self._labels)
            rows = self._reading(read, numbers) if workers is None else (
                lambda: workers.run(numbers(), again=True))
        if isinstance(self.sampler, samplers.Sampler) and self.sampler.num_samples is None:
            return rows                                # counted anew in each epoch
        return self._counted(rows, announced)

    def _counted(self, rows, announced: int):
        """The epochs of ``rows``, with an error behind each that had not as many as the sampler announces."""
        def epoch():
            found = 0
            for row in rows():
                found += 1
                yield row
            if found != announced:
                raise UserCodeError(f"The actual amount of data read from generator {found} is different "
                                    f"from generator.len {announced}, you should adjust generator.len to "
                                    "make them match.")

        return epoch

    def _checked(self, row):
        """A row with as many values as there are columns, of the declared types."""
        names = self.column_names
        if len(row) != len(names):
            raise UserCodeError("Invalid Python function, the 'source' of 'GeneratorDataset' should return "
                                "same number of NumPy arrays as specified in column_names, the size of "
                                f"column_names is:{len(names)} and number of returned NumPy array "
                                f"is:{len(row)}")
        for value in row:
            if isinstance(value, np.ndarray) and not is_data(value.dtype):
                raise pipeline_error("Failed to create tensor from numpy array, data type is unknown.")
        for value, wanted in zip(row, self.column_types, strict=False):
            if wanted is not None and value.dtype != wanted and not value.dtype.kind == wanted.kind == "U":
                raise UserCodeError("Invalid Python function, type of returned data in 'GeneratorDataset' "
                                    "should be same with specified column_types, but the type of returned "
                                    f"data: {type(value)}, specified column type: "
                                    + ("string" if wanted.kind == "U" else str(wanted)))
        return row

    def __getitem__(self, index):
        """The source's row at a place of the sampler's first epoch."""
        type_check(index, (int, np.number), "index")
        if not self._by_number():
            raise RuntimeError("Dataset don't support randomized access.")
        if self.has_batch_sampler:
            raise RuntimeError("GeneratorDataset with batch_sampler does not support random access.")
        numbers = self.sampler._open(self._source_size(), self._labels)()
        return self.source[numbers[index]]

    def add_sampler(self, new_sampler):
        if isinstance(new_sampler, samplers.PKSampler):
            raise RuntimeError("GeneratorDataset doesn't support PKSampler")
        super().add_sampler(new_sampler)

    def split(self, sizes, randomize=True):
        if self._by_number() and not self.has_batch_sampler:
            return super().split(sizes, randomize)
        return super(MappableDataset, self).split(sizes, randomize)


class _Replayed:
    """A generator object as a source: what it gave is kept, so that later epochs see it again."""

    def __init__(self, generator):
        self._rest = generator

    def __iter__(self):
        self._rest, fresh = itertools.tee(self._rest)
        return fresh


_ONE_VALUE = (int, float, str, bytes, np.ndarray, Tensor, np.number, np.bool_)


def _converted(row) -> list:
    """What the user's object gave, as a row of arrays that belong to the pipeline."""
    if isinstance(row, _ONE_VALUE):
        value = row.asnumpy().copy() if isinstance(row, Tensor) else np.array(row)
        if value.dtype == object:
            raise TypeError("Data type of the input or its converted Numpy array is expected to be int or "
                            f"float or str, but got {value.dtype}.")
        return [value]
    if isinstance(row, dict):
        return [_copied(row)]
    values = []
    for place, value in enumerate(row, 1):
        if isinstance(value, dict):
            values.append(_copied(value))
            continue
        array = value.asnumpy().copy() if isinstance(value, Tensor) else np.array(value)
        if array.dtype == object:
            raise TypeError(f"Data type of {place}th item of the input or its converted Numpy array is "
                            f"expected to be int or float or str, but got {array.dtype}.")
        values.append(array)
    return values


def _copied(value):
    """A dict as it passes the pipeline: Python objects, and arrays of its own."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value


def _numpy_type(kind) -> np.dtype:
    return mstype_to_detype(kind) if isinstance(kind, Type) else np.dtype(kind)


def _check_source(source, column_names, column_types, schema, sampler) -> None:
    if not callable(source):
        try:
            iter(source)
        except TypeError as error:
            raise TypeError("Input `source` function of GeneratorDataset should be callable, iterable or "
                            "random accessible, commonly it should implement one of the method like yield, "
                            "__getitem__ or __next__(__iter__).") from error
    if column_names is not None:
        check_columns(column_names, "column_names")
    if column_names is None and schema is None:
        raise ValueError("Neither columns_names nor schema are provided.")
    if schema is not None and not isinstance(schema, (Schema, str)):
        raise ValueError("schema should be a path to schema file or a schema object.")
    if column_types is not None:
        type_check(column_types, (list,), "column_types")
    if isinstance(sampler, samplers.PKSampler):
        raise ValueError("GeneratorDataset doesn't support PKSampler.")
    if sampler is not None and not isinstance(sampler, samplers.BuiltinSampler) and not isinstance(sampler,
                                                                                                   Iterable) \
            and not hasattr(sampler, "__getitem__"):
        raise TypeError("sampler should be either iterable or from mindspore.dataset.samplers.")
    if not isinstance(sampler, samplers.BuiltinSampler):
        is_iterable(sampler)         # begins an iteration, as MindSpore's look does: a sampler may count them


def _check_by_number(source, sampler, batch_sampler, num_shards) -> None:
    if not hasattr(source, "__getitem__"):
        for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler),
                            ("num_shards", num_shards)):
            if value is not None:
                raise ValueError(f"{name} is not supported if source does not have attribute '__getitem__'.")


class _Slices:
    """Columns cut along their first axis."""

    def __init__(self, data, column_names):
        if isinstance(data, dict):
            column_names = column_names or list(data)
            data = tuple(list(getattr(column, "values", column)) for column in data.values())
        self.columns = data if isinstance(data, tuple) else (data,)
        if len({len(column) for column in self.columns}) > 1:
            raise ValueError("Data length in each column is not equal.")
        self.names = column_names or [f"column_{i}" for i in range(len(self.columns))]

    def __len__(self):
        return len(self.columns[0])

    def __getitem__(self, index):
        return tuple(column[index] for column in self.columns)


class NumpySlicesDataset(GeneratorDataset):
    """Rows from arrays or lists: a list or array (one column), a tuple of them, or a dict by column name.

    Names default to ``column_0``, ``column_1``, ... (``mindspore.dataset.NumpySlicesDataset``). Shuffled by
    default.
    """

    def __init__(self, data, column_names=None, num_samples=None, num_parallel_workers=1, shuffle=None,
                 sampler=None,
                 num_shards=None, shard_id=None):
        type_check(data, (list, tuple, dict, np.ndarray), "data")
        if len(data) == 0:
            raise ValueError("Argument data cannot be empty")
        if isinstance(data, tuple):
            type_check(data[0], (list, np.ndarray), "data[0]")
        if column_names is not None:
            check_columns(column_names, "column_names")
            given, needed = len(to_list(column_names)), len(data) if isinstance(data, (dict, tuple)) else 1
            if given != needed:
                of_a_list = "" if isinstance(data, (dict, tuple)) else " as data is list"
                raise ValueError(f"Num of input column names is {given}, but required is "
                                 f"{needed}{of_a_list}.")
        source = _Slices(data, to_list(column_names))
        super().__init__(source, source.names, num_samples=num_samples,
                         num_parallel_workers=num_parallel_workers,
                         shuffle=shuffle, sampler=sampler, num_shards=num_shards, shard_id=shard_id)


# Sources whose rows lie in memory: who reads them makes no difference.
_HELD = (_Slices, list, tuple, np.ndarray)


class PaddedDataset(GeneratorDataset):
    """Rows given as dicts, to be appended to another dataset as padding
    (``mindspore.dataset.PaddedDataset``).
    """

    def __init__(self, padded_samples):
        if not isinstance(padded_samples, np.ndarray) and not padded_samples:
            raise ValueError("padded_samples cannot be empty.")
        type_check(padded_samples, (list,), "padded_samples")
        names = list(padded_samples[0])
        super().__init__([tuple(sample[name] for name in names) for sample in padded_samples], names,
                         shuffle=False)


