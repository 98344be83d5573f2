"""The processes that train together: joining them, and named groups of them.

Over torch.distributed: NCCL on CUDA, an accelerator's own backend, Gloo on the CPU. One process has no
process group and asks for none: it is rank 0 of 1, and every operation over processes gives what a group of
one gives.
"""

from __future__ import annotations

import atexit
import datetime
import os
import socket
import sys
import time
import weakref

import torch

from ms2torch._core import torch_private
from ms2torch._core.devices.device import current_module as here_on
from ms2torch._core.devices.device import device
from ms2torch._core.errors import unsupported
from ms2torch._core.processes import faults, ranks

WORLD = "world"
_here = ranks.Place()
_groups: dict[str, Group] = {}
_hosts: list[str] = []
_done_elsewhere: set[str] = set()
# In how many stages a pipeline's network is, one after the other on as many blocks of processes; the order of
# a step ("1f1b" or "gpipe"), and whether MindSpore would have several parts of it in one stage. See
# `pipeline`.
stages = 1
schedule = "1f1b"
interleaved = False
# Seconds in which threads that carried data come to rest.
_LAST = 0.1
# What else holds torch's groups: it is closed before they are.
holders: weakref.WeakSet = weakref.WeakSet()


class Group:
    """Some of the processes: their ranks among all, this one's rank in it (-1 outside), torch's group."""

    __slots__ = ("handle", "name", "rank", "ranks", "size")

    def __init__(self, name: str, members, handle=None) -> None:
        self.name, self.ranks, self.handle = name, tuple(members), handle
        self.size = len(self.ranks)
        self.rank = self.ranks.index(_here.rank) if _here.rank in self.ranks else -1

    def world_rank(self, rank: int) -> int:
        return self.ranks[rank]


def check_release(api: str) -> None:
    """NotImplementedError where torch is too old to split networks over processes, which ``api`` asks for."""
    if not torch_private.SPREADS:
        raise unsupported(api, f"torch {torch.__version__} is too old; it wants a torch newer than 2.4 (2.13 "
                               "and 2.15 are tried).",
                          'pip install --upgrade torch, or parallel_mode="data_parallel".')


def timeout() -> datetime.timedelta:
    """How long a process waits for another (MS2TORCH_COMM_TIMEOUT, in seconds; 600)."""
    return datetime.timedelta(seconds=float(os.environ.get("MS2TORCH_COMM_TIMEOUT", 600)))


def limit_waiting(handle) -> None:
    """Let the ranks of a group that torch made itself wait for each other no longer than `timeout`."""
    dist = torch.distributed
    if handle is dist.group.WORLD or dist.get_backend(handle) == "fake":
        return
    if hasattr(handle, "set_timeout"):
        handle.set_timeout(timeout())
    else:       # (earlier releases of torch)
        torch_private.set_group_timeout(timeout(), handle)


def backend_for(kind: str) -> str:
    """torch's collectives for devices of a kind, and Gloo for what is on the CPU beside them."""
    known = {"cuda": "nccl", "npu": "hccl", "xpu": "xccl"}
    own = torch.distributed.Backend.default_device_backend_map.get(kind, known.get(kind, "gloo"))
    return "gloo" if kind in ("cpu", "meta") else f"cpu:gloo,{kind}:{own}"


def joined() -> bool:
    """Whether several processes are joined."""
    return _here.size > 1


def staged() -> bool:
    """Whether several processes are joined and each holds one stage of a network."""
    return stages > 1 and joined()


def rank() -> int:
    return _here.rank


def size() -> int:
    return _here.size


def local_rank() -> int:
    return _here.local_rank


