"""``mindspore.mint.distributed.distributed``: operations that write into the Tensors they are given.

Each gives None, or with ``async_op=True`` a handle whose ``wait()`` ends it. They have no gradients, as in
MindSpore; the operators of ``mindspore.ops`` do.
"""

from __future__ import annotations

import torch
import torch.distributed as dist

from ms2torch._core.checks.calls import wrong_inputs
from ms2torch._core.processes import collectives
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._naming.surface import install_lazy
from ms2torch.communication.comm_func import CommHandle
from ms2torch.communication.management import GlobalComm, get_group_rank_from_world_rank, group_of

from ._processes import check_group, get_rank

_OPS = ("sum", "prod", "min", "max", "avg")


def _check(function: str, tensors: dict, group, async_op, op="sum", rank=None) -> None:
    """The checks that all functions share, in MindSpore's order and words."""
    for role, value in tensors.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"For {function}, the {role} tensor must be tensor")
    if rank is not None and not isinstance(rank[1], int):
        raise TypeError(f"For {function}, the {rank[0]} must be int")
    if not isinstance(op, str):
        raise TypeError(f"For {function}, the input op type must be str")
    if op not in _OPS:
        raise TypeError(f"For {function}, the input op value must be one of {', '.join(_OPS)}")
    check_group(group)
    if not isinstance(async_op, bool):
        raise TypeError(f"The argument 'async_op' must be a bool, but got {type(async_op)}.")


def _check_list(tensors, size: int | None = None, like: Tensor | None = None) -> None:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"Expected list or tuple, but got {type(tensors)}.")
    for t in tensors:
        if not isinstance(t, Tensor):
            raise TypeError(f"Expected tensor, but got {type(t)}")
        if t.dtype != tensors[0].dtype:
            raise TypeError(f"all_to_all input dtype must be the same, but got {tensors[0].dtype} and "
                            f"{t.dtype}.")
    if size is not None and len(tensors) != size:
        raise TypeError(f"The argument list tensor len must be equal to group rank size, but got "
                        f"{len(tensors)}.")
    if like is not None and like.dtype != tensors[0].dtype:
        raise TypeError(f"The argument list tensor type must be equal to tensor type, but got "
                        f"{tensors[0].dtype}.")


def _check_output(operator: str, output: Tensor, given: Tensor, rows: int | None = None) -> None:
    """An output is of the input's dtype and sizes, but for its ``rows``; without them, of its dtype."""
    head = f"For '{operator}', output_tensor "
    if rows is not None:
        if output.ndim != given.ndim:
            raise ValueError(f"{head}shape size must be equal to {given.ndim}, but got {output.ndim}")
        if output.shape != (asked := (rows, *given.shape[1:])[: given.ndim]):
            wanted, got = (", ".join(map(str, shape)) for shape in (asked, output.shape))
            raise ValueError(f"{head}shape must be equal to [const vector]{{{wanted}}}, but got [const "
                             f"vector]{{{got}}}")
    if output.dtype != given.dtype:
        raise ValueError(f"{head}type {output.dtype} must be equal to input_tensor type {given.dtype}")


class _Then:
    """A handle that does the rest when the operation has ended."""

    def __init__(self, work, rest) -> None:
        self._work, self._rest = work, rest

    def wait(self) -> None:
        if self._rest is not None:
            self._work.wait()
            self._rest()
            self._rest = None


def _ended(work, async_op: bool, rest=None):
    """None after the end, or the handle."""
    work = work if rest is None else _Then(work, rest)
    if async_op:
        return CommHandle(work)
    work.wait()
    return None


def _run(name: str, tensor: torch.Tensor, group, function, async_op: bool, more: str = "", rest=None):
    """Begin ``function(torch's group)``, a torch.distributed call with async_op."""
    found = group_of(group)
    work = collectives.in_place(name, lambda handle, _: function(handle), tensor, found, True,
                                collectives.describe(name, tensor, more))
    return _ended(work, async_op, rest)


def _reduction(op: str):
    """torch's reduction; the mean is the sum, divided afterwards (Gloo has none)."""
    return collectives._op("sum" if op == "avg" else op)


def _mean(op: str, t: torch.Tensor, group):
    if op != "avg" or group_of(group).size == 1:
        return None
    return lambda: t.div_(group_of(group).size)


def _member(rank: int, group) -> int:
    """Check that a world rank is in the group; gives it back."""
    if GlobalComm.INITED:
        get_group_rank_from_world_rank(rank, GlobalComm.WORLD_COMM_GROUP if group is None else group)
    return rank


def all_reduce(tensor, op="sum", group=None, async_op=False):
    """Reduce ``tensor`` over the group, in place; ``op`` is sum, prod, min, max or avg."""
    _check("all_reduce", {"input": tensor}, group, async_op, op)
    t = tensor._t
    return _run("AllReduce", t, group, lambda g: dist.all_reduce(t, _reduction(op), g, True), async_op,
                f"({op})", _mean(op, t, group))


