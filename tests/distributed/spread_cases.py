"""Networks with strategies, spread over processes, and the same alone."""

import contextlib
import os

import numpy as np
import torch
import torch.distributed.checkpoint

import ms2torch as ms
from ms2torch import Parameter, Tensor, nn, ops
from ms2torch._core.processes import zero
from ms2torch.communication import create_group, get_group_size, get_rank, init
from ms2torch.parallel.auto_parallel import AutoParallel

BATCH, WIDTH = 8, 8


def _weight(rs, *shape, name):
    return Parameter(Tensor(rs.randn(*shape) * 0.3), name=name)


class Mlp(nn.Cell):
    """Two matrices, the first split by columns, the second by rows."""

    def __init__(self, dp, mp):
        super().__init__()
        rs = np.random.RandomState(0)
        self.a, self.b = _weight(rs, WIDTH, 16, name="a"), _weight(rs, 16, WIDTH, name="b")
        self.bias = _weight(rs, 16, name="bias")
        self.first = ops.MatMul().shard(((dp, 1), (1, mp)))
        self.add = ops.Add().shard(((dp, mp), (mp,)))
        self.act = ops.ReLU().shard(((dp, mp),))
        self.second = ops.MatMul().shard(((dp, mp), (mp, 1)))

    def construct(self, x):
        return self.second(self.act(self.add(self.first(x, self.a), self.bias)), self.b)


class MlpOfLayouts(Mlp):
    """The same by layouts of named axes, each process's rows in two parts."""

    def __init__(self, dp, mp):
        super().__init__(dp, mp)
        of = ms.Layout((dp, mp, 2), ("dp", "mp", "interleaved_parallel"))
        rows = "dp", "interleaved_parallel"
        self.first = ops.MatMul().shard((of(rows, "None"), of("None", "mp")))
        self.add = ops.Add().shard((of(rows, "mp"), of("mp")))
        self.act = ops.ReLU().shard((of(rows, "mp"),))
        self.second = ops.MatMul().shard((of(rows, "mp"), of("mp", "None")))


