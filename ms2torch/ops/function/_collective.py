"""Operators over a group of processes (``mindspore.ops.operations.comm_ops``); alone, a group of one.

The group is looked up when the operator runs. ValueError or TypeError for bad arguments come when it is made,
as in MindSpore.
"""

from __future__ import annotations

import torch

from ms2torch._core.operators.registry import PRIMITIVES, REQUIRED, op, primitive
from ms2torch._core.processes import collectives
from ms2torch._core.tensor import dtype as _dtype
from ms2torch.communication.management import _check_name, _get_group, group_of

__all__ = ["ReduceOp"]

_WORLD = "hccl_world_group"


class ReduceOp:
    """The names of reductions over processes (``mindspore.ops.ReduceOp``)."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


def _check_reduction(name: str, op) -> None:
    if op not in ("sum", "max", "min", "prod"):
        raise RuntimeError(f"For '{name}', invalid reduction {op!r}: it must be one of ReduceOp's.")


@primitive("AllReduce", init={"op": "sum", "group": _WORLD})
def _all_reduce(input_x, op="sum", group=_WORLD):
    """``input_x`` reduced over the processes of ``group`` (``mindspore.ops.AllReduce``).

    ``op`` is "sum", "max", "min" or "prod". TypeError where ``op`` or ``group`` is no string.
    """
    _check_reduction("AllReduce", op)
    return collectives.all_reduce(input_x, op, group_of(group))


@primitive("AllGather", init={"group": _WORLD})
def _all_gather(input_x, group=_WORLD):
    """The ``input_x`` of all processes joined along axis 0 (``mindspore.ops.AllGather``)."""
    return collectives.all_gather(input_x, group_of(group))


@primitive("ReduceScatter", init={"op": "sum", "group": _WORLD})
def _reduce_scatter(input_x, op="sum", group=_WORLD):
    """This process's part along axis 0 of the reduced ``input_x`` (``mindspore.ops.ReduceScatter``).

    ValueError where the group does not divide axis 0. Its gradient exists for "sum" alone.
    """
    _check_reduction("ReduceScatter", op)
    return collectives.reduce_scatter(input_x, op, group_of(group))


@primitive("Broadcast", init={"root_rank": REQUIRED, "group": _WORLD})
def _broadcast(input_x, root_rank, group=_WORLD):
    """The tuple of Tensors that process ``root_rank`` gives (``mindspore.ops.Broadcast``).

    Gradients stay on the process where they arise. ValueError where there is no such process.
    """
    found = group_of(group)
    if not 0 <= root_rank < found.size:
        many = "one process" if found.size == 1 else f"{found.size} processes"
        raise ValueError(f"For 'Broadcast', the 'root_rank' is {root_rank}, but the group has {many}.")
    if not isinstance(input_x, tuple):
        kind = "Tensor[{}]" if isinstance(input_x, torch.Tensor) else "List[Tensor[{}]]"
        first = input_x if isinstance(input_x, torch.Tensor) else input_x[0]
        raise TypeError("For primitive[Broadcast], the input[0] should be a Tuple, but got "
                        f"{kind.format(_dtype.from_torch(first.dtype))}.")
    return tuple([collectives.broadcast(t, root_rank, found) for t in input_x])


@primitive("Reduce", init={"dest_rank": REQUIRED, "op": "sum", "group": _WORLD})
def _reduce(input_x, dest_rank, op="sum", group=_WORLD):
    """``input_x`` reduced to process ``dest_rank`` of the group (``mindspore.ops.Reduce``).

    The others get a Tensor of shape (1,) without meaning.
    """
    _check_reduction("Reduce", op)
    return collectives.reduce(input_x, dest_rank, op, group_of(group))


@primitive("CollectiveGather", init={"dest_rank": REQUIRED, "group": _WORLD})
def _collective_gather(input_x, dest_rank, group=_WORLD):
    """All processes' ``input_x`` joined along axis 0, at ``dest_rank`` (``mindspore.ops.CollectiveGather``).

    The others get a Tensor of shape (1,) without meaning.
    """
    return collectives.gather(input_x, dest_rank, group_of(group))


@primitive("CollectiveScatter", init={"src_rank": 0, "group": _WORLD})
def _collective_scatter(input_x, src_rank=0, group=_WORLD):
    """This process's part along axis 0 of ``src_rank``'s tensor (``mindspore.ops.CollectiveScatter``)."""
    return collectives.scatter(input_x, src_rank, group_of(group))


@primitive("AlltoAll", init={"split_count": REQUIRED, "split_dim": REQUIRED, "concat_dim": REQUIRED,
                             "group": _WORLD})
def _all_to_all(input_x, split_count, split_dim, concat_dim, group=_WORLD):
    """Part i along ``split_dim`` goes to process i, what comes is joined along ``concat_dim``
    (``mindspore.ops.AlltoAll``); ``split_count`` is the size of the group, ValueError for another."""
    found = group_of(group)
    if split_count != found.size:
        raise ValueError(f"For 'AlltoAll', the 'split_count' must be equal to 'rank_size', but got "
                         f"'split_count': {split_count}, 'rank_size': {found.size}.")
    return collectives.all_to_all(input_x, split_dim, concat_dim, found)


@primitive("NeighborExchange", init={"send_rank_ids": REQUIRED, "recv_rank_ids": REQUIRED,
                                     "recv_shapes": REQUIRED, "send_shapes": REQUIRED, "recv_type": REQUIRED,
                                     "group": _WORLD}, call=("tensor",))
def _neighbor_exchange(input_x, send_rank_ids, recv_rank_ids, recv_shapes, send_shapes, recv_type,
                       group=_WORLD):
    """Sends a Tensor of the tuple ``input_x`` to each of ``send_rank_ids`` and gives the tuple of what comes
    from each of ``recv_rank_ids`` (``mindspore.ops.NeighborExchange``).

    ValueError where shapes are not those of ``send_shapes``.
    """
    tensors = tuple(input_x) if isinstance(input_x, (tuple, list)) else (input_x,)
    shapes = [tuple(t.shape) for t in tensors]
    if shapes != [tuple(s) for s in send_shapes] or len(tensors) != len(send_rank_ids):
        raise ValueError(f"For 'NeighborExchange', the inputs have shapes {shapes}, but 'send_shapes' is "
                         f"{send_shapes} and 'send_rank_ids' is {send_rank_ids}.")
    return collectives.neighbor_exchange(tensors, send_rank_ids, recv_rank_ids, recv_shapes,
                                         [_dtype.to_torch(recv_type)] * len(recv_shapes), group_of(group))


@primitive("BatchISendIRecv", init={"op_types": REQUIRED, "remote_ranks": REQUIRED, "receive_shapes": None,
                                    "receive_dtypes": None, "group": _WORLD}, call=("input_x",))
def _batch_isend_irecv(input_x, op_types, remote_ranks, receive_shapes=None, receive_dtypes=None,
                       group=_WORLD):
    """Sends a Tensor of ``input_x`` for each "isend" of ``op_types`` and receives one for each "irecv"
    (``mindspore.ops.BatchISendIRecv``); what stands at the place of an "isend" has no meaning.

    ValueError where lists that belong together differ in length.
    """
    shapes, dtypes = receive_shapes or (), receive_dtypes or ()
    if len(shapes) != len(dtypes):
        raise ValueError("length of receive_shapes and receive_shapes must be the same, but got "
                         f"receive_shapes: {len(shapes)}  and receive_shapes: {dtypes}")
    if len(op_types) != len(remote_ranks):
        raise ValueError("length of op_types and remote_ranks must be the same.")
    to, come_from = ([rank for kind, rank in zip(op_types, remote_ranks, strict=True) if kind == wanted]
                     for wanted in ("isend", "irecv"))
    sent = [t for t in input_x if t is not None]
    if (len(sent), len(shapes)) != (len(to), len(come_from)):
        raise RuntimeError(f"For 'BatchISendIRecv', {len(to)} Tensors are sent and {len(come_from)} "
                           f"received, but {len(sent)} Tensors and {len(shapes)} shapes are given.")
    got = iter(collectives.neighbor_exchange(sent, to, come_from, shapes,
                                             [_dtype.to_torch(dtype) for dtype in dtypes], group_of(group)))
    return tuple(next(got) if kind == "irecv" else torch.zeros(()) for kind in op_types)


def _listed(numbers) -> list[int]:
    return numbers.flatten().tolist() if isinstance(numbers, torch.Tensor) else [int(n) for n in numbers]


@primitive("AlltoAllV", init={"group": _WORLD, "block_size": 1},
           call=("input_x", "send_numel_list", "recv_numel_list"))
def _all_to_all_v(input_x, send_numel_list, recv_numel_list, group=_WORLD, block_size=1):
    """Parts of the flat ``input_x`` to all processes, of ``send_numel_list`` blocks each, and theirs, of
    ``recv_numel_list`` blocks, joined (``mindspore.ops.AlltoAllV``).

    ValueError where the parts are not the whole, or are not as many as processes.
    """
    sends, receives = ([n * block_size for n in _listed(one)] for one in (send_numel_list, recv_numel_list))
    return collectives.all_to_all_uneven(input_x, sends, receives, group_of(group))


@primitive("AlltoAllVC", init={"group": _WORLD, "block_size": 1, "transpose": False},
           call=("input_x", "send_count_matrix"))
def _all_to_all_v_c(input_x, send_count_matrix, group=_WORLD, block_size=1, transpose=False):
    """`AlltoAllV` where every process knows all counts: row i of ``send_count_matrix`` has what process i
    sends to each (``mindspore.ops.AlltoAllVC``); ``transpose`` reads columns for rows."""
    found = group_of(group)
    counts, size = [n * block_size for n in _listed(send_count_matrix)], found.size
    if len(counts) != size * size:
        raise ValueError(f"For 'AlltoAllVC', the 'send_count_matrix' must have {size} x {size} elements, but "
                         f"got {len(counts)}.")
    row, column = counts[found.rank * size:(found.rank + 1) * size], counts[found.rank::size]
    sends, receives = (column, row) if transpose else (row, column)
    return collectives.all_to_all_uneven(input_x, sends, receives, found)


@primitive("AllGatherV", init={"group": _WORLD}, call=("input_x", "output_split_sizes"))
def _all_gather_v(input_x, output_split_sizes, group=_WORLD):
    """The flat tensors of all processes joined, ``output_split_sizes`` elements from each
    (``mindspore.ops.AllGatherV``)."""
    found = group_of(group)
    return collectives.all_to_all_uneven(input_x.repeat(found.size), [input_x.numel()] * found.size,
                                         _listed(output_split_sizes), found)


@primitive("ReduceScatterV", init={"op": "sum", "group": _WORLD}, call=("input_x", "input_split_sizes"))
def _reduce_scatter_v(input_x, input_split_sizes, op="sum", group=_WORLD):
    """This process's ``input_split_sizes`` elements of the reduced flat tensor
    (``mindspore.ops.ReduceScatterV``); ``op`` is "sum", "max" or "min"."""
    _check_reduction("ReduceScatterV", op)
    found, sizes = group_of(group), _listed(input_split_sizes)
    parts = collectives.all_to_all_uneven(input_x, sizes, [sizes[found.rank]] * found.size, found)
    return getattr(parts.view(found.size, -1), {"max": "amax", "min": "amin"}.get(op, op))(0)


@op
def all_gather_matmul(input, x2, group, world_size, *, bias=None, gather_index=0, gather_output=True,
                      comm_turn=0, trans_input=False, trans_x2=False):
    """The ``input`` of all processes joined along axis 0, times ``x2``, and the joined ``input`` itself
    (``mindspore.ops.all_gather_matmul``); RuntimeError for what Ascend's kernel does not take."""
    _check_joined("all_gather_matmul", input, x2, bias=bias, gather_index=gather_index, comm_turn=comm_turn,
                  trans_input=trans_input)
    gathered = collectives.all_gather(input, group_of(group))
    return gathered @ (x2.T if trans_x2 else x2), gathered if gather_output else gathered.new_empty(0)


