"""What ranks train in groups for `test_groups`: two pairs among four, each on its own half of the data."""

import numpy as np

import ms2torch as ms
from ms2torch import Parameter, Tensor, mint, nn, ops
from ms2torch.communication import create_group, get_rank, init

PAIRS = [[0, 1], [2, 3]]
STEPS = 5


def _data():
    rs = np.random.RandomState(11)
    return rs.randn(STEPS, 12, 4, 3, 3), rs.randn(STEPS, 12, 2)


class _Net(nn.Cell):
    def __init__(self, norm):
        super().__init__()
        rs = np.random.RandomState(3)
        self.norm = norm
        self.weight = Parameter(Tensor(rs.randn(4, 2)), name="weight")

    def construct(self, x, y):
        return ops.square(ops.tanh(self.norm(x)).mean((2, 3)) @ self.weight - y).mean()


def train_in_groups(layer, half=None):
    """(parameters, gradient of the input at the end) of this rank; alone: on the data of pair ``half``."""
    init()
    rank = get_rank()
    alone = half is not None
    if not alone:
        half, shard = divmod(rank, 2)
        name = f"pair {half}"
        create_group(name, PAIRS[half])
    if layer == "nn":
        norm = nn.BatchNorm2d(4) if alone else nn.SyncBatchNorm(4, process_groups=PAIRS)
    else:
        norm = mint.nn.BatchNorm2d(4) if alone else mint.nn.SyncBatchNorm(4, process_group=name)
    net = _Net(norm).set_train()
    for p in net.get_parameters():
        p._rest.data = p._rest.data.to(ms.float64.torch) if p.dtype == ms.float32 else p._rest.data
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    forward = ms.value_and_grad(net, None, optimizer.parameters)
    reducer = (lambda grads: grads) if alone else nn.DistributedGradReducer(optimizer.parameters, True, 2,
                                                                            group=name)
    for x, y in zip(*_data(), strict=True):
        mine = slice(6 * half, 6 * half + 6) if alone else slice(6 * half + shard, 6 * half + 6, 2)
        x, y = Tensor(x[mine]), Tensor(y[mine])
        _, grads = forward(x, y)
        optimizer(reducer(grads))
    last = ms.grad(net)(x, y).asnumpy()
    ops.Barrier()()
    return {p.name: p.asnumpy().copy() for p in net.get_parameters()}, last


def own_gradients(group, degree):
    """Reduced gradients of a shared weight and of one with ``layerwise_parallel``, over the pair or all."""
    init()
    rank = get_rank()
    name = None
    if group:
        name = f"pair {rank // 2}"
        create_group(name, PAIRS[rank // 2])
    weights = [Parameter(Tensor(np.zeros(2)), name="shared"),
               Parameter(Tensor(np.zeros(3)), name="own", layerwise_parallel=True)]
    reducer = nn.DistributedGradReducer(weights, True, degree, group=name)
    found = reducer((Tensor(np.full(2, 10.0**rank)), Tensor(np.full(3, 10.0**rank))))
    ops.Barrier()()
    return [g.asnumpy() for g in found]
