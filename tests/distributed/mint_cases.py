"""What each rank computes for `test_mint_distributed`: ``mint.distributed`` and ``comm_func``."""

import numpy as np

import ms2torch as ms
from ms2torch import Tensor
from ms2torch.communication import comm_func
from ms2torch.mint import distributed as dist


def _x(rank=None):
    return Tensor(np.arange(4, dtype=np.float32) + 10 * (dist.get_rank() if rank is None else rank))


def _empty(*shape):
    return Tensor(np.zeros(shape, np.float32))


def in_place():
    dist.init_process_group()
    rank, size = dist.get_rank(), dist.get_world_size()
    found = {"places": (rank, size, dist.is_initialized(), dist.get_backend(),
                        dist.get_process_group_ranks())}
    for op in ("sum", "prod", "min", "max", "avg"):
        x = _x()
        assert dist.all_reduce(x, op) is None
        found[op] = x
    x = _x()
    handle = dist.all_reduce(x, async_op=True)
    handle.wait()
    found["async"] = x
    found["reduce"] = x = _x()
    dist.reduce(x, 1)
    found["broadcast"] = x = _x()
    dist.broadcast(x, 1)
    found["all_gather_into_tensor"] = out = _empty(4 * size)
    dist.all_gather_into_tensor(out, _x())
    found["all_gather"] = [_empty(4) for _ in range(size)]
    dist.all_gather(found["all_gather"], _x())
    found["uneven gather"] = out = _empty(3)
    dist.all_gather_into_tensor_uneven(out, _x()[: rank + 1], [1, 2])
    found["reduce_scatter_tensor"] = out = _empty(4 // size)
    dist.reduce_scatter_tensor(out, _x())
    found["uneven scatter"] = out = _empty(1 + 2 * rank)
    dist.reduce_scatter_tensor_uneven(out, _x(), [1, 3])
    found["reduce_scatter"] = out = _empty(2)
    dist.reduce_scatter(out, [_x()[:2], _x()[2:]], "max")
    found["scatter_tensor"] = out = _empty(2)
    dist.scatter_tensor(out, _x(), 1)
    found["scatter"] = out = _empty(2)
    dist.scatter(out, [_x()[:2], _x()[2:]], 0)
    found["gather_into_tensor"] = out = _empty(8)
    dist.gather_into_tensor(out, _x(), 1)
    found["gather"] = [_empty(4), _empty(4)]
    dist.gather(_x(), found["gather"], 0)
    found["all_to_all"] = [_empty(1 + rank), _empty(1 + rank)]
    dist.all_to_all(found["all_to_all"], [_x()[:1], _x()[1:3]])
    found["all_to_all_single"] = out = _empty(4)
    dist.all_to_all_single(out, _x())
    dist.barrier()
    return {k: _plain(v) for k, v in found.items()}


def _plain(value):
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.asnumpy() if isinstance(value, Tensor) else value


def messages():
    dist.init_process_group()
    rank = dist.get_rank()
    other = 1 - rank
    got = _empty(4)
    if rank == 0:
        dist.send(_x(), 1)
        dist.recv(got, 1)
    else:
        dist.recv(got, 0)
        dist.send(_x(), 0)
    both = _empty(4)
    pair = [dist.P2POp("isend", _x(), other), dist.P2POp(dist.irecv, both, other)]
    (handle,) = dist.batch_isend_irecv(pair)
    read = both.asnumpy().copy()            # before the wait, as MindSpore's example does
    handle.wait()
    objects, gathered = [None, None], [None, None]
    dist.all_gather_object(objects, {"rank": rank})
    dist.gather_object(("r", rank), gathered if rank == 1 else None, 1)
    shared = [rank, "a"] if rank == 0 else [None, None]
    dist.broadcast_object_list(shared, 0)
    scattered = [None]
    dist.scatter_object_list(scattered, ["zero", "one"] if rank == 0 else None, 0)
    letters = [None, None]
    if rank == 0:
        dist.send_object_list(["x", {"y": 1}], 1)
    else:
        dist.recv_object_list(letters, 0)
    return got.asnumpy(), read, objects, gathered, shared, scattered, letters


def groups():
    dist.init_process_group()
    rank = dist.get_rank()
    name = dist.new_group([2, 0] if rank in (0, 2) else [1, 3], backend="mccl")
    x = _x()
    dist.all_reduce(x, group=name)
    found = (name, dist.get_rank(name), dist.get_world_size(name), dist.get_global_rank(name, 1),
             dist.get_group_rank(name, rank), dist.get_backend(name), x.asnumpy())
    dist.destroy_process_group(name)
    dist.destroy_process_group()
    return (*found, dist.is_initialized())


def by_address(port):
    """Joined without a launcher's variables."""
    import os

    rank = int(os.environ.pop("RANK"))
    for name in ("WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        os.environ.pop(name)
    dist.init_process_group(init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    x = _x()
    dist.all_reduce(x)
    return x.asnumpy()


def functions():
    """``comm_func`` gives new Tensors, with gradients."""
    dist.init_process_group()
    rank = dist.get_rank()
    other, x = 1 - rank, _x()
    found = {
        "all_reduce": comm_func.all_reduce(x), "max": comm_func.all_reduce(x, "max"),
        "all_gather": comm_func.all_gather_into_tensor(x),
        "reduce_scatter": comm_func.reduce_scatter_tensor(x),
    }
    assert all(handle is None for _, handle in found.values())
    found = {name: value for name, (value, _) in found.items()}
    value, handle = comm_func.all_reduce(x, async_op=True)
    handle.wait()
    found["async"] = value
    found["broadcast"] = comm_func.broadcast(x, 1)
    found["reduce"] = comm_func.reduce(x, 0)
    found["scatter"] = comm_func.scatter_tensor(x, 1)
    found["gather"] = comm_func.gather_into_tensor(x, 0)
    sending = comm_func.isend(x, other)
    value, handle = comm_func.irecv(x, other)
    handle.wait()
    sending.wait()
    found["irecv"] = value
    received = comm_func.batch_isend_irecv([comm_func.P2POp("isend", x, other),
                                            comm_func.P2POp("irecv", (4,), other, recv_dtype=ms.float32)])
    found["batch"] = received[1]
    pair, _ = comm_func.all_to_all_with_output_shape([(2,), (2,)], [x[:2], x[2:]])
    found["all_to_all 0"], found["all_to_all 1"] = pair
    found["single"], _ = comm_func.all_to_all_single_with_output_shape((4,), x)
    found["gradient"] = ms.grad(lambda x: (comm_func.all_reduce(x)[0] * x).sum())(x)
    comm_func.barrier()
    return {name: value.asnumpy() for name, value in found.items()}


def tags():
    """What a tag that is no number gets."""
    ms.communication.init()
    x, other, found = Tensor(np.ones(2, np.float32)), 1 - ms.communication.get_rank(), []
    for call, place in ((dist.isend, "dst"), (dist.irecv, "src"), (comm_func.send, "dst"),
                        (comm_func.recv, "src")):
        try:
            call(x, **{place: other}, tag="a")
        except TypeError as err:
            found.append(str(err))
    return found
