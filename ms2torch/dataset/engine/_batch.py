"""``Dataset.batch`` and ``padded_batch``."""

from __future__ import annotations

import inspect
from itertools import islice

import numpy as np

from ..core import config
from ..core.datatypes import is_data
from ..core.errors import UserCodeError, pipeline_error, user_stack
from ..core.validator_helpers import (
    check_columns,
    check_max_rowsize,
    check_num_parallel_workers,
    check_pos_int32,
    type_check,
)
from .datasets import UnionBaseDataset, places, to_list


class BatchInfo:
    """What a ``per_batch_map`` or a ``batch_size`` function learns of its batch
    (``mindspore.dataset.BatchInfo``).
    """

    def __init__(self, batch_num: int, epoch_num: int) -> None:
        self._batch, self._epoch = batch_num, epoch_num

    def get_batch_num(self) -> int:
        """Number of the batch in its epoch, from 0."""
        return self._batch

    def get_epoch_num(self) -> int:
        """Number of the epoch, from 0."""
        return self._epoch


class _Batching(UnionBaseDataset):
    """What both kinds of batch share: cutting the rows into groups."""

    _shared = ("per_batch_map", "batch_size_func")
    pad_info = per_batch_map = None
    python_multiprocessing = False

    def __init__(self, input_dataset, batch_size, drop_remainder, num_parallel_workers):
        super().__init__(children=input_dataset, num_parallel_workers=num_parallel_workers)
        if input_dataset.is_sync():
            from ._waiting import scaled
            scaled(input_dataset, batch_size)
        self.batch_size_func = batch_size if callable(batch_size) else None
        self.batch_size = 1 if callable(batch_size) else batch_size
        self.drop_remainder = bool(drop_remainder)

    def _open(self, run):
        if self.batch_size == -1:
            raise pipeline_error("Batch size cannot be -1 without using batch sampler.")
        child, collate, drop = self.children[0]._open(run), self._collate(), self.drop_remainder
        workers = self._workers(collate, run)

        def groups():
            rows = child()
            for number, first in enumerate(rows):
                info = BatchInfo(number, run.epoch)
                wanted = self._wanted(info)
                group = [first, *islice(rows, wanted - 1)]
                if drop and len(group) < wanted:
                    return
                yield group, info

        if workers is not None:
            return lambda: workers.run(groups())
        return lambda: (collate(*group) for group in groups())

    def _workers(self, collate, run):
        """The processes that run ``per_batch_map``; None where it has none."""
        if not self.python_multiprocessing or self.per_batch_map is None:
            return None
        from . import _processes
        if not _processes.possible():
            return None
        workers = _processes.Workers(lambda group: collate(*group),
                                     self.num_parallel_workers or config.get_num_parallel_workers(),
                                     "batch operation: [PyFunc] failed")
        run.at_stop.append(workers.end)
        return workers

    def _wanted(self, info):
        if self.batch_size_func is None:
            return self.batch_size
        try:
            wanted = self.batch_size_func(info)
        except Exception as error:
            raise UserCodeError(user_stack(error)) from error
        if not isinstance(wanted, (int, np.integer)) or wanted <= 0:
            raise UserCodeError("Invalid batch_size function, 'batch_size' function should return an integer "
                                f"greater than 0, but got: {wanted}")
        return wanted

    def _collate(self):
        """A function that makes one row of a group of rows."""
        raise NotImplementedError

    def _size(self):
        if self.batch_size_func is not None:
            return self._count()
        rows = self.children[0]._size()
        return rows // self.batch_size if self.drop_remainder else -(-rows // self.batch_size)

    def get_batch_size(self):
        self.get_col_names()
        return -1 if self.batch_size_func is not None else self.batch_size


