"""The pipeline's base class and all that can be asked of, and appended to, a dataset
(``mindspore.dataset.Dataset``). What runs is in `_pipeline.py`.
"""

from __future__ import annotations

import builtins
import copy
from importlib import import_module

import numpy as np

from ms2torch._core.checks.error_wrappers import binds_by_inspect
from ms2torch._core.errors import notice, unsupported
from ms2torch._core.tensor.printing import plain_repr

from ..core import config
from ..core.errors import not_constructed, pipeline_error, syntax_error
from ..core.validator_helpers import (
    INT32_MAX,
    check_columns,
    check_num_parallel_workers,
    check_value,
    type_check,
    type_check_list,
)
from ._pipeline import Pipeline, Run

_OPERATION_MODULES = ("_batch", "_buckets", "_flow", "_map", "_transfer", "_waiting")


class Dataset(Pipeline):
    """A node of a data pipeline (``mindspore.dataset.Dataset``): every method below gives a new node on top
    of it.

    A node feeds one consumer.
    """

    __repr__ = plain_repr

    def __init_subclass__(cls, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        place = cls.__module__.rpartition(".")[2]
        if ("__init__" in cls.__dict__ and cls.__module__.startswith("ms2torch.")
                and place not in _OPERATION_MODULES):              # (what methods make, Python itself binds)
            cls.__init__ = binds_by_inspect(cls.__init__)

    def __iter__(self):
        """Rows of one epoch, as lists of Tensors."""
        return self.create_tuple_iterator(num_epochs=1)

    @binds_by_inspect
    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        """Iterate over rows as lists. Each pass over the iterator is one epoch; ``num_epochs=-1``: as many as
        wanted.

        ``columns`` selects and orders; ``output_numpy`` gives arrays instead of Tensors. Columns of text are
        arrays either way. A pass beyond ``num_epochs`` raises RuntimeError.
        """
        from .iterators import TupleIterator
        _check_iterator(num_epochs, output_numpy, do_copy)
        if columns is not None:
            check_columns(columns, "column_names")
        return TupleIterator(self, columns, num_epochs, bool(output_numpy), do_copy)

    @binds_by_inspect
    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=False):
        """Iterate over rows as dicts from column name to Tensor, or to array with ``output_numpy``."""
        from .iterators import DictIterator
        _check_iterator(num_epochs, output_numpy, do_copy)
        return DictIterator(self, num_epochs, bool(output_numpy), do_copy)

    # ---- what it holds -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.get_dataset_size()

    def get_dataset_size(self) -> int:
        """Rows (batches, after ``batch``) of one epoch. Runs an epoch where only that can tell."""
        if self.dataset_size is None:
            self._check_tree()
            self.dataset_size = self._size()
            if self.dataset_size == 0:
                notice("dataset_size", "Got 0 sample from dataset pipeline, check if drop all data or load "
                                       "dataset fail.")
        return self.dataset_size

    def get_col_names(self) -> list[str]:
        """Names of the columns, in order."""
        self._check_tree()
        return self._columns()

    def get_batch_size(self) -> int:
        """Rows in a batch; 1 before ``batch``, -1 where a function decides. Of several inputs the last's."""
        self.get_col_names()                        # the pipeline is built for it, in MindSpore too
        return self.children[-1].get_batch_size() if self.children else 1

    def get_repeat_count(self) -> int:
        """Count of the last ``repeat``; 1 without one."""
        self.get_col_names()                        # the pipeline is built for it, in MindSpore too
        return self.children[0].get_repeat_count() if self.children else 1

    def get_class_indexing(self) -> dict:
        """From the name of a class to its label, where the source knows."""
        return self.children[0].get_class_indexing() if self.children else {}

    def num_classes(self) -> int | None:
        """Number of classes, where the source knows."""
        self.get_col_names()                        # the pipeline is built for it, in MindSpore too
        return self.children[0].num_classes() if self.children else None

    @binds_by_inspect
    def output_shapes(self, estimate: bool = False) -> list[list[int]]:
        """Shape of each column, from the first row; ``estimate`` looks at a whole epoch, None where it
        varies.
        """
        type_check(estimate, (bool,), "estimate")
        if estimate:
            if self._estimated is None:
                self._estimated = _common_shapes(self._started(Run(looks=True))())
            return self._estimated
        if self._shapes is None:
            self._shapes, _ = self._looked()
        return self._shapes

    def output_types(self) -> list[np.dtype]:
        """numpy dtype of each column, from the first row."""
        if self._types is None:
            self._shapes, self._types = self._looked()
        return self._types

    def _looked(self) -> tuple[list, list]:
        """Shapes and dtypes of the first row, which is read anew: in MindSpore, too, `output_types` after
        `output_shapes` runs the user's functions twice.
        """
        first = next(self._started(Run(looks=True))(), None) or []
        return ([[0] if isinstance(x, dict) else list(np.shape(x)) for x in first],
                [_dtype_of(x) for x in first])

    @property
    def input_indexs(self):
        """Set by users for ``mindspore.train`` (which columns are the network's inputs); kept as it was set.
        """
        if self._input_indexs != ():
            return self._input_indexs
        for child in self.children:
            if child.input_indexs != ():
                return child.input_indexs
        return self._input_indexs

    @input_indexs.setter
    def input_indexs(self, value):
        self._input_indexs = value

    def is_shuffled(self) -> bool:
        return any(child.is_shuffled() for child in self.children)

    def is_sharded(self) -> bool:
        return any(child.is_sharded() for child in self.children)

    def is_sync(self) -> bool:
        return any(child.is_sync() for child in self.children)

    def reset(self) -> None:
        """Nothing to do: each iterator starts its own pass. In MindSpore 2.x too."""

    def close(self) -> None:
        """Nothing is held open."""

    def set_init_step(self, init_step: int) -> None:
        """Step that a resumed training starts from: iterators begin behind so many rows of all epochs."""
        self._global_step = init_step

    def get_init_step(self) -> int:
        if self._global_step is not None:
            return self._global_step
        return self.children[0].get_init_step() if len(self.children) == 1 else 0

    def copy_batch_size(self, value):
        self._batch_size = value

    # ---- operations ----------------------------------------------------------------------------------------

    @binds_by_inspect
    def map(self, operations, input_columns=None, output_columns=None, num_parallel_workers=None, **kwargs):
        """Apply functions or transforms, in order, to the named columns of every row.

        ``operations``: a callable or a list; the first takes the ``input_columns`` (by default the first
        column), each next one what the one before gave. What the last gives fills ``output_columns`` (by
        default the inputs'). Other columns pass. ``column_order`` (r1.x) selects and orders columns
        afterwards. Wrong names, and errors in the functions, surface as RuntimeError when the pipeline runs.
        """
        from ._map import MapDataset, computes
        order = kwargs.pop("column_order", None)
        if isinstance(num_parallel_workers, (list, str)):          # r1.x: column_order came fourth
            order, num_parallel_workers = num_parallel_workers, None
        if num_parallel_workers is not None:
            check_num_parallel_workers(num_parallel_workers)
        for name, columns in (("input_columns", input_columns), ("output_columns", output_columns)):
            if columns is not None:
                check_columns(columns, name)
        if computes(operations):
            num_parallel_workers = 1
        mapped = MapDataset(self, operations, input_columns, output_columns, num_parallel_workers, **kwargs)
        return mapped if order is None else mapped.project(order)

    @binds_by_inspect
    def batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, **kwargs):
        """Stack rows into batches: a new first axis of ``batch_size``, which may be a function of BatchInfo.

        ``per_batch_map(*columns, BatchInfo)`` sees each batch's columns as lists of arrays before they are
        stacked and gives lists or an array per column, for ``input_columns`` and into ``output_columns``.
        ``pad_info`` (r1.x) is `padded_batch`'s. RuntimeError for rows of different shapes or dtypes.
        """
        from ._batch import BatchDataset, PaddedBatchDataset, check_batch
        order = kwargs.pop("column_order", None)
        pad_info = kwargs.pop("pad_info", None)
        check_batch(batch_size, drop_remainder, num_parallel_workers, **kwargs)
        if pad_info is None:
            batched = BatchDataset(self, batch_size, drop_remainder, num_parallel_workers, **kwargs)
        elif kwargs.get("per_batch_map") is not None:
            batched = BatchDataset(self, batch_size, drop_remainder, num_parallel_workers, **kwargs)
            batched.pad_info = pad_info
        else:
            batched = PaddedBatchDataset(self, batch_size, drop_remainder, num_parallel_workers, pad_info)
        return batched if order is None else batched.project(order)

    @binds_by_inspect
    def padded_batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, pad_info=None):
        """Batch rows of different shapes by padding them at the end of each axis.

        ``pad_info``: ``{column: (shape, value)}``; None in the shape: the longest of the batch; ``{}`` pads
        all columns so, with 0. None pads nothing.
        """
        from ._batch import PaddedBatchDataset, check_batch, check_pad_info
        check_batch(batch_size, drop_remainder, num_parallel_workers, padded=True)
        check_pad_info(pad_info)
        return PaddedBatchDataset(self, batch_size, drop_remainder, num_parallel_workers, pad_info)

    @binds_by_inspect
    def bucket_batch_by_length(self, column_names, bucket_boundaries, bucket_batch_sizes,
                               element_length_function=None, pad_info=None, pad_to_bucket_boundary=False,
                               drop_remainder=False):
        """Batch rows of similar length together.

        A row's length is what ``element_length_function(*columns)`` gives; without one that of the row's
        first column, as in MindSpore, whichever ``column_names`` names. Bucket i takes lengths under
        ``bucket_boundaries[i]``, the last the rest, and becomes a batch at ``bucket_batch_sizes[i]`` rows.
        ``pad_info`` as in `padded_batch`, {} by default;
        ``pad_to_bucket_boundary`` pads an axis of length None to one less than the boundary.
        """
        from ._buckets import BucketBatchByLengthDataset, check_buckets
        arguments = (column_names, bucket_boundaries, bucket_batch_sizes, element_length_function, pad_info,
                     pad_to_bucket_boundary, drop_remainder)
        check_buckets(*arguments)
        return BucketBatchByLengthDataset(self, *arguments)

    @binds_by_inspect
    def shuffle(self, buffer_size: int):
        """Draw each row at random from a buffer of ``buffer_size`` rows that is refilled in order."""
        from ._flow import ShuffleDataset
        type_check(buffer_size, (int,), "buffer_size")
        check_value(buffer_size, [2, INT32_MAX], "buffer_size")
        return ShuffleDataset(self, buffer_size)

    @binds_by_inspect
    def repeat(self, count: int | None = None):
        """Go through the data ``count`` times in one epoch; None or -1: without end."""
        from ._flow import RepeatDataset
        type_check(count, (int, type(None)), "repeat")
        if count is not None and ((count <= 0 and count != -1) or count > INT32_MAX):
            raise ValueError("count should be either -1 or positive integer, range[1, INT32_MAX].")
        return RepeatDataset(self, count)

    @binds_by_inspect
    def skip(self, count: int):
        """Leave out the first ``count`` rows of each epoch."""
        from ._flow import SkipDataset
        type_check(count, (int,), "count")
        check_value(count, (0, INT32_MAX), "count")
        return SkipDataset(self, count)

    @binds_by_inspect
    def take(self, count: int = -1):
        """Only the first ``count`` rows of each epoch; -1: all."""
        from ._flow import TakeDataset
        type_check(count, (int,), "count")
        if (count <= 0 and count != -1) or count > INT32_MAX:
            raise ValueError("count should be either -1 or within the required interval of "
                             f"(0, {INT32_MAX}], got {count}.")
        return TakeDataset(self, count)

    @binds_by_inspect
    def zip(self, datasets):
        """Put the columns of one or several datasets (a tuple) beside this one's; as long as the shortest."""
        from ._flow import ZipDataset
        type_check(datasets, (tuple, Dataset), "datasets")
        for one in datasets if isinstance(datasets, tuple) else ():
            if not isinstance(one, Dataset):
                raise AttributeError(f"'{type(one).__name__}' object has no attribute 'parent'")
        return ZipDataset((self, *(datasets if isinstance(datasets, tuple) else (datasets,))))

    @binds_by_inspect
    def concat(self, datasets):
        """This dataset's rows, then those of another (or of a list of others) with the same columns."""
        from ._flow import ConcatDataset
        type_check(datasets, (list, Dataset), "datasets")
        if isinstance(datasets, list):
            type_check_list(datasets, (Dataset,), "dataset")
        return ConcatDataset([self, *(datasets if isinstance(datasets, list) else [datasets])])

    __add__ = concat

    @binds_by_inspect
    def rename(self, input_columns, output_columns):
        """Give columns other names."""
        from ._flow import RenameDataset
        check_columns(input_columns, "input_columns")
        check_columns(output_columns, "output_columns")
        if len(to_list(input_columns)) != len(to_list(output_columns)):
            raise ValueError("Number of column in input_columns and output_columns is not equal.")
        return RenameDataset(self, input_columns, output_columns)

    @binds_by_inspect
    def project(self, columns):
        """Only these columns, in this order."""
        from ._flow import ProjectDataset
        check_columns(columns, "columns")
        return ProjectDataset(self, columns)

    @binds_by_inspect
    def filter(self, predicate, input_columns=None, num_parallel_workers=None):
        """Only the rows for which ``predicate(*input_columns)`` is true; all columns by default."""
        from ._flow import FilterDataset
        if not callable(predicate):
            raise TypeError("Predicate should be a Python function or a callable Python object.")
        if num_parallel_workers is not None:
            check_num_parallel_workers(num_parallel_workers)
        if input_columns is not None:
            check_columns(input_columns, "input_columns")
        return FilterDataset(self, predicate, input_columns, num_parallel_workers)

    def apply(self, apply_func):
        """``apply_func(self)``, which must give a dataset."""
        if not callable(apply_func):
            raise TypeError("apply_func must be a function.")
        dataset = apply_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError("apply_func must return a dataset.")
        return dataset

    def flat_map(self, func):
        """Join the datasets that ``func`` makes of each row."""
        if not callable(func):
            raise TypeError("func must be a function.")
        dataset = None
        for row in self.create_tuple_iterator(num_epochs=1, output_numpy=True):
            part = func(*row)
            dataset = part if dataset is None else dataset + part
        if not isinstance(dataset, Dataset):
            raise TypeError("flat_map must return a Dataset object.")
        return dataset

    def split(self, sizes, randomize: bool = True):
        """Cut into datasets of the given row counts, or of the given fractions of all rows.

        With ``randomize`` the rows are shuffled once, the same way for all parts: no row is in two of them.
        (MindSpore promises that only where a seed was set.)
        """
        from ._splitting import split_sizes
        parts, start, seed = [], 0, config.drawing_seed()
        for size in split_sizes(self, sizes, randomize):
            part = copy.deepcopy(self)
            if randomize:
                part = part.shuffle(10000)
                part.reshuffle_each_epoch, part.seed = False, seed
            if start:
                part = part.skip(start)
            parts.append(part.take(size))
            start += size
        return tuple(parts)

    @binds_by_inspect
    def save(self, file_name, num_files=1, file_type="mindrecord"):
        """Write the rows of one epoch to MindRecord files, for `MindDataset`.

        Small integers and bools become int32, uint32 and uint64 int64, float16 float32. Arrays may vary in
        their first axis, or be of one dimension.
        """
        from ._saving import save
        save(self, file_name, num_files, file_type)

    def build_vocab(self, columns, freq_range, top_k, special_tokens, special_first):
        """The Vocab of the words in columns, as releases before 1.6 made it; see `text.Vocab.from_dataset`.
        """
        from ..text.utils import Vocab
        return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)

    def build_sentencepiece_vocab(self, columns, vocab_size, character_coverage, model_type, params):
        """`text.SentencePieceVocab.from_dataset`, as releases before 1.6 called it."""
        from ..text import SentencePieceVocab
        return SentencePieceVocab.from_dataset(self, columns, vocab_size, character_coverage, model_type,
                                               params)

    def to_torch(self, as_dict=False, num_shards=None, shard_id=None):
        """The rows as a ``torch.utils.data.IterableDataset`` of tuples, or dicts, of torch tensors.

        It has ``set_epoch``, ``state_dict`` and ``load_state_dict``; ``num_shards`` share the rows.
        ``ms2torch.dataset.from_torch`` goes the other way.
        """
        from ._torch import TorchRows
        return TorchRows(self, as_dict, num_shards, shard_id)

    def to_json(self, filename: str = "") -> dict:
        """The pipeline as `dataset.serialize` writes it, and in a file of this name."""
        from ._nodes import node_json
        from .serializer_deserializer import write
        self._check_tree()
        written = node_json(self)
        if filename:
            write(written, filename)
        return written

    def parse(self, children=None):
        """Not supported: MindSpore gives its node of compiled code, and there is none here."""
        raise unsupported(f"mindspore.dataset.{type(self).__name__}.parse",
                          "there is no compiled node here.",
                          "iterate over the dataset, or ask it for its sizes and columns.")

    @binds_by_inspect
    def device_que(self, send_epoch_end=True, create_data_info_queue=False, queue_name=""):
        """A node whose ``send(num_epochs)`` makes the rows for a device's queue, which has no reader here, as
        on MindSpore's CPU: training loops read the dataset itself.
        """
        from ._transfer import TransferDataset
        type_check(send_epoch_end, (bool,), "send_epoch_end")
        type_check(create_data_info_queue, (bool,), "create_data_info_queue")
        type_check(queue_name, (str,), "queue_name")
        return TransferDataset(self, send_epoch_end, create_data_info_queue, queue_name)

    @binds_by_inspect
    def sync_wait(self, condition_name, num_batch=1, callback=None):
        """Hold rows back: at first ``num_batch`` batches pass, later what `sync_update` lets pass.

        ``callback(data)`` is called with what `sync_update` was given. A row that has waited for
        ``config.get_callback_timeout()`` seconds opens the gate for good, as in MindSpore.
        """
        from ._waiting import SyncWaitDataset
        type_check(condition_name, (str,), "condition_name")
        type_check(num_batch, (int,), "num_batch")
        return SyncWaitDataset(self, condition_name, num_batch, callback)

    def sync_update(self, condition_name, num_batch=None, data=None):
        """Let ``num_batch`` batches pass (None: as many as `sync_wait` names), and call its callback."""
        if num_batch is not None and (not isinstance(num_batch, int) or num_batch <= 0):
            self.disable_sync()
            raise RuntimeError(f"Sync_update batch size can only be positive integer, got: {num_batch}.")
        gates = self.get_sync_notifiers()
        if not isinstance(condition_name, str):
            raise TypeError(f"Argument condition_name with value {condition_name} is not of type str, but "
                            f"got {type(condition_name)}.")
        if condition_name not in gates:
            self.disable_sync()
            raise RuntimeError("Condition name not found.")
        gates[condition_name](None if num_batch is None else num_batch * self.get_batch_size(), data)

    def get_sync_notifiers(self) -> dict:
        """The conditions of the pipeline, each with what lets rows pass."""
        return self.children[0].get_sync_notifiers() if self.children else {}

    def disable_sync(self) -> None:
        """Hold no row back any more."""
        if self.children:
            self.children[0].disable_sync()


