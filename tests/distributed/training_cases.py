"""Networks, data and training loops for `test_training`: each runs alone on whole batches, or on N ranks."""

import sys
from itertools import count

import numpy as np
import torch

import ms2torch as ms
from ms2torch import Parameter, Tensor, context, nn, ops
from ms2torch.communication import get_group_size, get_rank, init
from tests._core import test_faults_in_passes
from tests._core.test_faults_in_passes import Fault, FaultAt

STEPS = 20
# So many operators of a second step make DDP's buckets anew.
MAKING_BUCKETS = 12
BATCH = 8
# Networks with a SyncBatchNorm: under the built-in cell, a user's cell that clips, a functional loop.
SYNCHRONOUS = ("sync_batch_norm", "sync_batch_norm clipped", "sync_batch_norm functional")
OPTIMIZERS = {
    "lamb": lambda params: nn.Lamb(params, 0.01, weight_decay=0.01),
    "sgd": lambda params: nn.SGD(params, 0.05, momentum=0.9, weight_decay=0.01, loss_scale=2.0),
    "adam": lambda params: nn.Adam(params, 0.01, weight_decay=0.01),
}


def _data(steps):
    rs = np.random.RandomState(7)
    return rs.randn(steps, BATCH, 6), rs.randn(steps, BATCH, 3)


class Net(nn.Cell):
    """Two layers, a weight that is used twice and one that no loss depends on."""

    def __init__(self, norm=None):
        super().__init__()
        rs = np.random.RandomState(3)
        self.fc1 = nn.Dense(6, 10, weight_init=Tensor(rs.randn(10, 6).astype(np.float32) * 0.4))
        self.fc2 = nn.Dense(10, 3, weight_init=Tensor(rs.randn(3, 10).astype(np.float32) * 0.4))
        self.gate = Parameter(Tensor(np.ones(10, np.float32) * 0.7), name="gate")
        self.idle = Parameter(Tensor(np.ones(2, np.float32)), name="idle")
        self.norm = norm() if norm else None

    def construct(self, x):
        h = self.fc1(x)
        if self.norm is not None:
            h = self.norm(h)
        return self.fc2(ops.tanh(h * self.gate) * self.gate)


class SquaredError(nn.Cell):
    """The mean squared error in the dtype of its inputs (MSELoss computes in Float32)."""

    def construct(self, x, y):
        return ops.square(x - y).mean()


def _sync_norm():
    return nn.SyncBatchNorm(10)


def _made(kind, dtype):
    """(network with its loss, optimizer) with parameters of ``dtype``."""
    ms.set_seed(1)
    net = Net(_sync_norm if kind in SYNCHRONOUS else None)
    for p in net.get_parameters():
        p._rest.data = p._rest.data.to(dtype.torch)
    with_loss = nn.WithLossCell(net, SquaredError())
    if kind == "accumulated":
        return net, with_loss, nn.SGD(net.trainable_params(), 0.05, momentum=0.9)
    if kind in OPTIMIZERS:
        return net, with_loss, OPTIMIZERS[kind](net.trainable_params())
    return net, with_loss, nn.Momentum(net.trainable_params(), 0.05, 0.9)


class UserCell(nn.Cell):
    """A training step as users write it, with clipping between gradients and update."""

    def __init__(self, network, optimizer, clip=None):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer, self.weights = optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.clip = clip
        mode = context.get_auto_parallel_context("parallel_mode")
        self.reducer_flag = mode in ("data_parallel", "hybrid_parallel")
        if self.reducer_flag:
            mean = context.get_auto_parallel_context("gradients_mean")
            self.grad_reducer = nn.DistributedGradReducer(self.weights, mean, get_group_size())

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs, ops.ones_like(loss))
        if self.reducer_flag:
            grads = self.grad_reducer(grads)
        if self.clip:
            grads = ops.clip_by_global_norm(grads, self.clip)
        return ops.depend(loss, self.optimizer(grads))


def _functional(network, optimizer):
    """A functional loop: value_and_grad and an explicit reducer."""
    reducer = nn.DistributedGradReducer(optimizer.parameters)
    forward = ms.value_and_grad(network, None, optimizer.parameters)

    def step(*inputs):
        loss, grads = forward(*inputs)
        optimizer(reducer(grads))
        return loss

    return step


def _accumulating(network, optimizer):
    """Two backward passes for each update; the sum is reduced once."""
    reducer = nn.DistributedGradReducer(optimizer.parameters)
    forward = ms.value_and_grad(network, None, optimizer.parameters)

    def step(x, y):
        total, half = None, x.shape[0] // 2
        for part in (slice(0, half), slice(half, None)):
            loss, grads = forward(x[part], y[part])
            total = grads if total is None else tuple(a + b for a, b in zip(total, grads, strict=True))
        optimizer(reducer(tuple(g / 2 for g in total)))
        return loss

    return step


