"""Operations over processes on torch tensors, with MindSpore's gradients.

Each takes a `distributed.Group`; in a group of one it gives a copy. The gradients follow MindSpore's rules:
AllReduce sums the incoming gradients of all processes, AllGather and ReduceScatter are each other's,
Broadcast passes its gradient on where it stands. They are made of the same operations, so they can be
differentiated again.

On the CPU the processes first compare what they are about to do, so that a mismatch is an error with names
instead of a hang or garbage; MS2TORCH_CHECK_COLLECTIVES=0 and =1 turn that off, or on for CUDA too.
"""

from __future__ import annotations

import os

import torch
import torch.distributed as dist

from ms2torch._core import mode
from ms2torch._core.processes import faults, segments
from ms2torch._core.processes.distributed import Group

_OPS = {"sum": "SUM", "max": "MAX", "min": "MIN", "prod": "PRODUCT", "avg": "AVG"}
_SAID = 160


def describe(name: str, t: torch.Tensor | None, more: str = "") -> str:
    """An operation in words: ``AllReduce(sum) of float32 (2, 3)``."""
    of = "" if t is None else f" of {str(t.dtype).removeprefix('torch.')} {tuple(t.shape)}"
    return f"{name}{more}{of}"


def _checked(device: torch.device) -> bool:
    asked = os.environ.get("MS2TORCH_CHECK_COLLECTIVES")
    return device.type == "cpu" if asked is None else asked not in ("0", "")


def agree(what: str, group: Group, device: torch.device) -> None:
    """RuntimeError, on every rank of the group, unless all of them are about to do ``what``."""
    if not _checked(device):
        return
    mine = torch.zeros(_SAID, dtype=torch.uint8)
    text = what.encode()[:_SAID]
    mine[: len(text)] = torch.frombuffer(bytearray(text), dtype=torch.uint8)
    mine = mine.to(device)
    said = [torch.empty_like(mine) for _ in range(group.size)]
    with faults.diagnosing(what, group.ranks):
        dist.all_gather(said, mine, group=group.handle)
    words = [bytes(s.tolist()).rstrip(b"\0").decode(errors="replace") for s in said]
    if any(w != words[0] for w in words):
        told = "; ".join(f"rank {r}: {w}" for r, w in zip(group.ranks, words, strict=True))
        error = RuntimeError(f"The processes do not do the same operation: {told}.")
        error.from_user = True
        raise error


def _op(name: str):
    return getattr(dist.ReduceOp, _OPS[name])


def _dense(t: torch.Tensor) -> torch.Tensor:
    return t.contiguous()


def _sum_of(t: torch.Tensor, op: str, group: Group) -> torch.Tensor:
    """``t`` reduced over the group, in new memory. Half precision is summed by the backend as it is."""
    what = describe("AllReduce", t, f"({op})")
    agree(what, group, t.device)
    out = t.to(torch.uint8) if t.dtype is torch.bool else t
    out = out.clone(memory_format=torch.contiguous_format)
    with faults.diagnosing(what, group.ranks):
        dist.all_reduce(out, _op(op), group=group.handle)
    return out.bool() if t.dtype is torch.bool else out


class _AllReduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, op, group):
        out = _sum_of(t, op, group)
        ctx.op, ctx.group = op, group
        if op != "sum":
            ctx.save_for_backward(t, out)
        return out

    @staticmethod
    def backward(ctx, grad):
        if ctx.op == "sum":
            return all_reduce(grad, "sum", ctx.group), None, None
        t, out = ctx.saved_tensors
        if ctx.op == "prod":
            return all_reduce(grad * out, "sum", ctx.group) / t, None, None
        return all_reduce(grad, "sum", ctx.group) * (t == out).to(grad.dtype), None, None


def all_reduce(t: torch.Tensor, op: str, group: Group) -> torch.Tensor:
    """``t`` reduced by ``op`` (sum, max, min, prod) over the group."""
    return t.clone() if group.size == 1 else _AllReduce.apply(t, op, group)


class _AllGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, group):
        ctx.group = group
        what = describe("AllGather", t)
        agree(what, group, t.device)
        t = _dense(t)
        parts = [torch.empty_like(t) for _ in range(group.size)]
        with faults.diagnosing(what, group.ranks):
            dist.all_gather(parts, t, group=group.handle)
        return torch.cat(parts)

    @staticmethod
    def backward(ctx, grad):
        return reduce_scatter(grad, "sum", ctx.group), None


def all_gather(t: torch.Tensor, group: Group) -> torch.Tensor:
    """The tensors of all ranks joined along axis 0."""
    return t.clone() if group.size == 1 else _AllGather.apply(t, group)


