"""Iterators, the end of a pipeline: rows as Tensors or arrays (``mindspore.dataset.engine.iterators``)."""

from __future__ import annotations

import copy
import time
import weakref

import numpy as np
import torch

from ms2torch._core.devices.device import device, pins_memory
from ms2torch._core.tensor.tensor import Tensor, wrap

from ..core import config
from ..core.errors import located, pipeline_error, syntax_error
from . import _profiling
from ._pipeline import Run
from .datasets import Dataset

__all__ = ["DictIterator", "Iterator", "TupleIterator"]


def to_tensor(value):
    """An array that belongs to the pipeline as a Tensor over the same memory; text stays an array."""
    if isinstance(value, _NESTED):
        return _each(to_tensor, value)
    value = _plain(value)
    if value.dtype.kind in "USO":
        return value
    tensor = torch.from_numpy(value)
    where = device()
    if pins_memory(where.type):       # from pinned memory it is copied while the device computes
        tensor = tensor.pin_memory().to(where, non_blocking=True)
    elif where.type != "cpu":
        tensor = tensor.to(where)
    made = wrap(tensor)
    made._of_numpy = True
    return made


def to_array(value):
    """An array as users may keep it: contiguous, writable."""
    return _each(to_array, value) if isinstance(value, _NESTED) else _plain(value)


# What a column of Python objects holds; a Tensor, None or bytes in it stay what they are.
_NESTED = (dict, list, tuple, Tensor, bytes, type(None))


def _each(convert, value):
    if isinstance(value, Tensor) or value is None or isinstance(value, bytes):
        return value
    if isinstance(value, dict):
        return {key: convert(item) for key, item in value.items()}
    return type(value)(convert(item) for item in value)


def _plain(value) -> np.ndarray:
    if not isinstance(value, np.ndarray):
        return np.array(value)
    return value if value.flags.c_contiguous and value.flags.writeable else value.copy()


def _view(dataset: Dataset, columns: list[str]) -> Dataset:
    """The dataset's columns as an iterator gives them; the pipeline does not know of it."""
    dataset = dataset.project(columns)
    dataset.children[0]._consumers -= 1
    return dataset


def _described(dataset: Dataset) -> str:
    """The operations of a pipeline, from its source on."""
    below = " and ".join(_described(child) for child in dataset.children)
    name = type(dataset).__name__
    return f"{below} -> {name}" if below else name


def _copied(dataset: Dataset) -> Dataset:
    made = copy.copy(dataset)
    made.children = [_copied(child) for child in dataset.children]
    return made


# Weak references to the iterators that are there.
ITERATORS_LIST: list[weakref.ref] = []


def _cleanup() -> None:
    """End all pipelines."""
    for reference in ITERATORS_LIST[:]:
        if (iterator := reference()) is not None:
            iterator.release()
    ITERATORS_LIST.clear()


def _gone(reference) -> None:
    if reference in ITERATORS_LIST:
        ITERATORS_LIST.remove(reference)


