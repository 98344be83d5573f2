"""Which process of several reads which rows."""

import mindspore.dataset as ds
import numpy as np

from tests.reference.judge import case


def _rows(dataset):
    return [int(x) for (x,) in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def _source(kind, count, shuffle, shards, shard):
    where = {"num_shards": shards, "shard_id": shard, "shuffle": shuffle}
    if kind == "slices":
        return ds.NumpySlicesDataset(np.arange(count), ["x"], **where)
    return ds.GeneratorDataset(list(np.arange(count)), ["x"], **where)


@case(each={"kind": ["slices", "generator"], "count": [12, 10], "shards": [2, 4], "shuffle": [False, True]})
def test_every_shard(kind, count, shards, shuffle):
    ds.config.set_seed(11)
    return [_rows(_source(kind, count, shuffle, shards, shard)) for shard in range(shards)]


@case(each={"sampler": ["DistributedSampler", "even", "shuffled"]})
def test_distributed_samplers(sampler):
    ds.config.set_seed(3)
    how = {"DistributedSampler": {}, "even": {"shuffle": False}, "shuffled": {"shuffle": True, "num_samples": 3}}
    found = []
    for shard in range(3):
        one = ds.DistributedSampler(3, shard, **how[sampler])
        found.append(_rows(ds.NumpySlicesDataset(np.arange(10), ["x"], sampler=one)))
    return found