def _common_shapes(rows) -> list[list[int | None]]:
    """Lengths that the columns of all rows have, None where they vary."""
    shapes = None
    for row in rows:
        found = [list(np.shape(x)) for x in row]
        shapes = shapes or found
        for known, shape in builtins.zip(shapes, found, strict=True):
            if len(known) != len(shape):
                told = [f"<{','.join('*' if n is None else str(n) for n in one)}>" for one in (shape, known)]
                raise syntax_error("Inconsistent shapes, expect same shape for each data row, last data row: "
                                   f"{told[0]}, current data row: {told[1]}")
            known[:] = [a if a == b else None for a, b in builtins.zip(known, shape, strict=True)]
    if shapes is None:
        raise pipeline_error("EOF buffer encountered. User tries to fetch data beyond the specified number "
                             "of epochs.")
    return shapes


def _check_iterator(num_epochs, output_numpy, do_copy) -> None:
    for name, value in (("output_numpy", output_numpy), ("do_copy", do_copy)):
        if value is not None:
            type_check(value, (bool,), name)
    if num_epochs is None:                  # (MindSpore's check lets it pass, its iterator does not)
        raise not_constructed(None)
    type_check(num_epochs, (int,), "num_epochs")
    check_value(num_epochs, [-1, INT32_MAX], "num_epochs")


