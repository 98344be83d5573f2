"""Integers through a Cell's own bprop, through jvp inside vmap, and through what a graph keeps on a Cell."""

import mindspore as ms
from mindspore import Tensor, nn, ops

from tests.reference.judge import case


class Two(nn.Cell):
    def construct(self, x):
        return x + 1, x * 2

    def bprop(self, x, out, dout):
        return (out[1] * 10 + dout[0],)


class First(nn.Cell):
    def __init__(self):
        super().__init__()
        self.two = Two()

    def construct(self, x):
        first, _ = self.two(x)
        return first


@case(each={"kind": [ms.int32, ms.int64, ms.float32]}, mode="BOTH")
def test_the_bprop_of_a_cell_is_asked(kind):
    return ops.GradOperation(get_all=True)(First())(Tensor([1, 4], kind))


class Kept(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = 4

    def construct(self, x):
        self.p = self.p + x
        return self.p


@case(each={"kind": [ms.int32, ms.float32]}, mode="BOTH")
def test_no_gradient_goes_through_what_a_graph_keeps(kind):
    return ops.grad(Kept())(Tensor([2], kind))


@case(each={"kind": [ms.int32, ms.float32]}, mode="GRAPH")
def test_jvp_inside_vmap(kind):
    def product(x, y):
        return x * y

    def pushed(x, y):
        return ops.jvp(product, (x, y), (y, x))

    @ms.jit
    def mapped(x, y):
        return ops.vmap(pushed)(x, y)

    return mapped(ops.ones((2, 3), kind), ops.ones((2, 3), kind) * 2)
