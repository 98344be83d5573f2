"""One process is rank 0 of a group of 1. The errors are those of MindSpore 2.10."""

import pytest

from ms2torch import communication
from ms2torch.communication import GlobalComm, _comm_helper, management


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    communication.release()
    yield
    communication.release()


def test_one_process_is_rank_0_of_1_before_and_after_init():
    for _ in range(2):
        assert (communication.get_rank(), communication.get_group_size()) == (0, 1)
        assert (communication.get_local_rank(), communication.get_local_rank_size()) == (0, 1)
        communication.init()
    assert management.get_rank is communication.get_rank


@pytest.mark.parametrize(
    ("backend", "group"),
    [("nccl", "nccl_world_group"), ("hccl", "hccl_world_group"), ("mccl", "mccl_world_group")],
)
def test_init_names_the_world_group(backend, group):
    assert not GlobalComm.INITED
    assert not _comm_helper._is_initialized()
    communication.init(backend)
    found = vars(GlobalComm)
    assert (found["BACKEND"], found["WORLD_COMM_GROUP"], found["INITED"]) == (backend, group, True)
    assert _comm_helper._is_initialized()


def test_an_unknown_backend_and_a_group_that_is_no_name():
    with pytest.raises(RuntimeError) as error:
        communication.init("foo")
    assert str(error.value) == (
        "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', "
        "but got 'backend_name' : foo"
    )
    with pytest.raises(TypeError) as error:
        communication.get_rank(1)
    assert str(error.value) == (
        "For 'get_rank', the argument 'group' must be type of string, but got 'group' type : <class 'int'>."
    )


def test_groups_need_init():
    calls = [
        lambda: communication.create_group("a", [0]),
        lambda: communication.destroy_group("a"),
        lambda: communication.get_world_rank_from_group_rank("a", 0),
        lambda: communication.get_group_rank_from_world_rank(0, "a"),
        lambda: communication.get_process_group_ranks(),
    ]
    for call in calls:
        with pytest.raises(
            RuntimeError, match=r"^Distributed Communication has not been inited.You can't invoke"
        ):
            call()


def test_groups_of_one():
    communication.init()
    communication.create_group("a", [0])
    assert communication.get_process_group_ranks("a") == [0]
    assert communication.get_world_rank_from_group_rank("a", 0) == 0
    assert communication.get_group_rank_from_world_rank(0, "a") == 0
    with pytest.raises(ValueError, match="rank 0 of 1"):
        communication.create_group("b", [0, 1])


def test_several_processes_are_refused_not_ignored(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(NotImplementedError, match=r"^mindspore\.communication\.init: several processes"):
        communication.init()