class Attention(nn.Cell):
    """Heads on the model axis: a Transformer's layer, or with ``llama`` rotated, root-mean-square normalised
    and gated."""

    def __init__(self, dp, mp, rs, prefix, llama):
        super().__init__()
        self.heads, self.llama = 4, llama
        shapes = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH),
                  "up": (WIDTH, 16), "gate": (WIDTH, 16), "down": (16, WIDTH)}
        for name, shape in shapes.items():
            setattr(self, name, _weight(rs, *shape, name=prefix + name))
        self.scale = Parameter(Tensor(np.ones(WIDTH)), name=prefix + "scale")
        self.by_columns = ops.MatMul().shard(((dp, 1), (1, mp)))
        self.by_rows = ops.MatMul().shard(((dp, mp), (mp, 1)))
        self.scores = ops.BatchMatMul(transpose_b=True).shard(((dp, mp, 1, 1), (dp, mp, 1, 1)))
        self.mixed = ops.BatchMatMul().shard(((dp, mp, 1, 1), (dp, mp, 1, 1)))
        self.softmax = ops.Softmax(-1).shard(((dp, mp, 1, 1),))

    def _split(self, x, batch):
        return x.reshape(batch, -1, self.heads, WIDTH // self.heads).transpose(0, 2, 1, 3)

    def _rotated(self, x):
        angle = ops.arange(0, x.shape[2]).astype(x.dtype).reshape(-1, 1) * 0.5
        a, b = x[..., :1], x[..., 1:]
        cos, sin = ops.cos(angle), ops.sin(angle)
        return ops.concat((a * cos - b * sin, a * sin + b * cos), -1)

    def _normed(self, x):
        if self.llama:
            return x * ops.rsqrt(ops.square(x).mean(-1, keep_dims=True) + 1e-6) * self.scale
        return ops.layer_norm(x, (WIDTH,), self.scale, self.scale * 0)

    def construct(self, x):
        batch, length, _ = x.shape
        h = self._normed(x).reshape(-1, WIDTH)
        q, k, v = (self._split(self.by_columns(h, w), batch) for w in (self.q, self.k, self.v))
        if self.llama:
            q, k = self._rotated(q), self._rotated(k)
        scores = self.scores(q, k) * 0.5
        scores = scores + ops.triu(ops.full((length, length), -1e9, dtype=scores.dtype), 1)
        h = self.mixed(self.softmax(scores), v).transpose(0, 2, 1, 3).reshape(-1, WIDTH)
        x = x + self.by_rows(h, self.o).reshape(batch, length, WIDTH)
        h = self._normed(x).reshape(-1, WIDTH)
        h = ops.silu(self.by_columns(h, self.gate)) * self.by_columns(h, self.up) if self.llama else (
            ops.gelu(self.by_columns(h, self.up)))
        return x + self.by_rows(h, self.down).reshape(batch, length, WIDTH)


class Transformer(nn.Cell):
    llama = False

    def __init__(self, dp, mp):
        super().__init__()
        rs = np.random.RandomState(0)
        self.table = _weight(rs, 16, WIDTH, name="table")
        self.look_up = ops.Gather().shard(((mp, 1), (dp, 1)))
        self.layers = nn.CellList([Attention(dp, mp, rs, f"{i}.", self.llama) for i in range(2)])
        self.out = ops.MatMul(transpose_b=True).shard(((dp, 1), (mp, 1)))

    def construct(self, x):
        ids = (ops.abs(x) * 5).astype(ms.int32)
        h = self.look_up(self.table, ids, 0)
        for layer in self.layers:
            h = layer(h)
        return self.out(h.reshape(-1, WIDTH), self.table).reshape(h.shape[0], -1, 16).mean(-1)


class Llama(Transformer):
    llama = True


class ResNet(nn.Cell):
    """Convolutions with batch normalisation, whose statistics are of the whole batch; layers with a strategy
    as Cells."""

    def __init__(self, dp, mp):
        super().__init__()
        rs = np.random.RandomState(0)
        self.convs = nn.CellList([
            nn.Conv2d(a, 4, 3, weight_init=Tensor(rs.randn(4, a, 3, 3) * 0.3), dtype=ms.float64)
            for a in (1, 4, 4)])
        self.norms = nn.CellList([nn.BatchNorm2d(4, dtype=ms.float64) for _ in range(3)])
        self.head = nn.Dense(4, WIDTH, weight_init=Tensor(rs.randn(WIDTH, 4)), dtype=ms.float64)
        self.head.matmul.shard(((dp, 1), (mp, 1)))
        self.convs[0].shard(((dp, 1, 1, 1),))

    def construct(self, x):
        h = x.reshape(x.shape[0], 1, 2, -1)
        h = ops.relu(self.norms[0](self.convs[0](h)))
        h = ops.relu(h + self.norms[2](self.convs[2](ops.relu(self.norms[1](self.convs[1](h))))))
        return self.head(h.mean((2, 3)))


class Writing(nn.Cell):
    """Elements of activations, of what is created, and of weights that are kept in parts are written."""

    def __init__(self, dp, mp):
        super().__init__()
        rs = np.random.RandomState(0)
        self.a, self.b = _weight(rs, WIDTH, WIDTH, name="a"), _weight(rs, WIDTH, WIDTH, name="b")
        self.kept = Parameter(Tensor(rs.randn(WIDTH, WIDTH)), name="kept", requires_grad=False)
        self.product = ops.MatMul().shard(((dp, 1), (1, mp)))

    def construct(self, x):
        h = self.product(x, self.a)
        h[0] = 1.0
        h[:, 1:3] = h[:, 3:5] * 2
        h[1:7:2, Tensor([0, 3, 4])] = self.b[0, :3]
        h[h > 0.5] = 0.25
        h[2, 2:4][0] = 5.0
        made = ops.zeros((WIDTH, WIDTH), ms.float64)
        for i in range(WIDTH):
            made[i] = h[WIDTH - 1 - i] * i
        h = self.product(self.product(made, self.b), self.kept)
        self.b[1] = 0.125
        self.kept[0, :2] = h[0, :2]
        return h * self.b + self.kept + ops.masked_select(h, h > 0.1).sum()


class Unaligned(nn.Cell):
    """Operators whose inputs' dimensions do not line up from the right."""

    def __init__(self, dp, mp):
        super().__init__()
        rs = np.random.RandomState(0)
        self.a, self.slope = _weight(rs, WIDTH, WIDTH, name="a"), _weight(rs, 2, name="slope")
        self.kernel = _weight(rs, 2, 2, 3, 3, name="kernel")
        self.segments = ops.UnsortedSegmentSum().shard(((dp, mp), (dp,)))
        self.codes = ops.OneHot().shard(((dp, mp), (), ()))
        self.convolution = ops.Conv2D(2, 3, pad_mode="same").shard(((dp, 1, 1, 1), (mp, 1, 1, 1)))
        self.act = ops.PReLU().shard(((dp, mp, 1, 1), (mp,)))
        self.scatter = ops.TensorScatterAdd().shard(((1, mp), (1, 1), (1, mp)))

    def construct(self, x):
        ids = (ops.abs(x[:, 0]) * 3).astype(ms.int32).clip(0, WIDTH - 1)
        h = ops.matmul(x, self.a) * self.codes(ids, WIDTH, Tensor(2.0, ms.float32), Tensor(1.0, ms.float32))
        h = self.scatter(h, Tensor([[1], [3]]), self.a[:2]) + self.segments(h, ids, WIDTH)
        h = self.convolution(h.reshape(4, 2, 4, 2), self.kernel)
        return self.act(h.astype(ms.float32), self.slope.astype(ms.float32)).astype(ms.float64).reshape(
            x.shape)


class Means(nn.Cell):
    """Layers over three dimensions; means and extremes that meet sums, of which every process has a part."""

    def __init__(self, dp, mp):
        super().__init__()
        rs = np.random.RandomState(0)
        self.dense = nn.Dense(4, WIDTH, weight_init=Tensor(rs.randn(WIDTH, 4)), dtype=ms.float64)
        self.dense.matmul.shard(((dp, 1), (mp, 1)))
        self.dense.bias_add.shard(((dp, mp), (mp,)))
        self.b = _weight(rs, WIDTH, WIDTH, name="b")
        self.mean = ops.ReduceMean(keep_dims=True).shard(((dp, 1, mp),))
        self.sum = ops.ReduceSum().shard(((dp, 1, mp),))
        self.product = ops.MatMul().shard(((dp, mp), (mp, 1)))

    def construct(self, x):
        h = self.dense(x.reshape(-1, 2, 4))
        h = h - self.mean(h, -1) + 0.1 * self.mean(h, 0)
        total = ops.relu(h).mean() + self.sum(h * h, (0, 1, 2)) + h.max() - ops.tanh(h).min()
        return self.product(h[:, 0], self.b) * h[:, 1].mean(1, keep_dims=True) + total


class Clipped(nn.AdamWeightDecay):
    """As programs write it: gradients are made smaller on their way to a known update."""

    def construct(self, gradients):
        return super().construct(ops.clip_by_global_norm(gradients, 0.1))


class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, y):
        return ops.square(self.net(x) - y).mean()


