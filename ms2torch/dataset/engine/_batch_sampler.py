"""Rows that are read in the groups which a ``batch_sampler`` names."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from ..core.errors import UserCodeError, pipeline_error, user_stack
from . import samplers
from ._batch import column_of, columns_made, stacked


def check_batch_sampler(batch_sampler, collate_fn, others) -> None:
    """MindSpore's checks of ``batch_sampler`` and ``collate_fn``; ``others`` are what they exclude."""
    if batch_sampler is not None:
        if any(other is not None for other in others):
            raise ValueError("batch_sampler is mutually exclusive with num_samples, shuffle, num_shards, "
                             "shard_id and sampler.")
        if not hasattr(batch_sampler, "__iter__") and not isinstance(batch_sampler, samplers.BuiltinSampler):
            raise TypeError("batch_sampler should have __getitem__ or __iter__ method.")
    if collate_fn is not None:
        if batch_sampler is None:
            raise ValueError("collate_fn can be specified only when batch_sampler is set.")
        if not callable(collate_fn):
            raise TypeError("collate_fn should be callable.")


def batches(source, run, workers=None) -> Callable:
    """The epochs of a source with a batch sampler: a row is a batch. ``workers`` read where there are any."""
    if not isinstance(source.sampler, samplers.Sampler):
        raise pipeline_error("Batch sampler of GeneratorDataset should be a Python sampler.")
    numbers, collate = source.sampler._epochs(source._source_size()), _collate(source)
    read = source._reader()

    def epoch():
        indices, sizes = numbers()
        if 0 in sizes:
            raise pipeline_error("Batch sampler should return a list, but got an integer.")
        rows = iter(workers.run(indices, again=True)) if workers is not None else map(read, indices)
        for size in sizes:
            yield collate(list(islice(rows, size)))

    return epoch


def _collate(source):
    names, function = source._columns(), source.collate_fn
    if function is None:
        return lambda group: [stacked([row[i] for row in group], i) for i in range(len(names))]

    def collate(group):
        try:
            made = function(*[[row[i] for row in group] for i in range(len(names))])
        except Exception as error:
            raise UserCodeError(f"{type(error).__name__}: {user_stack(error)}") from error
        return [column_of(column, place, names[place], len(group))
                for place, column in enumerate(columns_made(made, len(names)))]

    return collate
