"""``mindspore.communication.management``: who this process is among those that train together.

One process is rank 0 of a group of 1. Several meet in `init`: started by torchrun, by ``ms2torch run
--nproc``, by ``ms2torch msrun``, by mpirun, or by a shell script that exports RANK_ID and RANK_SIZE. NCCL
carries the data on CUDA, Gloo on the CPU; the names "hccl", "nccl" and "mccl" are kept for programs.
"""

from __future__ import annotations

import os

from ms2torch._core.processes import distributed, ranks
from ms2torch._naming.surface import install_lazy

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"
DEFAULT_WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
_BACKENDS = {"hccl": HCCL_WORLD_COMM_GROUP, "nccl": NCCL_WORLD_COMM_GROUP, "mccl": MCCL_WORLD_COMM_GROUP}
_TARGETS = {"Ascend": "hccl", "GPU": "nccl", "CPU": "mccl"}


class GlobalComm:
    """The communication backend and the name of the group of all processes."""

    BACKEND = "hccl"
    WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    INITED = False
    CHECK_ENVS = True


def _check_name(function: str, group) -> None:
    if not isinstance(group, str):
        raise TypeError(
            f"For '{function}', the argument 'group' must be type of string, but got 'group' type : "
            f"{type(group)}."
        )


def _need_init() -> None:
    if not GlobalComm.INITED:
        raise RuntimeError(
            "Distributed Communication has not been inited.You can't invoke this interface yet. "
            "Please call `init()` method first."
        )


def _get_group(group: str) -> str:
    """The default group's name stands for the group of all processes, whatever the backend."""
    return GlobalComm.WORLD_COMM_GROUP if group == DEFAULT_WORLD_COMM_GROUP else group


def group_of(group: str | None) -> distributed.Group:
    """The processes behind a group's name; RuntimeError where no such group was created."""
    name = GlobalComm.WORLD_COMM_GROUP if group is None else _get_group(group)
    found = distributed.group(distributed.WORLD if name == GlobalComm.WORLD_COMM_GROUP else name)
    if found is None:
        if not GlobalComm.INITED and name in _BACKENDS.values():
            return distributed.group()
        raise RuntimeError(f"The group {group} does not exist.")
    return found


def init(backend_name: str | None = None) -> None:
    """Join the processes that train together (``mindspore.communication.init``).

    ``backend_name`` is "hccl", "nccl" or "mccl" (without: by the device target); the names are kept for
    `GlobalComm`, NCCL or Gloo carries the data. RuntimeError for another name, or where the other processes
    do not come within MS2TORCH_COMM_TIMEOUT seconds (600). Alone, this is rank 0 of 1.
    """
    if backend_name is None:
        from ..context import get_context

        backend_name = _TARGETS[get_context("device_target")]
    if not isinstance(backend_name, str):
        raise TypeError(
            "For 'init', the argument 'backend_name' must be a string, but got the type : "
            f"{type(backend_name)}"
        )
    if backend_name not in _BACKENDS:
        raise RuntimeError(
            "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', "
            f"but got 'backend_name' : {backend_name}"
        )
    distributed.init()
    _name(backend_name)


def _name(backend: str) -> None:
    GlobalComm.BACKEND, GlobalComm.WORLD_COMM_GROUP, GlobalComm.INITED = backend, _BACKENDS[backend], True
    if os.environ.get("RANK_TABLE_FILE"):
        os.environ["RANK_ID"] = str(distributed.rank())
        os.environ["DEVICE_ID"] = str(distributed.local_rank())
        os.environ.setdefault("RANK_SIZE", str(distributed.size()))


def release() -> None:
    """Leave the group of processes."""
    GlobalComm.INITED = False
    distributed.release()


