"""The order of rows out of MindRecord files, which has its own rules and its own random numbers.

MindSpore's other sources draw from a Mersenne twister through ``std::shuffle``; here the engine under
``std::shuffle`` is libstdc++'s default one, a linear congruential generator that is made anew for every
shuffle. The first epoch's seed is the pipeline's plus one, and each epoch shuffles the order that the one
before left, which for shuffles of files and within files is not what it was meant to be, but is what
MindSpore does.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from ms2torch._core.random.engines import MT19937, MinStd

from ..core import config
from ..core.errors import pipeline_error
from . import samplers
from .samplers import Shuffle

_BLOCK = 1_000_000                                   # rows that Shuffle.PARTIAL shuffles at a time


class Order:
    """Row numbers, epoch after epoch, of files with ``counts`` rows and ``padded`` rows after them."""

    def __init__(self, counts: list[int], sampler, padded: int = 0):
        self.counts, self.padded = counts, padded
        self.rows = sum(counts) + padded
        self.chain = []                              # from the innermost sampler outwards
        while sampler is not None:
            self.chain.insert(0, sampler)
            sampler = sampler.child_sampler
        if padded and len(self.chain) > 1 and not isinstance(self.chain[0], samplers.DistributedSampler):
            raise RuntimeError("When the padded sample logic is enabled and use sampler chain,the first "
                               "sampler which is specified by parameter sampler or (num_shards, shard_id) is "
                               "not distributed sampling.")

    def open(self) -> Callable[[], list[int]]:
        """Start: a function that gives the row numbers of the next epoch."""
        start, epochs, order, dealt = config.drawing_seed(), 0, list(range(self.rows)), {}
        shared = any(isinstance(sampler, samplers.DistributedSampler) for sampler in self.chain)

        def epoch():
            nonlocal epochs, order
            epochs += 1
            for sampler in self.chain:
                if isinstance(sampler, samplers.DistributedSampler):       # deals what it was given first
                    order = list(dealt.setdefault(sampler, order))
                elif shared and epochs > 1:
                    continue                         # a shuffle beside it acts once
                order = self._chosen(sampler, order, start, epochs)
            return order

        return epoch

    def _chosen(self, sampler, order: list[int], start: int, epoch: int) -> list[int]:
        """What a sampler makes of the order: after the first epoch only shuffles and shares act again."""
        seed = start + epoch
        if isinstance(sampler, samplers.DistributedSampler):
            return self._share(sampler, order, sampler.seed + epoch)
        if isinstance(sampler, samplers.RandomSampler):
            if sampler.seed is not None:             # of a split, which keeps its parts' first shuffle
                seed = sampler.seed
            whole = list(range(self.rows)) if sampler.shuffle is Shuffle.PARTIAL else list(order)
            return self._shuffled(sampler, whole, seed)
        if isinstance(sampler, samplers.SequentialSampler):
            first = sampler.start_index or 0
            return order[first:first + (sampler.num_samples or len(order))] if epoch == 1 else order
        if isinstance(sampler, samplers.SubsetSampler):
            if epoch > 1:
                return order
            if len(sampler.indices) > len(order):
                raise pipeline_error(f"Invalid input, indices size: {len(sampler.indices)} should be less "
                                     f"than or equal to database size: {len(order)}.")
            # as unsigned 64-bit numbers, and around
            order = [order[int(index) % (1 << 64) % len(order)] for index in sampler.indices]
            if isinstance(sampler, samplers.SubsetRandomSampler):
                MinStd(seed).shuffle(order)
            return order[:sampler.num_samples or None]
        raise ValueError("The sampler is not supported yet.")

    def _shuffled(self, sampler, order: list[int], seed: int) -> list[int]:
        wanted, mode = sampler.num_samples or None, self._mode(sampler)
        if mode is Shuffle.PARTIAL:
            _shuffle_files(order, self.counts, seed)
            return _shuffled_blocks(order[:wanted], seed)
        if sampler.replacement:
            return [order[MT19937(seed + i).integer(0, len(order) - 1)] for i in range(wanted or len(order))]
        shuffle(order, mode, self.counts, seed)
        return order[:wanted]

    def _mode(self, sampler) -> Shuffle:
        """How far a sampler's shuffle reaches."""
        if sampler.shuffle is Shuffle.ADAPTIVE:
            return Shuffle.PARTIAL if self.rows > 100 * _BLOCK else Shuffle.GLOBAL
        return sampler.shuffle

    def _share(self, sampler, order: list[int], seed: int) -> list[int]:
        """Every n-th row, or a piece of the order, as a DistributedSampler deals them."""
        shards, rows = sampler.num_shards, len(order)
        if self.padded and rows % shards and sampler is self.chain[0]:
            raise pipeline_error(f"Invalid data, the size of dataset and padded samples: {rows} can not be "
                                 f"divisible by the value of 'num_shards': {shards}.\n Please adjust the "
                                 "value of 'num_padded'.")
        mode = self._mode(sampler)
        shuffle(order, Shuffle.FILES if mode is Shuffle.PARTIAL else mode, self.counts, seed)
        size = -(-rows // shards)
        first, step = (sampler.shard_id * size, 1) if _by_blocks() else (sampler.shard_id, shards)
        share = [order[(first + i * step) % rows] for i in range(size)]
        share = share[:sampler.num_samples or None]
        return _shuffled_blocks(share, seed) if mode is Shuffle.PARTIAL else share


def _by_blocks() -> bool:
    """Whether MindSpore's variable asks for shards that are pieces of the order."""
    return os.environ.get("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "").lower() == "true"


def shuffle(order: list[int], mode: Shuffle, counts: list[int], seed: int) -> None:
    """Shuffle in place, as far as the mode reaches; files are told apart by position."""
    if mode is Shuffle.GLOBAL:
        MinStd(seed).shuffle(order)
    elif mode is Shuffle.INFILE:
        _shuffle_parts(order, counts, seed)
    elif mode is Shuffle.FILES:
        _shuffle_files(order, counts, seed)


def _shuffled_blocks(order: list[int], seed: int) -> list[int]:
    _shuffle_parts(order, [min(_BLOCK, len(order) - start) for start in range(0, len(order), _BLOCK)], seed)
    return order


def _shuffle_parts(order: list[int], sizes: list[int], seed: int) -> None:
    start = 0
    for size in sizes:
        part = order[start:start + size]
        MinStd(seed).shuffle(part)
        order[start:start + size] = part
        start += size


def _shuffle_files(order: list[int], counts: list[int], seed: int) -> None:
    places = list(range(len(counts)))
    MinStd(seed).shuffle(places)
    starts = [sum(counts[:i]) for i in range(len(counts))]
    order[:] = [row for i in places for row in order[starts[i]:starts[i] + counts[i]]]
