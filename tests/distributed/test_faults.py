"""A rank that dies, sleeps or does something else is named; checkpoints are written once, a run goes on."""

import os
import re

import numpy as np
import pytest

from ms2torch._core.torch_private import SPREADS
from tests.distributed import fault_cases as cases

LEAVING = {
    "killed": (r"rank 1 \(process \d+\) is gone", 10),
    "error": (r"rank 1 ended with KeyError: 'lost'", 10),
    "end": (r"rank 1 left: its program ended after operation \d+", 10),
    "elsewhere": (r"rank 1 is in AllReduce\(sum\) of float32 \(3,\), operation \d+", 15),
    "asleep": (r"rank 1 did not come", 15),
}


@pytest.mark.parametrize("how", LEAVING)
def test_a_rank_that_is_missed_is_named(together, how):
    pattern, within = LEAVING[how]
    env = {"MS2TORCH_COMM_TIMEOUT": "3"}
    first, last = together.outcomes(cases.one_rank_leaves, 2, how, timeout=40, env=env)
    text, seconds = first["result"][1]
    assert re.match(r"Rank 0 failed in a training step under DistributedDataParallel, operation \d+: ", text)
    assert re.search(pattern, text), text
    assert seconds < within
    if how == "killed":
        assert last["code"] == -9


def test_a_rank_that_is_missed_in_an_explicit_reduction_is_named(together):
    env = {"MS2TORCH_COMM_TIMEOUT": "3"}
    for how in ("killed", "asleep"):
        found = together.outcomes(cases.one_rank_leaves, 3, how, "explicit", timeout=40, env=env)
        for rank in range(2):
            text, seconds = found[rank]["result"][1]
            assert re.match(rf"Rank {rank} failed in the reduction of 1 gradients, operation \d+: ", text)
            assert re.search(LEAVING[how][0].replace("rank 1", "rank 2"), text), text
            assert seconds < 15


@pytest.mark.skipif(not SPREADS, reason="wants a torch newer than 2.4")
def test_a_rank_that_sleeps_is_missed_in_its_row_of_a_mesh_too(together):
    """Groups that torch makes for a mesh would wait for half an hour."""
    found = together.outcomes(cases.one_rank_leaves, 4, "asleep", "split", timeout=60,
                              env={"MS2TORCH_COMM_TIMEOUT": "3"})
    for one in found[:3]:
        text, seconds = one["result"][1]
        assert "rank 3 did not come" in text, text
        assert seconds < 15


def test_the_dead_one_of_four_is_named_to_all_others(together):
    env = {"MS2TORCH_COMM_TIMEOUT": "5"}
    found = together.outcomes(cases.one_rank_leaves, 4, "error", timeout=40, env=env)
    for one in found[:3]:
        assert "rank 3 ended with KeyError: 'lost'" in one["result"][1][0]


def test_waiting_for_ranks_that_never_start_ends(together):
    found = together.outcomes(cases.nobody_comes, 2, timeout=40, env={"MS2TORCH_COMM_TIMEOUT": "2"})
    for rank, one in enumerate(found):
        kind, name, text = one["result"][:3]
        assert (kind, name) == ("error", "RuntimeError"), one
        assert text.startswith(f"Rank {rank} of 3 could not meet the others at 127.0.0.1:")
        assert "within 2 s" in text


def test_checkpoints_are_written_once_and_carry_the_run_on(together, tmp_path):
    whole = together(cases.train_and_save, 2, str(tmp_path / "whole"))
    assert sorted(os.listdir(tmp_path / "whole")) == ["net-1_5.ckpt", "net-1_6.ckpt"]
    part = together(cases.train_and_save, 2, str(tmp_path / "part"), 3)
    assert sorted(os.listdir(tmp_path / "part")) == ["net-1_2.ckpt", "net-1_3.ckpt"]
    rest = together(cases.train_and_save, 2, str(tmp_path / "rest"), None, part[0][1])
    for rank in range(2):
        assert part[rank][0] + rest[rank][0] == whole[rank][0]
        assert part[rank][1] == str(tmp_path / "part" / "net-1_3.ckpt")
    alone = together(cases.train_and_save, 1, str(tmp_path / "alone"))[0][0]
    np.testing.assert_allclose(np.mean([one[0] for one in whole], axis=0), alone, rtol=1e-5)


def test_folders_of_their_own_get_checkpoints_of_their_own(together, tmp_path):
    together(cases.train_and_save, 2, str(tmp_path), None, None, True)
    for rank in range(2):
        assert sorted(os.listdir(tmp_path / f"rank_{rank}")) == ["net-1_5.ckpt", "net-1_6.ckpt"]
