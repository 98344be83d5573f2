"""What happens in a DataLoader's worker process (``mindspore.dataset.dataloader._utils.worker``)."""

from __future__ import annotations

import os
import random
import traceback
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler

import numpy as np
import torch.utils.data

from ms2torch._core.devices import device
from ms2torch._core.tensor.tensor import Tensor, wrap

__all__ = ["WorkerInfo", "get_worker_info"]


class WorkerInfo:
    """Which worker this is: ``id``, ``num_workers``, its ``seed``, its copy of the ``dataset``."""

    _initialized = False

    def __init__(self, id, num_workers, seed, dataset) -> None:
        self.id = id
        self.num_workers = num_workers
        self.seed = seed
        self.dataset = dataset
        self._initialized = True

    def __setattr__(self, name, value):
        if self._initialized:
            raise RuntimeError("Cannot modify the attributes of WorkerInfo object after initialization.")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return (f"WorkerInfo: {{id: {self.id}, num_workers: {self.num_workers}, seed: {self.seed}, "
                f"dataset: {self.dataset}}}")


_info: WorkerInfo | None = None
_start_failure: Failure | None = None        # of worker_init_fn; the first batch brings it


def get_worker_info() -> WorkerInfo | None:
    """Which DataLoader worker this process is (``mindspore.dataset.dataloader.get_worker_info``).

    None in any other process.
    """
    return _info


@dataclass
class Failure:
    """An error in a worker, in the place of a batch."""

    text: str

    @classmethod
    def of(cls, err: Exception, worker: int) -> Failure:
        """``err``, which was raised in this process, with its traceback."""
        trace = "".join(traceback.format_exception(err))
        return cls(f"DataLoader worker {worker} (pid: {os.getpid()}) caught {type(err).__name__} "
                   f"with message:\n{trace}")


@dataclass
class WorkerStart:
    """What a worker does first: its seeds, which differ from worker to worker, and the user's function."""

    dataset: object
    num_workers: int
    base_seed: int
    init_fn: object

    def __call__(self, worker: int) -> None:
        global _info, _start_failure
        from ms2torch.common.generator import manual_seed
        from ms2torch.common.seed import set_seed

        device.stay_on_cpu()
        seed = self.base_seed + worker
        random.seed(seed)
        set_seed(seed & 0xFFFFFFFF)
        manual_seed(seed)
        words = [worker, self.base_seed & 0xFFFFFFFF, self.base_seed >> 32, 0]
        np.random.seed(np.random.SeedSequence(words).generate_state(4))
        _info = WorkerInfo(worker, self.num_workers, seed, self.dataset)
        try:
            if self.init_fn is not None:
                self.init_fn(worker)
        except Exception as err:
            _start_failure = Failure.of(err, worker)


def _fetched(fetch, index=None):
    """What ``fetch`` gives; errors travel as values, since torch would put its own words around them."""
    if _start_failure is not None:
        return _start_failure
    try:
        return fetch(index)
    except StopIteration:
        raise
    except Exception as err:
        return Failure.of(err, _info.id)


class IndexedBatches(torch.utils.data.Dataset):
    """A MapFetcher as torch's workers read it: an item is a whole batch."""

    def __init__(self, fetcher) -> None:
        self._fetcher = fetcher

    def __getitem__(self, index):
        return _fetched(self._fetcher.fetch, index)


class IteratedBatches(torch.utils.data.IterableDataset):
    """An IterableFetcher as torch's workers read it: an item is a whole batch."""

    def __init__(self, fetcher) -> None:
        self._fetcher = fetcher

    def __iter__(self):
        global _start_failure
        try:
            if _start_failure is None:
                self._fetcher.start()
        except Exception as err:
            _start_failure = Failure.of(err, _info.id)
        return self

    def __next__(self):
        return _fetched(self._fetcher.fetch)


# ---- Tensors between processes: their memory is shared, and moves to the device where it arrives -----------

def _reduced(tensor: Tensor):
    state = tensor.__reduce_ex__(2)[2]
    return _arrived, (tensor.torch().detach(),), state


def _arrived(t: torch.Tensor) -> Tensor:
    return wrap(t.to(device.device()))


ForkingPickler.register(Tensor, _reduced)
