"""What ``jit`` gives for a Cell: its ``construct``, which may take the place of another one's."""

import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case, data


class Doubled(nn.Cell):
    def construct(self, x):
        return ops.abs(x) * 2


@case(each={"capture": ["ast", "bytecode"]})
def test_a_cell_gives_its_construct(capture):
    compiled = ms.jit(Doubled(), capture_mode=capture)
    x = ms.Tensor(data((2, 3)))
    return type(compiled).__name__, compiled(x)


@case(each={"capture": ["ast", "bytecode"]})
def test_it_replaces_the_construct_of_another(capture):
    net, x = nn.Dense(3, 4), ms.Tensor(data((2, 3)))
    net.construct = ms.jit(Doubled(), capture_mode=capture)
    return net(x), ms.grad(net)(x)


@ms.jit(capture_mode="bytecode")
def tripled(x):
    return ops.abs(x) * 3


class Around(nn.Cell):
    def construct(self, x):
        return tripled(x) + 1


@case(mode="BOTH")
def test_a_captured_function_keeps_the_bare_one():
    x = ms.Tensor(data((2, 3)))
    return tripled(x), tripled.__wrapped__(x), tripled.__name__, Around()(x), ms.grad(Around())(x)