class Iterator:
    """Rows, epoch after epoch.

    StopIteration ends an epoch; iterating again starts the next.
    """

    def __init__(self, dataset: Dataset, num_epochs: int = -1, output_numpy: bool = False,
                 do_copy: bool = False):
        if num_epochs == 0:
            raise syntax_error("RootNode: num_epochs should be either -1 or positive integer, num_epochs: 0")
        dataset._check_tree()
        names = dataset._columns()
        shown = [name for name in names if not name.startswith("_meta-")]
        if len(shown) < len(names):
            dataset = _view(dataset, shown)
        self._source, self._shown = dataset, None
        self._epochs = -1 if num_epochs is None else num_epochs
        self._convert = to_array if output_numpy else to_tensor
        self._start()
        self._names = dataset._columns()
        if config.get_enable_autotune():
            from ._autotune import leave_file
            leave_file(dataset, num_epochs)
            _profiling.note_tuned(self)
        ITERATORS_LIST.append(weakref.ref(self, _gone))
        if step := dataset.get_init_step():
            self._resume(step, dataset.get_dataset_size())

    def _start(self) -> None:
        """Open the pipeline at its first row."""
        self._run, self._left = Run(), self._epochs
        self._epoch = self._source._started(self._run)
        if self._source.is_sync():
            from ._waiting import ahead
            self._epoch = ahead(self._source, self._epoch, self._run)
        self._rows = None
        self._seen = 0

    @property
    def dataset(self) -> Dataset:
        """The pipeline as it was when it started: a tree of its own."""
        if self._shown is None:
            self._shown = _copied(self._source)
        return self._shown

    def _reset(self, step: int, dataset_size: int) -> None:
        """Begin again, behind ``step`` rows of epochs that have ``dataset_size`` (`_reset_training_dataset`).
        """
        self._check_step(step, dataset_size)
        self.stop()
        self._start()
        self._resume(step, dataset_size)

    def _check_step(self, step: int, size: int) -> None:
        if step < 0:
            raise pipeline_error(f"Cannot reset the pipeline, reset step must be >= 0. step: {step}")
        if size <= 0:
            raise pipeline_error("Cannot reset the pipeline, dataset size is undefined")
        if step >= size * self._epochs:
            raise pipeline_error(
                "Cannot reset the pipeline, reset step must be less than dataset_size * num_epochs. "
                f"step: {step}, dataset_size: {size}, num_epochs: {self._epochs}")

    def _resume(self, step: int, size: int) -> None:
        """Start behind ``step`` rows, as a training does that goes on (`Dataset.set_init_step`)."""
        self._check_step(step, size)
        self._given = lambda row: None
        for _ in range(step // size):
            for _ in self:
                pass
        for _ in range(step % size):
            next(self)
        del self._given

    def __iter__(self):
        return self

    def __next__(self):
        if self._rows is None:
            if self._epoch is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute '_runtime_context'")
            if self._left == 0:
                raise pipeline_error("EOF buffer encountered. User tries to fetch data beyond the specified "
                                     "number of epochs.")
            self._rows = self._epoch()
            self._seen = 0
        profiled = _profiling.running
        began = time.monotonic() if profiled is not None else 0.0
        try:
            row = next(self._rows, None)
        except Exception as error:
            _name_file(error, self._source, self._seen)
            located(error, f"In row {self._seen} of epoch {self._run.epoch} of {_described(self._source)}")
            raise
        if row is None:
            self._rows = None
            for call in self._run.at_end:
                call()
            self._left -= self._left > 0
            self._run.epoch += 1
            if self._source.dataset_size is None:
                self._source.dataset_size = self._seen
            raise StopIteration
        self._seen += 1
        if profiled is not None:
            profiled.row(self._source, self._epochs, began)
        return self._given(row)

    def _given(self, row):
        raise RuntimeError("Calling base class Iterator's get_next is invalid.")

    def get_col_names(self) -> list[str]:
        return self._names

    def stop(self) -> None:
        """End the pipeline; it cannot be iterated any more."""
        self._epoch = self._rows = None
        for call in self._run.at_stop:
            call()

    release = stop

    def __deepcopy__(self, memo):
        return self


class TupleIterator(Iterator):
    """Rows as lists (``mindspore.dataset.TupleIterator``)."""

    def __init__(self, dataset, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        if columns is not None:
            dataset = _view(dataset, columns)
        super().__init__(dataset, num_epochs, output_numpy, do_copy)

    def _given(self, row):
        return [self._convert(value) for value in row]


class DictIterator(Iterator):
    """Rows as dicts (``mindspore.dataset.DictIterator``)."""

    def _given(self, row):
        return {name: self._convert(value) for name, value in zip(self._names, row, strict=True)}


def _name_file(error: Exception, source: Dataset, row: int) -> None:
    """Put the file that a row came from into the error of ``map``, as MindSpore does, where the row is the
    source's own: no batches, no shuffles between.
    """
    text, node, columns = str(error), source, set()
    if "map operation: [" not in text or "The corresponding data file" in text or getattr(error, "later", 0):
        return
    while node.children:
        if type(node).__name__ not in ("MapDataset", "RenameDataset", "ProjectDataset"):
            return
        below = node.children[0]
        if type(node).__name__ == "MapDataset":
            columns.update(node.input_columns or below._columns()[:1])
        node = below
    path = node._file_of(row, columns) if hasattr(node, "_file_of") else None
    if path is not None:
        told = text.replace("] failed. ", f"] failed. The corresponding data file is: {path}. ", 1)
        error.args = (told, *error.args[1:])
