"""Operations that reorder, select or join rows and columns: shuffle, repeat, take, zip, filter, ..."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from itertools import accumulate, islice

from ms2torch._core.random.engines import MT19937, MT19937_64

from ..core import config
from ..core.errors import UserCodeError, pipeline_error, syntax_error, unexpected_error, user_stack
from . import samplers
from ._batch import BatchDataset, PaddedBatchDataset
from ._sources import MappableDataset
from .datasets import Dataset, UnionBaseDataset, places, to_list


def finishing(child):
    """The child's epochs, each run to its end before the next begins, however few rows of it were taken."""
    rows = iter(())

    def epoch():
        nonlocal rows
        deque(rows, maxlen=0)
        rows = child()
        return rows

    return epoch


def shuffled_rows(rows, draw: MT19937_64, size: int):
    """Each row at random from a buffer of ``size`` rows that is refilled in order."""
    buffer = list(islice(rows, size))
    if not buffer:
        raise unexpected_error("[Internal ERROR] Unable to fetch a single row for shuffle buffer.")
    while buffer:
        slot = draw() % len(buffer)
        row, buffer[slot] = buffer[slot], buffer[-1]
        yield row
        following = next(rows, None)
        if following is None:
            buffer.pop()
        else:
            buffer[-1] = following


class ShuffleDataset(UnionBaseDataset):
    """`Dataset.shuffle`."""

    def __init__(self, input_dataset, buffer_size):
        super().__init__(children=input_dataset)
        self.buffer_size = buffer_size
        self.reshuffle_each_epoch = True
        # the pipeline's at the start of iteration, unless set here
        self.seed = None
        if self.is_sync():
            raise RuntimeError("No shuffle after sync operators.")

    def _open(self, run):
        child = self.children[0]._open(run)
        seed = config.drawing_seed() if self.seed is None else self.seed
        draw = MT19937_64(seed)

        def epoch():
            if not self.reshuffle_each_epoch:
                draw.seed(seed)
            return shuffled_rows(child(), draw, self.buffer_size)

        return epoch

    def is_shuffled(self):
        return True


class RepeatDataset(UnionBaseDataset):
    """`Dataset.repeat`."""

    def __init__(self, input_dataset, count):
        super().__init__(children=input_dataset)
        self.count = -1 if count is None else count

    def _open(self, run):
        child, count = self.children[0]._open(run), self.count

        def epoch():
            done = 0
            while done != count:
                done += 1
                empty = True
                for row in child():
                    empty = False
                    yield row
                if empty:
                    return

        return epoch

    def _size(self):
        return self.children[0]._size() * max(self.count, 1)

    def get_repeat_count(self):
        self.get_col_names()
        return self.count


class SkipDataset(UnionBaseDataset):
    """`Dataset.skip`."""

    def __init__(self, input_dataset, count):
        super().__init__(children=input_dataset)
        self.count = count

    def _open(self, run):
        child = self.children[0]._open(run)
        return lambda: islice(child(), self.count, None)

    def _size(self):
        return max(0, self.children[0]._size() - self.count)


class TakeDataset(UnionBaseDataset):
    """`Dataset.take`."""

    def __init__(self, input_dataset, count):
        super().__init__(children=input_dataset)
        self.count = count

    def _open(self, run):
        child = self.children[0]._open(run)
        if self.count == -1:
            return child
        child = finishing(child)
        return lambda: islice(child(), self.count)

    def _size(self):
        rows = self.children[0]._size()
        return rows if self.count == -1 else min(rows, self.count)


