"""Each process's part of a dataset (``mindspore.dataset.dataloader.distributed``)."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TypeVar

import numpy as np

from ._utils import check_instance
from .sampler import Sampler

__all__ = ["DistributedSampler"]

_T_co = TypeVar("_T_co", covariant=True)


class DistributedSampler(Sampler[_T_co]):
    """Every ``num_replicas``-th index from ``rank`` on (``mindspore.dataset.dataloader.DistributedSampler``).

    By default both are what ``mint.distributed`` says. With ``shuffle`` the order is numpy's permutation for
    ``seed`` + epoch (`set_epoch`). Parts are equally long: the first indices are read again to fill the
    last places, or with ``drop_last`` the last ones are left out.
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False) -> None:
        super().__init__(dataset)
        for value, name in ((num_replicas, "num_replicas"), (rank, "rank")):
            if value is not None:
                check_instance(value, name, int)
        check_instance(shuffle, "shuffle", bool)
        check_instance(seed, "seed", int)
        check_instance(drop_last, "drop_last", bool)
        if num_replicas is None or rank is None:
            from ms2torch.mint import distributed

            if not distributed.is_available():
                raise RuntimeError("MindSpore distributed feature is not available.")
            num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
            rank = distributed.get_rank() if rank is None else rank
        if num_replicas <= 0:
            raise ValueError(f"Invalid num_replicas: {num_replicas}, num_replicas must be greater than 0.")
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank: {rank}, rank must be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        self.epoch = 0
        full, rest = divmod(len(dataset), num_replicas)
        self.num_samples = full + (rest > 0 and not drop_last)
        self.total_samples = self.num_samples * num_replicas

    def __iter__(self):
        order = range(len(self.dataset))
        if self.shuffle:
            order = np.random.default_rng(self.seed + self.epoch).permutation(len(order)).tolist()
        return islice(cycle(order), self.rank, self.total_samples, self.num_replicas)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """The next pass is epoch ``epoch``: each has an order of its own."""
        check_instance(epoch, "epoch", int)
        self.epoch = epoch
