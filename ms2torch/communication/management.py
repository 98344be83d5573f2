"""``mindspore.communication.management``: who this process is among those that train together.

One process is rank 0 of a group of 1. Several processes are not connected yet: `init` says so.
"""

from __future__ import annotations

import os

from .._core.errors import unsupported
from .._core.surface import install_lazy

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"
_BACKENDS = {"hccl": HCCL_WORLD_COMM_GROUP, "nccl": NCCL_WORLD_COMM_GROUP, "mccl": MCCL_WORLD_COMM_GROUP}


class GlobalComm:
    """The communication backend and the name of the group of all processes."""

    BACKEND = "hccl"
    WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    INITED = False
    CHECK_ENVS = True


_groups: dict[str, list[int]] = {}


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


def init(backend_name: str | None = None) -> None:
    """Join the processes that train together (``mindspore.communication.init``).

    ``backend_name`` is "hccl", "nccl" or "mccl"; the names are kept for `GlobalComm`, whatever carries the
    data. RuntimeError for another name. Alone, this is rank 0 of 1.
    """
    if backend_name is not None and not isinstance(backend_name, str):
        raise TypeError(
            "For 'init', the argument 'backend_name' must be a string, but got the type : "
            f"{type(backend_name)}"
        )
    backend = backend_name or "hccl"
    if backend not in _BACKENDS:
        raise RuntimeError(
            "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', "
            f"but got 'backend_name' : {backend_name}"
        )
    if int(os.environ.get("WORLD_SIZE", 1)) > 1:
        raise unsupported(
            "mindspore.communication.init",
            "several processes are planned, not in ms2torch yet.",
            "start one process.",
        )
    GlobalComm.BACKEND, GlobalComm.WORLD_COMM_GROUP, GlobalComm.INITED = backend, _BACKENDS[backend], True


def release() -> None:
    """Leave the group of processes."""
    GlobalComm.INITED = False
    _groups.clear()


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """This process's rank in ``group``: 0, alone."""
    _check_name("get_rank", group)
    return 0


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """This process's rank among those of its machine: 0, alone."""
    _check_name("get_local_rank", group)
    return 0


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes ``group`` has: 1, alone."""
    _check_name("get_group_size", group)
    return 1


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes of ``group`` run on this machine: 1, alone."""
    _check_name("get_local_rank_size", group)
    return 1


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The rank among all processes of the process with ``group_rank_id`` in ``group``."""
    _need_init()
    return get_process_group_ranks(group)[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The rank in ``group`` of the process with ``world_rank_id`` among all."""
    _need_init()
    return get_process_group_ranks(group).index(world_rank_id)


def create_group(group: str, rank_ids: list[int], options=None) -> None:
    """Name a group of ranks; ValueError for a rank that does not exist."""
    _need_init()
    _check_name("create_group", group)
    if [r for r in rank_ids if r != 0]:
        raise ValueError(
            f"For 'create_group', rank_ids {rank_ids} name processes that are not here; "
            "this one is rank 0 of 1."
        )
    _groups[group] = list(rank_ids)


def destroy_group(group: str) -> None:
    """Forget a named group."""
    _need_init()
    _groups.pop(group, None)


def get_process_group_ranks(group: str = GlobalComm.WORLD_COMM_GROUP) -> list[int]:
    """The ranks of all processes of ``group``."""
    _need_init()
    return list(_groups.get(group, [0]))


def get_comm_name(group: str = GlobalComm.WORLD_COMM_GROUP) -> str:
    """The name by which the backend knows ``group``."""
    _need_init()
    return group


install_lazy(__name__, globals())
