"""``mindspore.communication.comm_func``: operations over processes as functions that give new Tensors.

What goes out is differentiable as the operators are. An asynchronous call has ended when it returns; its
handle's ``wait()`` has nothing left to do.
"""

from __future__ import annotations

import math

import torch

from ms2torch._core.checks.calls import describe, wrong_inputs
from ms2torch._core.processes import collectives
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming.surface import install_lazy

from .management import HCCL_WORLD_COMM_GROUP, GlobalComm, get_group_rank_from_world_rank, group_of

__all__ = [
    "P2POp",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all_single_with_output_shape",
    "all_to_all_v_c",
    "all_to_all_with_output_shape",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "gather_into_tensor",
    "irecv",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter_tensor",
    "scatter_tensor",
    "send",
]


class CommHandle:
    """What an asynchronous operation gives: ``wait()`` until it has ended."""

    def __init__(self, handle=None, exec_sync=False) -> None:
        self.handle = handle

    def wait(self) -> None:
        if self.handle is not None:
            self.handle.wait()

    def __repr__(self) -> str:
        return f"CommHandle(handle={self.handle})"


def _need_tensor(function: str, tensor) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"For {function}, the input tensor must be tensor")


def _need_int(function: str, name: str, value) -> None:
    if not isinstance(value, int):
        raise TypeError(f"For {function}, the {name} must be int")


def _need_op(function: str, op, known=("sum", "prod", "min", "max")) -> None:
    if not isinstance(op, str):
        raise TypeError(f"For {function}, the input op type must be str")
    if op not in known:
        raise TypeError(f"For {function}, the input op value must be one of {', '.join(known)}")


# What MindSpore's operators behind these functions take.
_OPERATORS = {
    "AllReduce": {"input": "Tensor", "op_type": "string", "group": "string", "async_op": "bool"},
    "AllGather": {"input": "Tensor", "rank_size": "int", "group": "string", "async_op": "bool"},
    "ReduceScatter": {"input": "Tensor", "rank_size": "int", "op_type": "string", "group": "string",
                      "async_op": "bool"},
    "AllToAllV": {"input": "Tensor", "group": "string", "send_numel_list": "list of int, tuple of int",
                  "recv_numel_list": "list of int, tuple of int", "rank_size": "int",
                  "split_sizes_empty": "bool", "async_op": "bool"},
}


def _checked_group(operator: str, group, async_op, fit: bool = True, **given):
    """The processes of ``group``; TypeError for no name, where ``async_op`` is no bool, and where the rest of
    what goes to MindSpore's operator, ``given``, is not ``fit`` for it."""
    if operator == "AllToAllV" and group is None:
        group = GlobalComm.WORLD_COMM_GROUP
    if operator != "AllReduce" and not isinstance(group, str):      # (the others ask for its size first)
        raise TypeError("For 'get_group_size', the argument 'group' must be type of string, but got 'group' "
                        f"type : {type(group)}.")
    found = group_of(group) if isinstance(group, str) else None
    if fit and found is not None and isinstance(async_op, bool):
        return found
    kinds, operator = _OPERATORS[operator], f"InnerComm{operator}"
    given |= {"group": group, "async_op": async_op}
    if "rank_size" in kinds:
        given["rank_size"] = found.size
    said = ", ".join(f"{name}={describe(given[name])}" for name in kinds)
    valid = ", ".join(f"{name}=<{kind}>" for name, kind in kinds.items())
    raise TypeError(f'Failed calling {operator} with "{operator}()({said})". The valid calling should be: '
                    f'"{operator}()({valid})".')


def _with_handle(t: torch.Tensor, async_op: bool):
    return wrap(t), CommHandle() if async_op else None


def all_reduce(tensor, op="sum", group=HCCL_WORLD_COMM_GROUP, async_op=False):
    """(``tensor`` reduced over the group, handle or None); ``op`` is sum, prod, min or max."""
    _need_tensor("all_reduce", tensor)
    _need_op("all_reduce", op)
    found = _checked_group("AllReduce", group, async_op, input=tensor._t, op_type=op)
    return _with_handle(collectives.all_reduce(tensor._t, op, found), async_op)