@op
def matmul_reduce_scatter(input, x2, group, world_size, *, reduce_op="sum", bias=None, comm_turn=0,
                          trans_input=False, trans_x2=False):
    """This process's part of the sum of all processes' ``input @ x2``
    (``mindspore.ops.matmul_reduce_scatter``); RuntimeError for what Ascend's kernel does not take."""
    _check_joined("matmul_reduce_scatter", input, x2, bias=bias, comm_turn=comm_turn, trans_input=trans_input)
    if reduce_op != "sum":
        raise RuntimeError("For 'matmul_reduce_scatter', the 'reduce_op' must be 'sum', but got "
                           f"{reduce_op!r}.")
    return collectives.reduce_scatter(input @ (x2.T if trans_x2 else x2), "sum", group_of(group))


def _check_joined(name: str, input, x2, **unused) -> None:
    """Refuse what a product with a collective does not take: settings that have one value, and dtypes."""
    for setting, value in unused.items():
        if value:
            raise RuntimeError(f"For '{name}', the '{setting}' must be left as it is, but got {value}.")
    if input.dtype not in (torch.float16, torch.bfloat16) or x2.dtype is not input.dtype:
        raise RuntimeError(f"For '{name}', 'input' and 'x2' must be of one dtype, Float16 or BFloat16, but "
                           f"got {_dtype.from_torch(input.dtype)} and {_dtype.from_torch(x2.dtype)}.")