class _ReduceScatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, op, group):
        ctx.op, ctx.group = op, group
        summed = op == "sum" and segments.scatters(t, group)
        if t.device.type == "cpu" and not summed:
            return _sum_of(t, op, group).chunk(group.size)[group.rank].clone()
        what = describe("ReduceScatter", t, f"({op})")
        agree(what, group, t.device)
        if summed:
            with faults.diagnosing(what, group.ranks):
                return segments.scattered(t, group)
        out = t.new_empty(t.shape[0] // group.size, *t.shape[1:])
        with faults.diagnosing(what, group.ranks):
            dist.reduce_scatter_tensor(out, _dense(t), _op(op), group=group.handle)
        return out

    @staticmethod
    def backward(ctx, grad):
        if ctx.op != "sum":
            raise RuntimeError("The reducescatter bprop only support ReduceOp.SUM until now.")
        return all_gather(grad, ctx.group), None, None


def reduce_scatter(t: torch.Tensor, op: str, group: Group) -> torch.Tensor:
    """This rank's part, along axis 0, of the reduced tensor; ValueError where it does not divide."""
    if t.shape[0] % group.size:
        raise ValueError(f"For 'ReduceScatter', the first dimension of 'x' must be divided by 'rank_size', "
                         f"but got 'x_shape[0]': {t.shape[0]}, 'rank_size': {group.size}.")
    return t.clone() if group.size == 1 else _ReduceScatter.apply(t, op, group)


class _Broadcast(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, root, group):
        what = describe("Broadcast", t, f"(from rank {group.world_rank(root)})")
        agree(what, group, t.device)
        out = t.clone(memory_format=torch.contiguous_format)
        with faults.diagnosing(what, group.ranks):
            dist.broadcast(out, group.world_rank(root), group=group.handle)
        return out

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None


def broadcast(t: torch.Tensor, root: int, group: Group) -> torch.Tensor:
    """The tensor of the rank ``root`` of the group. Its gradient stays where it arises, as in MindSpore."""
    return t.clone() if group.size == 1 else _Broadcast.apply(t, root, group)


class _AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, split_dim, concat_dim, group):
        ctx.dims, ctx.group = (split_dim, concat_dim), group
        what = describe("AlltoAll", t, f"(split {split_dim}, concat {concat_dim})")
        agree(what, group, t.device)
        parts = [_dense(p) for p in t.chunk(group.size, split_dim)]
        with faults.diagnosing(what, group.ranks):
            out = exchanged(parts, [torch.empty_like(parts[0]) for _ in parts], group)
        return torch.cat(out, concat_dim)

    @staticmethod
    def backward(ctx, grad):
        split_dim, concat_dim = ctx.dims
        return all_to_all(grad, concat_dim, split_dim, ctx.group), None, None, None


def all_to_all(t: torch.Tensor, split_dim: int, concat_dim: int, group: Group) -> torch.Tensor:
    """Part i along ``split_dim`` goes to rank i; what comes in is joined along ``concat_dim``."""
    if t.shape[split_dim] % group.size:
        raise ValueError(f"For 'AlltoAll', the dimension {split_dim} of 'x' must be divided by the size of "
                         f"the group {group.size}, but got {t.shape[split_dim]}.")
    return t.clone() if group.size == 1 else _AllToAll.apply(t, split_dim, concat_dim, group)


class _AllToAllUneven(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, sends, receives, group):
        ctx.back = receives, sends, group
        if sum(sends) != t.numel():
            raise ValueError(f"For 'AlltoAllV', the input has {t.numel()} elements, but {list(sends)} go "
                             "out.")
        out = t.new_empty(sum(receives))
        with faults.diagnosing(describe("AlltoAllV", t), group.ranks):
            exchanged(list(_dense(t).view(-1).split(list(sends))), list(out.split(list(receives))), group)
        return out

    @staticmethod
    def backward(ctx, grad):
        return all_to_all_uneven(grad, *ctx.back), None, None, None


def all_to_all_uneven(t: torch.Tensor, sends, receives, group: Group) -> torch.Tensor:
    """The flat ``t`` in parts of ``sends`` elements, one to each rank; what comes in, of ``receives``
    elements from each, is joined. ValueError where the parts are not the whole."""
    if not len(sends) == len(receives) == group.size:
        raise ValueError(f"For 'AlltoAllV', the group has {group.size} processes, but {len(sends)} parts go "
                         f"out and {len(receives)} come in.")
    return _AllToAllUneven.apply(t, tuple(sends), tuple(receives), group)


