"""Joining the processes, and the groups of them (``mindspore.mint.distributed``)."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from urllib.parse import urlsplit

import torch

from ms2torch import log as logger
from ms2torch._core.errors import notice
from ms2torch._core.processes import distributed, ranks
from ms2torch.communication import management
from ms2torch.communication.management import GlobalComm


def check_group(group, function: str | None = None) -> None:
    """TypeError unless ``group`` is None or a name."""
    if group is not None and not isinstance(group, str):
        whose = f"For '{function}', the argument" if function else "The argument"
        raise TypeError(
            f"{whose} 'group' must be type of string, but got 'group' type : {type(group)}."
        )


def _named(group) -> str:
    return GlobalComm.WORLD_COMM_GROUP if group is None else group


def is_available() -> bool:
    """Whether processes can train together here."""
    return torch.distributed.is_available()


def is_initialized() -> bool:
    """Whether the processes have been joined."""
    return GlobalComm.INITED


def init_process_group(backend="hccl", init_method=None, timeout=None, world_size=-1, rank=-1, store=None,
                       group_name="", pg_options=None, device_id=None) -> None:
    """Join the processes, by the environment or by ``init_method`` "tcp://host:port" (or a `TCPStore`) with
    ``rank`` and ``world_size``.

    ``backend`` is "hccl", whatever carries the data. ValueError for another, for both ways at once, for a
    rank or a size that makes no sense, RuntimeError where the others do not come within ``timeout``.
    """
    for name, value in (("pg_options", pg_options), ("device_id", device_id)):
        if value is not None:
            logger.warning(f"{name} is ignored, setting is invalid")
    if backend != "hccl":
        raise ValueError("Only support hccl now, please setting backend to hccl or using default value")
    if init_method is not None and store is not None:
        raise ValueError("Only one of init_method and store is supported.")
    if init_method is not None or store is not None:
        if world_size <= 0:
            raise ValueError("Specified world_size must be a positive integer.")
        if rank < 0:
            raise ValueError("Specified rank must be a non-negative integer.")
        host, port = (store.host, store.port) if store is not None else _address(init_method)
        local = ranks.place().local_rank if ranks.by_torchrun() else rank
        distributed.init(ranks.Place(rank, world_size, local, host, port), timeout)
    management.init()
    size = management.get_group_size()
    if world_size not in (-1, size):
        raise ValueError("world_size is wrong, please using default value or setting: ", size)


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    if parts.scheme != "tcp" or not parts.hostname or not parts.port:
        raise RuntimeError(f"Failed to parse TCP URL from 'init_method': {url}")
    return parts.hostname, parts.port


def destroy_process_group(group=None) -> None:
    """Part from the processes of a group, None for all."""
    check_group(group, "destroy_group")
    if group is None or group == GlobalComm.WORLD_COMM_GROUP:
        management.release()
    else:
        management.destroy_group(group)


def get_rank(group=None) -> int:
    """This process's rank in the group; -1 where there is no such group."""
    check_group(group, "get_rank")
    try:
        return management.get_rank(_named(group))
    except RuntimeError as err:
        logger.warning(err)
        return -1


def get_world_size(group=None) -> int:
    """How many processes the group has; -1 where there is no such group."""
    check_group(group, "get_world_size")
    try:
        return management.get_group_size(_named(group))
    except RuntimeError as err:
        logger.warning(err)
        return -1


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False,
              group_desc=None) -> str:
    """The name of a new group of ``ranks``, of the group of all for None; "" where it cannot be made.

    TypeError for ranks that are no list and for another backend than hccl and mccl.
    """
    if ranks is None:
        return GlobalComm.WORLD_COMM_GROUP
    if not isinstance(ranks, list):
        raise TypeError(f"ranks must be list, but got {type(ranks)}")
    ranks = sorted(ranks)
    backend = "hccl" if backend is None else backend
    if not isinstance(backend, str) or backend not in ("hccl", "mccl"):
        raise TypeError(f"the input backend must be hccl or mccl, but got {backend}")
    digest = hashlib.sha1("_".join(map(str, ranks)).encode()).hexdigest()
    name = f"{backend}_{len(ranks)}_{digest}"
    if pg_options is not None:
        notice("pg_options", "mint.distributed.new_group(pg_options=) tunes Ascend's buffers; ignored here.")
    try:
        management.create_group(name, ranks)
    except RuntimeError as err:
        logger.warning(err)
        return ""
    return name