@primitive("NeighborExchangeV2", init={
    "send_rank_ids": REQUIRED, "send_lens": REQUIRED, "recv_rank_ids": REQUIRED, "recv_lens": REQUIRED,
    "data_format": REQUIRED, "group": _WORLD}, call=("tensor",))
def _neighbor_exchange_v2(tensor, send_rank_ids, send_lens, recv_rank_ids, recv_lens, data_format,
                          group=_WORLD):
    """Edges of an image (N, C, H, W) to its neighbours, and theirs around it
    (``mindspore.ops.NeighborExchangeV2``).

    Ranks are those of 8 directions clockwise from the top, -1 for none; lengths those of top, bottom, left
    and right. The result is (N, C, top + H + bottom, left + W + right) of ``recv_lens``, with zeros where no
    neighbour is. Gradients go back to where the edges came from.
    """
    _check_exchange({"send_rank_ids": send_rank_ids, "recv_rank_ids": recv_rank_ids},
                    {"send_lens": send_lens, "recv_lens": recv_lens}, data_format)
    found = group_of(group)
    to = [d for d in range(8) if send_rank_ids[d] != -1]
    come_from = [d for d in range(8) if recv_rank_ids[d] != -1]
    height, width = tensor.shape[2:]
    sent = tuple(tensor[..., r, c] for r, c in (_edge(d, send_lens, height, width) for d in to))
    shapes = [(*tensor.shape[:2], *_area(d, recv_lens, height, width)) for d in range(8)]
    got = dict(zip(come_from, collectives.neighbor_exchange(
        sent, [send_rank_ids[d] for d in to], [recv_rank_ids[d] for d in come_from],
        [shapes[d] for d in come_from], [tensor.dtype] * len(come_from), found), strict=True))
    part = [got[d] if d in got else tensor.new_zeros(shapes[d]) for d in range(8)]
    return torch.cat([torch.cat(row, 3) for row in (
        (part[7], part[0], part[1]), (part[6], tensor, part[2]), (part[5], part[4], part[3]))], 2)


