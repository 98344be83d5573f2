"""Pipelines and torch's data loading: `Dataset.to_torch` and `from_torch`."""

from __future__ import annotations

import random
from collections import deque
from itertools import islice

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from ms2torch._core.tensor.tensor import Tensor

from ..core import config
from ._pipeline import Run
from .datasets import Dataset
from .datasets_user_defined import GeneratorDataset
from .iterators import to_array


class TorchRows(IterableDataset):
    """A pipeline's rows as torch tensors, for ``torch.utils.data.DataLoader(rows, batch_size=None)``.

    Each pass is the next epoch, in the order that MindSpore gives for the seed; without one, a seed is drawn
    here, so that workers agree. Of several shards or workers each runs the pipeline and gives its share of
    the rows. Workers that a DataLoader starts anew for each epoch need `set_epoch` before it.
    `state_dict` tells how far it went; what is loaded again draws all rows up to there, and gives the others.
    With a DataLoader's workers each of them has its own, which ``torchdata``'s ``StatefulDataLoader`` asks.
    """

    def __init__(self, dataset: Dataset, as_dict: bool, num_shards: int | None, shard_id: int | None) -> None:
        if (num_shards is None) != (shard_id is None):
            raise ValueError("num_shards and shard_id need to be passed in together.")
        if num_shards is not None and not 0 <= shard_id < num_shards:
            raise ValueError("shard_id should be less than num_shards.")
        self._dataset, self._as_dict = dataset, as_dict
        self._shards, self._shard = num_shards or 1, shard_id or 0
        self._seed, self._epoch, self._row = config.drawing_seed(), 0, 0
        self._next = None, -1                        # the open pipeline, and the epoch that it gives next
        self._elsewhere = torch.zeros(1, dtype=torch.bool).share_memory_()     # whether workers gave rows

    def __iter__(self):
        epoch, first = self._epoch, self._row
        opened, at = self._next
        if opened is None or at != epoch:
            opened = self._opened()
            for number in range(epoch):
                deque(opened(number), maxlen=0)
        self._next = None, -1
        rows, names = opened(epoch), self._dataset._columns()
        info = get_worker_info()
        workers, worker = (info.num_workers, info.id) if info else (1, 0)
        self._elsewhere.fill_(info is not None)
        parts, part = self._shards * workers, self._shard * workers + worker
        for number, row in enumerate(islice(rows, first, None), first):
            self._row = number + 1
            if number % parts == part:
                values = [_tensor(value) for value in row]
                yield dict(zip(names, values, strict=True)) if self._as_dict else tuple(values)
        self._epoch, self._row, self._next = epoch + 1, 0, (opened, epoch + 1)

    def _opened(self):
        """The pipeline at its first row: a function that gives the rows of an epoch, one after the other."""
        before, run = config._values["seed"], Run()
        config._values["seed"] = self._seed
        try:
            started = self._dataset._started(run)
        finally:
            config._values["seed"] = before

        def epoch(number):
            run.epoch = number
            yield from started()
            for call in run.at_end:
                call()

        return epoch

    def __len__(self) -> int:
        rows, parts = self._dataset.get_dataset_size(), self._shards
        return rows // parts + (self._shard < rows % parts)

    def __getstate__(self):
        return {**self.__dict__, "_next": (None, -1)}         # an open pipeline stays in its process

    def set_epoch(self, epoch: int) -> None:
        """The epoch that the next pass gives, from its first row on."""
        self._epoch, self._row = epoch, 0
        self._elsewhere.fill_(False)

    def state_dict(self) -> dict:
        """Seed, epoch, and rows of it that were given, of all shards."""
        if self._elsewhere and get_worker_info() is None:
            raise RuntimeError("A DataLoader's workers gave the rows, and know how far they went: use "
                               "torchdata's StatefulDataLoader or a DataLoader with num_workers=0 (the "
                               "pipeline has workers of its own), or call set_epoch and ask before the "
                               "first row.")
        return {"seed": self._seed, "epoch": self._epoch, "row": self._row}

    def load_state_dict(self, state: dict) -> None:
        """Go on where `state_dict` was asked."""
        self._seed, self._epoch, self._row = state["seed"], state["epoch"], state["row"]
        self._next = None, -1
        self._elsewhere.fill_(False)


def _tensor(value):
    if isinstance(value, dict):
        return {key: _tensor(item) for key, item in value.items()}
    value = to_array(value)
    if value.dtype.kind in "US":
        return value.item() if value.ndim == 0 else value.tolist()
    return torch.from_numpy(value)


class _Batches:
    """What a loader gives, as rows of arrays; each pass sets the epoch of its sampler."""

    def __init__(self, loader, names: list[str] | None) -> None:
        self.loader, self.names, self.epoch = loader, names, 0

    def __iter__(self):
        set_epoch = getattr(getattr(self.loader, "sampler", None), "set_epoch", None)
        if set_epoch is not None:
            set_epoch(self.epoch)
        self.epoch += 1
        for row in self.loader:
            if isinstance(row, dict):
                row = [row[name] for name in self.names or row]
            elif not isinstance(row, (tuple, list)):
                row = [row]
            yield tuple(_array(value) for value in row)


class _SizedBatches(_Batches):
    def __len__(self):
        return len(self.loader)


def _is_sized(loader) -> bool:
    try:
        len(loader)
    except TypeError:                                # a DataLoader of an IterableDataset
        return False
    return True


def _first(loader):
    """The first row; what it drew is given back to the generators."""
    if hasattr(loader, "__next__"):
        raise ValueError("from_torch: the rows of an iterator pass once; give column_names, or what makes "
                         "it.")
    owners = (loader, *(getattr(loader, name, None) for name in ("sampler", "batch_sampler", "dataset")))
    found = [getattr(owner, "generator", None) for owner in owners]
    generators = [torch.default_generator, *(g for g in found if isinstance(g, torch.Generator))]
    states = [g.get_state() for g in generators]
    arrays, numbers = np.random.get_state(), random.getstate()
    pipelines = [(one, one.state_dict()) for one in owners if isinstance(one, TorchRows)]
    try:
        for row in loader:
            return row
        raise ValueError("from_torch: without a row there are no names; give column_names.")
    finally:
        for generator, state in zip(generators, states, strict=True):
            generator.set_state(state)
        np.random.set_state(arrays)
        random.setstate(numbers)
        for one, state in pipelines:
            one.load_state_dict(state)


def _array(value):
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().numpy()
    return value if isinstance(value, Tensor) else np.asarray(value)


def from_torch(loader, column_names=None):
    """A ``torch.utils.data.DataLoader``, or anything that gives rows of torch tensors, as a dataset.

    ``column_names`` are those of dicts by default, else ``column_0``, ``column_1`` and so on, told by the
    first row (what it draws from torch's, numpy's and Python's generators is given back). What the loader
    has batched is a row. It keeps its workers, order and sampler, whose ``set_epoch`` is called.
    """
    if column_names is None:
        first = _first(loader)
        count = len(first) if isinstance(first, (tuple, list)) else 1
        column_names = list(first) if isinstance(first, dict) else [f"column_{i}" for i in range(count)]
    names = [column_names] if isinstance(column_names, str) else list(column_names)
    kind = _SizedBatches if _is_sized(loader) else _Batches
    return GeneratorDataset(kind(loader, names), names, shuffle=False)
