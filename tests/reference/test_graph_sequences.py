"""Tuples and lists beside Tensors in a graph: operators make Tensors of them, of the Tensor's dtype."""
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mutable, nn

from tests.reference.graphs import graph
from tests.reference.judge import case


@graph
def test_multiplied(x, n):
    return x * (1, 2, 3), [1.5, 2, 3] * x, n * (2.5, 3), n * ((1, 2), (3, 4)), n * (n, 2), x * (x, x), n * ()


@graph
def test_divided(x, n):
    return x / (1, 2, 3), (2, 4, 6) / x, n / (2, 4), (2, 4.5) / n, x / [x, x], (n, n, n) / x, [x, x] / x


@graph
def test_remainder(x):
    return x % (2, 2, 2), (7, 8, 9) % x


@graph
def test_assigned_beside_a_shape(x, m):
    x *= (2, 2, 2)
    x /= [4, 2, 1]
    x += (1, 1, 1)
    x -= [1, 1, 2]
    x //= (1, 1, 1)
    x %= (2, 2, 2)
    z = x
    z += ((1, 2, 3), (4, 5, 6))
    return x, z, m * x.shape


@case(mode="GRAPH")
def test_the_argument_stays():
    @ms.jit
    def augmented(x):
        y = x
        x += (1, 1)
        return x, y

    given = Tensor(np.array([1, 2], np.float32))
    return augmented(given), given


@case(mode="GRAPH")
def test_into_a_parameter():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(np.array([1, 2], np.float32)), name="w")

        def construct(self):
            self.w *= (2, 2)
            self.w /= [2, 1]
            self.w += (2, 1)
            return self.w + 0

    net = Net()
    return net(), net.w.value()


@case(mode="GRAPH")
def test_of_any_length():
    class Holder:
        values = mutable([Tensor(1), Tensor(2)], True)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.holder = Holder()

        def construct(self, x):
            return self.holder.values + x

    return Net()(Tensor(4))


@case(mode="PYNATIVE", raises=True)
def test_not_outside_of_a_graph():
    return Tensor([1.0, 2.0]) * (2, 2)


@graph(raises=True)
def test_slice_text(t):
    return t[0:"a"]


@graph(raises=True)
def test_slice_float(t):
    return t[1.5:]


@graph(raises=True)
def test_slice_step_zero(t):
    return t[::0]


@graph(raises=True)
def test_slice_of_a_list_step_zero():
    return [1, 2, 3][::0]
