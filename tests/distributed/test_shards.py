"""The shards of a dataset: disjoint and complete, or filled up where their number does not divide it."""

import numpy as np
import pytest

from ms2torch import dataset


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize(("count", "shards"), [(12, 4), (10, 4), (7, 2)])
def test_shards_are_disjoint_and_complete(count, shards, shuffle):
    seen = []
    for shard in range(shards):
        dataset.config.set_seed(5)
        source = dataset.NumpySlicesDataset(np.arange(count), ["x"], shuffle=shuffle, num_shards=shards,
                                            shard_id=shard)
        rows = [int(x) for (x,) in source.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        assert len(rows) == -(-count // shards)
        seen += rows
    assert sorted(set(seen)) == list(range(count))
    assert len(seen) - count < shards
