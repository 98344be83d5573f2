"""What a body does beside computing happens once, under every gradient function and train cell, in both modes.

Each body counts its runs in a Parameter; statistics, masks, banks and Python's own state tell what was
written, drawn and done. All gradient functions share one network, so that what one leaves behind the next
would show.
"""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import t


class Body(nn.Cell):
    """A dense layer, parts with effects, and a count of the runs; subclasses have `effect`."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init=ms.Tensor(data((3, 3), seed=1)), bias_init="zeros")
        self.bn = nn.BatchNorm1d(3, momentum=0.5)
        self.drop = nn.Dropout(p=0.5)
        self.runs = ms.Parameter(ms.Tensor(0, ms.int32), name="runs", requires_grad=False)
        self.bank = ms.Parameter(ms.Tensor(data((4, 3), seed=2)), name="bank", requires_grad=False)
        self.one = ms.Tensor(1, ms.int32)
        self.rows = ms.Tensor([2, 0], ms.int32)
        self.told = ops.ScatterUpdate()
        self.slope = ops.GradOperation()

    def construct(self, x):
        ops.assign_add(self.runs, self.one)
        return self.effect(x, self.dense(x))


class Plain(Body):
    def effect(self, x, h):
        return (h * h).sum()


class Statistics(Body):
    def effect(self, x, h):
        return (self.bn(h) * x).sum()


class StatisticsTwice(Body):
    def effect(self, x, h):
        return (self.bn(self.bn(h) * x) * x).sum()


class Mask(Body):
    def effect(self, x, h):
        return (self.drop(h) * h).sum()


class MaskAndStatistics(Body):
    def effect(self, x, h):
        return (self.drop(self.bn(h)) * x).sum()


class Added(Body):
    def effect(self, x, h):
        self.runs += 1
        return (h * h).sum()


class Assigned(Body):
    def effect(self, x, h):
        ops.assign(self.bank, self.bank + 1.0)
        return (h * self.bank).sum()


class AssignedAttribute(Body):
    def effect(self, x, h):
        self.bank = 0.5 * self.bank + ops.stop_gradient(h)
        return (h * self.bank).sum()


class AssignAdd(Body):
    def effect(self, x, h):
        ops.assign_add(self.bank, x)
        return (h * self.bank).sum()


class AssignSub(Body):
    def effect(self, x, h):
        ops.assign_sub(self.bank, x)
        return (h + self.bank).sum()


class OfActivation(Body):
    def effect(self, x, h):
        ops.assign(self.bank, h)
        return (h * x).sum() + self.bank.sum()


class Scattered(Body):
    def effect(self, x, h):
        self.told(self.bank, self.rows, x[:2])
        return (h * self.bank).sum()


class Row(Body):
    def effect(self, x, h):
        self.bank[0] = ops.stop_gradient(h)[1]
        return (h * self.bank).sum()


class Column(Body):
    def effect(self, x, h):
        self.bank[:, 1] = x[:, 0]
        return (h * self.bank).sum()


class Rows(Body):
    def effect(self, x, h):
        self.bank[self.rows] = x[1:3]
        return (h * self.bank).sum()


class ActivationRow(Body):
    def effect(self, x, h):
        h = h * 2.0
        h[0] = 1.0
        return (h * x).sum()


class ActivationColumn(Body):
    def effect(self, x, h):
        p = ops.softmax(h)
        p[:, 0] = 0.0
        return (p * x).sum()


class ActivationMask(Body):
    def effect(self, x, h):
        h = ops.sigmoid(h)
        h[x > 0] = 0.0
        return (h * x).sum()


class ActivationScaled(Body):
    def effect(self, x, h):
        h = h * 2.0
        h[1:3] *= 3.0
        return (h * x).sum()


class FilledByRows(Body):
    def effect(self, x, h):
        out = ops.zeros((4, 3), ms.float32)
        for i in range(4):
            out[i] = h[i] * (i + 1.0)
        return (out * x).sum()


class InPlaceArithmetic(Body):
    def effect(self, x, h):
        y = h * 2.0
        y += x
        y *= 3.0
        return (y * x).sum()


class List(Body):
    def effect(self, x, h):
        parts = []
        for i in range(3):
            parts.append(h * i)
        return ops.stack(parts).sum()


class Dictionary(Body):
    def effect(self, x, h):
        parts = {"a": h, "b": x}
        parts["a"] = parts["a"] * 2.0
        return (parts["a"] * parts["b"]).sum()


class Iterated(Body):
    def effect(self, x, h):
        total = x.sum()
        for i, row in enumerate((h[0], h[1], h[2])):
            total = total + (row * i).sum()
        return total


class Stopped(Body):
    def effect(self, x, h):
        return (ops.stop_gradient(h) * h).sum()


class Depending(Body):
    def effect(self, x, h):
        return ops.depend(h, ops.assign_add(self.bank, x)).sum()


def cubes(v):
    return (v * v * v).sum()


class Nested(Body):
    def effect(self, x, h):
        return (self.slope(cubes)(h) * x).sum()


class Twice(nn.Cell):
    def construct(self, x):
        return x * 2.0

    def bprop(self, x, out, dout):
        return (dout * 5.0,)


class CustomBprop(Body):
    def __init__(self):
        super().__init__()
        self.twice = Twice()

    def effect(self, x, h):
        return (self.twice(h) * x).sum()


class Clipped(Body):
    def __init__(self):
        super().__init__()
        self.seen = ops.InsertGradientOf(self.clipped)

    def clipped(self, dx):
        return ops.clip_by_value(dx, -0.5, 0.5)

    def effect(self, x, h):
        return (self.seen(h) * x).sum()


class Branches(Body):
    def effect(self, x, h):
        if self.training:
            ops.assign(self.bank, x)
        return (h * self.bank).sum()


BODIES = [Plain, Statistics, StatisticsTwice, Mask, MaskAndStatistics, Added, Assigned, AssignedAttribute,
          AssignAdd, AssignSub, OfActivation, Scattered, Row, Column, Rows, ActivationRow, ActivationColumn, ActivationMask,
          ActivationScaled, FilledByRows, InPlaceArithmetic, List, Dictionary, Iterated, Stopped, Depending, Nested,
          CustomBprop, Clipped, Branches]


class OwnStep(nn.Cell):
    """A user's train cell: forward, gradients of the same call, an update."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.network.set_grad()
        self.weights = optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x):
        loss = self.network(x)
        gradients = self.grad(self.network, self.weights)(x, ops.ones_like(loss))
        return ops.depend(loss, self.optimizer(gradients))


