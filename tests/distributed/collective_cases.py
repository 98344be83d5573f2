"""What each rank computes for `test_collectives`."""

import numpy as np

import ms2torch as ms
from ms2torch import Tensor, communication, nn, ops
from ms2torch._core.processes.meter import Meter
from ms2torch.communication import create_group, get_group_size, get_rank, init


def _x(rank=None):
    rank = get_rank() if rank is None else rank
    return Tensor(np.arange(4, dtype=np.float32) + 10 * rank)


def places():
    before = get_rank(), get_group_size()
    init()
    return (before, get_rank(), get_group_size(), communication.get_local_rank(),
            communication.get_local_rank_size(), communication.get_process_group_ranks(),
            communication.GlobalComm.WORLD_COMM_GROUP)


def values():
    init()
    x, size = _x(), get_group_size()
    found = {op: ops.AllReduce(op)(x) for op in ("sum", "max", "min", "prod")}
    found["float16"] = ops.AllReduce()(Tensor([1.5 + get_rank()], ms.float16))
    found["scalar"] = ops.AllReduce()(Tensor(1.5 + get_rank(), ms.float32))
    found["bool"] = ops.AllReduce("max")(Tensor([get_rank() == 1, False]))
    found["AllGather"] = ops.AllGather()(x)
    found["ReduceScatter"] = ops.ReduceScatter()(x)
    found["Broadcast"] = ops.Broadcast(size - 1)((x,))[0]
    found["AlltoAll"] = ops.AlltoAll(size, 0, 0)(x)
    found["AlltoAll dims"] = ops.AlltoAll(size, 1, 0)(x.reshape(1, 4))
    found["Reduce"] = ops.Reduce(1)(x)
    found["CollectiveGather"] = ops.CollectiveGather(1)(x)
    found["CollectiveScatter"] = ops.CollectiveScatter(0)(x)
    ops.Barrier()()
    return {name: value.asnumpy() for name, value in found.items()}


def scattering(rows):
    """Bytes that a rank sends in a ReduceScatter."""
    init()
    x = Tensor(np.ones((rows, 8), np.float32))
    with Meter() as meter:
        ops.ReduceScatter()(x)
    return meter.sent


def gradients():
    init()
    x, size, rank = _x() + 1, get_group_size(), get_rank()
    w = Tensor(np.arange(4 * size, dtype=np.float32) * (rank + 1))

    def of(function, at=x):
        return ms.grad(function)(at).asnumpy()

    return {
        "sum": of(lambda x: (ops.AllReduce()(x) * x).sum()),
        "max": of(lambda x: (ops.AllReduce("max")(x) * x).sum()),
        "prod": of(lambda x: (ops.AllReduce("prod")(x) * (rank + 1)).sum()),
        "AllGather": of(lambda x: (ops.AllGather()(x) * w).sum()),
        "ReduceScatter": of(lambda x: (ops.ReduceScatter()(x) * (rank + 1)).sum()),
        "Broadcast": of(lambda x: (ops.Broadcast(0)((x,))[0] * x).sum()),
        "AlltoAll": of(lambda x: (ops.AlltoAll(size, 1, 0)(x.reshape(1, 4)) * (rank + 1)).sum()),
        "second": of(lambda x: ms.grad(lambda y: (ops.AllReduce()(y * y * y)).sum())(x).sum()),
    }


def neighbours():
    """Each rank sends to the next and receives from the one before, around a ring."""
    init()
    size, rank = get_group_size(), get_rank()
    after, before = (rank + 1) % size, (rank - 1) % size
    exchange = ops.NeighborExchange([after], [before], ([4],), ([4],), ms.float32)
    x = _x()
    (got,) = exchange((x,))
    gradient = ms.grad(lambda x: (exchange((x * x,))[0] * (rank + 1)).sum())(x)
    return got.asnumpy(), gradient.asnumpy()


def edges():
    """Four ranks hold the quarters of an image: (quarters with the rim of their neighbours, gradient)."""
    init()
    rank = get_rank()
    row, column = divmod(rank, 2)
    steps = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]
    places = [(row + r, column + c) for r, c in steps]
    ids = [r * 2 + c if 0 <= r < 2 and 0 <= c < 2 else -1 for r, c in places]
    # (The image's own border has no neighbour: a rim of zeros.)
    exchange = ops.NeighborExchangeV2(ids, [1, 1, 2, 2], ids, [1, 1, 2, 2], "NCHW")
    whole = np.arange(64, dtype=np.float32).reshape(1, 1, 8, 8)
    mine = Tensor(whole[:, :, 4 * row:4 * row + 4, 4 * column:4 * column + 4])
    gradient = ms.grad(lambda x: (exchange(x) * (rank + 1)).sum())(mine)
    return exchange(mine).asnumpy(), gradient.asnumpy()


GATHERED = np.arange(14, dtype=np.float32).reshape(2, 7)