class ZipDataset(UnionBaseDataset):
    """`Dataset.zip`."""

    def __init__(self, datasets):
        super().__init__(children=datasets)

    def _open(self, run):
        children = [finishing(child._open(run)) for child in self.children]

        def epoch():
            for rows in zip(*[child() for child in children], strict=False):
                yield [value for row in rows for value in row]

        return epoch

    def _columns(self):
        names = []
        for child in self.children:
            if len(self.children) == 1:
                raise syntax_error("ZipNode: input datasets are not specified.")
            more = child._columns()
            if twice := [name for name in more if name in names]:           # (MindSpore looks from the end)
                raise pipeline_error(f"Invalid data, duplicate column {twice[-1]} already exists when "
                                     "zipping datasets.")
            names += more
        return names

    def _size(self):
        return min(child._size() for child in self.children)


class ConcatDataset(UnionBaseDataset):
    """`Dataset.concat`."""

    def __init__(self, datasets):
        for dataset in datasets:
            if not isinstance(dataset, Dataset):
                raise TypeError(f"Invalid dataset, expected Dataset object, but got {type(dataset)}!")
        self._rows = [dataset.get_dataset_size() for dataset in datasets]
        for number, rows in enumerate(self._rows):
            if rows == 0:
                raise ValueError(f"There are no samples in the dataset number {number}. Please make sure "
                                 "there are valid samples in the dataset.")
        super().__init__(children=datasets)
        self.datasets = datasets
        self._shares = [slice(None)] * len(self.children)       # which rows of each part `use_sampler` left
        self._mixed = False                                      # whether the next row comes from any part

    def _open(self, run):
        children = [child._open(run) for child in self.children]
        if self._mixed:
            return self._mixing(children)

        def epoch():
            kinds = None
            for child, share in zip(children, self._shares, strict=True):
                first = True
                for row in islice(child(), share.start, None, share.step):
                    if first:
                        kinds, first = _same_kinds(kinds, row), False
                    yield row

        return epoch

    def _mixing(self, children):
        """The rows of each part in their order; which part is next is drawn, by how many rows they have
        left, and once more when there are none.
        """
        stream = MT19937(config.drawing_seed())

        def epoch():
            parts, left = [child() for child in children], list(self._rows)
            kinds, first = None, [True] * len(parts)
            while any(left):
                up_to = list(accumulate(count / sum(left) for count in left))
                part = min(bisect_left([*up_to[:-1], 1.0], stream.real()), len(left) - 1)
                left[part] -= 1
                for row in islice(parts[part], 1):
                    if first[part]:
                        kinds, first[part] = _same_kinds(kinds, row), False
                    yield row
            stream.real()
            for part in parts:                   # parts that mix draw once more too
                deque(part, 0)

        return epoch

    def _columns(self):
        names = self.children[0]._columns()
        if any(child._columns() != names for child in self.children[1:]):
            raise pipeline_error("Invalid columns, 'column name' or 'column order' of concat datasets should "
                                 "be the same.")
        return names

    def _size(self):
        return sum(len(range(child._size())[share])
                   for child, share in zip(self.children, self._shares, strict=True))

    def use_sampler(self, sampler):
        """Shard the joined rows by a DistributedSampler that does not shuffle, or mix the parts by a
        RandomSampler: each keeps its order.

        Sources that are read by number are told to read their share alone; of other parts the rows of other
        shards are passed over.
        """
        if not isinstance(sampler, (samplers.DistributedSampler, samplers.RandomSampler)):
            raise TypeError(f"The parameter {sampler} of concat must be DistributedSampler or RandomSampler!")
        if isinstance(sampler, samplers.RandomSampler):
            if sampler.replacement:
                raise ValueError("The parameter replacement of RandomSampler must be False!")
            if sampler.get_num_samples() is not None:
                raise ValueError("The parameter num_samples of RandomSampler is not support to be set!")
            self._mixed = True
            for node in _below(self):
                if isinstance(node, ConcatDataset):
                    node._mixed = True
            return
        if sampler.is_shuffled():
            raise ValueError("The parameter shuffle of DistributedSampler must be False!")
        if sampler.num_shards <= 0:
            raise ValueError("The parameter num_shards of DistributedSampler must be positive int!")
        if sampler.get_num_samples() is not None:
            raise ValueError("The parameter num_samples of DistributedSampler is not support to be set!")
        self.dataset_size = None
        before, shards = 0, sampler.num_shards
        for part, (child, rows) in enumerate(zip(self.children, self._rows, strict=True)):
            if hasattr(child, "sampler") and child.sampler.get_num_samples() is not None:
                raise ValueError(f"The parameter NumSamples of {child} is not support to be set!")
            if isinstance(child, (BatchDataset, PaddedBatchDataset)):
                raise TypeError(f"The parameter {child} of concat must not be BatchDataset or "
                                "PaddedBatchDataset!")
            if isinstance(child, MappableDataset) and child._by_number():
                child.use_sampler(samplers.DistributedSampler(shards, sampler.shard_id, False,
                                                              offset=before % shards))
            else:
                self._shares[part] = slice((sampler.shard_id - before) % shards, None, shards)
            before += rows


