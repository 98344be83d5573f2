"""One process is rank 0 of a group of 1. The errors are those of MindSpore 2.10."""

import json
import os

import pytest

from ms2torch import communication
from ms2torch._core.processes import ranks
from ms2torch.communication import GlobalComm, _comm_helper, management


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("RANK", "DEVICE_ID", "MS_", "OMPI_", "MASTER_", "LOCAL_", "WORLD_SIZE")):
            monkeypatch.delenv(name)
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
    failed = r"^Failed to create communication group for b with rank ids \[0, 1\]"
    with pytest.raises(RuntimeError, match=failed):
        communication.create_group("b", [0, 1])
    communication.destroy_group("a")
    with pytest.raises(RuntimeError, match="The group a does not exist"):
        communication.get_rank("a")
    with pytest.raises(KeyError, match="a"):
        communication.destroy_group("a")


def test_bad_groups_in_the_real_ones_words():
    communication.init()
    for bad, kind, text in (
        ((1, [0]), TypeError, "For 'create_group', the argument 'group' must be type of string, but got "
                              "'group' type : <class 'int'>."),
        (("g", 0), TypeError, "For 'create_group', the argument 'rank_ids' must be type of list, but got "
                              "'rank_ids' type : <class 'int'>."),
        (("g", [0.5]), TypeError, "For 'create_group', the elements of 'rank_ids' must be type of int, but "
                                  "got <class 'float'>."),
        (("g", []), ValueError, "For 'create_group', the argument 'rank_ids' size should be greater than 1, "
                                "but got 'rank_ids' size : 0."),
        (("g", [0, 0]), ValueError, "List rank_ids in Group g has duplicate data!"),
    ):
        with pytest.raises(kind) as error:
            communication.create_group(*bad)
        assert str(error.value) == text
    with pytest.raises(ValueError, match=r"^The world_group does not support destruction.$"):
        communication.destroy_group("mccl_world_group")


ENVIRONMENTS = {
    "torchrun": ({"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "MASTER_ADDR": "10.0.0.7",
                  "MASTER_PORT": "1234"}, (3, 8, 1, "10.0.0.7", 1234)),
    "msrun": ({"MS_ROLE": "MS_WORKER", "MS_WORKER_NUM": "8", "RANK_ID": "5", "DEVICE_ID": "1",
               "RANK_SIZE": "8", "MS_SCHED_HOST": "10.0.0.9", "MS_SCHED_PORT": "8118"},
              (5, 8, 1, "10.0.0.9", 8118)),
    "mpirun": ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4",
                "OMPI_COMM_WORLD_LOCAL_RANK": "0"}, (2, 4, 0, "127.0.0.1", 29500)),
    "by hand": ({"RANK_ID": "1", "RANK_SIZE": "2", "DEVICE_ID": "6"}, (1, 2, 6, "127.0.0.1", 29500)),
    "alone": ({}, (0, 1, 0, "127.0.0.1", 29500)),
}


