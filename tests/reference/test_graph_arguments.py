"""Arguments in graph mode: of Cells, of marked functions, of functions inside, by `partial`."""
import functools
import math
from collections import OrderedDict, namedtuple
from functools import partial

import mindspore as ms
import mindspore.ops.functional as F
import numpy as np
from mindspore import Parameter, Tensor, jit, mutable, nn, ops
from mindspore.nn.grad import Vjp

from tests.reference.graphs import graph
from tests.reference.judge import case


class Args(nn.Cell):
    def construct(self, x, *args, k=3, **kwargs):
        print(len(args), k)
        for a in args:
            x = x + a
        if "bias" in kwargs:
            x = x + kwargs["bias"]
        return x * k


X = lambda: Tensor([1.0, 2.0, 3.0])


class Inner(nn.Cell):
    def __init__(self, act=None):
        super().__init__()
        self.act = act
        self.k = Parameter(Tensor(2.0), name="k")
    def construct(self, x, scale=1.0):
        if self.act is not None:
            x = self.act(x)
        return x * self.k * scale


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([Inner(nn.ReLU()), Inner()])
        self.cells_ = [nn.ReLU(), nn.Tanh()]
        self.tbl = {"relu": nn.ReLU(), "tanh": nn.Tanh()}
        self.seq = nn.SequentialCell([nn.ReLU(), nn.Sigmoid()])
    def construct(self, x, which="relu"):
        for i, b in enumerate(self.blocks):
            x = b(x, scale=float(i + 1))
        for c in self.cells_:
            x = c(x)
        x = self.tbl[which](x)
        return self.seq(x), len(self.blocks)


def two_d(a, b, c=1):
    return a


def two(a, b):
    return a


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = 2
        self.relu = nn.ReLU()
        self.d = {"a": nn.ReLU()}
    def f(self, x):
        return x
    def construct(self, x, b, k=1):
        return x
    def g0(self):
        return self.f()


@case(mode="GRAPH")
def test_cell_args():
    return Args()(X(), X(), 2)


@case(mode="GRAPH")
def test_cell_args_kw():
    return Args()(X(), X(), k=5, bias=X())


@case(mode="GRAPH", raises=True)
def test_cell_unknown_kw():
    class A(nn.Cell):
        def construct(self, x):
            return x
    return A()(X(), foo=1)


@case(mode="GRAPH", raises=True)
def test_cell_missing():
    return Args()()


@case(mode="GRAPH", raises=True)
def test_cell_key_missing():
    return Outer()(X(), "gelu")


@graph(raises=True)
def test_arguments_3(x):
    return two_d(x)


@graph(raises=True)
def test_arguments_5(x):
    return two(a=x)


@graph(raises=True)
def test_arguments_6(x):
    return two(x, b=1, c=2)


@graph(raises=True)
def test_arguments_7(x):
    def g(*, k):
        return k
    return g()


@case(mode="GRAPH", raises=True)
def test_arguments_14():
    return Net()(X())


@case(mode="GRAPH", raises=True)
def test_arguments_15():
    return Net()(X(), 1, 2, 3)


@case(mode="GRAPH")
def test_arguments_16():
    class A(nn.Cell):
        def construct(self, *xs):
            return xs
    return A()()


@case(mode="GRAPH", raises=True)
def test_arguments_17():
    class A(nn.Cell):
        def construct(self, x, *, k):
            return x
    return A()(X())


@case(mode="GRAPH", raises=True)
def test_arguments_19():
    @jit
    def f(x, k=1):
        return x
    return f()


@case(mode="GRAPH", raises=True)
def test_arguments_20():
    @jit
    def f(x, k=1):
        return x
    return f(1, 2, 3)


@case(mode="GRAPH", raises=True)
def test_arguments_21():
    @jit
    def f():
        return 1
    return f(1)


@case(mode="GRAPH", raises=True)
def test_arguments_22():
    @jit
    def f(x, *, k):
        return x
    return f(X())


@case(mode="GRAPH", raises=True)
def test_arguments_23():
    @jit
    def f(x, y):
        return x
    return f(y=X())


@case(mode="GRAPH", raises=True)
def test_arguments_24():
    @jit
    def f(x, y):
        return x
    return f(X(), x=X())


@case(mode="GRAPH", raises=True)
def test_arguments_25():
    class A(nn.Cell):
        def construct(self, x, y):
            return x
    return A()(X(), x=1)


@graph
def test_partial_1(x):
    def g(a, b, c=1):
        return a * b + c
    return partial(g, 2)(x)


@graph
def test_partial_2(x):
    def g(a, b, c=1):
        return a * b + c
    return partial(g, b=3)(x)


@graph
def test_partial_3(x):
    def g(a, b, c=1):
        return a * b + c
    return F.partial(g, 2)(x)


@graph
def test_partial_4(x):
    def g(a, b, c=1):
        return a * b + c
    return partial(g, 2, c=5)(x)


@graph
def test_partial_5(x):
    def g(a, b, c=1):
        return a * b + c
    h = partial(g, 2)
    return h(x, c=3)


@graph
def test_partial_6(x):
    def g(a, b, c=1):
        return a * b + c
    return partial(g, b=3)(x, b=4)


@jit
def one_or_two(x, y=1):
    return x + y


@jit
def with_key(x, *, k):
    return x + k


@jit
def with_keywords(x, **k):
    return x


class Spread(nn.Cell):
    def construct(self, x, *a, **k):
        return x


WRONG = [
    lambda: one_or_two(y=X()), lambda: one_or_two(z=X()), lambda: one_or_two(X(), x=X()), lambda: with_key(X()),
    lambda: with_key(y=1), lambda: with_keywords(), lambda: with_keywords(y=1), lambda: Spread()(y=1)]


@case(mode="GRAPH", raises=True, each={"number": list(range(len(WRONG)))})
def test_wrong_names(number):
    return WRONG[number]()


@case(mode="GRAPH", raises="its max argument size: 0 is less than parameter size: 1 , actual argument size from caller: 0")
def test_nothing_for_several():
    return Spread()()


class Two(nn.Cell):
    def construct(self, x, y):
        return 2 * x, y ** 3


@case(mode="BOTH")
def test_what_is_differentiated_lacks_an_argument():
    x = ms.Tensor([1.0, 2.0])
    try:
        return Vjp(Two())((x, x), (x, x))
    except TypeError:
        return "TypeError"
