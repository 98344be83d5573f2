"""Which masks a graph's uses of Dropout draw, and those of PyNative.

The real one draws with several threads from some call on (the fifth of a kernel or later), whose order is left
to chance: no case here draws more than four times from one kernel.
"""
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

from tests.reference.judge import case

X = Tensor(np.ones((2, 6), np.float32))


def bits(drawn):
    """Tensors as strings of what stayed."""
    if isinstance(drawn, (tuple, list)):
        return [bits(x) for x in drawn]
    return "".join("01"[int(x)] for x in drawn.asnumpy().reshape(-1) != 0)


def twice(cell, x):
    return cell.drop(x), cell.drop(x + 1)


def nested(cell, x):
    return cell.drop(cell.drop(x))


def two_layers(cell, x):
    return cell.drop(x), cell.other(x), cell.drop(x)


def loop(cell, x):
    found = ()
    for k in range(3):
        found = (*found, cell.drop(x * (k + 1)))
    return found


def shapes(cell, x):
    return cell.drop(x), cell.drop(ops.reshape(x, (3, 4))), cell.drop(x + 1)


def functions(cell, x):
    return ops.dropout(x, 0.5), ops.dropout(x + 1, 0.5), ops.dropout(x, 0.5, seed=3), cell.drop(x)


class Drops(nn.Cell):
    def __init__(self, uses):
        super().__init__()
        self.drop, self.other = nn.Dropout(p=0.5), nn.Dropout(p=0.5)
        self.uses = uses
        self.weight = Parameter(Tensor(np.ones((2, 6), np.float32)), name="weight")

    def construct(self, x):
        return self.uses(self, x * self.weight)


class Sum(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        drawn = self.net(x)
        return (drawn[0] + drawn[1] * 10).sum()


@case(each={"uses": [twice, nested, two_layers, loop, shapes, functions]}, mode="GRAPH")
def test_each_use_in_a_graph_has_its_own_stream(uses):
    ms.set_seed(1)
    net = Drops(uses).set_train()
    return [bits(net(X)) for _ in range(4)]


@case(each={"uses": [twice, nested, two_layers, shapes, functions]})
def test_in_pynative_they_share_one(uses):
    ms.set_seed(1)
    net = Drops(uses).set_train()
    return [bits(net(X)) for _ in range(2)]


@case(mode="BOTH")
def test_a_jit_function_is_a_graph_in_both_modes():
    ms.set_seed(1)
    drop = nn.Dropout(p=0.5).set_train()

    @ms.jit
    def drawn(x):
        return drop(x), drop(x + 1)

    return [bits(drawn(X)), bits(drop(X)), bits(drawn(X)), bits(drop(X))]


@case(mode="GRAPH")
def test_graphs_that_share_a_layer_draw_the_same():
    ms.set_seed(1)
    net = Drops(twice).set_train()
    other = nn.SequentialCell(net.drop, net.drop).set_train()
    half = X.astype(ms.float16)
    net.set_train(False)
    evaluated = bits(net(X))
    net.set_train()
    calls = (net, X), (other, X), (net, X), (net.drop, X), (net, half), (net, X)
    return evaluated, [bits(cell(x)) for cell, x in calls]


@case(mode="GRAPH")
def test_gradients_of_a_layer_that_is_used_twice():
    ms.set_seed(1)
    net = Drops(twice).set_train()
    loss = Sum(net)
    made, operation = ms.value_and_grad(loss, None, [net.weight]), ops.GradOperation(get_by_list=True)
    anew = [ms.grad(loss, None, [net.weight])(X) for _ in range(2)]
    again = [operation(loss, [net.weight])(X) for _ in range(2)]
    return [made(X) for _ in range(3)], anew, again, bits(net(X))


@case(mode="GRAPH")
def test_a_train_step_of_a_layer_that_is_used_twice():
    ms.set_seed(1)
    net = Drops(twice).set_train()
    step = nn.TrainOneStepCell(Sum(net), nn.SGD(net.trainable_params(), 0.001)).set_train()
    return [step(X) for _ in range(4)], net.weight


@case
def test_a_dtype_has_its_own_stream():
    ms.set_seed(1)
    layer, primitive, half = nn.Dropout(p=0.5).set_train(), ops.Dropout(0.5, 3, 4), X.astype(ms.float16)
    return [(bits(layer(x)), bits(primitive(x))) for x in (X, half, X, half)]
