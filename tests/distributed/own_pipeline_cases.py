"""A program that writes its pipeline, its sums of gradients and its clipping itself, as packages of large
models do, and the same alone."""

import numpy as np

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch.communication import create_group, get_group_size, get_rank, init
from tests.distributed.spread_cases import _weight

WIDTH, MICRO, ROWS = 8, 4, 16


class Layer(nn.Cell):
    """Two products of functions of each process's parts: columns of a matrix, rows of another, summed."""

    def __init__(self, mp, rs, prefix, row, dropped=0.0):
        super().__init__()
        self.drop = nn.Dropout(p=dropped)
        self.a, self.b = _weight(rs, WIDTH, 16, name=prefix + "a"), _weight(rs, 16, WIDTH, name=prefix + "b")
        self.first, self.second = ops.MatMul(), ops.MatMul()
        if mp > 1:
            self.total, product, of = ops.AllReduce(group=row), ops.MatMul(), ms.Layout((mp,), ("p",))
            self.first = self._morphed(product, (of("None", "None"), of("None", "p")), (of("None", "p"),))
            self.second = self._morphed(lambda x, w: self.total(product(x, w)),
                                        (of("None", "p"), of("p", "None")), (of("None", "None"),))

    @staticmethod
    def _morphed(function, ins, outs):
        made = ops.Morph(function, lambda x, w: [x[0], w[1]], lambda x, w: x)
        return made.add_prim_attr("self_define_shard", True).shard(ins, outs)

    def construct(self, x):
        return x + self.drop(self.second(ops.tanh(self.first(x, self.a)), self.b))


class Squares(nn.Cell):
    """Sums of rows that lie on ``mp`` processes, with a gradient of its own: MindSpore hands it 1/mp of what
    all of these processes have, and sums nothing behind it."""

    def __init__(self, mp, dp=1):
        super().__init__()
        self.mp, self.sum, self.hand = mp, ops.ReduceSum(), ops.Mul()
        if mp > 1:
            self.sum.shard(((dp, mp),))
            self.hand.shard(((dp, mp), ()))

    def construct(self, x):
        return self.sum(ops.square(self.hand(x, 1.0)), -1)

    def bprop(self, x, out, dout):
        return (2 * x * ops.expand_dims(dout, -1) * self.mp,)


class Network(nn.Cell):
    """The sum of squared errors, how many they are, and a loss of the first layer's."""

    def __init__(self, mp, stages, row, dropped):
        super().__init__()
        rs = np.random.RandomState(0)
        self.layers = nn.CellList([Layer(mp, rs, f"{i}.", row, dropped) for i in range(2)])
        for i, layer in enumerate(self.layers):
            layer.pipeline_stage = i * stages // 2
        self.spread = ops.Add().shard(((1, mp), ())) if mp > 1 else ops.Add()
        self.squares = Squares(mp)

    def construct(self, x, y):
        first = self.layers[0](x)
        errors = self.spread(self.layers[1](first) - y, 0.0)
        return self.squares(errors).sum(), (ops.abs(y) > 0.5).astype(ms.float64).sum(), first.mean()


class Part(nn.Cell):
    def __init__(self, count):
        super().__init__()
        self.count = count

    def construct(self, i, *inputs):
        return tuple(x[i * (x.shape[0] // self.count):(i + 1) * (x.shape[0] // self.count)] for x in inputs)


class MicroBatches(nn.Cell):
    """The sums over the micro-batches of each thing that a network gives."""

    def __init__(self, network, count):
        super().__init__(auto_prefix=False)
        self.network, self.count = network, count
        self.parts, self.adds = nn.CellList(), []
        for i in range(count):
            self.parts.append(Part(count))
            self.adds.append(ops.Add().add_prim_attr("pipeline_end", i))
        self._get_attr_from_cell(network)

    def construct(self, *inputs):
        sums = None
        for i in range(self.count):
            found = self.network(*self.parts[i](i, *inputs))
            sums = found if sums is None else tuple(
                self.adds[i](a, b) for a, b in zip(sums, found, strict=True))
        return sums


square_sum = ops.MultitypeFuncGraph("square_sum")
scaled = ops.MultitypeFuncGraph("scaled")


@square_sum.register("Tensor")
def _square_sum(grad):
    return ops.expand_dims(ops.square(grad).sum(), 0)


@scaled.register("Tensor", "Tensor")
def _scaled(factor, grad):
    return grad * factor


class Step(nn.Cell):
    """Losses by token; gradients from where MindSpore's compiler adds them up; clipped by their norm."""

    def __init__(self, network, optimizer, column, shares="alike"):
        super().__init__(auto_prefix=False)
        self.shares = shares
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad, self.map = ops.GradOperation(get_by_list=True, sens_param=True), ops.HyperMap()
        self.own = column is not None
        self.sums = self.weights.clone(prefix="accu_grads", init="zeros")
        self.over_stages = ops.AllReduce(group=column) if self.own else ops.identity
        self.network.set_grad()

    def construct(self, x, y):
        total, count, beside = self.network(x, y)
        one = ops.ones_like(total)
        of_beside = {"alike": one, "fixed": one * 0.25, "told": count / ROWS}[self.shares]
        grads = self.grad(self.network, self.weights)(x, y, (one * 2, count * 0, of_beside * 2))
        if self.own:
            grads = self.sums
        grads = self.map(ops.partial(scaled, 1 / self.over_stages(count)), grads)
        norm = ops.sqrt(ops.addn(self.map(square_sum, grads)))
        grads = self.map(ops.partial(scaled, ops.minimum(0.1 / norm, Tensor([1.0], ms.float64))), grads)
        self.optimizer(grads)
        if self.own:
            for one in self.sums:
                ops.assign(one, one * 0.0)
        return self.over_stages(total) / self.over_stages(count) + self.over_stages(beside), norm


def train(stages, mp, shares="alike"):
    """(losses and norms, this process's parameters by name) of three steps of one rank, or alone. ``shares``:
    how the losses' sensitivities are to each other; "told" by what the last stage alone has."""
    init()
    size, rank = get_group_size(), get_rank()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    row = column = None
    if size > 1:
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=stages,
                                     full_batch=True)
        for made, ranks in ((f"column{i}", range(i, size, mp)) for i in range(mp)):
            create_group(made, list(ranks))
        for made, ranks in ((f"row{i}", range(i * mp, i * mp + mp)) for i in range(stages)):
            if mp > 1:
                create_group(made, list(ranks))
        row, column = f"row{rank // mp}", f"column{rank % mp}"
    network = MicroBatches(Network(mp, stages, row, 0.0 if shares == "alike" else 0.3), MICRO)
    step = Step(network, nn.Adam(network.trainable_params(), 0.01), column, shares).set_train()
    rs = np.random.RandomState(5)
    found = [[float(one.asnumpy().sum()) for one in step(Tensor(rs.randn(ROWS, WIDTH)),
                                                         Tensor(rs.randn(ROWS, WIDTH)))] for _ in range(3)]
    return found, {p.name: p.asnumpy() for p in network.get_parameters() if not p._away}