def init(world: ranks.Place | None = None, wait: datetime.timedelta | None = None) -> None:
    """Meet the other processes that the environment (or ``world``) names; nothing to do alone or twice.

    RuntimeError where they do not all arrive within `timeout`.
    """
    global _here
    dist = torch.distributed
    if joined():
        return
    here = world or ranks.place()
    if here.size == 1:
        _here = here
        return
    wait = wait or timeout()
    os.environ.update(RANK=str(here.rank), WORLD_SIZE=str(here.size), LOCAL_RANK=str(here.local_rank))
    os.environ.setdefault("MASTER_ADDR", here.address)
    os.environ.setdefault("MASTER_PORT", str(here.port))
    if (module := here_on()) is not None and hasattr(module, "set_device"):
        module.set_device(device())
    if not dist.is_initialized():
        try:
            dist.init_process_group(backend_for(device().type), timeout=wait)
        except (RuntimeError, ValueError) as err:
            raise RuntimeError(
                f"Rank {here.rank} of {here.size} could not meet the others at {os.environ['MASTER_ADDR']}:"
                f"{os.environ['MASTER_PORT']} within {wait.total_seconds():g} s. {err}"
            ) from err
    _here = here
    _groups[WORLD] = Group(WORLD, range(here.size), dist.group.WORLD)
    faults.start_reporting(here.rank)
    told: list = [None] * here.size
    dist.all_gather_object(told, (socket.gethostname(), os.getpid()))
    faults.processes[:] = told
    _hosts[:] = [host for host, _ in told]
    atexit.register(_part_at_exit, os.getpid())


def simulate(rank: int, count: int) -> None:
    """Be ``rank`` of ``count``, where torch's group has no other processes (its fake one): for planning."""
    global _here
    _here = ranks.Place(rank, count)
    _groups[WORLD] = Group(WORLD, range(count), torch.distributed.group.WORLD)
    _hosts[:] = ["here"] * count


def is_simulated() -> bool:
    """Whether the other processes are none."""
    return joined() and torch.distributed.get_backend() == "fake"


def _part_at_exit(pid: int) -> None:
    """A program that ends well leaves no thread behind that wants Python when Python is gone.

    The process that keeps the ranks' store stays until the others have left, so that they can still make
    groups, and learn who is missing.
    """
    if pid == os.getpid() and joined() and not faults.failed:
        others = [r for r in range(_here.size) if r != _here.rank]
        store = faults.report_exit()
        wait = timeout().total_seconds()
        release()
        faults.hold_store(store, others, wait)


def release() -> None:
    """Part from the other processes, and end the threads that carried the data."""
    global _here
    if joined():
        faults.stop_reporting()
        # torch's group ends its threads with the last reference to it.
        for one in list(holders):
            one.close()
        for one in _groups.values():
            one.handle = None
        if (zero := sys.modules.get("ms2torch._core.processes.zero")) is not None:
            zero.release()
        if (pipeline := sys.modules.get("ms2torch._core.processes.pipeline")) is not None:
            pipeline.release()
        if torch.distributed.is_initialized():
            # A thread that carried data may still be in what was to follow on it, which wants Python: it ends
            # a process that is ending, and before torch 2.5 waits for ever.
            time.sleep(_LAST)
            torch.distributed.destroy_process_group()
    _groups.clear()
    _hosts.clear()
    _done_elsewhere.clear()
    _here = ranks.Place()


def make_group(name: str, members: list[int], wait: datetime.timedelta | None = None) -> Group:
    """Name a group of ranks. Its members call this, the others need not."""
    handle = None
    if joined() and _here.rank in members:
        handle = torch.distributed.new_group(
            members, timeout=wait or timeout(), use_local_synchronization=True
        )
    _groups[name] = found = Group(name, members, handle)
    return found


def drop_group(name: str) -> None:
    """Forget a named group; KeyError where there is none."""
    found = _groups.pop(name)
    if found.handle is not None:
        torch.distributed.destroy_process_group(found.handle)


def group(name: str = WORLD) -> Group | None:
    """The group of that name; None where there is none."""
    if name == WORLD and WORLD not in _groups:
        return Group(WORLD, (0,))
    return _groups.get(name)


def register(what: str) -> None:
    """Say that this rank does what only one of the ranks that do it needs to do (see `is_first`)."""
    if joined():
        faults.report(f"does {what}", "")


def is_first(what: str) -> bool:
    """Whether no rank before this one, on the same machine, has registered for ``what``. Waits for nobody.

    Ranks that have trained a step together know of each other's registrations before it.
    """
    before = [r for r in range(_here.rank) if _hosts[r] == _hosts[_here.rank]]
    if any(faults.reported(f"does {what}", r) is not None for r in before):
        _done_elsewhere.add(what)
    return what not in _done_elsewhere


def hosts(members: Group) -> list[str]:
    """The machine of each member."""
    return [_hosts[r] for r in members.ranks] if joined() else [socket.gethostname()]