def reduce(tensor, dst, op="sum", group=None, async_op=False):
    """Reduce ``tensor`` to world rank ``dst``, in place there."""
    _check("reduce", {"input": tensor}, group, async_op, op, ("dst", dst))
    t, _ = tensor._t, _member(dst, group)
    mean = _mean(op, t, group) if get_rank() == dst else None
    if get_rank() != dst:
        t = t.clone()       # Gloo leaves parts of the sum in the memory of those who only send
    return _run("Reduce", t, group, lambda g: dist.reduce(t, dst, _reduction(op), g, True), async_op,
                f"({op}, to rank {dst})", mean)


def broadcast(tensor, src, group=None, async_op=False):
    """Give ``tensor`` the values that it has on world rank ``src``."""
    _check("broadcast", {"input": tensor}, group, async_op, rank=("src", src))
    t, _ = tensor._t, _member(src, group)
    return _run("Broadcast", t, group, lambda g: dist.broadcast(t, src, g, True), async_op,
                f"(from rank {src})")


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """Fill ``output_tensor`` with the ``input_tensor`` of all ranks, joined along axis 0."""
    _check("all_gather_into_tensor", {"input": input_tensor, "output": output_tensor}, group, async_op)
    size = group_of(group).size
    _check_output("DistCommAllGatherIntoTensor", output_tensor, input_tensor,
                  size * len(input_tensor) if input_tensor.ndim else 0)
    return _gathered(list(output_tensor._t.chunk(size)), input_tensor._t, group, async_op)


def _gathered(into: list, t: torch.Tensor, group, async_op: bool):
    """Views of the caller's memory filled with all ranks' tensors (contiguous ones of equal shape)."""
    if group_of(group).size == 1:
        into[0].copy_(t)
        return _ended(collectives._Done(), async_op)
    parts = [torch.empty_like(p, memory_format=torch.contiguous_format) for p in into]

    def rest():
        for view, part in zip(into, parts, strict=True):
            view.copy_(part)

    return _run("AllGather", t, group, lambda g: dist.all_gather(parts, t.contiguous(), g, True), async_op,
                rest=rest)


