"""Numbers of numpy's that meet a Tensor: arrays in PyNative mode, constants of a graph."""

import mindspore as ms
import numpy as np

from tests.reference.judge import case, data

KINDS = {"float16": np.float16(2), "float32": np.float32(2), "float64": np.sqrt(np.float64(4)),
         "int8": np.int8(2), "int16": np.int16(2), "int64": np.int64(2), "uint8": np.uint8(2), "bool": np.bool_(True)}


@case(each={"kind": list(KINDS), "dtype": [ms.float32, ms.int32]})
def test_a_number_on_the_left_in_a_graph(kind, dtype):
    number = KINDS[kind]

    @ms.jit
    def marked(x):
        return number * x

    return marked(ms.Tensor([1, -2, 3], dtype))


@case(mode="GRAPH")
def test_gradients_go_through_it():
    three, root = np.float32(3), np.sqrt(8)

    def scaled(x):
        return (three * x + (root - x) / root + three ** x).sum()

    return ms.grad(scaled)(ms.Tensor(data((3,))))


@case()
def test_every_operator_with_a_number_on_the_left():
    two = np.float32(2)

    @ms.jit
    def marked(x):
        return (two + x, two - x, two * x, two / x, two // x, two % x, two ** x,
                two > x, two >= x, two < x, two <= x, two == x, two != x)

    return marked(ms.Tensor([0.5, 2.0, -3.0]))


@case()
def test_outside_of_graphs_it_is_an_array():
    x = ms.Tensor(data((3,)))
    return np.float32(2) * x, np.ones(3, np.float32) + x, np.float32(0) > x, np.exp(x), np.add.reduce(x)
