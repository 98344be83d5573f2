"""`DataLoader` (``mindspore.dataset.dataloader.dataloader``)."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import re
import warnings
from enum import Enum
from typing import Generic, TypeVar

import numpy as np
import torch.utils.data

from ms2torch import log as logger
from ms2torch._core.devices.device import device

from ._utils import INT64_END, check_absent, check_non_negative, check_positive, check_type
from ._utils.fetch import IterableFetcher, MapFetcher
from ._utils.worker import Failure, IndexedBatches, IteratedBatches, WorkerStart
from .dataset import IterableDataset
from .sampler import BatchSampler, InfiniteSampler, RandomSampler, SequentialSampler

__all__ = ["DataLoader"]

_T_co = TypeVar("_T_co", covariant=True)

# From torch 2.6 on; before, batches come in order also where they need not.
_ORDER_CAN_BE_FREE = "in_order" in inspect.signature(torch.utils.data.DataLoader).parameters


class DatasetType(str, Enum):
    """How a dataset is read."""

    MapDataset = "MapDataset"
    IterableDataset = "IterableDataset"


class DataLoader(Generic[_T_co]):
    """Batches of a dataset (``mindspore.dataset.dataloader.DataLoader``).

    Indices come from ``sampler`` (by default in order, at random with ``shuffle``) or in lists from
    ``batch_sampler``; with ``batch_size=None`` samples come one by one. ``generator`` is numpy's: the order
    and the workers' seeds are drawn from it. ``num_workers`` processes read ahead, ``prefetch_factor`` (2)
    batches each. An error in one is a RuntimeError with the worker's traceback here, and so is a batch for
    which one needs more than ``timeout`` seconds.

    Workers compute on the CPU: a dataset that holds Tensors of an accelerator is read with
    ``num_workers=0``. What is handed out is on the device in use, so ``pin_memory`` has nothing to add.
    """

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0.0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None,
                 persistent_workers=False, in_order=True) -> None:
        _check_reading(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last)
        _check_workers(num_workers, pin_memory, drop_last, timeout, multiprocessing_context, generator,
                       prefetch_factor, persistent_workers, in_order)
        self.dataset = dataset
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.pin_memory = pin_memory
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.generator = np.random.default_rng() if generator is None else generator
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers > 0 else prefetch_factor
        self.multiprocessing_context = _context(multiprocessing_context)
        iterable = isinstance(dataset, IterableDataset)
        self.dataset_type = DatasetType.IterableDataset if iterable else DatasetType.MapDataset

        if sampler is None:
            if iterable:
                sampler = InfiniteSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=self.generator)
            else:
                sampler = SequentialSampler(dataset)
        self.sampler = sampler
        self.batch_size = batch_size if batch_sampler is None else None
        self.drop_last = drop_last
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        self.auto_collation = batch_sampler is not None
        self.index_sampler = batch_sampler if self.auto_collation else sampler
        self._iterator = None                    # of workers that stay

    def __iter__(self):
        if self.pin_memory and device().type == "cpu":
            logger.warning("Set pin_memory as True on CPU device will not have any effect.")
        if self.num_workers == 0:
            return _Here(self)
        if not self.persistent_workers:
            return _FromWorkers(self)
        if self._iterator is None:
            self._iterator = _FromWorkers(self)
        else:
            self._iterator.reset()
        return self._iterator

    def __len__(self) -> int:
        if self.dataset_type is DatasetType.MapDataset:
            return len(self.index_sampler)
        if self.batch_size is None:
            return len(self.dataset)
        return len(BatchSampler(self.dataset, self.batch_size, self.drop_last))

    def _fetcher(self):
        """What reads the batches."""
        if self.dataset_type is DatasetType.IterableDataset:
            return IterableFetcher(self.dataset, self.batch_size, self.drop_last, self.collate_fn)
        return MapFetcher(self.dataset, self.auto_collation, self.collate_fn)


class _Here:
    """A pass in this process."""

    def __init__(self, loader: DataLoader) -> None:
        self._index_sampler = loader.index_sampler
        self._indices = iter(loader.index_sampler)
        self._fetcher = loader._fetcher()
        if loader.dataset_type is DatasetType.IterableDataset:
            self._fetcher.start()

    def __iter__(self):
        return self

    def __next__(self):
        return self._fetcher.fetch(next(self._indices))

    def __len__(self) -> int:
        return len(self._index_sampler)


class _FromWorkers:
    """A pass whose batches torch's worker processes make; another one after `reset`, where they stay."""

    def __init__(self, loader: DataLoader) -> None:
        self._index_sampler, self._timeout = loader.index_sampler, loader.timeout
        _warn_of_many(loader.num_workers)
        base_seed = int(loader.generator.integers(0, INT64_END, dtype=np.int64))
        iterable = loader.dataset_type is DatasetType.IterableDataset
        if iterable:
            iter(loader.dataset)     # MindSpore asks it once here too: its errors come as they are
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "This DataLoader will create")     # said above
            warnings.simplefilter("ignore", DeprecationWarning)                  # of forking beside threads
            self._loader = torch.utils.data.DataLoader(
                (IteratedBatches if iterable else IndexedBatches)(loader._fetcher()),
                batch_size=None, sampler=None if iterable else loader.index_sampler, collate_fn=_unchanged,
                num_workers=loader.num_workers, timeout=loader.timeout,
                worker_init_fn=WorkerStart(loader.dataset, loader.num_workers, base_seed,
                                           loader.worker_init_fn),
                multiprocessing_context=loader.multiprocessing_context,
                generator=torch.Generator(),     # of seeds that WorkerStart replaces: not from the global one
                prefetch_factor=loader.prefetch_factor, persistent_workers=loader.persistent_workers,
                **({} if loader.in_order or not _ORDER_CAN_BE_FREE else {"in_order": False}))
            self._batches = iter(self._loader)

    def reset(self) -> None:
        """Begin the next pass."""
        self._batches = iter(self._loader)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            batch = next(self._batches)
        except RuntimeError as err:
            if (words := self._words(err)) is None:
                raise
            raise RuntimeError(words) from None
        if isinstance(batch, Failure):
            raise RuntimeError(batch.text)
        return batch

    def __len__(self) -> int:
        return len(self._index_sampler)

    def _words(self, err: RuntimeError) -> str | None:
        """How MindSpore says what torch says about the workers; None for any other error."""
        if str(err).startswith("DataLoader timed out"):
            return f"DataLoader timed out waiting for data after {self._timeout} seconds."
        exited = re.match(r"DataLoader worker \(pid\(s\) (.*)\) exited unexpectedly", str(err))
        return f"DataLoader worker (pid(s): {exited[1]}) exited unexpectedly." if exited else None