def get_backend(group=None) -> str:
    """The name that programs know the backend by: "hccl", or "mccl" for groups made with it."""
    check_group(group, "get_backend")
    for name in ("hccl", "mccl"):
        if name in (group or "hccl"):
            return name
    return GlobalComm.BACKEND


def get_global_rank(group, group_rank) -> int:
    """The rank among all of the process with ``group_rank`` in the group."""
    if not isinstance(group_rank, int):
        raise TypeError(f"The group_rank argument must be integer, but got {type(group_rank)}.")
    check_group(group, "get_global_rank")
    if group is None or group == GlobalComm.WORLD_COMM_GROUP:
        return group_rank
    return management.get_world_rank_from_group_rank(group, group_rank)


def get_group_rank(group, global_rank) -> int:
    """The rank in the group of the process with ``global_rank`` among all."""
    if not isinstance(global_rank, int):
        raise TypeError(f"The global_rank argument must be integer, but got {type(global_rank)}.")
    check_group(group, "get_group_rank_from_world_rank")
    return management.get_group_rank_from_world_rank(global_rank, _named(group))


def get_process_group_ranks(group=None) -> list[int]:
    """The ranks of all processes of the group."""
    check_group(group, "get_process_group_ranks")
    return management.get_process_group_ranks(_named(group))


class TCPStore:
    """Keys and values that processes share over the network: ``add``, ``set``, ``get``, ``delete_key``.

    The one with ``is_master`` keeps them. TypeError and ValueError for bad arguments.
    """

    def __init__(self, host_name, port, world_size=None, is_master=False, timeout=timedelta(seconds=300),
                 wait_for_workers=True, multi_tenant=False, master_listen_fd=None, use_libuv=True) -> None:
        world_size = 1 if world_size is None else world_size
        for name, value, kind, said in (
            ("host_name", host_name, str, "string"), ("port", port, int, "int"),
            ("is_master", is_master, bool, "bool"), ("timeout", timeout, timedelta, "timedelta"),
            ("wait_for_workers", wait_for_workers, bool, "bool"), ("world_size", world_size, int, "int"),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"For 'TCPStore', the argument '{name}' must be type of {said}, "
                                f"but got '{name}' type : {type(value)}.")
        if not 0 <= port <= 65535:
            raise ValueError(f"For 'TCPStore', the argument 'port' must be legal, but got {port}.")
        if world_size <= 0:
            raise ValueError("For 'TCPStore', the argument 'world_size' must be legal, "
                             f"but got {world_size}.")
        self.instance = torch.distributed.TCPStore(
            host_name, port, world_size, is_master, timeout, wait_for_workers=wait_for_workers)
        self.host, self.port = host_name, self.instance.port

    def _key(self, function: str, key) -> None:
        if not isinstance(key, str):
            raise TypeError(f"For 'TCPStore.{function}', the argument 'key' must be type of string, "
                            f"but got 'key' type : {type(key)}.")

    def add(self, key, amount) -> int:
        """Add to the number at ``key`` and give the sum."""
        self._key("add", key)
        if not isinstance(amount, int):
            raise TypeError("For 'TCPStore.add', the argument 'amount' must be type of string or int, "
                            f"but got 'amount' type : {type(amount)}.")
        return self.instance.add(key, amount)

    def set(self, key, value) -> None:
        """Keep ``value``, a str or bytes, at ``key``."""
        self._key("set", key)
        if not isinstance(value, (str, bytes)):
            raise TypeError("For 'TCPStore.set', the argument 'value' must be type of string or bytes, "
                            f"but got 'value' type : {type(value)}.")
        self.instance.set(key, value)

    def get(self, key) -> bytes:
        """The value at ``key``; waits for it."""
        self._key("get", key)
        return self.instance.get(key)

    def delete_key(self, key) -> bool:
        """Forget ``key``; whether it was there."""
        self._key("delete_key", key)
        return self.instance.delete_key(key)