def left(net):
    return [p.asnumpy().copy() for p in (net.runs, net.bank, net.bn.moving_mean, net.dense.weight)]


def everywhere(kind, hows):
    ms.set_seed(1)
    found, x = {}, ms.Tensor(data((4, 3), seed=3))
    for how in hows:
        net = kind()
        net.set_train()
        weights = net.trainable_params()
        if how == "grad":
            values = ms.grad(net)(x)
        elif how == "value_and_grad":
            values = ms.value_and_grad(net, 0, weights)(x)
        elif how == "GradOperation":
            values = ops.GradOperation(get_all=True, get_by_list=True)(net, ms.ParameterTuple(weights))(x)
        elif how == "vjp":
            output, pull = ms.vjp(net, x)
            values = output, pull(t(2.0))
        elif how == "jacrev":
            values = ms.jacrev(net)(x)
        elif how == "train cell":
            values = nn.TrainOneStepCell(net, nn.SGD(weights, 0.1)).set_train()(x)
        elif how == "scaled train cell":
            values = nn.TrainOneStepCell(net, nn.SGD(weights, 0.1), sens=4.0).set_train()(x)
        elif how == "own train cell":
            values = OwnStep(net, nn.SGD(weights, 0.1)).set_train()(x)
        else:
            values = net(x)
        found[how] = values, left(net)
    return found


GRADIENTS = ["forward", "grad", "value_and_grad", "GradOperation"]
TRAIN_CELLS = ["train cell", "scaled train cell", "own train cell"]


@case(each={"kind": BODIES}, mode="BOTH")
def test_effects_happen_once(kind):
    return everywhere(kind, GRADIENTS + TRAIN_CELLS)


@case(each={"kind": BODIES})
def test_effects_of_a_product_with_the_jacobian_happen_once(kind):
    """(In a graph the real one runs the body again, and so does its jvp in both modes.)"""
    return everywhere(kind, ["vjp"])


# With other effects the real one refuses a Jacobian in reverse, which it makes by vmap.
PURE = [Plain, ActivationRow, ActivationColumn, ActivationMask, FilledByRows, List, Dictionary, Iterated, Stopped,
        CustomBprop]


@case(each={"kind": PURE})
def test_effects_of_a_jacobian_happen_once(kind):
    return everywhere(kind, ["jacrev"])
