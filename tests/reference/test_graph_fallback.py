"""What of a graph is left to Python: arrays, objects, what is printed beside them; and what the limits of its
own recursion are."""
import os

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, jit, mutable, nn, ops

from tests.reference.graphs import graph, written
from tests.reference.judge import case


class Thing:
    def __repr__(self):
        return "thing"


THING = Thing()


@graph
def test_print_beside_an_array(x):
    y = x.asnumpy()
    print(x, y, y[0], "a", 1.5, (1, 2))
    print(y)
    print("q", [y], (1, "b"), {"a": y})
    print(x)
    return x


@graph
def test_print_beside_an_object(x):
    print(x, THING)
    return x


@graph
def test_range_of_arrays(x, n):
    total = 0
    for place in range(n.asnumpy()):
        total += place
    for place in range(1, n.asnumpy(), 2):
        total += place
    return total


@graph
def test_arrays_are_not_changed_in_place():
    total, whole = np.array(0), np.array([1, 2])
    other = whole
    for value in np.array([1.5, 2.0]):
        total += value
    whole += 1
    return float(total), Tensor(whole), Tensor(other)


@graph(raises=True)
def test_range_of_a_vector(x):
    return range(x.asnumpy())


@graph(raises="For 'make_range', the 0th input should be a int scalar")
def test_range_of_a_tensor_that_is_made_there(x):
    for place in range(Tensor(3).astype("int32")):
        x = x + place
    return x


@graph(raises=True)
def test_range_of_a_quotient(x):
    for place in range(x.shape[0] / 2):
        x = x + place
    return x


@graph(raises=True)
def test_range_without_a_step(x):
    for place in range(0, 1, 0):
        x = x + place
    return x


@graph(raises=True)
def test_range_of_nothing(x):
    for place in range():
        x = x + place
    return x


@graph(raises=True)
def test_range_of_four(x):
    for place in range(1, 2, 3, 4):
        x = x + place
    return x


@graph(raises=True)
def test_range_to_a_float(x):
    return [place for place in range(0, 4.5)]


@graph(raises=True)
def test_enumerate_from_a_list(x, t):
    for place, value in enumerate((x, x), start=[1, 2]):
        x = x + place
    return x


@graph
def test_enumerate_from_a_shape(x):
    made = []
    for place, value in enumerate((x, x), start=len(x.shape)):
        made.append((place, value))
    return made


@case(mode="GRAPH")
def test_numbers_of_an_array_made_mutable():
    @jit
    def made(array):
        out = []
        for value in array:
            out.append(mutable(value))
        return out

    return made(np.array([1, 2]))


@graph(raises=True)
def test_length_of_a_mutable_number():
    return len(mutable(2))


@graph(raises=True)
def test_attribute_of_what_is_subscripted(xs):
    xs[0].q = 3
    return xs


@jit
def countdown(n):
    made = Tensor([0])
    if n < 3:
        made += n
    else:
        made = n * countdown(n - 1)
    return made + 1


@jit
def endless(n):
    return endless(n + 1)


@case(mode="GRAPH")
def test_recursion_of_a_modules_function():
    return countdown(Tensor([5]))


@case(mode="GRAPH", raises="Exceed function call depth limit 1000")
def test_endless_recursion_of_a_modules_function():
    return endless(3)


@ms.jit_class
class Counter:
    def __init__(self):
        self.number = Parameter(Tensor([2]), name="number")

    def __enter__(self):
        self.number *= 2
        return self.number

    def __exit__(self, kind, value, trace):
        self.number *= 4

    def add(self, value):
        self.number = self.number + value
        return self.number * 1


@case(mode="GRAPH")
def test_parameter_of_a_jit_class():
    class Net(nn.Cell):
        def construct(self):
            made, counter = 1, Counter()
            with counter as number:
                made += number
            return made, counter.number

    counter = Counter()

    @jit
    def called(x):
        return counter.add(x), counter.number

    with written() as text:
        given = Net()(), called(Tensor([5])), counter.number.value()
    return given, text


def scaled(x, factor=2.0, offset=1.0):
    return x * factor + offset


def first(*args):
    return args[0]


@case(mode="GRAPH")
def test_morph_takes_arguments_by_name():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scaled = ops.Morph(scaled, first, first)

        def construct(self, x):
            return self.scaled(x, factor=Tensor(3.0)), self.scaled(x), self.scaled(x, offset=Tensor(5.0))

    return Net()(Tensor([2.0, 4.0]))


@case(mode="GRAPH")
def test_nothing_is_compiled_where_the_environment_says_so():
    class Net(nn.Cell):
        def construct(self, x):
            print("net", x)
            return x + 1

    @jit
    def refused(x):
        try:
            print("function", x)
        finally:
            x = x * 2
        return x, type(zip((1,), (2,))).__name__

    os.environ["MS_JIT"] = "0"
    try:
        ms.set_context(mode=ms.GRAPH_MODE)
        with written() as text:
            given = Net()(Tensor([1.0])), refused(Tensor([1.0]))
    finally:
        del os.environ["MS_JIT"]
        ms.set_context(mode=ms.GRAPH_MODE)
    with written() as later:
        Net()(Tensor([1.0]))
    return given, text, later
