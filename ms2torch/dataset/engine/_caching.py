"""Pipelines with a `DatasetCache`: the operation that it was given to, and those under it, run once per row.

Sources that read rows by number ask the cache for each number that their sampler gives. Other sources run to
their end once, in order; a sampler that their arguments amount to then draws from the cache (with replacement
where they shuffle, as MindSpore's does).
"""

from __future__ import annotations

import copy

import numpy as np

from ..core.errors import pipeline_error
from ..transforms.operation import Compose, PyTensorOperation, TensorOperation
from ._flow import ShuffleDataset
from ._pipeline import Epoch, Run
from ._sources import MappableDataset, SourceDataset
from .datasets import Dataset
from .samplers import DistributedSampler, RandomSampler, SequentialSampler, Shuffle

_NOT_BELOW = {"BatchDataset": "BatchNode", "PaddedBatchDataset": "BatchNode", "ConcatDataset": "ConcatNode",
              "FilterDataset": "FilterNode", "SkipDataset": "SkipNode", "ZipDataset": "ZipNode",
              "TakeDataset": "TakeNode (possibly from Split)"}


class _Feed(Dataset):
    """In the place of a source: gives the row that was put there."""

    def __init__(self, source: Dataset):
        super().__init__()
        self.source, self.row = source, None

    def _open(self, run):
        def epoch():
            while True:
                yield self.row

        return epoch

    def _columns(self):
        return self.source._columns()


def opened(node: Dataset, run: Run) -> Epoch:
    """The epochs of a node that has a cache."""
    source = _checked(node)
    rows = node.cache._rows_of(_signature(node))
    if isinstance(source, MappableDataset):
        return _by_number(node, source, rows, run)
    return _whole(node, source, rows, run)


def _by_number(node, source, cache, run) -> Epoch:
    feed = _Feed(source)
    numbers, read = source._numbers(), source._reader()
    below = _over(node, source, feed)._open(run)

    def epoch():
        made = below()
        for number in numbers():
            row = cache.get(number)
            if row is None:
                feed.row = read(number)
                row = next(made)
                cache.put(number, row)
            yield _owned(row)

    return epoch


def _whole(node, source, cache, run) -> Epoch:
    ordered = copy.copy(source)
    ordered.cache, ordered.num_samples, ordered.num_shards, ordered.shard_id = None, 0, 1, 0
    ordered.shuffle_mode = Shuffle.FALSE
    below = _over(node, source, ordered)._open(run)
    sampler, numbers = _sampler(source), None

    def epoch():
        nonlocal numbers
        if not cache.complete:
            for number, row in enumerate(below()):
                if cache.get(number) is None and not cache.put(number, row):
                    raise pipeline_error("Out of memory. No enough storage for cache server to cache data.",
                                         "Out of memory.")
            cache.complete = True
        numbers = numbers or sampler._open(len(cache), list)
        for number in numbers():
            yield _owned(cache.get(number))

    return epoch


def _sampler(source: SourceDataset):
    shuffled, samples = source.shuffle_mode is not Shuffle.FALSE, source.num_samples or None
    if source.num_shards > 1:
        sampler = DistributedSampler(source.num_shards, source.shard_id, shuffled, samples)
        sampler.seed = 0                             # whatever the pipeline's is
        return sampler
    return RandomSampler(True, samples) if shuffled else SequentialSampler(num_samples=samples)


def _owned(row: list) -> list:
    """A row of the cache as one that later operations may write into."""
    return [np.array(value) if isinstance(value, np.ndarray) else copy.deepcopy(value) for value in row]


def _over(node: Dataset, source: Dataset, instead: Dataset) -> Dataset:
    """The same operations over another source, without the cache; rows have numbers, so they are not shuffled
    before it.
    """
    if node is source:
        return instead
    below = _over(node.children[0], source, instead)
    if isinstance(node, ShuffleDataset) and isinstance(instead, _Feed):
        return below
    node = copy.copy(node)
    node.children, node.cache = [below], None
    return node


def _checked(node: Dataset) -> Dataset:
    """The source under a node with a cache; RuntimeError for operations whose rows cannot be cached."""
    below, first = node, True
    while below.children:
        name = type(below).__name__
        if name in _NOT_BELOW:
            raise pipeline_error(f"{_NOT_BELOW[name]} is not supported as a descendant operator under a "
                                 "cache.")
        if below.cache is not None and not first:
            raise pipeline_error("Nested cache operations over MapNode is not supported.")
        if first and any(map(_random, Compose.decompose(below.operations))):
            raise pipeline_error("MapNode containing random operation is not supported as a descendant of "
                                 "cache.")
        below, first = below.children[0], False
    if below.cache is not None and not first:
        raise pipeline_error(f"Nested cache operations over {type(below).__name__} is not supported.")
    if not isinstance(below, SourceDataset) or _user_defined(below):
        raise pipeline_error("There is currently no support for GeneratorOp under cache.",
                             "Unexpected error.")
    if isinstance(below, MappableDataset) and "RepeatDataset" in _names(node):
        raise pipeline_error("A cache over a RepeatNode of a mappable dataset is not supported.")
    return below


def _user_defined(source: Dataset) -> bool:
    from .datasets_user_defined import GeneratorDataset
    return isinstance(source, GeneratorDataset)


def _names(node: Dataset) -> list[str]:
    return [type(node).__name__, *[name for child in node.children for name in _names(child)]]


def _random(operation) -> bool:
    named = isinstance(operation, PyTensorOperation) and type(operation).__name__.startswith("Random")
    return named or getattr(operation, "random", False) is True


def _told(operation) -> tuple:
    if isinstance(operation, TensorOperation | PyTensorOperation):
        return type(operation).__name__, repr(sorted(vars(operation).items()))
    return (repr(operation),)


_PLAIN = (str, int, float, list, tuple, dict, type(None))
_NOT_TOLD = ("children", "dataset_size", "num_parallel_workers", "operations")


def _signature(node: Dataset) -> tuple:
    """What tells the rows of this pipeline from another's."""
    own = [(name, repr(value)) for name, value in sorted(vars(node).items())
           if not name.startswith("_") and name not in _NOT_TOLD and isinstance(value, _PLAIN)]
    steps = [_told(one) for one in getattr(node, "operations", ())]
    return type(node).__name__, own, steps, [_signature(child) for child in node.children]
