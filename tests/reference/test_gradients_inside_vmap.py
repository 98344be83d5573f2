"""Gradients inside vmap pass through a Cell's own bprop, hooks and operators that change them, and integers."""

import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case
from tests.reference.networks import t

X, V = [[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0]


def triple(gradient):
    return gradient * 3


def times_five(cell, inner, outer):
    return (inner[0] * 5,)


class Own(nn.Cell):
    def construct(self, x, y):
        return x * y, y

    def bprop(self, x, y, out, dout):
        return dout[0] * 7, dout[1] + x


class Seven(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 7,)


own, seven, relu = Own(), Seven(), nn.ReLU()
inserted, hooked = ops.InsertGradientOf(triple), ops.HookBackward(triple)
relu.register_backward_hook(times_five)


def by_own(x):
    return own(x, x)[0].sum()


def by_seven(x):
    return (seven(x) ** 2).sum()


def by_inserted(x):
    return (inserted(x) ** 2).sum()


def by_hooked(x):
    return (hooked(x) ** 2).sum()


def by_relu(x):
    return (relu(x) ** 2).sum()


def by_a_hook(x):
    y = x * 2
    y.register_hook(triple)
    return (y**2).sum()


@case(mode="BOTH", each={"body": [by_own, by_seven, by_inserted, by_hooked, by_relu, by_a_hook]})
def test_gradient_of_each_row(body):
    def of_row(x):
        return ms.grad(body)(x)

    def pulled(x):
        return ms.vjp(body, x)[1](t(1.0))

    return ops.vmap(of_row)(t(X)), ops.vmap(pulled)(t(X))


def by_two(x, y):
    return ms.grad(own_of_two, (0, 1))(x, y)


def own_of_two(x, y):
    return own(x, y)[0].sum()


@case(mode="BOTH")
def test_gradients_by_two_inputs_through_an_own_bprop():
    return ops.vmap(by_two)(t(X), t(X)), ops.vmap(by_two, (0, None))(t(X), t(V))


def product(i, x):
    return (i * i * x).sum()


def by_integers(i, x):
    return ms.grad(product, (0, 1))(i, x)


@case(mode="BOTH")
def test_gradients_by_integers():
    return ops.vmap(by_integers)(ms.Tensor([[1, 2], [3, 4]], ms.int32), t(X))