def exchanged(out: list, into: list, group: Group) -> list:
    """Sends ``out[i]`` to rank i and fills ``into[i]`` from it; empty tensors stay at home."""
    into[group.rank].copy_(out[group.rank])
    work = [dist.isend(t, group.world_rank(r), group=group.handle)
            for r, t in enumerate(out) if r != group.rank and t.numel()]
    work += [dist.irecv(t, group.world_rank(r), group=group.handle)
             for r, t in enumerate(into) if r != group.rank and t.numel()]
    for one in work:
        one.wait()
    return into


class _NeighborExchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx, to, come_from, shapes, dtypes, group, *tensors):
        ctx.back = (come_from, to, [t.shape for t in tensors], [t.dtype for t in tensors], group)
        into = [torch.empty(tuple(s), dtype=dtype, device=tensors[0].device if tensors else None)
                for s, dtype in zip(shapes, dtypes, strict=True)]
        with faults.diagnosing("NeighborExchange", group.ranks):
            work = [dist.isend(_dense(t), group.world_rank(r), group=group.handle)
                    for r, t in zip(to, tensors, strict=True)]
            work += [dist.irecv(t, group.world_rank(r), group=group.handle)
                     for r, t in zip(come_from, into, strict=True)]
            for one in work:
                one.wait()
        return tuple(into)

    @staticmethod
    def backward(ctx, *grads):
        return (None,) * 5 + _NeighborExchange.apply(*ctx.back, *grads)


def neighbor_exchange(tensors, to, come_from, shapes, dtypes, group: Group) -> tuple:
    """Sends a tensor to each rank of ``to``; receives one of the given shape and dtype from each of
    ``come_from``."""
    return _NeighborExchange.apply(tuple(to), tuple(come_from), tuple(shapes), tuple(dtypes), group, *tensors)


class _Send(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, rank, group, tag):
        ctx.to, ctx.like = (rank, group, tag), (t.shape, t.dtype, t.device)
        with faults.diagnosing(describe("Send", t, f"(to rank {group.world_rank(rank)})"), group.ranks):
            dist.send(_dense(t), group.world_rank(rank), group=group.handle, tag=tag)
        return t.clone()

    @staticmethod
    def backward(ctx, grad):
        shape, dtype, device = ctx.like
        return receive(shape, dtype, *ctx.to, device=device), None, None, None


def send(t: torch.Tensor, rank: int, group: Group, tag: int = 0) -> torch.Tensor:
    """Sends ``t`` and gives it back; its gradient is the one that the receiver sends."""
    return _Send.apply(t, rank, group, tag)


class _Receive(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hold, shape, dtype, rank, group, tag, device):
        ctx.source = (rank, group, tag)
        out = torch.empty(tuple(shape), dtype=dtype, device=device)
        what = describe("Receive", out, f"(from rank {group.world_rank(rank)})")
        with faults.diagnosing(what, group.ranks):
            dist.recv(out, group.world_rank(rank), group=group.handle, tag=tag)
        return out

    @staticmethod
    def backward(ctx, grad):
        send(grad, *ctx.source)
        return torch.zeros((), device=grad.device), *(None,) * 6


def receive(shape, dtype, rank: int, group: Group, tag: int = 0, device=None) -> torch.Tensor:
    """A tensor from another rank. Inside a differentiation its gradient is sent back there."""
    hold = torch.zeros((), device=device)
    if mode.differentiation is not None and torch.is_grad_enabled() and dtype.is_floating_point:
        # Nothing that is differentiated leads here, so autograd is asked for the gradient of this too.
        mode.differentiation.received.append(hold.requires_grad_())
    return _Receive.apply(hold, shape, dtype, rank, group, tag, device)


class _Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, root, op, group):
        ctx.root, ctx.group = root, group
        what = describe("Reduce", t, f"({op}, to rank {group.world_rank(root)})")
        agree(what, group, t.device)
        out = t.clone(memory_format=torch.contiguous_format)
        ctx.like = t
        with faults.diagnosing(what, group.ranks):
            dist.reduce(out, group.world_rank(root), _op(op), group=group.handle)
        return out if group.rank == root else t.new_zeros(1)

    @staticmethod
    def backward(ctx, grad):
        if ctx.group.rank != ctx.root:
            grad = torch.zeros_like(ctx.like)
        return broadcast(grad, ctx.root, ctx.group), None, None, None