def _below(dataset):
    for child in dataset.children:
        yield child
        yield from _below(child)


def _same_kinds(kinds, row):
    found = [(value.dtype, value.ndim) for value in row]
    for (known, axes), (new, others) in zip(kinds or [], found, strict=False):
        if known != new and known.kind + new.kind not in ("UU", "SS"):
            raise pipeline_error("Concat: the data types of the two datasets to be concatenated should be "
                                 f"the same, but got: {known} and {new}.")
        if axes != others:
            raise pipeline_error("Concat: the data tensor rank of the two datasets to be concatenated should "
                                 f"be the same, but got: {axes} and {others}.")
    return found


class RenameDataset(UnionBaseDataset):
    """`Dataset.rename`."""

    def __init__(self, input_dataset, input_columns, output_columns):
        super().__init__(children=input_dataset)
        self.input_column_names = to_list(input_columns)
        self.output_column_names = to_list(output_columns)

    def _open(self, run):
        return self.children[0]._open(run)

    def _columns(self):
        names = list(self.children[0]._columns())
        where = places(self.input_column_names, names, "Invalid column, column to be renamed does not exist.")
        kept = [name for name in names if name not in self.input_column_names]
        for place, name in zip(where, self.output_column_names, strict=True):
            if name in kept:
                raise pipeline_error("Invalid column, rename operation does not support rename one column "
                                     "name into another already exist column name, existing column name is: "
                                     f"{name}.")
            names[place] = name
        return names


class ProjectDataset(UnionBaseDataset):
    """`Dataset.project`."""

    def __init__(self, input_dataset, columns):
        super().__init__(children=input_dataset)
        self.columns = to_list(columns)

    def _open(self, run):
        child, where = self.children[0]._open(run), self._places()
        return lambda: ([row[i] for i in where] for row in child())

    def _places(self):
        return places(self.columns, self.children[0]._columns(), "Invalid column, column name: {} does not "
                                                                 "exist.")

    def _columns(self):
        self._places()
        return list(self.columns)


class FilterDataset(UnionBaseDataset):
    """`Dataset.filter`."""

    _shared = ("predicate",)

    def __init__(self, input_dataset, predicate, input_columns=None, num_parallel_workers=None):
        super().__init__(children=input_dataset, num_parallel_workers=num_parallel_workers)
        self.predicate = predicate
        self.input_columns = to_list(input_columns)

    def _open(self, run):
        child, where, predicate = self.children[0]._open(run), self._places(), self.predicate

        def epoch():
            for row in child():
                try:
                    keep = bool(predicate(*[row[i] for i in where]))
                except Exception as error:
                    raise UserCodeError(user_stack(error)) from error
                if keep:
                    yield row

        return epoch

    def _places(self):
        names = self.children[0]._columns()
        return places(self.input_columns or names, names,
                      "Invalid parameter, column name: {} does not exist in the dataset columns.")

    def _size(self):
        return self._count()