# For the 8 directions: the row above, the middle or below; the column left, the middle or right.
_ROWS, _COLUMNS = (-1, -1, 0, 1, 1, 1, 0, -1), (0, 1, 1, 1, 0, -1, -1, -1)


def _area(direction: int, lengths, height: int, width: int) -> tuple[int, int]:
    top, bottom, left, right = lengths
    return ({-1: top, 0: height, 1: bottom}[_ROWS[direction]],
            {-1: left, 0: width, 1: right}[_COLUMNS[direction]])


def _edge(direction: int, lengths, height: int, width: int) -> tuple[slice, slice]:
    """Where in the image the edge lies that goes in that direction."""
    rows, columns = _area(direction, lengths, height, width)
    return (slice(height - rows, None) if _ROWS[direction] == 1 else slice(0, rows),
            slice(width - columns, None) if _COLUMNS[direction] == 1 else slice(0, columns))


@primitive("Send", init={"sr_tag": REQUIRED, "dest_rank": REQUIRED, "group": _WORLD, "group_back": _WORLD})
def _send(input_x, sr_tag, dest_rank, group=_WORLD, group_back=_WORLD):
    """Sends ``input_x`` to process ``dest_rank`` and gives it back (``mindspore.ops.Send``).

    Where the result is part of what is differentiated, its gradient comes from that process's `Receive`.
    """
    _must_be("Send", "sr_tag", sr_tag, int)
    return collectives.send(input_x, dest_rank, group_of(group), sr_tag)


@primitive("Receive", init={"sr_tag": REQUIRED, "src_rank": REQUIRED, "shape": REQUIRED, "dtype": REQUIRED,
                            "group": _WORLD, "group_back": _WORLD})
def _receive(input_x=None, sr_tag=0, src_rank=0, shape=(), dtype=None, group=_WORLD, group_back=_WORLD):
    """A Tensor of ``shape`` and ``dtype`` from process ``src_rank`` (``mindspore.ops.Receive``).

    In a differentiation its gradient is sent back there.
    """
    from ms2torch._core.devices.device import device

    _must_be("Receive", "sr_tag", sr_tag, int)
    return collectives.receive(shape, _dtype.to_torch(dtype), src_rank, group_of(group), sr_tag, device())


@primitive("Barrier", init={"group": _WORLD})
def _barrier(group=_WORLD):
    """Waits until all processes of ``group`` are here (``mindspore.ops.Barrier``)."""
    collectives.barrier(group_of(group))
    return torch.zeros(1)


# ---- what MindSpore checks, and keeps as attributes, when an operator is made ------------------------------


def _must_be(name: str, argument: str, value, kind: type) -> None:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"For '{name}', the type of '{argument}' should be '{kind.__name__}', "
                        f"but got type '{type(value).__name__}'.")


