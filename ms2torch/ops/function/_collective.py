"""Operators over a group of processes.

Several processes are not connected yet (``init()`` says so): the group is this one alone, and each operator
gives what a group of one gives. The cells of r1.x make ``AllReduce()`` whether they use it or not.
"""

from __future__ import annotations

from ms2torch._core.registry import REQUIRED, primitive

__all__ = ["ReduceOp"]

_WORLD = "hccl_world_group"


class ReduceOp:
    """The names of reductions over processes (``mindspore.ops.ReduceOp``)."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


def _check_reduction(name: str, op) -> None:
    if not isinstance(op, str):
        raise TypeError(f"For '{name}', the 'op' must be str, but got {type(op)}.")
    if op not in ("sum", "max", "min", "prod"):
        raise RuntimeError(f"For '{name}', invalid reduction {op!r}: it must be one of ReduceOp's.")


@primitive("AllReduce", init={"op": "sum", "group": _WORLD})
def _all_reduce(input_x, op="sum", group=_WORLD):
    """``input_x`` reduced over the processes of ``group`` (``mindspore.ops.AllReduce``)."""
    _check_reduction("AllReduce", op)
    return input_x.clone()


@primitive("AllGather", init={"group": _WORLD})
def _all_gather(input_x, group=_WORLD):
    """The ``input_x`` of all processes joined along axis 0 (``mindspore.ops.AllGather``)."""
    return input_x.clone()


@primitive("ReduceScatter", init={"op": "sum", "group": _WORLD})
def _reduce_scatter(input_x, op="sum", group=_WORLD):
    """This process's part of the reduced ``input_x`` (``mindspore.ops.ReduceScatter``)."""
    _check_reduction("ReduceScatter", op)
    return input_x.clone()


@primitive("Broadcast", init={"root_rank": REQUIRED, "group": _WORLD})
def _broadcast(input_x, root_rank, group=_WORLD):
    """The tuple of Tensors that process ``root_rank`` gives (``mindspore.ops.Broadcast``).

    ValueError where there is no such process.
    """
    if root_rank != 0:
        raise ValueError(f"For 'Broadcast', the 'root_rank' is {root_rank}, but the group has one process.")
    return tuple([t.clone() for t in input_x]) if isinstance(input_x, (tuple, list)) else input_x.clone()