def uneven():
    """What `AlltoAllV`, `AlltoAllVC` and the functions of ``ops.communication`` give on two ranks."""
    from ms2torch.ops import communication as functions

    init()
    rank = get_rank()
    x = Tensor([3.0 * rank, 3.0 * rank + 1, 3.0 * rank + 2])
    counts = [[1, 2], [2, 1]][rank]
    matrix = Tensor([[1, 2], [2, 1]])
    weight = Tensor(np.arange(3, dtype=np.float32) + 10 * rank)
    found = {"V": ops.AlltoAllV()(x, counts, counts), "VC": ops.AlltoAllVC()(x, matrix),
             "blocks": ops.AlltoAllV(block_size=3)(x, [1 - rank, rank], [1 - rank, rank]),
             "gradient": ms.grad(lambda x: (ops.AlltoAllV()(x, counts, counts) * weight).sum())(x)}
    flat, sizes = Tensor(np.arange(rank + 3, dtype=np.float32)), [3, 4]
    found["all gather"] = ops.AllGatherV()(flat, sizes)
    gathered = Tensor(GATHERED[rank])
    found["its gradient"] = ms.grad(lambda x: (ops.AllGatherV()(x, sizes) * gathered).sum())(flat)
    found["reduce scatter"] = ops.ReduceScatterV()(x, [2, 1])
    found["greatest"] = ops.ReduceScatterV("max")(x, [2, 1])
    both = ops.BatchISendIRecv(("isend", "irecv"), [1 - rank] * 2, [(3,)], (ms.float32,))
    found["received"] = both((x,))[1]
    found["sent back"] = ms.grad(lambda x: (both((x,))[1] * weight).sum())(x)
    half, square = Tensor(np.full((2, 2), 1 + rank), ms.float16), Tensor(np.eye(2) * 2, ms.float16)
    found["product"], found["joined"] = ops.all_gather_matmul(half, square, "hccl_world_group", 2)
    found["part"] = ops.matmul_reduce_scatter(half, square, "hccl_world_group", 2)
    rows = Tensor(np.arange(6, dtype=np.float32).reshape(3, 2) + 10 * rank)
    into = Tensor(np.zeros((3, 2), np.float32))
    assert functions.all_to_all_v_c(into, rows, [1, 2, 2, 1]) is None
    found["rows"], written = into, x.copy()
    functions.all_reduce(written)
    functions.set_comm_ops_inplace(False)
    found["made"], handle = functions.all_reduce(x)
    assert handle is None
    found["gathered"], _ = functions.all_gather_into_tensor(None, x)
    try:
        functions.broadcast(x, 0)
    except ValueError as err:
        refused = str(err)
    functions.set_comm_ops_inplace(True, ["irecv", "isend", "batch_isend_irecv"])
    got = Tensor(np.zeros(3, np.float32))
    pair = [functions.P2POp(functions.isend, x, 1 - rank), functions.P2POp(functions.irecv, got, 1 - rank)]
    for one in functions.batch_isend_irecv(pair):
        one.wait()
    found["written"], found["got"] = written, got
    return {k: v.asnumpy() for k, v in found.items()}, x.asnumpy(), refused


class _Sender(nn.Cell):
    def __init__(self):
        super().__init__()
        self.send = ops.Send(sr_tag=3, dest_rank=1)

    def construct(self, x):
        return self.send(x * x).sum()


def pipeline_by_hand():
    """Rank 0 computes x*x and sends it, rank 1 differentiates 5 * received**2 * v."""
    init()
    x = Tensor(np.array([1.0, 2.0], np.float32))
    if get_rank() == 0:
        return ms.grad(_Sender())(x).asnumpy()
    v = Tensor(np.array([1.0, 10.0], np.float32))
    receive = ops.Receive(sr_tag=3, src_rank=0, shape=[2], dtype=ms.float32)
    return ms.grad(lambda v: (5 * receive() ** 2 * v).sum())(v).asnumpy()


def groups():
    init()
    rank = get_rank()
    mine = [0, 2] if rank in (0, 2) else [1, 3]
    name = "even" if rank in (0, 2) else "odd"
    create_group(name, mine)
    create_group(name, mine)
    found = (get_rank(name), get_group_size(name), communication.get_process_group_ranks(name),
             communication.get_world_rank_from_group_rank(name, 1),
             communication.get_group_rank_from_world_rank(rank, name),
             ops.AllReduce(group=name)(_x()).asnumpy(), ops.AllGather(group=name)(_x()).asnumpy(),
             ops.Broadcast(1, group=name)((_x(),))[0].asnumpy())
    communication.destroy_group(name)
    try:
        ops.AllReduce(group=name)(_x())
    except RuntimeError as err:
        return (*found, str(err))
    return found


def different_operations(what):
    init()
    rank = get_rank()
    x = _x()
    if what == "operators":
        return (ops.AllReduce() if rank == 0 else ops.AllGather())(x)
    if what == "shapes":
        return ops.AllReduce()(x if rank == 0 else x[:2])
    if what == "dtypes":
        return ops.AllReduce()(x if rank == 0 else x.astype(ms.int32))
    return ops.AllReduce("sum" if rank == 0 else "max")(x)
