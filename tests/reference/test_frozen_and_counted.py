"""Parameters frozen while they are differentiated, what `vmap` counts, where `move_to` moves, and environment
variables of deterministic computation."""

import os

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.ops.operations import _grad_ops

from tests.reference.judge import case
from tests.reference.networks import t


class Freezing(nn.Cell):
    """Multiplies by two weights; freezes the second one ``when`` it is "before" the product or "after"."""

    def __init__(self, when):
        super().__init__()
        self.one, self.two = ms.Parameter(t(2.0), name="one"), ms.Parameter(t(3.0), name="two")
        self.when = when

    def construct(self, x):
        if self.when == "before":
            self.two.requires_grad = False
        y = x * self.one * self.two
        if self.when == "after":
            self.two.requires_grad = False
        return y


@case(each={"when": ["before", "after", "never"]})
def test_a_weight_frozen_by_the_body_has_no_gradient(when):
    net = Freezing(when)
    weights = [net.one, net.two]
    return (ms.grad(net, weights=weights)(t(4.0)), ms.value_and_grad(net, None, net.two)(t(4.0)),
            ops.GradOperation(get_by_list=True)(net, ms.ParameterTuple(weights))(t(4.0)))


class Three(nn.Cell):
    def construct(self, x, y, z):
        return x + y * z


class One(nn.Cell):
    def construct(self, x):
        return x


def three(x, y, z):
    return x + y * z


def with_default(x, y, z=2):
    return x + y * z


MISCOUNTED = {
    "cell": lambda x: ms.vmap(Three(), (1, 1, None))(x, x),
    "cell, any axis": lambda x: ms.vmap(Three(), 1)(x, x),
    "cell, no such axis": lambda x: ms.vmap(Three(), 5)(x, x),
    "function": lambda x: ms.vmap(three, (1, 1, None))(x, x),
    "function, more": lambda x: ms.vmap(three)(x, x, x, x),
    "too few for cells": lambda x: ms.vmap(nn.CellList([Three(), Three()]))(x),
}
REFUSED = {
    "cell, fewer axes": lambda x: ms.vmap(Three(), (1, 1))(x, x),
    "function, other axes": lambda x: ms.vmap(three, (1, 1))(x, x, x),
    "default, more axes": lambda x: ms.vmap(with_default, (1, 1, None))(x, x),
    "primitive": lambda x: ms.vmap(ops.Add(), (1, 1))(x, x),
    "primitive inside": lambda x: ms.vmap(ms.vmap(ops.ReLU()))(x),
    "unlike cells": lambda x: ms.vmap(nn.CellList([One(), Three()]), None)(x),
}


@case(raises="The parameters number of the function is 3, but the number of provided arguments is", mode="BOTH",
      each={"call": list(MISCOUNTED)})
def test_what_vmap_counts(call):
    MISCOUNTED[call](ms.Tensor(np.ones((2, 3), np.float32)))


@case(raises=True, mode="BOTH", each={"call": list(REFUSED)})
def test_what_vmap_refuses(call):
    REFUSED[call](ms.Tensor(np.ones((2, 3), np.float32)))


@case
def test_vmap_leaves_defaults_out():
    x = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    return ms.vmap(with_default, 1)(x, x), ms.vmap(with_default, (1, 1))(x, x)


@case(raises=True, mode="BOTH", each={"told": [("gpu",), (1,), (None,), ("CPU", 1), ("cuda", True)]})
def test_where_tensors_do_not_move(told):
    t(1.0, 2.0).move_to(*told)


class Moving(nn.Cell):
    def construct(self, x):
        return x.move_to("CPU")


@case(raises=True, mode="GRAPH")
def test_graphs_move_nothing():
    Moving()(t(1.0))


@case(raises=True, each={"count": [0, 1, 3]})
def test_inputs_that_a_primitive_counts(count):
    _grad_ops.PSROIPoolingGrad(100, 1 / 16, 7, 3)(*[t(1.0)] * count)


def _variables():
    return [os.environ.get(name) for name in ("HCCL_DETERMINISTIC", "TE_PARALLEL_COMPILER")]


@case
def test_variables_of_deterministic_computation():
    ms.set_context(deterministic="ON")
    on = _variables()
    ms.set_context(deterministic="OFF")
    return on, _variables()


def drawn(weights, count):
    return ops.Multinomial(seed=5, seed2=6)(weights, count)


@case(mode="BOTH")
def test_vmap_draws_rows_of_one_stream():
    weights = ms.Tensor([[0.5, 0.5, 0.1], [0.2, 0.3, 0.5], [0.1, 0.8, 0.1]], ms.float32)
    return ops.vmap(drawn, (0, None))(weights, 6), ops.vmap(drawn, (1, None))(weights, 3), drawn(weights, 6)


def passed_on(gradient):
    return gradient


seen = ops.InsertGradientOf(passed_on)


@ms.jit
def product(x, y):
    return seen(x) * seen(y)


@case
def test_numbers_pass_where_gradients_are_seen():
    return seen(1.5), product(1.5, 2.0), product(t(1.5), 2.0)