def reduce(t: torch.Tensor, root: int, op: str, group: Group) -> torch.Tensor:
    """``t`` reduced to the rank ``root``; a tensor of shape (1,) without meaning elsewhere."""
    return t.clone() if group.size == 1 else _Reduce.apply(t, root, op, group)


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, root, group):
        ctx.root, ctx.group, ctx.shape = root, group, t.shape
        out = _AllGather.forward(ctx, t, group)
        return out if group.rank == root else t.new_zeros(1)

    @staticmethod
    def backward(ctx, grad):
        group = ctx.group
        if group.rank != ctx.root:
            grad = grad.new_zeros(ctx.shape[0] * group.size, *ctx.shape[1:])
        return broadcast(grad, ctx.root, group).chunk(group.size)[group.rank], None, None


def gather(t: torch.Tensor, root: int, group: Group) -> torch.Tensor:
    """The tensors of all ranks joined along axis 0, at rank ``root``; elsewhere one of shape (1,)."""
    return t.clone() if group.size == 1 else _Gather.apply(t, root, group)


class _Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, root, group):
        ctx.root, ctx.group = root, group
        whole = _Broadcast.forward(ctx, t, root, group)
        return whole.chunk(group.size)[group.rank].clone()

    @staticmethod
    def backward(ctx, grad):
        whole = all_gather(grad, ctx.group)
        return (whole if ctx.group.rank == ctx.root else torch.zeros_like(whole)), None, None


def scatter(t: torch.Tensor, root: int, group: Group) -> torch.Tensor:
    """This rank's part along axis 0 of the tensor of rank ``root``; ValueError where it does not divide."""
    if t.shape[0] % group.size:
        raise ValueError(f"For 'CollectiveScatter', the first dimension {t.shape[0]} of 'x' must be divided "
                         f"by the size of the group {group.size}.")
    return t.clone() if group.size == 1 else _Scatter.apply(t, root, group)


def barrier(group: Group) -> None:
    """Waits until every rank of the group is here."""
    if group.size > 1:
        with faults.diagnosing("Barrier", group.ranks):
            dist.barrier(group=group.handle)


# ---- without gradients: operations on memory that the caller gives -----------------------------------------


class _Done:
    """The handle of an operation that has ended."""

    def wait(self) -> None:
        pass


def check_other(role: str, rank: int, mine: int) -> None:
    """ValueError where a process would send to itself."""
    if rank == mine:
        raise ValueError(f"Invalid {role} rank: {role} rank should not be the same as the rank of the "
                         "current process.")


def begin_send(t: torch.Tensor, rank: int, group: Group, tag: int = 0):
    """Begins to send ``t``; the handle's ``wait()`` ends it."""
    check_other("destination", rank, group.rank)
    with faults.diagnosing(describe("Send", t, f"(to rank {group.world_rank(rank)})"), group.ranks):
        return dist.isend(_dense(t.detach()), group.world_rank(rank), group=group.handle, tag=tag)


def begin_receive(into: torch.Tensor, rank: int, group: Group, tag: int = 0):
    """Begins to receive into ``into``; the handle's ``wait()`` ends it."""
    check_other("source", rank, group.rank)
    with faults.diagnosing(describe("Receive", into, f"(from rank {group.world_rank(rank)})"), group.ranks):
        return dist.irecv(into, group.world_rank(rank), group=group.handle, tag=tag)


def exchange(sent: list, into: list, group: Group) -> list:
    """Sends ``sent[i]`` to rank i and fills ``into[i]`` from it."""
    if len(sent) != group.size or len(into) != group.size:
        raise ValueError(f"The group has {group.size} processes, but {len(sent)} tensors go out and "
                         f"{len(into)} come in.")
    with faults.diagnosing("AlltoAll", group.ranks):
        return exchanged([_dense(t.detach()) for t in sent], into, group)


def parts_of(t: torch.Tensor, sizes, group: Group, what: str) -> list:
    """Views of ``t`` along axis 0, one for each rank: of ``sizes``, or equal ones."""
    if not sizes:
        if t.shape[0] % group.size:
            raise ValueError(f"{what} shape at dim 0 must be divided by world_size, but got {t.shape[0]} and "
                             f"{group.size}.")
        sizes = [t.shape[0] // group.size] * group.size
    return list(t.split([int(n) for n in sizes]))


def in_place(name: str, function, tensors, group: Group, asynchronous: bool, what: str | None = None):
    """``function(handle, async_op)`` on the caller's memory, checked and with failures named; a handle."""
    if group.size == 1:
        return _Done()
    what = what or describe(name, tensors)
    agree(what, group, tensors.device)
    with faults.diagnosing(what, group.ranks):
        return function(group.handle, asynchronous) or _Done()