def train(kind, dp, mp, mode="semi_auto_parallel", optimizer="adam", steps=4, monitored=False,
          **settings):
    """(losses, whole parameters by name, local elements of each) of one rank, or alone."""
    init()
    size, rank = get_group_size(), get_rank()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    if size > 1:
        ms.set_auto_parallel_context(parallel_mode=mode, **settings)
    net = KINDS[kind](dp, mp)
    loss = Loss(net)
    made = {"adam": lambda p: nn.Adam(p, 0.01), "momentum": lambda p: nn.Momentum(p, 0.05, 0.9),
            "lamb": lambda p: nn.Lamb(p, 0.01), "clipped": lambda p: Clipped(p, 0.01),
            }[optimizer](net.trainable_params())
    step = nn.TrainOneStepCell(loss, made).set_train()
    rs = np.random.RandomState(5)
    losses = []
    for _ in range(steps):
        x, y = rs.randn(*SHAPES.get(kind, (BATCH, WIDTH))), rs.randn(*SHAPES.get(kind, (BATCH, WIDTH)))
        if size > 1 and not settings.get("full_batch"):
            count = len(x) // size
            x, y = (t[rank * count:(rank + 1) * count] for t in (x, y))
        losses.append(float(step(Tensor(x), Tensor(y)).asnumpy()))
        if monitored:       # (as MindFormers' loss monitor sets and restores the mode in each step)
            before = {key: ms.get_auto_parallel_context(key) for key in ("parallel_mode", "full_batch")}
            ms.set_auto_parallel_context(parallel_mode="data_parallel", full_batch=False)
            ms.set_auto_parallel_context(**before)
    local = {p.name: (p._rest.to_local() if hasattr(p._rest, "to_local") else p._rest).numel()
             for p in [*net.get_parameters(), *made.get_parameters()]}
    return losses, {p.name: p.asnumpy().copy() for p in net.get_parameters()}, local


