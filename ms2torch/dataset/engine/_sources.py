"""The leaves of a pipeline: what sources of rows share, and those among them that are read by row number."""

from __future__ import annotations

import copy
from collections.abc import Callable

from ..core import config
from ..core.errors import pipeline_error
from ..core.validator_helpers import (
    check_sampler_shuffle_shard_options,
    check_source_arguments,
    replace_none,
)
from . import samplers
from ._pipeline import Epoch, Row, Run
from ._sampler import check_chained, inside
from ._splitting import split_sizes
from .datasets import Dataset
from .samplers import Shuffle


def check_shuffle(shuffle) -> None:
    """TypeError unless it is a bool, a Shuffle or None."""
    if shuffle is not None and not isinstance(shuffle, (bool, Shuffle)):
        raise TypeError("shuffle must be of boolean or enum of 'Shuffle' values like 'Shuffle.ADAPTIVE' or "
                        "'Shuffle.GLOBAL' or 'Shuffle.PARTIAL' or 'Shuffle.FILES' or 'Shuffle.INFILE'.")


class SourceDataset(Dataset):
    """A dataset that comes from somewhere: the leaves of a pipeline."""

    def __init__(self, num_parallel_workers=None, num_samples=None, shuffle=True, num_shards=None,
                 shard_id=None,
                 cache=None):
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        check_shuffle(shuffle)
        self.num_samples = replace_none(num_samples, 0)
        self.num_shards = replace_none(num_shards, 1)
        self.shard_id = replace_none(shard_id, 0)
        self.shuffle_flag = 0 if shuffle is False or shuffle is Shuffle.FALSE else 2

    def is_shuffled(self) -> bool:
        return self.shuffle_flag > 0

    def is_sharded(self) -> bool:
        return self.num_shards > 1


class MappableDataset(SourceDataset):
    """A source whose rows can be had by number, in the order of a sampler."""

    def __init__(self, num_parallel_workers=None, sampler=None, num_samples=None, shuffle=None,
                 num_shards=None,
                 shard_id=None, cache=None):
        if sampler is None and not isinstance(shuffle, Shuffle):
            shuffle = Shuffle.FALSE if shuffle is False else Shuffle.GLOBAL
        super().__init__(num_parallel_workers, num_samples, shuffle, num_shards, shard_id, cache)
        self.sampler = samplers.select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)

    def _by_number(self) -> bool:
        """Whether the sampler is asked: every source but one of the user's that can only be iterated."""
        return True

    def _source_size(self) -> int:
        """Rows that the source has, before sampling."""
        raise NotImplementedError

    def _labels(self) -> list[int]:
        """Class of each row, for PKSampler."""
        raise pipeline_error(f"PKSampler: {type(self).__name__} does not give its rows' classes.")

    def _reader(self) -> Callable[[int], Row]:
        """A function that gives a row by its number."""
        raise NotImplementedError

    def _size(self) -> int:
        return self.sampler._size(self._source_size(), self._labels)

    def _numbers(self) -> Callable[[], list[int]]:
        """A function that gives the row numbers of the next epoch."""
        rows = self._source_size()
        numbers = self.sampler._open(rows, self._labels)
        # the samplers of this package look themselves
        return (lambda: inside(numbers(), rows)) if isinstance(self.sampler, samplers.Sampler) else numbers

    def _open(self, run: Run) -> Epoch:
        if self.cache is not None:
            return self._open_cached(run)
        return self._reading(self._reader(), self._numbers())

    def _reading(self, read: Callable[[int], Row], numbers: Callable[[], list[int]]) -> Epoch:
        """The epochs of the rows that ``read`` gives for ``numbers``."""
        def epoch():
            self._row_numbers = numbers()
            for number in self._row_numbers:
                yield read(number)

        return epoch

    def add_sampler(self, new_sampler) -> None:
        """Let another sampler choose among the rows that the present one gives."""
        self.dataset_size = None
        check_chained(self.sampler, new_sampler)
        new_sampler.add_child(self.sampler)
        self.sampler = new_sampler

    def use_sampler(self, new_sampler) -> None:
        """Put another sampler in the place of the present one."""
        if new_sampler is None:
            raise TypeError("Input sampler can not be None.")
        if not isinstance(new_sampler, samplers.BuiltinSampler):
            raise TypeError("Input sampler is not an instance of a sampler.")
        self.dataset_size = None
        self.sampler = self.sampler.child_sampler
        self.add_sampler(new_sampler)

    def is_shuffled(self) -> bool:
        return self.sampler.is_shuffled()

    def is_sharded(self) -> bool:
        return self.sampler.is_sharded()

    def split(self, sizes, randomize: bool = True):
        """Cut into datasets of the given row counts or fractions, by row numbers; no row is in two."""
        parts, start, seed = [], 0, config.drawing_seed()
        for size in split_sizes(self, sizes, randomize):
            part = copy.deepcopy(self)
            part.dataset_size = None
            if randomize:
                once = samplers.RandomSampler()
                once.reshuffle_each_epoch, once.seed = False, seed
                part.add_sampler(once)
            part.add_sampler(samplers.SequentialSampler(start, size))
            part.add_sampler(samplers.SequentialSampler())
            parts.append(part)
            start += size
        return tuple(parts)


def check_source(sampler, shuffle, num_shards, shard_id, num_samples, num_parallel_workers, **flags) -> None:
    """The checks that MindSpore's own file formats share."""
    check_source_arguments(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, **flags)
    check_sampler_shuffle_shard_options(shuffle, sampler, num_shards, shard_id, num_samples)
