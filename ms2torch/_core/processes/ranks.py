"""Which process this is among those that train together, as the launchers say it in the environment.

Understood are torchrun (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR), msrun (MS_ROLE, MS_NODE_ID,
MS_SCHED_HOST), mpirun (OMPI_COMM_WORLD_RANK) and the variables that MindSpore's shell scripts export by hand
(RANK_ID, RANK_SIZE, DEVICE_ID, RANK_TABLE_FILE).
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

PORT = 29500


class Place(NamedTuple):
    """A process's place: its rank among ``size`` processes, its rank on its machine, and where to meet."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    address: str | None = None
    port: int = PORT


def _number(name: str, default: int | None = None) -> int | None:
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"The environment variable {name} must be a number, but is {text!r}.") from None


def by_torchrun() -> bool:
    """Whether torchrun (or ``ms2torch run``, which sets the same variables) started this process."""
    return "RANK" in os.environ and "WORLD_SIZE" in os.environ


def place() -> Place:
    """This process's place by the environment; rank 0 of 1 where nothing is said."""
    if by_torchrun():
        rank, size = _number("RANK", 0), _number("WORLD_SIZE", 1)
        local = _number("LOCAL_RANK", rank)
    elif os.environ.get("MS_ROLE") == "MS_WORKER" and "MS_WORKER_NUM" in os.environ:
        rank, size = _number("RANK_ID", _number("MS_NODE_ID", 0)), _number("MS_WORKER_NUM", 1)
        local = _number("DEVICE_ID", rank)
    elif "OMPI_COMM_WORLD_RANK" in os.environ:
        rank, size = _number("OMPI_COMM_WORLD_RANK"), _number("OMPI_COMM_WORLD_SIZE", 1)
        local = _number("OMPI_COMM_WORLD_LOCAL_RANK", rank)
    else:
        table = _table()
        rank, size = _number("RANK_ID", 0), _number("RANK_SIZE", table.size if table else 1)
        local = _number("DEVICE_ID", table.devices.get(rank, rank) if table else rank)
    if not 0 <= rank < max(size, 1):
        raise ValueError(f"The environment says that this is rank {rank} of {size}: ranks start at 0.")
    return Place(rank, size, local, *_meeting_point())


def _meeting_point() -> tuple[str, int]:
    """Address and port of the process that all ask for the others."""
    address = os.environ.get("MASTER_ADDR") or os.environ.get("MS_SCHED_HOST")
    port = _number("MASTER_PORT", _number("MS_SCHED_PORT", PORT))
    if not address:
        table = _table()
        address = table.address if table else "127.0.0.1"
    return address, port


class _Table(NamedTuple):
    address: str
    size: int
    devices: dict[int, int]     # by rank, its number on its machine


def _table() -> _Table | None:
    """What MindSpore's rank table says, where there is one.

    It lists servers with their devices; the oldest kind has an instance for each rank, the newest the ranks.
    """
    path = os.environ.get("RANK_TABLE_FILE") or os.environ.get("MINDSPORE_HCCL_CONFIG_PATH")
    if not path:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        if "rank_list" in table:
            found = [({}, one) for one in table["rank_list"]]
        else:
            servers = (table["server_list"] if "server_list" in table
                       else [one for group in table["group_list"] for one in group["instance_list"]])
            found = [(s, d) for s in servers for d in (s["device"] if "device" in s else s["devices"])]
        ranked = {int(d["rank_id"] if "rank_id" in d else s["rank_id"]): (s, d) for s, d in found}
        hosts = {rank: s.get("server_id", d.get("server_id", "127.0.0.1")) for rank, (s, d) in ranked.items()}
        devices = {rank: int(d.get("device_id", d.get("local_id", rank))) for rank, (_, d) in ranked.items()}
        first = hosts[min(hosts)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as err:
        raise ValueError(f"RANK_TABLE_FILE {path!r} can not be read: {err}") from None
    # One machine needs no network: its own name in the table may not resolve here.
    return _Table("127.0.0.1" if len(set(hosts.values())) == 1 else first, len(ranked), devices)


def export() -> None:
    """Let programs find MindSpore's variables (RANK_ID, RANK_SIZE, DEVICE_ID) where torchrun set its own."""
    if by_torchrun():
        here = place()
        os.environ.update(RANK_ID=str(here.rank), RANK_SIZE=str(here.size), DEVICE_ID=str(here.local_rank))
