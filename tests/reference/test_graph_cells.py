"""Cells in graph mode: what `construct` may do, attributes, calls, errors."""
from typing import NamedTuple

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, jit, jit_class, nn, ops

from tests.reference.graphs import INPUTS, graph, shown, written
from tests.reference.judge import case

NUMBER = 2


def in_graph(cell, *names):
    with written() as text:
        value = shown(cell(*[INPUTS[name]() for name in names]))
    return (value, text[0]) if text[0] else value


def scaled(a, k=2):
    return a * k


class Net(nn.Cell):
    """What the cases below share."""

    def __init__(self, **given):
        super().__init__()
        self.weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="weight")
        self.k = 2
        self.flag = True
        self.off = False
        self.none = None
        self.items = [1, 2]
        self.table = {"a": 1}
        self.relu = nn.ReLU()
        self.fn = scaled
        self.layers = nn.CellList([nn.ReLU(), nn.Sigmoid()])
        self.pair = (nn.ReLU(), nn.ReLU())


class AssignsInt(Net):
    def construct(self, x):
        self.weight = 1
        return self.weight * x


class AssignsTensor(Net):
    def construct(self, x):
        self.weight = x
        return self.weight * 2


class AssignsNumber(Net):
    def construct(self, x):
        self.k = 5
        return x * self.k


class AssignsNew(Net):
    def construct(self, x):
        self.fresh = 5
        return x * self.fresh


class CountsUp(Net):
    def construct(self, x):
        self.k += 1
        return x * self.k


class BoundIfFlag(Net):
    def construct(self, x):
        if self.flag:
            y = x
        return y


class BoundIfOff(Net):
    def construct(self, x):
        if not self.off:
            y = x
        return y


class BoundIfNone(Net):
    def construct(self, x):
        if self.none is None:
            y = x
        return y


class BoundIfK(Net):
    def construct(self, x):
        if self.k == 2:
            y = x
        return y


class BoundIfGlobal(Net):
    def construct(self, x):
        if NUMBER == 2:
            y = x
        return y


class BoundIfShape(Net):
    def construct(self, x):
        if x.ndim == 1:
            y = x
        return y


class BoundIfBoth(Net):
    def construct(self, x):
        if self.flag and self.k > 1:
            y = x
        return y


class NotBoundIfFlag(Net):
    def construct(self, x):
        if not self.flag:
            y = x
        return y


class Appends(Net):
    def construct(self, x):
        self.items.append(3)
        return self.items


class SetsKey(Net):
    def construct(self, x):
        self.table["b"] = 2
        return self.table


class Prints(Net):
    def construct(self, x):
        print("k", self.k)
        print("weight", self.weight)
        return x


class PrintsParameter(Net):
    def construct(self, x):
        print(self.weight)
        return x


class ReturnsParameter(Net):
    def construct(self, x):
        return self.weight


class ReturnsAttributes(Net):
    def construct(self, x):
        return self.k, self.items, self.table, self.none, self.flag


class CallsLayers(Net):
    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class CallsPair(Net):
    def construct(self, x):
        for layer in self.pair:
            x = layer(x)
        return x


class CallsFunction(Net):
    def construct(self, x):
        return self.fn(x)


class CallsMethod(Net):
    def construct(self, x):
        return self.helped(x)

    def helped(self, x):
        print("helped")
        return x + self.k


class Trained(Net):
    def construct(self, x):
        if self.training:
            return x
        return x + 1


class WrongArguments(Net):
    def construct(self, x, y):
        return x + y


class Defaults(Net):
    def construct(self, x, y=2):
        return x * y


class Varied(Net):
    def construct(self, *xs, **named):
        return len(xs), len(named)


class NoReturn(Net):
    def construct(self, x):
        x + 1


class Supers(Prints):
    def construct(self, x):
        return super().construct(x) + 1


class Tries(Net):
    def construct(self, x):
        try:
            return x
        except ValueError:
            return x + 1


class CellName(Net):
    def construct(self, x):
        return self.relu.cls_name


class LenOfLayers(Net):
    def construct(self, x):
        return len(self.layers), len(self.pair)


class InnerCalls(Net):
    def __init__(self):
        super().__init__()
        self.inner = Prints()

    def construct(self, x):
        return self.inner(x)


class IsInstance(Net):
    def construct(self, x):
        return isinstance(self.relu, nn.Cell), isinstance(self.weight, Parameter), isinstance(x, Tensor)


class Decorated(Net):
    @jit
    def construct(self, x):
        print("k", self.k)
        return x * self.k


KINDS = [
    AssignsTensor, AssignsNumber, AssignsNew, CountsUp, BoundIfFlag, BoundIfOff, BoundIfNone, BoundIfK,
    BoundIfBoth, Appends, SetsKey, Prints, PrintsParameter, ReturnsParameter, ReturnsAttributes, CallsLayers,
    CallsPair, CallsFunction, CallsMethod, Trained, Defaults, Varied, NoReturn, Supers, CellName, LenOfLayers,
    InnerCalls, IsInstance, Decorated
]
REFUSED = [
    AssignsInt, BoundIfGlobal, BoundIfShape, NotBoundIfFlag, WrongArguments, Tries
]