def _unchanged(batch):
    return batch


def _context(asked):
    """The way to start processes: by forking where the system can, as MindSpore does."""
    if asked is None:
        asked = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    return multiprocessing.get_context(asked) if isinstance(asked, str) else asked


def _warn_of_many(num_workers: int) -> None:
    """Say where there are more workers than processors."""
    affinity = getattr(os, "sched_getaffinity", None)
    processors = len(affinity(0)) if affinity else os.cpu_count()
    if num_workers > processors:
        which = "CPUs {} in the CPU set the current process is restricted to" if affinity else \
            "logical CPUs {} in the system"
        logger.warning(f"DataLoader's num_workers with value {num_workers} is set too high, exceeding the "
                       f"number of {which.format(processors)}, which may lead to competition for resources "
                       "and slow down performance of DataLoader. It is recommended to reduce the value of "
                       "num_workers.")


def _check_reading(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last) -> None:
    """What is read, and in which order."""
    if isinstance(dataset, IterableDataset):
        why = "when dataset is iterable style"
        check_absent(shuffle, "shuffle", why)
        check_absent(sampler is not None, "sampler", why)
        check_absent(batch_sampler is not None, "batch_sampler", why)
    elif not hasattr(dataset, "__getitem__"):
        raise NotImplementedError(f"{type(dataset).__name__} should implement __getitem__ method "
                                  "if it is map style.")
    if batch_size is not None:
        check_type(batch_size, "batch_size", int, but_not=bool)
        check_positive(batch_size, "batch_size")
    if shuffle is not None:
        check_type(shuffle, "shuffle", bool)
    check_absent(sampler is not None and shuffle, "sampler", "with shuffle")
    if batch_sampler is not None:
        why = "with batch_sampler"
        check_absent(batch_size != 1, "batch_size", why)
        check_absent(shuffle, "shuffle", why)
        check_absent(sampler is not None, "sampler", why)
        check_absent(drop_last, "drop_last", why)


def _check_workers(num_workers, pin_memory, drop_last, timeout, context, generator, prefetch_factor,
                   persistent_workers, in_order) -> None:
    """Who reads it."""
    check_type(num_workers, "num_workers", int, but_not=bool)
    check_non_negative(num_workers, "num_workers")
    check_type(pin_memory, "pin_memory", bool)
    check_type(drop_last, "drop_last", bool)
    check_type(timeout, "timeout", (int, float), but_not=bool)
    check_non_negative(timeout, "timeout")
    if context is not None:
        _check_for_workers("multiprocessing_context", num_workers)
        if not isinstance(context, (str, multiprocessing.context.BaseContext)):
            raise TypeError(f"multiprocessing_context must be {multiprocessing.get_all_start_methods()} or "
                            f"multiprocessing.context.BaseContext, but got: {context}.")
    if generator is not None:
        check_type(generator, "generator", np.random.Generator)
    if prefetch_factor is not None:
        _check_for_workers("prefetch_factor", num_workers)
        check_type(prefetch_factor, "prefetch_factor", int, but_not=bool)
        check_positive(prefetch_factor, "prefetch_factor")
    check_type(persistent_workers, "persistent_workers", bool)
    if persistent_workers:
        _check_for_workers("persistent_workers", num_workers)
    check_type(in_order, "in_order", bool)


def _check_for_workers(name: str, num_workers: int) -> None:
    if num_workers <= 0:
        raise ValueError(f"{name} must only be specified when num_workers is greater than 0, "
                         f"but got: {num_workers}.")
