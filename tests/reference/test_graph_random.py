"""Random operators in graphs: each place has a stream of its own, which goes on from call to call."""
import mindspore as ms
import mindspore.nn.probability.distribution as msd
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import t

ONES = ms.Tensor(np.ones((2, 3), np.float32))


class Functions(nn.Cell):
    """Each of these takes its seed once, when the graph is made."""

    def construct(self, x):
        return (ops.dropout(x, 0.5), ops.dropout(x, 0.5), ops.standard_normal((3,)), ops.rand(2), ops.randn(2),
                ops.uniform((2,), ms.Tensor(0.0), ms.Tensor(1.0)), ops.normal((2,), 0.0, 1.0, seed=5),
                ops.laplace((2,), ms.Tensor(0.0), ms.Tensor(1.0)), ops.randint(0, 100, (3,)), ops.rand_like(x),
                ops.shuffle(x[0] * 2), ops.multinomial(x, 3), ops.standard_normal((2,), seed=3),
                ops.standard_normal((2,), seed=3))


class LayerTwice(nn.Cell):
    """Both places have the layer's seeds."""

    def __init__(self):
        super().__init__()
        self.drop, self.channels = nn.Dropout(p=0.5), nn.Dropout2d(p=0.5)
        self.normal = msd.Normal(0.0, 1.0, seed=2)

    def construct(self, x):
        image = x.reshape((2, 3, 1, 1))
        return (self.drop(x), self.drop(x), self.channels(image), self.channels(image), self.normal.sample((2,)),
                self.normal.sample((2,)))


class Primitives(nn.Cell):
    def __init__(self):
        super().__init__()
        self.normal = ops.StandardNormal(5)

    def construct(self, x):
        return self.normal((2,)), self.normal((2,)), ops.StandardNormal(5)((2,)), self.normal((3,))


class Loop(nn.Cell):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        out = ()
        for _ in range(3):
            out = out + (ops.standard_normal((2,)), self.drop(x))
        return out


class Noise(nn.Cell):
    def construct(self, x):
        return x + ops.standard_normal((2, 3))


def noise():
    return ops.standard_normal((2,))


class PartTwice(nn.Cell):
    """A function or Cell that is called twice has its seeds from one reading; two Cells have their own."""

    def __init__(self):
        super().__init__()
        self.part, self.other = Noise(), Noise()

    def construct(self, x):
        return self.part(x), self.part(x), self.other(x), noise(), noise(), self.part(x[:1])


class Stacked(nn.Cell):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 2, num_layers=2, dropout=0.5)
        for p in self.rnn.get_parameters():
            p.set_data(ms.Tensor(np.full(p.shape, 0.5, np.float32)))

    def construct(self, x):
        return self.rnn(x.reshape((2, 1, 3)))[0]


KINDS = [Functions, LayerTwice, Primitives, Loop, PartTwice, Stacked]


@case(each={"kind": KINDS}, mode="GRAPH")
def test_a_place_goes_on_from_call_to_call(kind):
    ms.set_seed(1)
    net = kind().set_train()
    return [net(ONES) for _ in range(3)]


@case(each={"kind": [Noise, LayerTwice]}, mode="GRAPH")
def test_every_kind_of_arguments_is_a_graph_of_its_own(kind):
    ms.set_seed(1)
    net = kind().set_train()
    half = ms.Tensor(np.ones((2, 3)), ms.float16) if kind is LayerTwice else ms.Tensor(data((1, 3)))
    found = [net(ONES), net(half), net(ONES), net(half)]
    ms.set_seed(1)
    return found, net(ONES), kind().set_train()(ONES)


@case
def test_a_marked_function_is_a_graph():
    ms.set_seed(1)

    @ms.jit
    def drawn(x):
        return ops.standard_normal((3,)), ops.dropout(x, 0.5)

    first = ops.standard_normal((3,))
    return first, drawn(ONES), drawn(ONES), ops.standard_normal((3,)), drawn(ONES)


class Scaled(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(np.ones((2, 3), np.float32)), name="w")
        self.drop = kind()

    def construct(self, x):
        return (self.drop(x * self.w) * self.w).sum()