def to_list(items) -> list:
    """None: an empty list; one thing: a list of it."""
    if items is None:
        return []
    return list(items) if isinstance(items, (list, tuple)) else [items]


def _dtype_of(column) -> np.dtype:
    """A column's dtype as `output_types` tells it: of strings without their length, of dicts objects."""
    if isinstance(column, dict):
        return np.dtype(object)
    return np.dtype(column.dtype.char) if column.dtype.kind in "US" else column.dtype


def places(wanted: list[str], columns: list[str], missing: str) -> list[int]:
    """Positions of columns; ``missing`` is the error's text, with the column's name at ``{}``."""
    for name in wanted:
        if name not in columns:
            raise pipeline_error(missing.format(name))
    return [columns.index(name) for name in wanted]


class VisionBaseDataset(Dataset):
    """A dataset of images (``mindspore.dataset.VisionBaseDataset``)."""


class TextBaseDataset(Dataset):
    """A dataset of text (``mindspore.dataset.TextBaseDataset``)."""


class AudioBaseDataset(Dataset):
    """A dataset of sound (``mindspore.dataset.AudioBaseDataset``)."""


class UnionBaseDataset(VisionBaseDataset, TextBaseDataset, AudioBaseDataset):
    """A dataset of anything (``mindspore.dataset.UnionBaseDataset``)."""


