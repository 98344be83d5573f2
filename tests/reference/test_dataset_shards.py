"""Which process of several reads which rows."""

import pathlib
import tempfile

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


def _numbers(count, start=0, **where):
    return ds.NumpySlicesDataset({"x": np.arange(start, start + count)}, **(where or {"shuffle": False}))


MIXED = {
    "two": lambda: _numbers(5) + _numbers(4, 10), "uneven": lambda: _numbers(9) + _numbers(2, 10),
    "three": lambda: _numbers(2) + _numbers(3, 10) + _numbers(1, 20),
    "three on the right": lambda: _numbers(2) + (_numbers(3, 10) + _numbers(4, 20)),
    "shuffled": lambda: _numbers(4, shuffle=True) + _numbers(3, 10, shuffle=True),
    "generator": lambda: _numbers(3) + ds.GeneratorDataset(list(np.arange(20, 25)), ["x"], shuffle=False),
    "mapped": lambda: _numbers(3).map(lambda x: x + 50, "x") + _numbers(3, 10),
}


@case(each={"kind": list(MIXED), "seed": [0, 5, 11]})
def test_joined_rows_in_any_order(kind, seed):
    ds.config.set_seed(seed)
    joined = MIXED[kind]()
    joined.use_sampler(ds.RandomSampler())
    rows = joined.create_tuple_iterator(num_epochs=3, output_numpy=True)
    return joined.get_dataset_size(), [[int(x) for (x,) in rows] for _ in range(3)]


@case
def test_joined_rows_of_other_ranks():
    joined = ds.NumpySlicesDataset({"x": np.zeros((2, 2))}) + ds.NumpySlicesDataset({"x": np.zeros(2)})
    try:
        return list(joined.create_tuple_iterator(num_epochs=1))
    except RuntimeError as error:
        return next(line for line in str(error).splitlines() if "[ERROR]" in line)


@case(each={"kind": ["text", "table", "treebank", "numbers"], "workers": [1, 2, None]})
def test_the_last_shard_of_one_file_goes_on_at_its_beginning(kind, workers):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / ("ptb.train.txt" if kind == "treebank" else "usps" if kind == "numbers" else "rows.txt")
        features = "".join(f" {i + 1}:0.5" for i in range(256))
        file.write_text("".join(f"{i + 1}{features + ' ' if kind == 'numbers' else ''}\n" for i in range(9)))
        where = {"num_shards": 2, "shard_id": 1, "shuffle": False, "num_parallel_workers": workers}
        if kind == "text":
            rows = ds.TextFileDataset(str(file), **where)
        elif kind == "table":
            rows = ds.CSVDataset(str(file), column_defaults=[""], column_names=["text"], **where)
        elif kind == "treebank":
            rows = ds.PennTreebankDataset(folder, "train", **where)
        else:
            rows = ds.USPSDataset(folder, "train", **where)
        column = "label" if kind == "numbers" else "text"
        return [str(row[column]) for row in rows.create_dict_iterator(num_epochs=1, output_numpy=True)]
