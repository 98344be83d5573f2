"""Operators over 2 and 4 processes, against mathematics and what the real MindSpore gives on its own ranks.

The real one runs AllReduce(sum), AllGather and Broadcast on the CPU; its values for two ranks are written out
below (MindSpore 2.10.0, msrun --worker_num 2).
"""

import numpy as np
import pytest

from tests.distributed import collective_cases as cases

X = [np.arange(4, dtype=np.float32) + 10 * r for r in range(4)]


@pytest.mark.parametrize("size", [2, 4])
def test_ranks_know_their_places(together, size):
    assert together(cases.places, size) == [
        ((r, size), r, size, r, size, list(range(size)), "mccl_world_group") for r in range(size)]


@pytest.mark.parametrize("size", [2, 4])
def test_values(together, size):
    x = X[:size]
    parts = [np.split(one, size) for one in x]
    for rank, found in enumerate(together(cases.values, size)):
        expected = {
            "sum": sum(x), "max": x[-1], "min": x[0], "prod": np.prod(x, axis=0),
            "float16": np.float16([size * 1.5 + sum(range(size))]),
            "scalar": np.float32(size * 1.5 + sum(range(size))),
            "bool": np.array([True, False]),
            "AllGather": np.concatenate(x), "ReduceScatter": np.split(sum(x), size)[rank], "Broadcast": x[-1],
            "AlltoAll": np.concatenate([parts[r][rank] for r in range(size)]),
            "AlltoAll dims": np.stack([parts[r][rank] for r in range(size)]),
            "Reduce": sum(x) if rank == 1 else np.zeros(1, np.float32),
            "CollectiveGather": np.concatenate(x) if rank == 1 else np.zeros(1, np.float32),
            "CollectiveScatter": parts[0][rank],
        }
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            assert found[name].dtype == value.dtype, name
            np.testing.assert_array_equal(found[name], value, err_msg=f"{name} on rank {rank}")


def test_a_rank_sends_the_others_parts_alone(together):
    """Gloo's reduce-scatter would send twice as much."""
    for size in (2, 4):
        part = 4096 * 8 * 4 // size
        for sent in together(cases.scattering, size, 4096):     # (beside what they say before)
            assert (size - 1) * part <= sent < 1.01 * (size - 1) * part


def test_the_real_ones_values_on_two_ranks(together):
    for rank, found in enumerate(together(cases.values, 2)):
        np.testing.assert_array_equal(found["sum"], [10, 12, 14, 16])
        np.testing.assert_array_equal(found["AllGather"], [0, 1, 2, 3, 10, 11, 12, 13])
        assert found["float16"].tolist() == [4.0]
        assert found["scalar"] == 4.0
        assert found["scalar"].shape == (), rank


def test_gradients(together):
    x = [one + 1 for one in X[:2]]
    y = sum(x)
    for rank, found in enumerate(together(cases.gradients, 2)):
        # AllReduce(sum)'s gradient is the sum of all ranks' incoming ones; the real one gives 20, 24, 28, 32
        # for inputs without the 1 that is added here.
        expected = {
            "sum": y + y,
            # max: the sum of incoming gradients where this rank has the maximum, and the direct path.
            "max": x[1] + (y if rank == 1 else 0),
            "prod": (x[0] * x[1] * 1 + x[0] * x[1] * 2) / x[rank],
            "AllGather": np.arange(8, dtype=np.float32).reshape(2, 4)[rank] * 3,
            "ReduceScatter": np.repeat([1, 2], 2),
            "Broadcast": x[0] + x[rank],         # its gradient stays where it arises, as the real one's does
            "AlltoAll": np.repeat([1, 2], 2),
            "second": 6 * x[rank] * 2,
        }
        for name, value in expected.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-6, err_msg=f"{name} on rank {rank}")


def test_a_ring_of_neighbours(together):
    for rank, (got, gradient) in enumerate(together(cases.neighbours, 4)):
        np.testing.assert_array_equal(got, X[(rank - 1) % 4])
        np.testing.assert_array_equal(gradient, 2 * X[rank] * ((rank + 1) % 4 + 1))


