"""Pipelines as torch's iterable datasets and back: rows, shards, workers, resuming."""

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import ms2torch.dataset as ds


def pipeline(rows=23):
    ds.config.set_seed(5)
    data = ds.NumpySlicesDataset({"x": np.arange(rows, dtype=np.int64), "y": np.ones((rows, 2), np.float32)})
    return data.shuffle(4).map(lambda x: x * 2, "x")


def epochs(count):
    """Column x of the pipeline's own epochs."""
    iterator = pipeline().create_dict_iterator(num_epochs=count, output_numpy=True)
    return [[int(row["x"]) for row in iterator] for _ in range(count)]


def test_each_pass_is_the_next_epoch():
    rows, wanted = pipeline().to_torch(), epochs(3)
    assert [[int(x) for x, _ in rows] for _ in range(3)] == wanted
    assert len(rows) == 23 and wanted[0] != wanted[1]
    first = next(iter(pipeline().to_torch(as_dict=True)))
    assert first["y"].dtype == torch.float32 and list(first) == ["x", "y"]


def test_shards_and_workers_share_the_rows():
    wanted = epochs(1)[0]
    shards = [[int(x) for x, _ in pipeline().to_torch(num_shards=2, shard_id=i)] for i in range(2)]
    assert [x for shard in shards for x in shard] == wanted[::2] + wanted[1::2]
    loader = DataLoader(pipeline().to_torch(), batch_size=None, num_workers=2)
    assert sorted(int(x) for x, _ in loader) == sorted(wanted)


@pytest.mark.parametrize("taken", [0, 7, 23, 30])
def test_resumed_where_it_was_left(taken):
    wanted, rows = [x for epoch in epochs(3) for x in epoch], pipeline().to_torch()
    given = []
    while len(given) < taken:
        for x, _ in rows:
            given.append(int(x))
            if len(given) == taken:
                break
    resumed = pipeline().to_torch()
    resumed.load_state_dict(rows.state_dict())
    while len(given) < len(wanted):
        given += [int(x) for x, _ in resumed]
    assert given == wanted


def test_a_loader_as_a_dataset():
    rows = TensorDataset(torch.arange(10.).reshape(5, 2), torch.arange(5))
    data = ds.from_torch(DataLoader(rows, 2), ["x", "y"]).map(lambda x: x + 1, "x")
    assert data.get_dataset_size() == 3 and data.get_col_names() == ["x", "y"]
    found = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert np.concatenate([row["x"] for row in found]).ravel().tolist() == list(range(1, 11))
    named = ds.from_torch(DataLoader([{"a": i, "b": 2.0 * i} for i in range(4)], 4))
    assert named.get_col_names() == ["a", "b"]
    assert next(named.create_tuple_iterator(output_numpy=True))[1].tolist() == [0.0, 2.0, 4.0, 6.0]


def test_its_sampler_learns_of_the_epoch():
    class Sampler(torch.utils.data.RandomSampler):
        seen = []

        def set_epoch(self, epoch):
            self.seen.append(epoch)

    sampler = Sampler(range(4))
    data = ds.from_torch(DataLoader(list(range(4)), 2, sampler=sampler), "x").repeat(2)
    assert len(list(data)) == 4 and sampler.seen == [0, 1]


def test_naming_the_columns_draws_nothing():
    def loader(generator):
        return DataLoader(TensorDataset(torch.arange(12)), 3, shuffle=True, generator=generator)

    def epochs_of(rows):
        return [[int(x) for row in rows for x in np.asarray(row[0])] for _ in range(2)]

    for own in (False, True):
        torch.manual_seed(3)
        wanted = epochs_of(loader(torch.Generator().manual_seed(5) if own else None))
        torch.manual_seed(3)
        data = ds.from_torch(loader(torch.Generator().manual_seed(5) if own else None))
        assert epochs_of(data.create_tuple_iterator(num_epochs=2, output_numpy=True)) == wanted


def test_a_loader_without_a_length():
    class Rows(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    data = ds.from_torch(DataLoader(Rows(), 2))
    assert data.get_dataset_size() == 3
    assert [row[0].tolist() for row in data.create_tuple_iterator(output_numpy=True)] == [[0, 1], [2, 3], [4]]
    with pytest.raises(ValueError, match="pass once"):
        ds.from_torch(iter([torch.zeros(2)]))


def test_workers_know_how_far_they_went():
    rows = pipeline().to_torch()
    loader = DataLoader(rows, batch_size=None, num_workers=1)
    assert rows.state_dict()["row"] == 0
    assert len(list(loader)) == 23
    with pytest.raises(RuntimeError, match="StatefulDataLoader"):
        rows.state_dict()
    rows.set_epoch(1)
    assert rows.state_dict() == {"seed": 5, "epoch": 1, "row": 0}
    assert [int(x) for x, _ in rows] == epochs(2)[1]


def test_a_pipeline_there_and_back_is_whole():
    back = ds.from_torch(DataLoader(pipeline().to_torch(), batch_size=None), ["x", "y"])
    named = ds.from_torch(DataLoader(pipeline().to_torch(), batch_size=None))
    for data in (back, named):
        rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        assert [[int(row[0]) for row in rows] for _ in range(2)] == epochs(2)


def test_functions_are_told_the_epoch():
    def epoch_of(columns, info):
        return ([np.array(info.get_epoch_num())] * len(columns),)

    rows = pipeline().batch(6, per_batch_map=epoch_of, input_columns=["x"]).to_torch()
    assert [[int(x[0]) for x, _ in rows] for _ in range(3)] == [[epoch] * 4 for epoch in range(3)]
    resumed = pipeline().batch(6, per_batch_map=epoch_of, input_columns=["x"]).to_torch()
    resumed.load_state_dict({"seed": 5, "epoch": 2, "row": 3})
    assert [int(x[0]) for x, _ in resumed] == [2]