class BatchDataset(_Batching):
    """`Dataset.batch`."""

    def __init__(self, input_dataset, batch_size, drop_remainder=False, num_parallel_workers=None,
                 per_batch_map=None,
                 input_columns=None, output_columns=None, python_multiprocessing=False, max_rowsize=None):
        super().__init__(input_dataset, batch_size, drop_remainder, num_parallel_workers)
        self.per_batch_map = per_batch_map
        self.input_columns = to_list(input_columns)
        self.output_columns = to_list(output_columns)
        self.python_multiprocessing = python_multiprocessing

    def _places(self, names):
        return places(self.input_columns or names, names,
                      "Invalid input_columns, '{}' of 'input_columns' doesn't exist.")

    def _columns(self):
        names = list(self.children[0]._columns())
        if self.per_batch_map is None:
            return names
        take = self._places(names)
        outputs = self.output_columns or [names[i] for i in take]
        passing = [name for i, name in enumerate(names) if i not in take][::-1]
        if any(name in passing for name in outputs):
            shown = ("[" + "".join(f"{name}," for name in these) + "]" for these in (passing, outputs))
            raise pipeline_error("Invalid output_columns, columns that are not involved in 'per_batch_map' "
                                 "should not be in output_columns, but got columns that are not in "
                                 "input_columns: {}, output_columns: {}.".format(*shown))
        if len(outputs) != len(take):
            # MindSpore walks a hash map here, which gives the columns that pass in the reverse of their
            # order.
            return outputs + passing
        for i, name in zip(take, outputs, strict=True):
            names[i] = name
        return names

    def _collate(self):
        names = self.children[0]._columns()
        pads = pad_rules(self.pad_info, names) if self.pad_info is not None else {}
        if self.per_batch_map is None:
            return lambda group, info: [stacked([row[i] for row in group], i) for i in range(len(names))]
        take, function = self._places(names), self.per_batch_map
        outputs = self.output_columns or [names[i] for i in take]
        keep = [i for i in range(len(names)) if i not in take]

        def collate(group, info):
            try:
                made = function(*[[row[i] for row in group] for i in take], info)
            except Exception as error:
                raise UserCodeError(f"{type(error).__name__}: {user_stack(error)}") from error
            made = columns_made(made, len(outputs))
            split = is_split(made)
            if len(outputs) != len(take):
                rest = [stacked([row[i] for row in group], i) for i in keep[::-1]]
                return [column_of(column, n, outputs[n], len(group), pads.get(n), split)
                        for n, column in enumerate(made)] + rest
            whole = [None] * len(names)
            for i, name, column in zip(take, outputs, made, strict=True):
                whole[i] = column_of(column, i, name, len(group), pads.get(i), split)
            for i in keep:
                whole[i] = stacked([row[i] for row in group], i)
            return whole

        return collate


class PaddedBatchDataset(_Batching):
    """`Dataset.padded_batch`."""

    def __init__(self, input_dataset, batch_size, drop_remainder=False, num_parallel_workers=None,
                 pad_info=None):
        super().__init__(input_dataset, batch_size, drop_remainder, num_parallel_workers)
        self.pad_info = pad_info

    def _columns(self):
        names = self.children[0]._columns()
        pad_rules(self.pad_info, names)
        return names

    def _collate(self):
        names = self.children[0]._columns()
        rules = pad_rules(self.pad_info, names)

        def collate(group, info):
            columns = ([row[i] for row in group] for i in range(len(names)))
            return [stacked(padded(column, *rules[i]) if i in rules else column, i)
                    for i, column in enumerate(columns)]

        return collate


def columns_made(made, wanted: int) -> tuple:
    """What a ``per_batch_map`` gave, as that many columns."""
    if made is None:
        raise pipeline_error(
            "Got None from Python object. The subprocess of dataset may exit unexpected or be killed, main "
            "process will exit. If this is not an artificial operation, you can use "
            "mindspore.dataset.config.set_enable_watchdog(False) to block this error.")
    made = made if isinstance(made, tuple) else (made,)
    if len(made) != wanted:
        raise pipeline_error("Invalid per_batch_map, the number of columns returned in 'per_batch_map' "
                             f"function should be {wanted} , but got: {len(made)}")
    return made


