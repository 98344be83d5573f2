"""Derivatives along a curve."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

from tests.reference.judge import case, data


class Net(nn.Cell):
    def construct(self, x):
        return ops.exp(ops.sin(x))


class Product(nn.Cell):
    def construct(self, x, y):
        return ops.sin(x) * y


@case(mode="GRAPH", each={"order": [1, 2, 4]})
def test_derivative(order):
    return ops.derivative(Net(), Tensor(data((2, 2))), order)


@case(mode="GRAPH")
def test_jet_along_a_curve():
    return ops.jet(Net(), Tensor(data((2, 2))), Tensor(data((3, 2, 2), seed=1)))


@case(mode="GRAPH")
def test_jet_of_two_inputs():
    inputs = Tensor(data((2,))), Tensor(data((2,), seed=1))
    return ops.jet(Product(), inputs, (Tensor(data((2, 2), seed=2)), Tensor(data((2, 2), seed=3))))


@case
def test_linearize():
    x, y, v, w = (Tensor(data((2, 2), seed=i)) for i in range(4))
    value, along = ops.function.linearize(Product(), (x, y))
    return [value, along((v, w))]


@case
def test_bytes_of_a_tensor():
    x = Tensor(np.array([[1, 2], [3, -4]]), ms.int16)
    back = Tensor.convert_bytes_to_tensor(x.get_bytes(), x.shape, x.dtype)
    return [list(x.get_bytes()), back.asnumpy(), x.is_pinned(), Tensor([1]).new_empty((2, 3)).asnumpy(), repr(type(x))]