SHAPES = {}
KINDS = {"mlp": Mlp, "layouts": MlpOfLayouts, "transformer": Transformer, "llama": Llama, "resnet": ResNet,
         "writing": Writing, "unaligned": Unaligned, "means": Means}


def call(kind, dp, mp, settings):
    return train(kind, dp, mp, **settings)


def checked_by_autograd(settings):
    """The same where nothing keeps autograd from looking whether what it saved was written to."""
    zero.Share.regathering = staticmethod(contextlib.nullcontext)
    return train("writing", 2, 2, **settings)


def failing():
    """What a weight holds after a step that writes to it and fails."""
    class Failing(Writing):
        def construct(self, x):
            self.kept[0] = super().construct(x)[0]
            raise ArithmeticError

    init()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    net = Failing(2, 2)
    before = net.kept.asnumpy().copy()
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
    with contextlib.suppress(ArithmeticError):
        step(Tensor(np.ones((BATCH, WIDTH))))
    return before, net.kept.asnumpy()


def saved(folder, dp, mp, settings):
    """Train; save the parts of each rank, how they lie, and the whole; both are loaded again. Gives the
    values of the weights, and of all that training keeps."""
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True,
                                 strategy_ckpt_save_file=f"{folder}/strategy.{settings.pop('kind', 'json')}",
                                 **settings)
    net = Mlp(dp, mp)
    step = nn.TrainOneStepCell(Loss(net), nn.Adam(net.trainable_params(), 0.01))
    x = Tensor(np.random.RandomState(1).randn(BATCH, WIDTH))
    step(x, x)
    os.makedirs(f"{folder}/rank_{get_rank()}")
    part = f"{folder}/rank_{get_rank()}/part.ckpt"
    ms.save_checkpoint(step, part, integrated_save=False)
    ms.save_checkpoint(net, f"{folder}/whole{get_rank()}.ckpt")
    torch.distributed.checkpoint.save({"model": {p.name: p._rest for p in net.get_parameters()}, "step": 1},
                                      checkpoint_id=f"{folder}/torch")
    before = {p.name: p.asnumpy().copy() for p in step.get_parameters()}
    for cell, path in ((net, f"{folder}/whole{get_rank()}.ckpt"), (step, part)):
        for p in cell.get_parameters():
            p.set_data(ops.zeros_like(p))
        assert all(not p.asnumpy().any() for p in cell.get_parameters())
        ms.load_param_into_net(cell, ms.load_checkpoint(path))
        for p in cell.get_parameters():
            np.testing.assert_array_equal(p.asnumpy(), before[p.name])
    return {p.name: before[p.name] for p in net.get_parameters()}, before


# How two stacks of matrices (or a stack and a matrix) lie on a mesh of two axes: the dimension that each axis
# splits, "-" where it splits none.
PRODUCTS = [*((one, other, (4, 4, 4, 6)) for one, other in (
    ("01", "01"), ("02", "0-"), ("0-", "03"), ("13", "12"), ("01", "--"), ("--", "10"), ("30", "-3"),
    ("00", "00"), ("01", "10"))),
    *((one, other, (4, 6)) for one, other in (("02", "--"), ("01", "-1"), ("03", "-0"), ("21", "1-")))]


def products():
    """How far products of spread stacks, and their gradients, are from those of whole ones."""
    from ms2torch._core.processes.products import PartByPart
    from ms2torch._core.torch_private import DTensor, Replicate, Shard

    init()
    mesh = zero.block_mesh((2, 2))
    torch.manual_seed(3)
    worst = []
    for *laid, shape in PRODUCTS:
        whole = [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in ((4, 4, 8, 4), shape)]
        placed = [[Replicate() if p == "-" else Shard(int(p)) for p in one] for one in laid]
        spread = [DTensor.from_local(t.detach(), mesh, [Replicate()] * 2).redistribute(placements=one)
                  .requires_grad_() for t, one in zip(whole, placed, strict=True)]
        found = []
        for a, b in (whole, spread):
            with PartByPart():
                product = torch.matmul(a, b)
            product = product.full_tensor() if a is spread[0] else product
            (product * torch.cos(product.detach())).sum().backward()
            found.append([product, *(t.grad.full_tensor() if a is spread[0] else t.grad for t in (a, b))])
        worst.append(max(float((one - other).abs().max()) for one, other in zip(*found, strict=True)))
    return [*worst, *_joined(), *_on_parts()]