def zip(datasets):
    """Put the columns of several datasets (a tuple of two or more) side by side (``mindspore.dataset.zip``).
    """
    from ._flow import ZipDataset
    type_check(datasets, (tuple,), "datasets")
    if len(datasets) <= 1:
        raise ValueError("Can't zip empty or just one dataset!")
    for dataset in datasets:
        if not isinstance(dataset, Dataset):
            raise TypeError(f"Invalid dataset, expected Dataset object, but got {type(dataset)}!")
    return ZipDataset(datasets)


_OPERATIONS = {"BatchDataset": "_batch", "PaddedBatchDataset": "_batch", "BatchInfo": "_batch",
               "MapDataset": "_map", "ShuffleDataset": "_flow", "RepeatDataset": "_flow",
               "SkipDataset": "_flow", "TakeDataset": "_flow", "ZipDataset": "_flow",
               "ConcatDataset": "_flow", "RenameDataset": "_flow", "ProjectDataset": "_flow",
               "FilterDataset": "_flow", "SyncWaitDataset": "_waiting", "TransferDataset": "_transfer",
               "BucketBatchByLengthDataset": "_buckets", "SourceDataset": "_sources",
               "MappableDataset": "_sources", "_set_training_dataset": "_recovery",
               "_get_training_dataset": "_recovery", "_reset_training_dataset": "_recovery"}


def __getattr__(name):
    """The operations' classes live in modules that import this one, and r1.x had all sources here too."""
    if name in _OPERATIONS:
        return getattr(import_module(f"{__package__}.{_OPERATIONS[name]}"), name)
    engine = import_module(__package__)
    if name not in getattr(engine, "__all__", ()):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(engine, name)
