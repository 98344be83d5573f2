"""What the backward hooks of Cells are told, by what is differentiated."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import t


class Product(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t([2.0, 3.0]), name="w")

    def construct(self, x, y):
        return self.w * x * y


class Chain(nn.Cell):
    """Two Products: the first one's inputs, and one of the second's, come from outside."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Product(), Product()

    def construct(self, x, y):
        return self.second(self.first(x, y), y).sum()


def of_weights(net, x, y):
    return ms.grad(net, None, net.trainable_params())(x, y)


def of_x(net, x, y):
    return ms.grad(net)(x, y)


def of_y(net, x, y):
    return ms.grad(net, 1)(x, y)


def of_everything(net, x, y):
    return ms.value_and_grad(net, (0, 1), net.trainable_params())(x, y)


def of_a_list(net, x, y):
    return ops.GradOperation(get_by_list=True)(net, net.trainable_params())(x, y)


def in_a_step(net, x, y):
    return nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))(x, y)


def watched(net):
    """What the hooks of `net` and all in it are told, in their order."""
    told = []
    for name, cell in net.cells_and_names():
        cell.register_backward_hook(
            lambda cell, grads, came, name=name: told.append((name, list(grads), list(came))))
    return told


@case(each={"how": [of_weights, of_x, of_y, of_everything, of_a_list, in_a_step]})
def test_hooks_are_told_all_gradients_where_there_is_one(how):
    net = Chain()
    told = watched(net)
    return how(net, t([1.0, 2.0]), t([3.0, 4.0])), told


class Gathering(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(data((4, 2))), name="w")

    def construct(self, x, rows):
        return (ops.gather(self.w, rows, 0) * x).sum()


@case
def test_an_integer_input_has_no_gradient():
    net = Gathering()
    told, rows = watched(net), ms.Tensor(np.array([0, 3], np.int32))
    return ms.grad(net, 0, net.trainable_params())(ms.Tensor(data((2, 2), seed=1)), rows), told


@case
def test_a_number_is_no_input():
    net = Product()
    told = watched(net)
    return ms.grad(lambda x: net(x, 2.0).sum())(t([1.0, 2.0])), told


class OfPair(nn.Cell):
    def construct(self, pair):
        return pair[0] * pair[1], pair[0]


@case
def test_what_is_in_a_tuple_is_no_input():
    net = OfPair()
    told = watched(net)

    def product(x, y):
        a, b = net((x, y))
        return (a * b).sum()

    return ms.grad(product, (0, 1))(t([1.0, 2.0]), t([3.0, 4.0])), told


@case
def test_a_hook_changes_the_gradients_that_are_asked_for():
    net = Chain()
    net.first.register_backward_hook(lambda cell, grads, came: (came[0] * 2, came[0] * 3))
    x, y = t([1.0, 2.0]), t([3.0, 4.0])
    return ms.grad(net, 0, net.trainable_params())(x, y), ms.grad(net, (0, 1))(x, y)


class Setting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t([1.0, 1.0]), name="w")

    def construct(self, x):
        self.w.set_data(x)
        return (self.w * x).sum()


@case(each={"differentiated": [False, True]}, mode="GRAPH", raises=True)
def test_a_graph_sets_no_data(differentiated):
    net = Setting()
    if differentiated:
        return nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))(t([1.0, 2.0]))
    return net(t([1.0, 2.0]))


def trebled(cell, grads, came):
    return grads[0] * 3.0, grads[1]


class First(nn.Cell):
    """Its first Cell's input needs no gradient."""

    def __init__(self):
        super().__init__()
        self.first = Product()

    def construct(self, x, y):
        return self.first(x, y).sum()


@case(mode="GRAPH")
def test_a_graph_has_gradients_of_what_a_hooked_cell_got():
    net = First()
    net.first.register_backward_hook(trebled)
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    x, y = t([1.0, 2.0]), t([3.0, 4.0])
    return step(x, y), step(x, y), net.first.w.value()


class Cast(Setting):
    def construct(self, x):
        self.w.set_dtype(ms.float16)
        return (self.w * x).sum()


@case(mode="GRAPH", raises=True)
def test_a_graph_sets_no_dtype():
    return Cast()(t([1.0, 2.0]))