def all_gather_into_tensor_uneven(output, input, output_split_sizes=None, group=None, async_op=False):
    """As `all_gather_into_tensor`; rank i gives ``output_split_sizes[i]`` rows."""
    _check("all_gather_into_tensor_uneven", {"input": input, "output": output}, group, async_op)
    _check_output("DistCommAllGatherIntoTensorUneven", output, input)
    found = group_of(group)
    into = collectives.parts_of(output._t, output_split_sizes, found, "output")
    collectives.exchange([input._t] * found.size, into, found)
    return _ended(collectives._Done(), async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Fill the Tensors of ``tensor_list`` with the ``tensor`` of each rank."""
    _check_list(tensor_list)
    _check("all_gather_into_tensor", {"input": tensor}, group, async_op)
    found = group_of(group)
    _check_list(tensor_list, found.size)
    mine = tensor_list[max(found.rank, 0)]
    if mine.shape != tensor.shape:
        raise TypeError(f"For all_gather, the output shape should be {mine.shape}, but got {tensor.shape}.")
    if mine.dtype != tensor.dtype:
        raise TypeError(f"For all_gather, the output dtype should be {mine.dtype}, but got {tensor.dtype}.")
    if len({t.shape for t in tensor_list}) > 1:
        collectives.exchange([tensor._t] * found.size, [t._t for t in tensor_list], found)
        return _ended(collectives._Done(), async_op)
    return _gathered([t._t for t in tensor_list], tensor._t, group, async_op)


def _reduced_part(output: torch.Tensor, parts: list, op: str, group, async_op: bool):
    """Fill ``output`` with this rank's part of the reduced parts."""
    found = group_of(group)
    whole = torch.cat([p.reshape(-1) for p in parts])
    mine = slice(sum(p.numel() for p in parts[: found.rank]), None)

    def rest():
        if op == "avg":
            whole.div_(found.size)
        output.copy_(whole[mine][: output.numel()].view(output.shape))

    return _run("ReduceScatter", whole, group, lambda g: dist.all_reduce(whole, _reduction(op), g, True),
                async_op, f"({op})", rest)


def _reduced_into(operator: str, output, given, sizes, op: str, group, async_op: bool):
    found = group_of(group)
    parts = collectives.parts_of(given._t, sizes, found, "input")
    _check_output(operator, output, given, len(parts[max(found.rank, 0)]))
    return _reduced_part(output._t, parts, op, group, async_op)


def reduce_scatter_tensor(output, input, op="sum", group=None, async_op=False):
    """Fill ``output`` with this rank's part along axis 0 of the reduced ``input``."""
    _check("reduce_scatter_tensor", {"input": input, "output": output}, group, async_op, op)
    return _reduced_into("DistCommReduceScatterTensor", output, input, None, op, group, async_op)


def reduce_scatter_tensor_uneven(output, input, input_split_sizes=None, op="sum", group=None, async_op=False):
    """As `reduce_scatter_tensor`; rank i's part has ``input_split_sizes[i]`` rows."""
    _check("reduce_scatter_tensor_uneven", {"input": input, "output": output}, group, async_op, op)
    return _reduced_into("DistCommReduceScatterTensorUneven", output, input, input_split_sizes, op, group,
                         async_op)


def reduce_scatter(output, input_list, op="sum", group=None, async_op=False):
    """Fill ``output`` with the reduction of all ranks' ``input_list`` at this rank's place."""
    _check_list(input_list)
    _check("reduce_scatter", {"output": output}, group, async_op, op)
    found = group_of(group)
    _check_list(input_list, found.size)
    mine = input_list[max(found.rank, 0)]
    if mine.shape != output.shape:
        raise TypeError(f"For reduce_scatter, the output shape should be {mine.shape}, but got "
                        f"{output.shape}.")
    if mine.dtype != output.dtype:
        raise TypeError(f"For reduce_scatter, the output dtype should be {mine.dtype}, but got "
                        f"{output.dtype}.")
    return _reduced_part(output._t, [t._t for t in input_list], op, group, async_op)


def scatter_tensor(output_tensor, input_tensor, src=0, group=None, async_op=False):
    """Fill ``output_tensor`` with this rank's part along axis 0 of world rank ``src``'s ``input_tensor``."""
    _check("scatter_tensor", {"input": input_tensor, "output": output_tensor}, group, async_op,
           rank=("src", src))
    if get_rank() == src:
        _check_output("DistCommScatterTensor", output_tensor, input_tensor)
    parts = collectives.parts_of(input_tensor._t, None, group_of(group), "input")
    return _scattered(output_tensor._t, parts, src, group, async_op)


def _scattered(output: torch.Tensor, parts: list, src: int, group, async_op: bool):
    _member(src, group)
    if group_of(group).size == 1:
        output.copy_(parts[0])
        return _ended(collectives._Done(), async_op)
    into = torch.empty_like(output, memory_format=torch.contiguous_format)
    given = [p.contiguous() for p in parts] if get_rank() == src else None
    return _run("Scatter", into, group, lambda g: dist.scatter(into, given, src, g, True), async_op,
                f"(from rank {src})", lambda: output.copy_(into))


def scatter(tensor, scatter_list, src=0, group=None, async_op=False):
    """Fill ``tensor`` with world rank ``src``'s Tensor for this rank in ``scatter_list``."""
    _check_list(scatter_list)
    _check("scatter_tensor", {"output": tensor}, group, async_op, rank=("src", src))
    if get_rank() == src:
        _check_list(scatter_list, group_of(group).size, tensor)
    return _scattered(tensor._t, [t._t for t in scatter_list], src, group, async_op)


def gather_into_tensor(output_tensor, input_tensor, dst=0, group=None, async_op=False):
    """At world rank ``dst``, fill ``output_tensor`` with all ranks' ``input_tensor`` joined along axis 0."""
    _check("gather_into_tensor", {"input": input_tensor, "output": output_tensor}, group, async_op,
           rank=("dst", dst))
    at_home = get_rank() == dst
    if at_home:
        _check_output("DistCommGatherIntoTensor", output_tensor, input_tensor)
    into = list(output_tensor._t.chunk(group_of(group).size)) if at_home else None
    return _collected(into, input_tensor._t, dst, group, async_op)


def _collected(into, t: torch.Tensor, dst: int, group, async_op: bool):
    _member(dst, group)
    if group_of(group).size == 1:
        into[0].copy_(t)
        return _ended(collectives._Done(), async_op)
    parts = None
    if into is not None:
        parts = [torch.empty_like(t, memory_format=torch.contiguous_format) for _ in into]

    def rest():
        for view, part in zip(into or (), parts or (), strict=True):
            view.copy_(part)

    return _run("Gather", t, group, lambda g: dist.gather(t.contiguous(), parts, dst, g, True), async_op,
                f"(to rank {dst})", rest)


def gather(tensor, gather_list, dst=0, group=None, async_op=False):
    """At world rank ``dst``, fill the Tensors of ``gather_list`` with the ``tensor`` of each rank."""
    _check("gather", {"input": tensor}, group, async_op, rank=("dst", dst))
    at_home = get_rank() == dst
    if at_home:
        _check_list(gather_list, group_of(group).size, tensor)
    return _collected([t._t for t in gather_list] if at_home else None, tensor._t, dst, group, async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Send Tensor i of ``input_tensor_list`` to rank i and fill ``output_tensor_list`` with what comes."""
    check_group(group)
    _check_list(input_tensor_list)
    _check_list([*output_tensor_list, *input_tensor_list[:1]])
    _check("all_to_all", {}, group, async_op)
    into = [t._t for t in output_tensor_list]
    collectives.exchange([t._t for t in input_tensor_list], into, group_of(group))
    return _ended(collectives._Done(), async_op)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None,
                      async_op=False):
    """Send parts of ``input`` along axis 0 to the ranks and fill ``output`` with theirs."""
    _check("all_to_all_single", {"input": input, "output": output}, group, async_op)
    _check_output("DistCommAllToAllVSingle", output, input)
    found = group_of(group)
    collectives.exchange(collectives.parts_of(input._t, input_split_sizes, found, "input"),
                         collectives.parts_of(output._t, output_split_sizes, found, "output"), found)
    return _ended(collectives._Done(), async_op)


def barrier(group=None, async_op=False, device_ids=None):
    """Wait until all processes of the group are here."""
    _check("barrier", {}, group, async_op)
    collectives.barrier(group_of(group))
    return _ended(collectives._Done(), async_op)


def _peer(rank: int, group) -> int:
    return get_group_rank_from_world_rank(rank, GlobalComm.WORLD_COMM_GROUP if group is None else group)


def _named(group) -> str:
    return group or GlobalComm.WORLD_COMM_GROUP


def isend(tensor, dst=0, group=None, tag=0) -> CommHandle:
    """Begin to send ``tensor`` to world rank ``dst``. ValueError for this rank itself."""
    _check("isend", {"input": tensor}, group, False, rank=("dst", dst))
    collectives.check_other("destination", dst, get_rank())
    if not isinstance(tag, int):
        raise wrong_inputs("DistCommIsend", input=tensor, dst=dst, group=_named(group), tag=tag)
    return CommHandle(collectives.begin_send(tensor._t, _peer(dst, group), group_of(group), tag))


def send(tensor, dst=0, group=None, tag=0) -> None:
    """Send ``tensor`` to world rank ``dst``. ValueError for this rank itself."""
    _check("send", {"input": tensor}, group, False, rank=("dst", dst))
    isend(tensor, dst, group, tag).wait()


def irecv(tensor, src=0, group=None, tag=0) -> CommHandle:
    """Begin to receive into ``tensor`` from world rank ``src``. ValueError for this rank itself."""
    _check("irecv", {"input": tensor}, group, False, rank=("src", src))
    collectives.check_other("source", src, get_rank())
    if not isinstance(tag, int):
        raise wrong_inputs("DistCommIrecv", input=tensor, tag=tag, src=src, group=_named(group))
    return CommHandle(collectives.begin_receive(tensor._t, _peer(src, group), group_of(group), tag))


def recv(tensor, src=0, group=None, tag=0) -> int:
    """Receive into ``tensor`` from world rank ``src``; gives 0."""
    _check("recv", {"input": tensor}, group, False, rank=("src", src))
    irecv(tensor, src, group, tag).wait()
    return 0


class P2POp:
    """One sending or receiving of `batch_isend_irecv`: ``op`` is "isend", "irecv" or the function."""

    def __init__(self, op, tensor, peer, group=None, tag=0) -> None:
        op = getattr(op, "__wrapped__", op)     # ops.communication's functions wrap these
        known = op in ("isend", "irecv") if isinstance(op, str) else op in (isend, irecv)
        if not known:
            raise TypeError(f"Expected op to be of type isend or irecv, but got {op}")
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Expected tensor to be Tensor, but got {type(tensor)}.")
        if not isinstance(peer, int):
            raise TypeError("For P2POp, the peer must be int")
        if tag != 0:
            raise NotImplementedError("tag is not support yet.")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag


def batch_isend_irecv(p2p_op_list) -> list[CommHandle]:
    """Do all `P2POp`s at once; a list with one handle for them all. They are done on return, as what a device
    computes next comes after them: MindSpore's example reads what it received without a ``wait()``."""
    if not p2p_op_list:
        raise TypeError("p2p_op_list can not be empty list.")
    for one in p2p_op_list:
        if not isinstance(one, P2POp):
            raise TypeError("The elements in p2p_op_list must be type of P2POp.")
    group = p2p_op_list[0].group
    if any(one.group != group for one in p2p_op_list):
        raise TypeError("The group name in p2p_op_list must be consistent.")
    work = []
    for one in p2p_op_list:
        begin = collectives.begin_send if one.op in ("isend", isend) else collectives.begin_receive
        work.append(begin(one.tensor._t, _peer(one.peer, group), group_of(group)))
    for one in work:
        one.wait()
    return [CommHandle(None)]


install_lazy(__name__, globals())