def _step(kind, network, optimizer):
    if kind in ("plain", "sync_batch_norm", *OPTIMIZERS):
        return nn.TrainOneStepCell(network, optimizer).set_train()
    if kind == "sens":
        return nn.TrainOneStepCell(network, optimizer, sens=4.0).set_train()
    if kind == "micro":
        return nn.TrainOneStepCell(nn.GradAccumulationCell(network, 2), optimizer).set_train()
    if kind == "scaled":
        manager = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 7)
        return nn.TrainOneStepWithLossScaleCell(network, optimizer, manager).set_train()
    if kind == "user":
        return UserCell(network, optimizer).set_train()
    if kind.endswith("clipped"):
        return UserCell(network, optimizer, clip=0.3).set_train()
    if kind.endswith("functional"):
        return _functional(network, optimizer)
    return _accumulating(network, optimizer)


def train(kind, dtype="float64", steps=STEPS, mode="data_parallel", graph=False, **settings):
    """(losses, parameters by name, whether DDP ran the backward pass, parameters after the first step).

    On several ranks each has its shard of every batch.
    """
    init()
    size, rank = get_group_size(), get_rank()
    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    ms.set_auto_parallel_context(parallel_mode=mode, gradients_mean=True, **settings)
    dtype = getattr(ms, dtype)
    net, network, optimizer = _made(kind, dtype)
    step = _step(kind, network, optimizer)
    losses, first = [], None
    for x, y in zip(*_data(steps), strict=True):
        # The halves of the accumulating loop are those of the whole batch, so that the sums are the same.
        mine = slice(rank, None, size)
        x, y = Tensor(x, dtype), Tensor(y, dtype)
        out = step(x[mine], y[mine])
        losses.append(float((out[0] if isinstance(out, tuple) else out).asnumpy()))
        first = first or _values(net)
    assert all(not p._rest.requires_grad and p._rest.grad is None for p in net.get_parameters())
    overlapped = getattr(getattr(step, "grad_reducer", None), "_overlap", None) is not None
    return losses, _values(net), overlapped, first


def with_failed_steps(kind, failing):
    """Parameters after five steps, with steps between them that raise on every rank: forward, backward, or at
    the n-th operator of the update."""
    init()
    size, rank = get_group_size(), get_rank()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    net, network, optimizer = _made(kind, ms.float64)
    step, fails = _step(kind, network, optimizer), []

    def hook(where):
        def fault(*given):
            if where in fails:
                raise ZeroDivisionError

        return fault

    update = optimizer.construct

    def updated(gradients):
        n = next((int(f.removeprefix("update ")) for f in fails if f.startswith("update")), None)
        with FaultAt(n):
            return update(gradients)

    optimizer.construct = updated
    net.fc2.register_forward_hook(hook("forward"))
    net.fc1.register_backward_hook(hook("backward"))
    mine = slice(rank, None, size)
    for x, y in zip(*_data(5), strict=True):
        for fault in failing:
            fails.append(fault)
            try:
                step(Tensor(x * 3, ms.float64)[mine], Tensor(y, ms.float64)[mine])
                raise AssertionError("the step did not fail")
            except (ZeroDivisionError, Fault):
                fails.clear()
        step(Tensor(x, ms.float64)[mine], Tensor(y, ms.float64)[mine])
    return _values(net)


def a_fault_at_every_operator(kind):
    """(operators of a step, losses with failed steps between them, losses without): normalisation, dropout, a
    memory bank, an overwritten activation and a backward hook, trained on N ranks. A failed step raises on
    every rank at its n-th operator, for all n; it has to leave no trace.
    """
    init()
    rank = get_rank()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    inputs = Tensor(np.random.RandomState(rank).randn(6, 3).astype(np.float32))

    def started():
        ms.set_seed(3)
        net = test_faults_in_passes.Net().set_train()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = _step(kind, net, optimizer)
        return net, optimizer, lambda: step(inputs)

    def number(found):
        return float((found[0] if isinstance(found, tuple) else found).asnumpy())

    def loss(step):
        return number(step())

    net, optimizer, step = started()
    losses = [loss(step)]
    for n in count(1):
        if n <= MAKING_BUCKETS:
            losses.append(loss(step))
        before, seeds = test_faults_in_passes.state(net, optimizer)
        try:
            with FaultAt(n):
                found = step()
            losses.append(number(found))
            break
        except Fault:
            pass
        test_faults_in_passes.assert_at_rest(net)
        after, seeds_after = test_faults_in_passes.state(net, optimizer)
        assert seeds_after == seeds, f"a fault at operator {n} moved the random state"
        for a, b in zip(after, before, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"a fault at operator {n} changed a parameter")
    losses += [loss(step), loss(step)]
    step = started()[2]
    return n, losses, [loss(step) for _ in losses]