def _here() -> ranks.Place | None:
    """What the environment says, as long as `init` has not been called."""
    return None if GlobalComm.INITED or distributed.joined() else ranks.place()


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """This process's rank in ``group``; before `init` what the environment says, 0 alone."""
    _check_name("get_rank", group)
    here = _here()
    return group_of(group).rank if here is None else here.rank


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """This process's rank among those of ``group`` on its machine: 0, alone."""
    _check_name("get_local_rank", group)
    here = _here()
    if here is not None:
        return here.local_rank
    found = group_of(group)
    hosts = distributed.hosts(found)
    return hosts[: found.rank].count(hosts[found.rank]) if found.rank >= 0 else -1


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes ``group`` has: 1, alone."""
    _check_name("get_group_size", group)
    here = _here()
    return group_of(group).size if here is None else here.size


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes of ``group`` run on this machine: 1, alone."""
    _check_name("get_local_rank_size", group)
    if _here() is not None:
        return int(os.environ.get("LOCAL_RANK_SIZE", os.environ.get("LOCAL_WORLD_SIZE", 1)))
    found = group_of(group)
    hosts = distributed.hosts(found)
    return hosts.count(hosts[max(found.rank, 0)])


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The rank among all processes of the process with ``group_rank_id`` in ``group``."""
    _need_init()
    _check_name("get_world_rank_from_group_rank", group)
    if not isinstance(group_rank_id, int):
        raise TypeError("For 'get_world_rank_from_group_rank', the argument 'group_rank_id' must be type of "
                        f"int, but got 'group_rank_id' type : {type(group_rank_id)}.")
    found = group_of(group)
    if not 0 <= group_rank_id < found.size:
        raise RuntimeError(f"Group {group} doesn't contain the group rank {group_rank_id}")
    return found.ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The rank in ``group`` of the process with ``world_rank_id`` among all."""
    _need_init()
    _check_name("get_group_rank_from_world_rank", group)
    if not isinstance(world_rank_id, int):
        raise TypeError("For 'get_group_rank_from_world_rank', the argument 'world_rank_id' must be type of "
                        f"int, but got 'world_rank_id' type : {type(world_rank_id)}.")
    found = group_of(group)
    if world_rank_id not in found.ranks:
        raise RuntimeError(f"Group {group} doesn't contain the global rank {world_rank_id}")
    return found.ranks.index(world_rank_id)


def create_group(group: str, rank_ids: list[int], options=None) -> None:
    """Name a group of ranks; its members call this, the others need not.

    TypeError for no list of ints, ValueError for an empty list or a rank twice, RuntimeError for a rank that
    does not exist. ``options`` tunes Ascend's buffers and changes nothing here.
    """
    _need_init()
    _check_name("create_group", group)
    if not isinstance(rank_ids, list):
        raise TypeError("For 'create_group', the argument 'rank_ids' must be type of list, but got "
                        f"'rank_ids' type : {type(rank_ids)}.")
    if not rank_ids:
        raise ValueError("For 'create_group', the argument 'rank_ids' size should be greater than 1, "
                         f"but got 'rank_ids' size : {len(rank_ids)}.")
    for rank in rank_ids:
        if not hasattr(rank, "__index__"):
            raise TypeError("For 'create_group', the elements of 'rank_ids' must be type of int, but got "
                            f"{type(rank)}.")
    if len(set(rank_ids)) != len(rank_ids):
        raise ValueError(f"List rank_ids in Group {group} has duplicate data!")
    if [r for r in rank_ids if not 0 <= r < distributed.size()]:
        raise RuntimeError(f"Failed to create communication group for {group} with rank ids {rank_ids}. "
                           f"There are {distributed.size()} processes.")
    known = distributed.group(group)
    if known is None or known.ranks != tuple(rank_ids):
        distributed.make_group(group, rank_ids)


def destroy_group(group: str) -> None:
    """Forget a named group; KeyError where there is none, ValueError for the group of all processes."""
    _need_init()
    _check_name("destroy_group", group)
    if group in _BACKENDS.values():
        raise ValueError("The world_group does not support destruction.")
    distributed.drop_group(group)


def get_process_group_ranks(group: str = GlobalComm.WORLD_COMM_GROUP) -> list[int]:
    """The ranks of all processes of ``group``."""
    _need_init()
    _check_name("get_process_group_ranks", group)
    return list(group_of(group).ranks)


def get_comm_name(group: str = GlobalComm.WORLD_COMM_GROUP) -> str:
    """The name by which the backend knows ``group``."""
    _need_init()
    _check_name("get_comm_name", group)
    group_of(group)
    return _get_group(group)


install_lazy(__name__, globals())