def _joined() -> list[float]:
    """How far a join, whose tuple of Tensors has a tuple of layouts or of counts, and its gradient are from
    the whole one's."""
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    of = ms.Layout((2, 2), ("a", "b"))

    class Join(nn.Cell):
        def __init__(self, *strategies):
            super().__init__()
            self.join = ops.Concat(1)
            self.join.add_prim_attr("self_define_shard", True)
            self.join.shard(*strategies)

        def construct(self, x):
            return self.join((x, x * x))

    x = np.random.RandomState(0).randn(4, 6)
    worst = []
    for strategies in ((((of("a", "b"), of("a", "None")),), (of("a", "b"),)), ((((2, 1), (2, 1)),),)):
        found, grad = ms.value_and_grad(Join(*strategies))(Tensor(x))
        worst += [abs(found.asnumpy() - np.concatenate([x, x * x], 1)).max(),
                  abs(grad.asnumpy() - 1 - 2 * x).max()]
    return worst


def _on_parts() -> list[float]:
    """How far two products by functions of each process's parts (``Morph``; the second sums them over a row
    of processes) and their gradients are from the whole ones', and what a weight of no strategy is given."""

    for ranks in ([0, 1], [2, 3]):
        create_group(f"row{ranks[0] // 2}", ranks)
    total = ops.AllReduce(group=f"row{get_rank() // 2}")
    of = ms.Layout((2, 2), ("a", "b"))

    class Parts(nn.Cell):
        def __init__(self, whole):
            super().__init__()
            rs = np.random.RandomState(5)
            self.first, self.second = _weight(rs, 6, 8, name="first"), _weight(rs, 8, 6, name="second")
            self.seen = Parameter(Tensor(np.zeros(())), name="seen", requires_grad=False)
            self.columns = self.rows = ops.MatMul()
            self.hot = ops.OneHot()
            if not whole:
                def morphed(fn, *strategies):
                    made = ops.Morph(fn, lambda *shapes: shapes[0], lambda *dtypes: dtypes[0])
                    return made.add_prim_attr("self_define_shard", True).shard(*strategies)

                product = ops.MatMul()
                self.columns = morphed(lambda x, w: product(x, w), (of("a", "None"), of("None", "b")),
                                       (of("a", "b"),))
                self.rows = morphed(lambda x, w: total(product(x, w)), (of("a", "b"), of("b", "None")),
                                    (of("a", "None"),))
                self.hot = ops.auto_generate.OneHotExt(-1).shard(((2, 2), (), ()))

        def construct(self, x, labels):
            found = self.rows(ops.tanh(self.columns(x, self.first)), self.second)
            chosen = self.hot(labels, 6, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32))
            loss = (found * chosen).sum() + (found ** 3).mean()
            ops.assign_add(self.seen, loss)
            return loss

    x, labels = Tensor(np.random.RandomState(6).randn(4, 6)), Tensor(np.array([0, 5, 2, 3]))
    found = []
    for whole in (False, True):
        if whole:
            ms.reset_auto_parallel_context()
        net = Parts(whole)
        loss, (inputs, weights) = ms.value_and_grad(net, 0, net.trainable_params())(x, labels)
        found.append([one.asnumpy() for one in (loss, inputs, *weights, net.seen)])
    return [float(abs(one - other).max()) for one, other in zip(*found, strict=True)]


def under_auto_parallel(wrapped):
    """Losses, and the shapes of the parts that a process holds; strategies are given before the mode."""
    init()
    net = nn.SequentialCell(nn.Dense(8, 16, weight_init="ones"), nn.Dense(16, 8, weight_init="ones"))
    if wrapped:
        net[0].matmul.shard(((1, 1), (2, 1)))
        net[0].bias_add.shard(((1, 2), (2,)))
        net[1].matmul.shard(((1, 2), (1, 2)))
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    if wrapped:
        step = AutoParallel(step, parallel_mode="semi_auto")
        step.dataset_strategy("full_batch")
    batches = [Tensor(np.random.RandomState(i).randn(4, 8).astype(np.float32)) for i in range(3)]
    losses = [float(step(x, x).asnumpy()) for x in batches]
    return losses, [tuple(getattr(p._rest, "_local_tensor", p._rest).shape) for p in net.trainable_params()]


