"""Functions, classes, Cells and what they capture in graph mode's language."""
import functools

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, context, jit, jit_class, nn, ops
from mindspore import log as logger
from mindspore.common import initializer as init
from mindspore.common.initializer import One, initializer

from tests.reference.graphs import INPUTS, graph, shown, written
from tests.reference.judge import case

NUMBER = 2


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


class Forbidden(nn.Cell):
    """Calls one of the things that a graph is not to call."""

    def __init__(self, which):
        super().__init__()
        self.which, self.weight, self.inner = which, Parameter(Tensor([1.0]), name="weight"), nn.ReLU()

    def construct(self, x):
        out = x
        if self.which == "get_parameters":
            for weight in self.get_parameters():
                out = out + weight
        elif self.which == "trainable_params":
            out = len(self.inner.trainable_params())
        elif self.which == "untrainable_params":
            out = self.untrainable_params()
        elif self.which == "parameters_dict":
            out = self.parameters_dict()
        elif self.which == "state_dict":
            out = self.state_dict()
        elif self.which == "get_sub_cell":
            out = self.get_sub_cell("inner")(x)
        elif self.which == "buffers":
            out = self.buffers()
        elif self.which == "assign_value":
            out = x.assign_value(x)
        elif self.which == "set_const_arg":
            x.set_const_arg(False)
        elif self.which == "set_data":
            self.weight.set_data(x)
        elif self.which == "get_context":
            out = context.get_context("mode")
        elif self.which == "ms.set_context":
            ms.set_context(mode=1)
        elif self.which == "log":
            logger.warning("a")
        elif self.which == "initializer":
            out = initializer("ones", [2])
        elif self.which == "One":
            out = One()
        elif self.which == "init.Normal":
            out = init.Normal()
        return out


@case(mode="GRAPH", raises=True, each={"which": [
    "get_parameters", "trainable_params", "untrainable_params", "parameters_dict", "state_dict", "get_sub_cell",
    "buffers", "assign_value", "set_const_arg", "set_data", "get_context", "ms.set_context", "log", "initializer",
    "One", "init.Normal"]})
def test_what_no_graph_calls(which):
    return Forbidden(which)(Tensor([2.0]))


class Named(nn.Cell):
    """Has methods of its own by names that Cells have too."""

    def construct(self, x):
        return self.buffers(x)

    def buffers(self, x):
        return x + 1


@case(mode="GRAPH")
def test_own_methods_by_such_names():
    return Named()(Tensor([2.0]))


def ten_times(function):
    @functools.wraps(function)
    def decorated(*args, **kwargs):
        return function(*args, **kwargs) * 10
    return decorated


def unnamed_ten_times(function):
    return lambda *args: function(*args) * 10


@ten_times
def decorated_sum(a):
    return a + NUMBER


class Decorated(nn.Cell):
    @ten_times
    def method(self, x):
        return x + 1

    @ten_times
    def construct(self, x):
        return self.method(x) - decorated_sum(x)


@case(mode="GRAPH")
def test_decorators_that_wrap():
    def nested(x):
        @unnamed_ten_times
        def inner(y):
            return y + 1
        return inner(x)

    def through_another(x):
        return unnamed_ten_times(decorated_sum)(x)

    x = Tensor([3.0])
    marked = jit(ten_times(nested)), jit(ten_times(ten_times(decorated_sum))), jit(unnamed_ten_times(helper_sum))
    return ([f(x) for f in marked], jit(nested)(x), Decorated()(x), decorated_sum(x), ten_times(jit(nested))(x),
            ms.grad(ten_times(ops.square))(x), ms.value_and_grad(decorated_sum)(x))


def helper_sum(a):
    return a + NUMBER
