"""Python objects between processes (``mindspore.mint.distributed``), pickled: only among those you trust."""

from __future__ import annotations

import torch.distributed as dist

from ms2torch._core.processes import faults
from ms2torch.communication.management import group_of

from ._processes import check_group, get_rank


def _check(function: str, group, rank=None) -> None:
    check_group(group, function)
    if rank is not None and not isinstance(rank[1], int):
        raise TypeError(f"For {function}, the {rank[0]} must be int")


def _check_length(objects, size: int, name: str) -> None:
    if not isinstance(objects, list) or len(objects) != size:
        count = len(objects) if isinstance(objects, list) else objects
        raise TypeError(f"The len of {name} must be equal to group rank size, but got {count}.")


def all_gather_object(object_list, obj, group=None) -> None:
    """Fill ``object_list`` with the ``obj`` of each rank."""
    _check("all_gather_object", group)
    found = group_of(group)
    _check_length(object_list, found.size, "argument object_list")
    if found.size == 1:
        object_list[0] = obj
        return
    with faults.diagnosing("all_gather_object", found.ranks):
        dist.all_gather_object(object_list, obj, group=found.handle)


def gather_object(obj, object_gather_list=None, dst=0, group=None) -> None:
    """At world rank ``dst``, fill ``object_gather_list`` with the ``obj`` of each rank."""
    _check("gather_object", group, ("dst", dst))
    found = group_of(group)
    if get_rank() == dst:
        _check_length(object_gather_list, found.size, "object_gather_list")
    if found.size == 1:
        object_gather_list[0] = obj
        return
    with faults.diagnosing("gather_object", found.ranks):
        dist.gather_object(obj, object_gather_list if get_rank() == dst else None, dst, group=found.handle)


def broadcast_object_list(object_list, src=0, group=None, device=None) -> None:
    """Give ``object_list`` the objects that it has on world rank ``src``."""
    _check("broadcast_object_list", group, ("src", src))
    if not isinstance(object_list, list) or not object_list:
        raise TypeError("The object_list can not be empty.")
    found = group_of(group)
    if found.size > 1:
        with faults.diagnosing("broadcast_object_list", found.ranks):
            dist.broadcast_object_list(object_list, src, group=found.handle)


def scatter_object_list(scatter_object_output_list, scatter_object_input_list, src=0, group=None) -> None:
    """Put world rank ``src``'s object for this rank at the front of ``scatter_object_output_list``."""
    _check("scatter_object_list", group)
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise TypeError("The scatter_object_output_list can not be empty.")
    _check("scatter_object_list", group, ("src", src))
    found = group_of(group)
    if get_rank() == src:
        _check_length(scatter_object_input_list, found.size, "scatter_object_input_list")
    if found.size == 1:
        scatter_object_output_list[0] = scatter_object_input_list[0]
        return
    given = scatter_object_input_list if get_rank() == src else None
    with faults.diagnosing("scatter_object_list", found.ranks):
        dist.scatter_object_list(scatter_object_output_list, given, src, group=found.handle)


def send_object_list(object_list, dst, group=None, device=None) -> None:
    """Send the objects to world rank ``dst``."""
    _check("send_object_list", group, ("dst", dst))
    if not isinstance(object_list, list):
        raise TypeError("For send_object_list, the object_list must be a list")
    if get_rank() == dst:
        raise ValueError("Invalid destination rank: destination rank should not be the same as the rank of "
                         "the current process.")
    found = group_of(group)
    with faults.diagnosing("send_object_list", found.ranks):
        dist.send_object_list(object_list, dst, group=found.handle)


def recv_object_list(object_list, src=0, group=None, device=None) -> int:
    """Fill ``object_list`` with the objects from world rank ``src``; gives 0."""
    _check("recv_object_list", group, ("src", src))
    if not isinstance(object_list, list):
        raise TypeError("For recv_object_list, the object_list must be a list")
    found = group_of(group)
    with faults.diagnosing("recv_object_list", found.ranks):
        dist.recv_object_list(object_list, src, group=found.handle)
    return 0