def inferred():
    """How a network's weights lie before it has made a step, by both methods of Model; its output then."""
    init()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    x = Tensor(np.random.RandomState(1).randn(BATCH, WIDTH))
    data = ms.dataset.NumpySlicesDataset({"x": x.asnumpy(), "y": x.asnumpy()}, shuffle=False).batch(BATCH)
    data.set_init_step(3)       # (a training that goes on behind more batches than there are in an epoch)
    net = Mlp(2, 2)
    weight = net.trainable_params()[0]
    state = ms.Parameter(ops.zeros_like(weight))        # as optimizers make it that have no clone()
    state.param_info = weight.param_info.clone()
    model = ms.Model(Loss(net), optimizer=nn.Momentum(net.trainable_params(), 0.1, 0.9))
    trained = model.infer_train_layout(data)
    assert len({getattr(p._rest, "_local_tensor", p._rest).shape for p in (weight, state)}) == 1
    found = ms.Model(net).infer_predict_layout(x)
    ms.reset_auto_parallel_context()
    wrapped = AutoParallel(Mlp(2, 2), parallel_mode="semi_auto")
    wrapped.dataset_strategy("full_batch")
    again = ms.Model(wrapped).infer_predict_layout(x)
    assert list(again.values()) == list(found.values())
    return {name: trained[name] for name in found}, found, net(x).asnumpy()


def continued(folder, layouts):
    """The losses of a training that goes on, from what it saved in parts, in the next of the ``layouts``
    every two steps; alone without a break."""
    init()
    rank, losses = get_rank(), []

    def data(start):
        rows = np.random.RandomState(start).randn(2, 2 * BATCH, WIDTH)
        return ms.dataset.NumpySlicesDataset({"x": rows[0], "y": rows[1]}, shuffle=False).batch(BATCH)

    for turn, (dp, mp) in enumerate(layouts):
        if get_group_size() > 1:
            ms.reset_auto_parallel_context()
            ms.set_auto_parallel_context(
                parallel_mode="semi_auto_parallel", full_batch=True,
                strategy_ckpt_config={"save_file": f"{folder}/{turn}.ckpt"})
        if turn == 0 or get_group_size() > 1:
            net = Mlp(dp, mp)
            optimizer = nn.Adam(net.trainable_params(), 0.01)
            model = ms.Model(Loss(net), optimizer=optimizer)
        if turn and get_group_size() > 1:
            model.build(data(turn))
            ops.Barrier()()
            if rank == 0:
                ms.transform_checkpoints(f"{folder}/of{turn - 1}", f"{folder}/for{turn}", "for",
                                         f"{folder}/{turn - 1}.ckpt", f"{folder}/{turn}.ckpt")
            ops.Barrier()()
            kept = ms.load_checkpoint(f"{folder}/for{turn}/rank_{rank}/for{rank}.ckpt")
            assert ms.load_param_into_net(model.train_network, kept) == ([], [])
        keep = ms.LossMonitor()
        keep.step_end = lambda context: losses.append(float(context.original_args().net_outputs.asnumpy()))
        model.train(1, data(turn), callbacks=[keep], dataset_sink_mode=False)
        os.makedirs(f"{folder}/of{turn}/rank_{rank}")
        ms.save_checkpoint(model.train_network, f"{folder}/of{turn}/rank_{rank}/of.ckpt",
                           integrated_save=False)
    return losses


def compiled_first(dp, mp):
    """The shapes of the parts of weights once a train cell was compiled, before any step."""
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
    net = Mlp(dp, mp)
    step = nn.TrainOneStepCell(Loss(net), nn.Adam(net.trainable_params(), 0.01))
    before, x = net.a.asnumpy().copy(), Tensor(np.ones((BATCH, WIDTH)))
    step.compile(x, x)
    np.testing.assert_array_equal(net.a.asnumpy(), before)
    return [tuple(getattr(p._rest, "_local_tensor", p._rest).shape) for p in (net.a, net.b)], net.a.shape