def _all_reduce_made(self) -> None:
    for argument, value in (("op", self.op), ("group", self.group)):
        if not isinstance(value, str):
            raise TypeError(f"For 'AllReduce', the '{argument}' must be str, but got {type(value).__name__}.")


def _made(self) -> None:
    if self.name == "AlltoAllV":
        _check_name("get_group_size", self.group)
    for argument, kind in (("op", str), ("group", str), ("root_rank", int), ("split_count", int),
                           ("split_dim", int), ("concat_dim", int)):
        if argument in self.attrs:
            _must_be(self.name, argument, self.attrs[argument], kind)
    if self.name in ("AllGather", "ReduceScatter", "AlltoAll", "AlltoAllV", "AllGatherV", "ReduceScatterV",
                     "CollectiveGather", "CollectiveScatter"):
        found = group_of(self.group)
        self.rank_size, self.rank = found.size, found.rank


# In this order; what is None is the group's.
_ALSO_KEPT: dict[str, dict] = {
    "AllReduce": {"fusion": 0, "index": 0, "no_eliminate": True},
    "AllGather": {"rank_size": None, "fusion": 0, "mean_flag": False, "no_eliminate": True},
    "ReduceScatter": {"rank_size": None, "fusion": 0, "no_eliminate": True},
    "AlltoAll": {"no_eliminate": True, "rank_size": None},
    "CollectiveScatter": {"rank_id": None, "rank_size": None},
    "AllGatherV": {"rank_size": None, "mean_flag": False, "rank_id": None},
    "ReduceScatterV": {"rank_size": None, "rank_id": None},
    "CollectiveGather": {"rank_size": None, "rank_id": None},
    **{name: {"no_eliminate": True} for name in (
        "Broadcast", "Send", "Receive", "NeighborExchange", "NeighborExchangeV2")}}
_SENT = (_dtype.float16, _dtype.float32, _dtype.float64, _dtype.bfloat16, _dtype.int8, _dtype.int16,
         _dtype.int32, _dtype.int64, _dtype.uint8, _dtype.uint16, _dtype.uint32, _dtype.uint64)


def _receive_made(self) -> None:
    _made(self)
    dtype = self.attrs["dtype"]
    if not any(dtype is one for one in _SENT):
        raise TypeError(f"For 'Receive', the type of 'dtype' must be in {list(_SENT)}, but got {dtype}.")


def _exchange_made(self) -> None:
    size = group_of(self.attrs["group"]).size
    for argument in ("send_rank_ids", "recv_rank_ids"):
        for rank in self.attrs[argument]:
            if rank != -1 and not 0 <= rank < size:
                raise ValueError(f"The 'rank_id in {argument}' must be in range of [0, {size}), but got "
                                 f"{rank} with type '{type(rank).__name__}'.")


def _check_exchange(ids: dict, lengths: dict, data_format) -> None:
    for name, value in ids.items():
        used = [n for n in value if n != -1]
        if len(value) != 8 or len(set(used)) != len(used):
            raise ValueError(f"For 'NeighborExchangeV2', '{name}' must be 8 different ranks or -1, but got "
                             f"{value}.")
    for name, value in lengths.items():
        if len(value) != 4 or any(n < 0 for n in value):
            raise ValueError(f"For 'NeighborExchangeV2', '{name}' must be 4 lengths from 0 on, but got "
                             f"{value}.")
    if data_format != "NCHW":
        raise ValueError("For 'NeighborExchangeV2', the 'data_format' must be 'NCHW', but got "
                         f"{data_format!r}.")


def _when_made(name: str, check) -> None:
    cls = PRIMITIVES[name]
    plain = cls.__init__

    def __init__(self, *args, **kwargs):
        plain(self, *args, **kwargs)
        check(self)
        group = self.group
        self.group = group if name == "Barrier" else _get_group(group)
        if name not in ("Send", "Receive"):
            self.attrs["group"] = self.group
        for attribute, value in _ALSO_KEPT.get(name, {}).items():
            self.add_prim_attr(attribute, {"rank_size": getattr(self, "rank_size", None),
                                           "rank_id": getattr(self, "rank", None)}.get(attribute, value))

    cls.__init__ = __init__


for _name in ("AllGather", "ReduceScatter", "Broadcast", "Reduce", "CollectiveGather", "CollectiveScatter",
              "AlltoAll", "AlltoAllV", "AlltoAllVC", "AllGatherV", "ReduceScatterV", "Send", "Barrier",
              "NeighborExchange"):
    _when_made(_name, _made)
_when_made("NeighborExchangeV2", _exchange_made)
_when_made("AllReduce", _all_reduce_made)
_when_made("Receive", _receive_made)