def all_gather_into_tensor(tensor, group=HCCL_WORLD_COMM_GROUP, async_op=False):
    """(the Tensors of all ranks joined along axis 0, handle or None)."""
    _need_tensor("all_gather_into_tensor", tensor)
    found = _checked_group("AllGather", group, async_op, input=tensor._t)
    return _with_handle(collectives.all_gather(tensor._t, found), async_op)


def reduce_scatter_tensor(tensor, op="sum", group=HCCL_WORLD_COMM_GROUP, async_op=False):
    """(this rank's part along axis 0 of the reduced ``tensor``, handle or None)."""
    _need_tensor("reduce_scatter_tensor", tensor)
    _need_op("reduce_scatter_tensor", op)
    found = _checked_group("ReduceScatter", group, async_op, input=tensor._t, op_type=op)
    return _with_handle(collectives.reduce_scatter(tensor._t, op, found), async_op)


def _in_group(rank: int, group) -> int:
    name = GlobalComm.WORLD_COMM_GROUP if group is None else group
    return get_group_rank_from_world_rank(rank, name) if GlobalComm.INITED else rank


def _peer(rank: int, group) -> int:
    """The same where one process sends to one; MindSpore looks the group up in a table."""
    if GlobalComm.INITED:
        looked_up = "get_group_rank_from_world_rank_from_cache"
        if not isinstance(rank, int):
            raise TypeError(f"For '{looked_up}', the argument 'world_rank_id' must be type of int, but got "
                            f"'world_rank_id' type : {type(rank)}.")
        try:
            group_of(group)
        except RuntimeError:
            raise KeyError(f"For '{looked_up}', the argument 'group' is not found in GROUP_RANKS, "
                           f"'group' : {group}, 'world_rank_id' : {rank}") from None
    return _in_group(rank, group)


def reduce(tensor, dst, op="sum", group=HCCL_WORLD_COMM_GROUP):
    """``tensor`` reduced to world rank ``dst``; elsewhere a Tensor of shape (1,) without meaning."""
    _need_tensor("reduce", tensor)
    _need_op("reduce", op)
    return wrap(collectives.reduce(tensor._t, _in_group(dst, group), op, group_of(group)))


def scatter_tensor(tensor, src=0, group=HCCL_WORLD_COMM_GROUP):
    """This rank's part along axis 0 of the ``tensor`` of world rank ``src``."""
    _need_tensor("scatter_tensor", tensor)
    _need_int("scatter_tensor", "src", src)
    return wrap(collectives.scatter(tensor._t, _in_group(src, group), group_of(group)))


def gather_into_tensor(tensor, dst=0, group=HCCL_WORLD_COMM_GROUP):
    """All Tensors joined along axis 0 at world rank ``dst``; elsewhere one of shape (1,) without meaning."""
    _need_tensor("gather_into_tensor", tensor)
    _need_int("gather_into_tensor", "dst", dst)
    return wrap(collectives.gather(tensor._t, _in_group(dst, group), group_of(group)))


def broadcast(tensor, src=0, group=HCCL_WORLD_COMM_GROUP):
    """The ``tensor`` of world rank ``src``."""
    _need_tensor("broadcast", tensor)
    _need_int("broadcast", "src", src)
    return wrap(collectives.broadcast(tensor._t, _in_group(src, group), group_of(group)))


def barrier(group=HCCL_WORLD_COMM_GROUP) -> None:
    """Wait until all processes of the group are here."""
    if not isinstance(group, str):
        raise TypeError(f"group must be type of string, but got {type(group)}")
    collectives.barrier(group_of(group))


def _check_tag(operator: str, **inputs) -> None:
    if not isinstance(inputs["tag"], int):
        raise wrong_inputs(operator, **inputs)