def _values(net):
    return {p.name: p.asnumpy().copy() for p in net.get_parameters()}


def reductions(kind):
    """How many sums over the processes each step takes, the first one left out."""
    import torch.distributed as dist

    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    _, network, optimizer = _made(kind, ms.float32)
    step = _step(kind, network, optimizer)
    plain, counts = dist.all_reduce, []

    def counted(*args, **kwargs):
        counts[-1] += 1
        return plain(*args, **kwargs)

    dist.all_reduce = counted
    for x, y in zip(*_data(3), strict=True):
        counts.append(0)
        step(Tensor(x[get_rank()::2], ms.float32), Tensor(y[get_rank()::2], ms.float32))
    return counts[1:]


class Frozen(nn.TrainOneStepCell):
    """A user's step over the built-in one: it reduces by itself, and its network's first layer freezes."""

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad_no_sens(self.network, self.weights)(*inputs)
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        return loss


def freezing(own):
    """A layer is frozen after two steps and thawed after four; ``own``: by a user's step."""
    init()
    size, rank = get_group_size(), get_rank()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    net, network, optimizer = _made("plain", ms.float64)
    step = (Frozen if own else nn.TrainOneStepCell)(network, optimizer).set_train()
    seen = []
    for i, (x, y) in enumerate(zip(*_data(6), strict=True)):
        net.fc1.weight.requires_grad = i not in (2, 3)
        step(Tensor(x[rank::size], ms.float64), Tensor(y[rank::size], ms.float64))
        seen.append(net.fc1.weight.asnumpy().copy())
    return seen, net.fc2.weight.asnumpy()


def a_weight_of_its_own(own, shard=None):
    """One step in which every process keeps its gradient of ``gate`` to itself; alone: on the data of one."""
    init()
    size, rank = (2, shard) if shard is not None else (get_group_size(), get_rank())
    if shard is None:
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    net, network, optimizer = _made("plain", ms.float64)
    net.gate.layerwise_parallel = True
    step = (Frozen if own else nn.TrainOneStepCell)(network, optimizer).set_train()
    (x,), (y,) = _data(1)
    step(Tensor(x[rank::size], ms.float64), Tensor(y[rank::size], ms.float64))
    return net.gate.asnumpy().copy(), net.fc2.weight.asnumpy().copy()


def overflow_on_one_rank():
    """Rank 1's second batch overflows: (parameters, scale, what each step said) of each rank."""
    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    net, network, optimizer = _made("scaled", ms.float32)
    manager = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 1000)
    step = nn.TrainOneStepWithLossScaleCell(network, optimizer, manager).set_train()
    said, seen = [], []
    for i, (x, y) in enumerate(zip(*_data(3), strict=True)):
        x, y = Tensor(x[get_rank()::2], ms.float32), Tensor(y[get_rank()::2], ms.float32)
        if i == 1 and get_rank() == 1:
            y = y * float("inf")
        _, overflow, scale = step(x, y)
        said.append((bool(overflow), float(scale)))
        seen.append(net.fc1.weight.asnumpy().copy())
    return said, seen, float(step.scale_sense.asnumpy())


def explicit(mean, degree, group):
    """Reduced gradients of several dtypes, one of a parameter that stays on its rank."""
    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", all_reduce_fusion_config=[1])
    if group:
        from ms2torch.communication import create_group

        create_group("pair", [0, 1])
    params = [Parameter(Tensor(np.ones(n, np.float32)), name=f"p{n}", layerwise_parallel=n == 3)
              for n in (2, 3, 4, 5)]
    params[3].comm_fusion = 2
    reducer = nn.DistributedGradReducer(params, mean, degree, group="pair" if group else None)
    factor = get_rank() + 1
    grads = (Tensor(np.full(2, 1.0 * factor), ms.float32), Tensor(np.full(3, 2.0 * factor), ms.float32),
             Tensor(np.full(4, 40000.0 * factor), ms.float16), Tensor(np.full(5, 0.1 * factor), ms.bfloat16))
    out = reducer(grads)
    return ([(str(g.dtype), g.astype(ms.float32).asnumpy()) for g in out],
            [g.astype(ms.float32).asnumpy() for g in grads])


def large_gradients(chunk):
    """(reduced, given) of this rank: large enough to be summed without a bucket, in several chunks."""
    from ms2torch._core.processes import distributed, reducing, segments

    init()
    segments.SMALLEST, segments.CHUNK = 64, chunk
    rs = np.random.RandomState(get_rank())
    made = [torch.from_numpy(rs.randn(*shape)).to(dtype) for shape, dtype in (
        ((7, 5), torch.float32), ((4, 11), torch.float64), ((9, 8), torch.float16), ((3,), torch.float32))]
    made[1] = made[1].t()
    reduced = reducing.reduce(made, distributed.group(), 1 / get_group_size())
    plain = [[t.double().numpy() for t in tensors] for tensors in (reduced, made)]
    return *plain, [str(t.dtype).removeprefix("torch.") for t in reduced]