@pytest.mark.parametrize(("variables", "expected"), ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_every_launcher_s_variables_are_understood(monkeypatch, variables, expected):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert tuple(ranks.place()) == expected
    assert communication.get_rank() == expected[0]      # the real one also answers by RANK_ID before init()
    assert communication.get_group_size() == expected[1]


# The kinds of rank table: of today, of one machine, an instance for each rank (releases 0.x), ranks alone.
TABLES = {
    "1.0": ({"version": "1.0", "server_count": "2", "status": "completed", "server_list": [
        {"server_id": "10.155.111.141", "device": [{"device_id": "4", "device_ip": "x", "rank_id": "1"}]},
        {"server_id": "10.155.111.140", "device": [{"device_id": "0", "device_ip": "y", "rank_id": "0"}]}]},
        (1, 2, 4, "10.155.111.140")),
    "one machine": ({"version": "1.0", "server_count": "1", "server_list": [
        {"server_id": "10.155.111.140", "host_nic_ip": "reserve", "device": [
            {"device_id": "2", "device_ip": "x", "rank_id": "0"},
            {"device_id": "3", "device_ip": "y", "rank_id": "1"}]}], "status": "completed"},
        (1, 2, 3, "127.0.0.1")),
    "instances": ({"board_id": "0x0000", "chip_info": "910", "deploy_mode": "lab", "group_count": "1",
                   "group_list": [{"device_num": "2", "server_num": "2", "instance_count": "2",
                                   "instance_list": [
                                       {"devices": [{"device_id": "0", "device_ip": "x"}], "rank_id": "0",
                                        "server_id": "10.0.0.1"},
                                       {"devices": [{"device_id": "5", "device_ip": "y"}], "rank_id": "1",
                                        "server_id": "10.0.0.2"}]}], "status": "completed"},
                  (1, 2, 5, "10.0.0.1")),
    "2.0": ({"version": "2.0", "rank_count": "2", "rank_list": [
        {"rank_id": 0, "local_id": 0, "device_id": 0}, {"rank_id": 1, "local_id": 1, "device_id": 1}]},
        (1, 2, 1, "127.0.0.1")),
}


@pytest.mark.parametrize(("table", "expected"), TABLES.values(), ids=TABLES)
def test_a_rank_table_gives_the_address_the_size_and_the_device(monkeypatch, tmp_path, table, expected):
    path = tmp_path / "hccl.json"
    path.write_text(json.dumps(table))
    monkeypatch.setenv("RANK_TABLE_FILE", str(path))
    monkeypatch.setenv("RANK_ID", "1")
    assert tuple(ranks.place())[:4] == expected


@pytest.mark.parametrize("text", [
    None, "{", "[]", '{"server_list": [{"device": [{}]}]}', '{"server_list": []}'])
def test_a_rank_table_that_is_none(monkeypatch, tmp_path, text):
    path = tmp_path / "hccl.json"
    if text is not None:
        path.write_text(text)
    monkeypatch.setenv("RANK_TABLE_FILE", str(path))
    with pytest.raises(ValueError, match=r"RANK_TABLE_FILE .* can not be read"):
        ranks.place()


def test_a_rank_outside_the_group_is_an_error(monkeypatch):
    monkeypatch.setenv("RANK_ID", "2")
    monkeypatch.setenv("RANK_SIZE", "2")
    with pytest.raises(ValueError, match="rank 2 of 2"):
        communication.init()
    monkeypatch.setenv("RANK_ID", "one")
    with pytest.raises(ValueError, match="RANK_ID must be a number, but is 'one'"):
        communication.init()


def test_what_collective_primitives_keep_and_refuse():
    """As MindSpore 2.10 does; it knows a group when most of them are made."""
    import ms2torch as ms
    from ms2torch import ops

    communication.init("mccl")
    world = "mccl_world_group"
    assert repr(ops.AllReduce()) == (
        f"Prim[AllReduce]<op=sum, group={world}, fusion=0, index=0, no_eliminate=True>")
    assert repr(ops.AllGather()) == (
        f"Prim[AllGather]<group={world}, rank_size=1, fusion=0, mean_flag=False, no_eliminate=True>")
    assert repr(ops.Barrier()) == "Prim[Barrier]<group=hccl_world_group, side_effect_mem=True>"
    assert ops.Send(0, 0).attrs["group"] == "hccl_world_group" and ops.Send(0, 0).group == world
    for name in ("AlltoAllV", "AllGatherV", "ReduceScatterV"):
        with pytest.raises(RuntimeError, match="The group nope does not exist"):
            getattr(ops, name)(group="nope")
    with pytest.raises(RuntimeError, match="group nope does not exist"):
        management.get_comm_name("nope")
    for dtype in ("float32", ms.bool_, ms.complex64, None):
        with pytest.raises(TypeError, match="For 'Receive', the type of 'dtype' must be in"):
            ops.Receive(0, 0, [2], dtype)
    for group in ("nope", 3):
        with pytest.raises(KeyError, match="'group' is not found in GROUP_RANKS"):
            communication.comm_func.isend(ms.Tensor([1.0]), 0, group)