def send(tensor, dst=0, group=HCCL_WORLD_COMM_GROUP, tag=0) -> None:
    """Send ``tensor`` to world rank ``dst``."""
    _need_tensor("send", tensor)
    _check_tag("InnerCommIsend", input=tensor, dst=dst, group=group, tag=tag)
    peer = _peer(dst, group)
    collectives.send(tensor._t, peer, group_of(group), tag)


def recv(tensor, src=0, group=HCCL_WORLD_COMM_GROUP, tag=0):
    """A Tensor like ``tensor`` from world rank ``src``."""
    _need_tensor("recv", tensor)
    _need_int("recv", "src", src)
    _check_tag("InnerCommIrecv", tag=tag, src=src, shape=tensor.shape, group=group, dtype=tensor.dtype)
    t = tensor._t
    peer = _peer(src, group)
    return wrap(collectives.receive(t.shape, t.dtype, peer, group_of(group), tag, t.device))


def isend(tensor, dst=0, group=HCCL_WORLD_COMM_GROUP, tag=0) -> CommHandle:
    """Begin to send ``tensor`` to world rank ``dst``; a handle."""
    _need_tensor("isend", tensor)
    _check_tag("InnerCommIsend", input=tensor, dst=dst, group=group, tag=tag)
    peer = _peer(dst, group)
    return CommHandle(collectives.begin_send(tensor._t, peer, group_of(group), tag))


def irecv(tensor, src=0, group=HCCL_WORLD_COMM_GROUP, tag=0):
    """(a Tensor like ``tensor``, handle): it holds what world rank ``src`` sends once the handle's ``wait()``
    is over."""
    _need_tensor("irecv", tensor)
    _check_tag("InnerCommIrecv", tag=tag, src=src, shape=tensor.shape, group=group, dtype=tensor.dtype)
    into = torch.empty_like(tensor._t, memory_format=torch.contiguous_format)
    peer = _peer(src, group)
    work = collectives.begin_receive(into, peer, group_of(group), tag)
    return wrap(into), CommHandle(work)


class P2POp:
    """One sending or receiving of `batch_isend_irecv`: ``op`` is "isend", "irecv" or the function.

    For "irecv" ``tensor`` may be a shape, with ``recv_dtype``. TypeError and ValueError for anything else,
    NotImplementedError for a ``tag``.
    """

    def __init__(self, op, tensor, peer, group=None, tag=0, *, recv_dtype=None) -> None:
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        if not (isinstance(op, str) or callable(op)):
            raise TypeError(f"op must be type of string or function, but got type of {type(op)}")
        if name not in ("isend", "irecv"):
            raise ValueError(f"Expected ``op`` to be of type ``isend`` or `irecv``, but got {name}")
        if not isinstance(tensor, (Tensor, tuple)):
            raise TypeError(f"Expected ``tensor`` to be type of tuple or Tensor, but got {type(tensor)}.")
        if tag != 0:
            raise NotImplementedError("``tag`` not support yet.")
        if not isinstance(peer, int):
            raise TypeError(f"peer must be type of int, but got type of {type(peer)}")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag
        self.recv_dtype, self._name = recv_dtype, name


def batch_isend_irecv(p2p_op_list) -> tuple:
    """Run all `P2POp`s at once; a tuple with what was received, and the sent Tensors, in their order."""
    if not isinstance(p2p_op_list, list):
        raise TypeError(f"p2p_op_list must be type of list, but got type of {p2p_op_list}.")
    if not p2p_op_list:
        raise TypeError("p2p_op_list can not be empty list.")
    out, work = [], []
    for i, one in enumerate(p2p_op_list):
        if not isinstance(one, P2POp):
            raise TypeError("must be type of P2POp")
        found, peer = group_of(one.group), _in_group(one.peer, one.group)
        if one._name == "isend":
            out.append(one.tensor)
            work.append(collectives.begin_send(one.tensor._t, peer, found))
            continue
        if isinstance(one.tensor, tuple) and one.recv_dtype is None:
            raise ValueError(f"'recv_dtype' of {i}th P2POp in p2p_op_list is None but op_types is'irecv' and "
                             "P2POp.tensor is a tuple type.")
        into = (torch.empty(one.tensor, dtype=_dtype.to_torch(one.recv_dtype))
                if isinstance(one.tensor, tuple) else torch.empty_like(one.tensor._t))
        out.append(wrap(into))
        work.append(collectives.begin_receive(into, peer, found))
    for one in work:
        one.wait()
    return tuple(out)