def is_split(columns) -> bool:
    """Whether columns from a ``per_batch_map`` are taken apart into rows: where one is a list, all are."""
    if all(isinstance(column, (dict, np.ndarray)) for column in columns):
        return False
    if any(isinstance(column, dict) for column in columns):
        raise pipeline_error(
            "Failed to convert rows: mismatched types returned from per_batch_map function. If different "
            "types are returned, all of them should be convertible to Python lists. Got: Python dict")
    return True


def column_of(column, number, name, rows, rule=None, split=False):
    """A column from ``per_batch_map``: an array is the batch, a list its elements."""
    if isinstance(column, dict):
        return column
    if isinstance(column, np.ndarray) and not (split and column.ndim):
        return _data(np.array(column))
    try:
        elements = [x if isinstance(x, dict) else np.asarray(x.asnumpy() if hasattr(x, "asnumpy") else x)
                    for x in column]
    except (TypeError, ValueError) as error:
        raise UserCodeError(f"{type(error).__name__}: {error}") from error
    if len(elements) != rows:
        raise pipeline_error(f"Invalid data, column: {name} expects: {rows} rows returned from "
                             f"'per_batch_map', got: {len(elements)}")
    if isinstance(elements[0], dict):
        return {key: [element[key] for element in elements] for key in _same_keys(elements)}
    elements = [_data(x) for x in elements]
    return stacked(padded(elements, *rule) if rule else elements, number)


def _data(array: np.ndarray) -> np.ndarray:
    if not is_data(array.dtype):
        raise pipeline_error("Failed to create tensor from numpy array, data type is unknown.")
    return array


def stacked(elements, column: int) -> np.ndarray:
    """Elements of one shape and dtype as an array with one more axis; an error in MindSpore's words
    otherwise.
    """
    first = elements[0]
    if isinstance(first, dict):
        return {key: _values([element[key] for element in elements], key, column)
                for key in _same_keys(elements)}
    shape, dtype = first.shape, first.dtype
    for element in elements:
        if element.shape != shape:
            raise pipeline_error(f"Cannot batch tensors with different shapes in column {column}. First "
                                 f"element had shape {_shape(shape)} and this element had shape "
                                 f"{_shape(element.shape)}")
        if element.dtype != dtype and (dtype.kind not in "US" or element.dtype.kind != dtype.kind):
            raise pipeline_error(f"Cannot batch tensors with different types in column {column}. First "
                                 f"element had type {dtype} and this element had type {element.dtype}")
    if dtype.kind in "US":
        return np.stack(elements)
    batch = np.empty((len(elements), *shape), dtype)
    for place, element in enumerate(elements):
        batch[place] = element
    return batch


def _same_keys(elements) -> tuple:
    """The keys of dicts, which all have to have them."""
    first = elements[0]
    for element in elements:
        if not isinstance(element, dict):
            raise pipeline_error("Failed to create a batch of Python dictionaries and other data.")
        if len(element) != len(first):
            raise pipeline_error("Failed to create a batch since number of key/value pairs in dictionaries "
                                 f"do not match. First row: {len(first)}, current row: {len(element)}")
        for key in element:
            if key not in first:
                raise pipeline_error("Python dictionary keys do not match when creating a batch: "
                                     f"{key} was not found in previous rows.")
    return tuple(first)


def _values(values, key, column: int) -> np.ndarray:
    """The values under one key of the dicts of a batch, as an array."""
    try:
        made = np.array(values)
    except ValueError as error:
        raise UserCodeError(f"ValueError: {error}") from error
    if made.dtype.kind == "O":
        raise pipeline_error("Batch: failed to create a NumPy array with primitive types for the dictionary "
                             f"objects in column {column}, key: {key!r}.\nIf you want a customized array, "
                             "define a custom 'per_batch_map' function.")
    return made


def _shape(shape) -> str:
    return "<" + ",".join(map(str, shape)) + ">"