def broadcast_of_parameters(asked, kind):
    """Weights start differently on each rank."""
    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True,
                                 parameter_broadcast=asked)
    net, network, optimizer = _made(kind, ms.float32)
    net.fc1.weight.set_data(net.fc1.weight + get_rank())
    step = _step(kind, network, optimizer)
    for x, y in zip(*_data(2), strict=True):
        step(Tensor(x[get_rank()::2], ms.float32), Tensor(y[get_rank()::2], ms.float32))
    return net.fc1.weight.asnumpy(), net.fc2.weight.asnumpy()


def different_parameters(what):
    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel")
    width = 4 + get_rank() if what == "shape" else 4
    net = nn.Dense(3, width) if what != "missing" or get_rank() == 0 else nn.Dense(3, width, has_bias=False)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    return float(step(Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((2, width), np.float32))))


def real_program(mode, mean, broadcast, sens):
    """The program that the real MindSpore ran on two ranks (see `test_training`)."""
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    init()
    r, n = get_rank(), get_group_size()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=mean,
                                 parameter_broadcast=broadcast)
    rs = np.random.RandomState(0)
    x, y = rs.randn(8, 3).astype(np.float32), rs.randn(8, 2).astype(np.float32)
    w = rs.randn(2, 3).astype(np.float32)
    if broadcast:
        w = w + r
    net = nn.Dense(3, 2, weight_init=Tensor(w), bias_init="zeros")
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt, sens=sens).set_train()
    losses = [float(step(Tensor(x[r::n]), Tensor(y[r::n]))) for _ in range(3)]
    return losses, net.weight.asnumpy(), net.bias.asnumpy(), ms.get_auto_parallel_context("device_num")


def shared(kind, level, size=-1, mode="data_parallel", graph=False):
    """`train` with what an optimizer keeps shared by the ranks."""
    config = {"parallel_optimizer_threshold": 0, "optimizer_level": f"level{level}",
              "optimizer_weight_shard_size": size}
    return train(kind, "float64", STEPS, mode, graph, enable_parallel_optimizer=True,
                 parallel_optimizer_config=config)



def memory(level, kind="functional", batch=2):
    """Bytes that this rank holds and sends in a step of Adam: at rest, at the peak over that, sent."""
    from ms2torch._core.processes.meter import Meter

    sys.modules.setdefault("mindspore", ms)
    from tests.distributed.planned_program import WIDTH, step_of

    init()
    ms.set_seed(1)
    step, optimizer = step_of(level, kind)
    x = Tensor(np.ones((batch, WIDTH), np.float32))
    step(x, x)
    with Meter() as meter:
        for p in optimizer.get_parameters():
            meter.note(p._rest)
        for p in optimizer.parameters:
            meter.note(p._rest)
        rest = meter.live
        meter.restart()
        step(x, x)
    return rest, meter.peak - rest, meter.sent


def resumed(level, folder):
    """(losses to the end, those after loading what was saved on the way) of ranks that share an optimizer."""
    init()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", enable_parallel_optimizer=True,
                                 parallel_optimizer_config={"parallel_optimizer_threshold": 0,
                                                            "optimizer_level": level})

    def made():
        net = nn.Dense(8, 4, weight_init=ms.Tensor(np.arange(32, dtype=np.float32).reshape(4, 8) / 32))
        optimizer = nn.AdamWeightDecay(net.trainable_params(), 0.05)
        return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)

    x, y = ms.Tensor(np.eye(8, dtype=np.float32)), ms.Tensor(np.ones((8, 4), np.float32))
    step, path = made(), f"{folder}/{get_rank()}.ckpt"
    losses = [float(step(x, y).asnumpy()) for _ in range(3)]
    ms.save_checkpoint(step, path)
    losses += [float(step(x, y).asnumpy()) for _ in range(3)]
    again = made()
    ms.load_param_into_net(again, ms.load_checkpoint(path))
    return losses[3:], [float(again(x, y).asnumpy()) for _ in range(3)]


def asked_alone():
    """What the first rank alone asks of weights that the ranks share, after a step."""
    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", enable_parallel_optimizer=True,
                                 parallel_optimizer_config={"optimizer_level": "level3",
                                                            "parallel_optimizer_threshold": 0})
    net = nn.Dense(8, 4)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.01))
    step(Tensor(np.ones((2, 8), np.float32)), Tensor(np.ones((2, 4), np.float32)))
    if get_rank():
        return None
    w = net.weight
    return w.shape, str(w.dtype), w.ndim, w.size, w.itemsize, w.nbytes, len(w), w.is_floating_point()