class Function(nn.Cell):
    def construct(self, x):
        return ops.dropout(x, 0.5)


def layer():
    return nn.Dropout(p=0.5)


@case(each={"kind": [Function, layer]}, mode="GRAPH")
def test_gradient_functions_and_train_cells_are_graphs(kind):
    ms.set_seed(1)
    net, x = Scaled(kind).set_train(), ms.Tensor(data((2, 3)))
    ask, kept = ms.grad(net), ops.GradOperation()
    found = [ask(x), ask(x), ms.grad(net)(x), ms.grad(net)(x), net(x), kept(net)(x), kept(net)(x)]
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()
    return found, step(x), step(x), net(x), step(x), net.w


@case(mode="GRAPH")
def test_a_failed_call_has_drawn_nothing():
    ms.set_seed(1)
    net = Scaled(Function).set_train()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()
    try:
        step(t([1.0]), 5)
    except TypeError:
        pass
    return step(ONES), step(ONES), net.w


class ByAnArray(nn.Cell):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x, scale):
        return self.drop(x * ms.Tensor(scale))


@case(mode="GRAPH")
def test_an_array_is_told_by_which_one_it_is():
    def new():
        return np.ones((2, 3), np.float32)

    ms.set_seed(1)
    net, first, second = ByAnArray(), new(), new()
    net.set_train()
    return [net(ONES, scale) for scale in (first, first, second, second, first, new())]


class InLoops(nn.Cell):
    """A loop that a Tensor ends; ``i += 1`` makes the first turn one of its own, ``i = i + 1`` does not."""

    def __init__(self):
        super().__init__()
        self.normal, self.drop = ops.StandardNormal(3, 0), nn.Dropout(p=0.5)
        self.count = ms.Parameter(ms.Tensor(0), name="count")

    def digit(self):
        return ops.round(self.normal((1,)) * 9)


class Turns(InLoops):
    def construct(self, k):
        i, total = k - k, ms.Tensor([0.0])
        while i < k:
            total = total * 100 + self.digit()
            i += 1
        return total, self.normal((1,)), self.normal((1,))


class TurnsOfOneKind(InLoops):
    def construct(self, k):
        i, total = k - k, ms.Tensor([0.0])
        while i < k:
            total = total * 100 + self.digit() + self.normal((1,))
            i = i + 1
        return total, self.normal((1,))


class TurnsWithin(InLoops):
    def construct(self, k):
        i, total = k - k, ms.Tensor([0.0])
        while i < k:
            j = k - k
            while j < k:
                total = total * 10 + self.digit()
                j += 1
            i += 1
        return total, self.normal((1,))


class TurnsLeft(InLoops):
    def construct(self, k):
        i, total = k - k, ms.Tensor([0.0])
        while i < 10:
            total = total * 10 + self.digit()
            i += 1
            if i == k:
                break
        return total, self.normal((1,))


class TurnsOverARange(InLoops):
    def construct(self, k):
        i, total = k - k, ms.Tensor([0.0])
        while i < k:
            for _ in range(2):
                total = total * 10 + self.digit()
            i += 1
        return total, self.normal((1,))


class TurnsOfAParameter(InLoops):
    def construct(self, k):
        self.count = k - k
        total = ms.Tensor([0.0])
        while self.count < k:
            total = total * 100 + self.digit()
            self.count += 1
        return total, self.normal((1,))


class TurnsOfALayer(InLoops):
    def construct(self, k):
        i, x = k - k, ops.ones((6,))
        total = ops.zeros((6,))
        while i < k:
            total = total * 3 + self.drop(x)
            i += 1
        return total, self.drop(x)


LOOPS = (Turns, TurnsOfOneKind, TurnsWithin, TurnsLeft, TurnsOverARange, TurnsOfAParameter, TurnsOfALayer)


@case(each={"loop": [cls.__name__ for cls in LOOPS]}, mode="GRAPH", reason="only graphs have such places")
def test_turns_of_a_loop_that_a_tensor_ends(loop):
    ms.set_seed(4)
    net = {cls.__name__: cls for cls in LOOPS}[loop]()
    net.set_train()
    return [net(ms.Tensor(k)) for k in (1, 3, 3, 2, 0)]
