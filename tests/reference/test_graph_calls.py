"""Functions, classes, Cells and what they capture in graph mode's language."""
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, jit, jit_class, nn, ops

from tests.reference.graphs import INPUTS, graph, shown, written
from tests.reference.judge import case

LIST = [1, 2]
NUMBER = 2


def in_graph(cell, *names):
    with written() as text:
        value = shown(cell(*[INPUTS[name]() for name in names]))
    return (value, text[0]) if text[0] else value


def helper(a):
    print("in helper", a)
    return a + 1


@graph
def test_helper_prints(x):
    return helper(x)


def scaled(a, k=2):
    return a * k


@graph(raises=True)
def test_too_few_arguments(x):
    return scaled()


@graph(raises=True)
def test_unknown_keyword(x):
    return scaled(x, q=1)


@graph(raises=True)
def test_twice(x):
    return scaled(x, a=x)


@graph
def test_keyword(x):
    return scaled(k=3, a=x)


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@graph
def test_recursion_constant():
    return factorial(5)


def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@graph
def test_mutual_recursion():
    return is_even(4), is_odd(4)


def forever(n):
    return forever(n + 1)


@graph(raises=True)
def test_endless_recursion(n):
    return forever(n)


@graph(raises=True)
def test_call_number(x):
    return NUMBER(x)


@graph(raises=True)
def test_call_none(x):
    f = None
    return f(x)


@graph(raises=True)
def test_call_tensor(x):
    return x(1)


@graph
def test_function_in_list(x):
    fs = [ops.relu, ops.square]
    for f in fs:
        x = f(x)
    return x


@graph
def test_function_in_dict(x):
    fs = {"a": ops.relu, "b": ops.square}
    return fs["b"](x)


@graph
def test_function_chosen_constant(x, i):
    f = ops.relu if i > 5 else ops.square
    return f(x)


@graph
def test_primitive_made(x):
    return ops.ReduceSum(keep_dims=True)(x, 0)


@graph
def test_cell_made(x):
    return nn.ReLU()(x)


@graph
def test_grad_of_nested(x):
    def f(a):
        return (a * a).sum()
    return ms.grad(f)(x)


class Plain:
    def __init__(self, k=2):
        self.k = k

    def scale(self, x):
        print("scaling")
        return x * self.k


@jit_class
class Known:
    step = 3

    def __init__(self, k=2):
        self.k = k

    def scale(self, x):
        print("scaling")
        return x * self.k

    def __call__(self, x):
        return x + self.k

    def __add__(self, other):
        return self.k + other

    @property
    def twice(self):
        return self.k * 2

    @staticmethod
    def fixed(x):
        return x + 1

    @classmethod
    def named(cls, x):
        return x + 2


PLAIN, KNOWN, CHANGED_PLAIN, CHANGED_KNOWN = Plain(), Known(5), Plain(), Known(5)


@graph
def test_plain_object(x):
    return PLAIN.scale(x)


@graph
def test_plain_attribute(x):
    return x * PLAIN.k


@graph
def test_plain_attribute_set(x):
    CHANGED_PLAIN.k = 7
    return x * CHANGED_PLAIN.k


@graph
def test_plain_made(x):
    return Plain(3).scale(x)


@graph
def test_known_object(x):
    return KNOWN.scale(x)


@graph
def test_known_attribute(x):
    return x * KNOWN.k + KNOWN.step


@graph
def test_known_called(x):
    return KNOWN(x)


@graph
def test_known_made(x):
    return Known(3).scale(x)


@graph
def test_known_attribute_set(x):
    CHANGED_KNOWN.k = 4
    return x * CHANGED_KNOWN.k


@graph
def test_known_property(x):
    return x * KNOWN.twice


@graph
def test_known_static(x):
    return KNOWN.fixed(x), Known.fixed(x)


@graph
def test_known_add():
    return KNOWN + 1


@graph
def test_known_returned():
    return KNOWN


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


def reads_number(x):
    return x * NUMBER


def reads_list(x):
    return x * len(LIST)


@case(mode="GRAPH")
def test_counts_up_twice():
    net, x = CountsUp(), INPUTS["x"]()
    return net(x), net(x), net.k


@case(mode="GRAPH")
def test_dropout_masks():
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
    net = nn.Dropout(p=0.5).set_train()
    x = ms.ops.ones((50,))
    return bool((net(x) == net(x)).all())