def test_the_edges_of_an_image_go_to_its_neighbours(together):
    rim = np.zeros((10, 12), np.float32)
    rim[1:9, 2:10] = np.arange(64, dtype=np.float32).reshape(8, 8)
    # Who has how many copies of a pixel: its owner, and every neighbour whose rim it is in, by their factors.
    spread = np.zeros((10, 12), np.float32)
    found = together(cases.edges, 4)
    for rank in range(4):
        row, column = divmod(rank, 2)
        spread[4 * row:4 * row + 6, 4 * column:4 * column + 8] += rank + 1
    for rank, (got, gradient) in enumerate(found):
        row, column = divmod(rank, 2)
        np.testing.assert_array_equal(got[0, 0], rim[4 * row:4 * row + 6, 4 * column:4 * column + 8])
        mine = spread[4 * row + 1:4 * row + 5, 4 * column + 2:4 * column + 6]
        np.testing.assert_array_equal(gradient[0, 0], mine)


def test_parts_of_different_sizes(together):
    """The values of AlltoAllV, AlltoAllVC and AllGatherV are those of their documented examples' counts."""
    weights = cases.GATHERED.sum(0)
    for rank, (found, x, refused) in enumerate(together(cases.uneven, 2)):
        np.testing.assert_array_equal(x, np.arange(3) + 3 * rank)
        expected = {
            "V": [[0, 3, 4], [1, 2, 5]][rank], "VC": [[0, 3, 4], [1, 2, 5]][rank], "blocks": x,
            "gradient": [[0, 10, 11], [1, 2, 12]][rank],
            "rows": [[[0, 1], [10, 11], [12, 13]], [[2, 3], [4, 5], [14, 15]]][rank],
            "all gather": [0, 1, 2, 0, 1, 2, 3], "its gradient": np.split(weights, [3])[rank],
            "reduce scatter": [[3, 5], [7]][rank], "greatest": [[3, 4], [5]][rank],
            "received": np.arange(3) + 3 * (1 - rank), "sent back": np.arange(3) + 10 * (1 - rank),
            "product": [[2, 2], [2, 2], [4, 4], [4, 4]], "joined": [[1, 1], [1, 1], [2, 2], [2, 2]],
            "part": [[6, 6]],
            "made": [3, 5, 7], "written": [3, 5, 7], "gathered": [0, 1, 2, 3, 4, 5],
            "got": np.arange(3) + 3 * (1 - rank),
        }
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value, err_msg=f"{name} on rank {rank}")
        assert refused == "Non-inplace mode is currently not supported."


def test_gradients_travel_back_from_receive_to_send(together):
    sender, receiver = together(cases.pipeline_by_hand, 2)
    x, v = np.array([1.0, 2.0]), np.array([1.0, 10.0])
    np.testing.assert_allclose(receiver, 5 * x**4)
    np.testing.assert_allclose(sender, 10 * x**2 * v * 2 * x)


def test_groups(together):
    for rank, found in enumerate(together(cases.groups, 4)):
        mine = [0, 2] if rank in (0, 2) else [1, 3]
        assert found[:5] == (mine.index(rank), 2, mine, mine[1], mine.index(rank))
        np.testing.assert_array_equal(found[5], X[mine[0]] + X[mine[1]])
        np.testing.assert_array_equal(found[6], np.concatenate([X[m] for m in mine]))
        np.testing.assert_array_equal(found[7], X[mine[1]])
        assert "does not exist" in found[8]


@pytest.mark.parametrize(("what", "said"), [
    ("operators", ["rank 0: AllReduce(sum) of float32 (4,)", "rank 1: AllGather of float32 (4,)"]),
    ("shapes", ["rank 0: AllReduce(sum) of float32 (4,)", "rank 1: AllReduce(sum) of float32 (2,)"]),
    ("dtypes", ["rank 0: AllReduce(sum) of float32 (4,)", "rank 1: AllReduce(sum) of int32 (4,)"]),
    ("reductions", ["rank 0: AllReduce(sum) of float32 (4,)", "rank 1: AllReduce(max) of float32 (4,)"]),
])
def test_different_operations_are_an_error_that_names_them(together, what, said):
    for one in together.outcomes(cases.different_operations, 2, what):
        kind, name, text = one["result"][:3]
        assert (kind, name) == ("error", "RuntimeError"), one
        assert text == f"The processes do not do the same operation: {'; '.join(said)}."