def padded(elements, shape, value) -> list[np.ndarray]:
    """Elements brought to one shape: cut or filled at the end of each axis; None: the longest among them."""
    for element in elements:
        if element.ndim != elements[0].ndim:
            raise pipeline_error("Invalid data, data to be padded together need to have the same rank, got "
                                 f"shape 1: {element.ndim}, shape 2: {elements[0].ndim}")
    if shape is not None and len(shape) != elements[0].ndim:
        raise pipeline_error("Invalid pad_info, rank of pad_shape must be equal to rank of specified column. "
                             f"pad_shapes rank:{len(shape)}, column rank: {elements[0].ndim}")
    text = elements[0].dtype.kind in "US"
    if value is not None and isinstance(value, (str, bytes)) != text:
        kinds = ("float32", "string") if text else ("string", elements[0].dtype)
        raise pipeline_error("PadEnd: can not pad numeric and string tensors together, but got: "
                             f"{kinds[0]} and {kinds[1]}.")
    longest = np.max([element.shape for element in elements], axis=0).astype(int).tolist()
    target = longest
    if shape is not None:
        target = [own if wanted is None else wanted for own, wanted in zip(longest, shape, strict=True)]
    filled = []
    for element in elements:
        if list(element.shape) == target:
            filled.append(element)
            continue
        if text:
            whole = np.full(target, "" if value is None else value)
            whole = whole.astype(np.result_type(element, whole))
        else:
            whole = np.full(target, 0 if value is None else value).astype(element.dtype)
        part = tuple(slice(min(a, b)) for a, b in zip(element.shape, target, strict=True))
        whole[part] = element[part]
        filled.append(whole)
    return filled


def pad_rules(pad_info, names) -> dict[int, tuple]:
    """``pad_info`` by the column's position; ``{}`` means every column, each to its longest."""
    if pad_info is None:
        return {}
    if not pad_info:
        return dict.fromkeys(range(len(names)), (None, None))
    where = places(list(pad_info), names, "Invalid pad_info, column name: {} does not exist.")
    return {i: (None, None) if rule is None else tuple(rule)
            for i, rule in zip(where, pad_info.values(), strict=True)}


def check_batch(batch_size, drop_remainder, num_parallel_workers, per_batch_map=None, input_columns=None,
                output_columns=None, python_multiprocessing=False, max_rowsize=None, padded=False, **unknown):
    """MindSpore's checks of ``batch``'s arguments."""
    if not (isinstance(batch_size, int) or callable(batch_size)):
        raise TypeError("batch_size should either be an int or a callable.")
    if callable(batch_size):
        if len(inspect.signature(batch_size).parameters) != 1:
            raise ValueError("callable batch_size should take one parameter (BatchInfo).")
    elif batch_size != -1 or padded:
        check_pos_int32(int(batch_size), "batch_size")
    if num_parallel_workers is not None:
        check_num_parallel_workers(num_parallel_workers)
    type_check(drop_remainder, (bool,), "drop_remainder")
    if input_columns is not None:
        if per_batch_map is None:
            raise ValueError("input_columns can be specified only when per_batch_map is set.")
        check_columns(input_columns, "input_columns")
        if len(input_columns) != len(inspect.signature(per_batch_map).parameters) - 1:
            raise ValueError("The signature of per_batch_map should match with input columns.")
    if output_columns is not None:
        check_columns(output_columns, "output_columns")
    if python_multiprocessing is not None:
        type_check(python_multiprocessing, (bool,), "python_multiprocessing")
    check_max_rowsize(max_rowsize)


def check_pad_info(pad_info) -> None:
    """MindSpore's checks of ``pad_info``."""
    if pad_info is None:
        return
    type_check(pad_info, (dict,), "pad_info")
    for key, rule in pad_info.items():
        type_check(key, (str,), "key in pad_info")
        if rule is None:
            continue
        if len(rule) != 2:
            raise ValueError("value of pad_info should be a tuple of size 2.")
        type_check(rule, (tuple,), "value in pad_info")
        if rule[0] is not None:
            type_check(rule[0], (list,), "shape in pad_info")
            for dim in rule[0]:
                if dim is not None:
                    check_pos_int32(dim, "dim of shape in pad_info")
        if rule[1] is not None:
            type_check(rule[1], (int, float, str, bytes), "pad_value")
