"""In which order a DataLoader reads (``mindspore.dataset.dataloader.sampler``)."""

from __future__ import annotations

from itertools import islice, repeat
from typing import Generic, TypeVar

import numpy as np

from ._utils import INT64_END, check_instance, check_positive, check_type

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler"]

_T_co = TypeVar("_T_co", covariant=True)

_DRAWN_AT_ONCE = 32              # with replacement; the order under a seed depends on it


class Sampler(Generic[_T_co]):
    """Base of all samplers: subclasses give indices by ``__iter__``, and tell how many by ``__len__``
    (``mindspore.dataset.dataloader.Sampler``)."""

    def __init__(self, data_source=None) -> None:
        pass


class SequentialSampler(Sampler):
    """0, 1, 2, ... to the end (``mindspore.dataset.dataloader.SequentialSampler``)."""

    def __init__(self, data_source) -> None:
        super().__init__(data_source)
        self.data_source = data_source

    def __iter__(self):
        yield from range(len(self.data_source))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """A random order (``mindspore.dataset.dataloader.RandomSampler``).

    ``num_samples`` indices, by default as many as there are samples: with ``replacement`` each drawn from
    all, else by permutations, one after another. A ``generator`` is numpy's (``numpy.random.default_rng``),
    and goes on from pass to pass; without one, each pass draws its seed from ``numpy.random``.
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None) -> None:
        super().__init__(data_source)
        check_instance(replacement, "replacement", bool)
        if num_samples is not None:
            check_instance(num_samples, "num_samples", int)
            if num_samples <= 0:
                raise ValueError("num_samples must be a positive integer value, "
                                 f"but got num_samples = {num_samples}")
        if generator is not None:
            check_instance(generator, "generator", np.random.Generator, "numpy.random.Generator")
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator

    @property
    def num_samples(self) -> int:
        """How many indices a pass has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        generator = self.generator
        if generator is None:
            generator = np.random.default_rng(np.random.randint(0, INT64_END, dtype=np.int64))
        n = len(self.data_source)
        whole, rest = divmod(self.num_samples, _DRAWN_AT_ONCE if self.replacement else n)
        if self.replacement:
            for size in (*repeat(_DRAWN_AT_ONCE, whole), rest):
                yield from generator.integers(0, n, size=(size,), dtype=np.int64).tolist()
        else:
            # The last permutation is drawn even where none of it is taken: the generator goes on behind it.
            for taken in (*repeat(n, whole), rest):
                yield from generator.permutation(n)[:taken].tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list]):
    """Lists of ``batch_size`` indices of another sampler (``mindspore.dataset.dataloader.BatchSampler``).

    ``drop_last`` leaves out the last list where it is shorter.
    """

    def __init__(self, sampler, batch_size, drop_last) -> None:
        super().__init__()
        check_type(batch_size, "batch_size", int, but_not=bool)
        check_positive(batch_size, "batch_size")
        check_type(drop_last, "drop_last", bool)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (rest > 0 and not self.drop_last)


class InfiniteSampler(Sampler):
    """No indices, without end: what an iterable dataset is asked with."""

    def __iter__(self):
        return repeat(None)