@case(each={"kind": KINDS}, mode="GRAPH")
def test_cell(kind):
    net = kind()
    got = in_graph(net, "x")
    return got, net.k, net.weight.asnumpy(), getattr(net, "fresh", None), net.items, net.table


@case(each={"kind": REFUSED}, mode="GRAPH", raises=True)
def test_refused_cell(kind):
    return kind()(INPUTS["x"]())


@case(mode="GRAPH", raises=True)
def test_cell_too_many():
    return in_graph(Prints(), "x", "y")


@case(mode="GRAPH")
def test_cell_keyword():
    return Defaults()(INPUTS["x"](), y=3)


@case(mode="GRAPH", raises=True)
def test_cell_unknown_keyword():
    return Defaults()(INPUTS["x"](), q=3)


@case(mode="GRAPH", raises=True)
def test_cell_given_text():
    return Defaults()(INPUTS["x"](), "a")


@case(mode="GRAPH", raises=True)
def test_function_too_many():
    return jit(scaled)(INPUTS["x"](), 2, 3)


@case(mode="GRAPH", raises=True)
def test_function_too_few():
    return jit(scaled)()


@case(mode="GRAPH", raises=True)
def test_function_unknown_keyword():
    return jit(scaled)(INPUTS["x"](), q=3)


@case(mode="GRAPH")
def test_counts_up_twice():
    net, x = CountsUp(), INPUTS["x"]()
    return net(x), net(x), net.k


@case(mode="GRAPH")
def test_dropout_masks():
    ms.set_seed(1)          # (without a seed the two places draw what they like)

    class Twice(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dropout = nn.Dropout(p=0.5)

        def construct(self, x):
            return self.dropout(x), self.dropout(x)
    net = Twice().set_train()
    a, b = net(ms.ops.ones((50,)))
    return bool((a == b).all())


@case(mode="GRAPH")
def test_dropout_masks_over_calls():
    ms.set_seed(1)
    net = nn.Dropout(p=0.5).set_train()
    x = ms.ops.ones((50,))
    return bool((net(x) == net(x)).all())


class Unset(nn.Cell):
    def __init__(self, which):
        super().__init__()
        self.which = which

    def construct(self):
        if self.which == "item":
            self.x[0] = 9
        elif self.which == "deep":
            self.x[0][1] = 9
        elif self.which == "added":
            self.x[0] += 1
        return 1


class Making(nn.Cell):
    def construct(self, x):
        return Parameter(x, name="weight")


class Point(NamedTuple):
    a: int
    b: int


class OfAPoint(nn.Cell):
    def construct(self, point):
        return point.c


@case(mode="GRAPH", raises="should be initialized in the '__init__' function before subscript.",
      each={"which": ["item", "deep", "added"]})
def test_items_of_what_is_not_there(which):
    return Unset(which)()


class Passing(nn.Cell):
    def construct(self, x):
        return x


def circle(kind):
    """A list or a dict that holds itself."""
    made = {"a": 1} if kind == "dict" else [1, 2]
    made["b" if kind == "dict" else 0] = [made] if kind == "deep" else made
    return made


@case(mode="GRAPH", raises=True, each={"kind": ["list", "dict", "deep"], "marked": [False, True]})
def test_what_is_in_itself(kind, marked):
    net = Passing()
    return (jit(net.construct) if marked else net)(circle(kind))


class Listing(nn.Cell):
    """Parameters in a tuple and in a list, of which two have one name."""

    def __init__(self, name):
        super().__init__()
        one = Parameter(Tensor([1.0]), name="one")
        self.first = one, Parameter(Tensor([2.0]), name="two")
        self.second = [one, Parameter(Tensor([3.0]), name=name)]

    def construct(self, x):
        return self.first[0] + self.second[1] + x


@case(mode="BOTH", raises="its name 'two' already exists. Please set a unique name for the parameter.")
def test_listed_parameters_of_one_name():
    return Listing("two")(Tensor([1.0]))


@case(mode="BOTH")
def test_one_parameter_in_two_lists():
    return Listing("three")(Tensor([1.0]))


@case(mode="GRAPH", raises=True)
def test_a_parameter_that_a_graph_makes():
    return Making()(Tensor([1.0]))


@case(mode="GRAPH", raises=True)
def test_an_attribute_that_a_named_tuple_lacks():
    return OfAPoint()(Point(1, 2))


class SettingOfAParameter(Net):
    def construct(self, x, name):
        if name == "gradient":
            self.weight.requires_grad = False
        elif name == "name":
            weight = self.weight
            weight.name = "another"
        else:
            self.weight.own = 3
        return x * self.weight


@case(mode="GRAPH", raises=True, each={"name": ["gradient", "name", "own"]})
def test_an_attribute_of_a_parameter_is_not_set_in_a_graph(name):
    return SettingOfAParameter()(INPUTS["x"](), name)


class Chosen(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cells = nn.CellList([nn.ReLU(), nn.Tanh()])

    def construct(self, x, place):
        return self.cells[place](x)


@case(mode="GRAPH", raises=True, each={"place": [2, -3]})
def test_a_cell_beyond_the_end_of_a_list(place):
    return Chosen()(INPUTS["x"](), place)