def _shape_of(like) -> tuple:
    if not isinstance(like, (Tensor, tuple)):
        raise TypeError(f"Expected tensor or tuple, but got {type(like)}")
    return like.shape if isinstance(like, Tensor) else like


def _checked_exchange(group, async_op, sent: list, shapes: list):
    """`_checked_group` for an exchange: what goes out, and the shapes of what comes in."""
    counts = list(map(math.prod, shapes))
    return _checked_group("AllToAllV", group, async_op, all(isinstance(n, int) for n in counts),
                          input=sent[0] if sent else None, send_numel_list=[t.numel() for t in sent],
                          recv_numel_list=counts, split_sizes_empty=False)


def all_to_all_with_output_shape(output_shape_list, input_tensor_list, group=None, async_op=False):
    """(tuple of the Tensors that come from each rank, handle or None); Tensor i goes to rank i.

    ``output_shape_list`` holds shapes, or Tensors of such shapes.
    """
    for one in (output_shape_list, input_tensor_list):
        if not isinstance(one, (list, tuple)):
            raise TypeError(f"Expected list or tuple, but got {type(one)}.")
    for t in input_tensor_list:
        if not isinstance(t, Tensor):
            raise TypeError(f"Expected tensor, but got {type(t)}")
    sent = [t._t.contiguous() for t in input_tensor_list]
    shapes = list(map(_shape_of, output_shape_list))
    group = _checked_exchange(group, async_op, sent, shapes)
    found = collectives.exchange(sent, [sent[0].new_empty(shape) for shape in shapes], group)
    return tuple(map(wrap, found)), CommHandle() if async_op else None


def all_to_all_single_with_output_shape(output_shape, tensor, output_split_sizes=None, input_split_sizes=None,
                                        group=None, async_op=False):
    """(Tensor of ``output_shape`` joined from all ranks' parts, handle or None); parts are along axis 0,
    equal ones where no sizes are given. ValueError where equal ones do not divide."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Expected tensor, but got {type(tensor)}")
    shape = _shape_of(output_shape)
    found = _checked_exchange(group, async_op, [tensor._t], [shape])
    sent = collectives.parts_of(tensor._t, input_split_sizes, found, "input")
    into = tensor._t.new_empty(shape)
    collectives.exchange(sent, collectives.parts_of(into, output_split_sizes, found, "input"), found)
    return _with_handle(into, async_op)


def all_to_all_v_c(output, input, send_count_matrix, group=None, async_op=False):
    """Send rows of ``input`` to the ranks and fill ``output`` with theirs; element i * size + j of
    ``send_count_matrix`` is how many rows rank i sends to rank j."""
    for tensor in (input, output):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Expected tensor, but got {type(tensor)}")
    if group is not None and not isinstance(group, str):
        raise TypeError(f"The argument 'group' must be type of string, but got 'group' type : {type(group)}.")
    if not isinstance(async_op, bool):
        raise TypeError(f"The argument 'async_op' must be a bool, but got {type(async_op)}.")
    if not isinstance(send_count_matrix, list):
        raise TypeError(f"send_count_matrix must be list, but got {type(send_count_matrix)}")
    if not all(isinstance(n, int) for n in send_count_matrix):
        raise TypeError("send_count_matrix elements must be of type int")
    found = group_of(group)
    size, rank = found.size, found.rank
    if len(send_count_matrix) != size * size:
        raise TypeError(f"send_count_matrix must be square matrix, but got {len(send_count_matrix)}.")
    sent = input._t.split(send_count_matrix[rank * size:(rank + 1) * size])
    collectives.exchange(sent, list(output._t.split(send_count_matrix[rank::size])), found)
    return CommHandle() if async_op else None


install_lazy(__name__, globals())
