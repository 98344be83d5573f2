"""Hooks of Tensors that are registered before any gradient is computed."""

import copy

import mindspore as ms
from mindspore import Parameter, Tensor, ops

from tests.reference.judge import case


def squares(x):
    return (x * x).sum()


def twice(gradient):
    return gradient * 2


def thrice(gradient):
    return gradient * 3


@case()
def test_a_hook_stays_until_it_is_removed():
    x = Tensor([1.0, 2.0])
    handle = x.register_hook(twice)
    seen = [ms.grad(squares)(x), ms.grad(squares)(x), len(x.hooks())]
    handle.remove()
    return seen, ms.grad(squares)(x), x.hooks()


@case()
def test_two_hooks_and_a_copy():
    x = Tensor([1.0, 2.0])
    x.register_hook(twice)
    x.register_hook(thrice)
    other = copy.deepcopy(x)
    return ms.grad(squares)(x), ms.grad(squares)(other), len(other.hooks()), x.hooks() == [twice, thrice]


@case()
def test_hooks_inside():
    counts = []

    def parts(x):
        y, z = ops.split(x, 2)
        y.register_hook(twice)
        handle = y.register_hook(thrice)
        z.register_hook(thrice)
        counts.append((len(y.hooks()), len(z.hooks())))
        handle.remove()
        counts.append(len(y.hooks()))
        return y + z

    return ms.grad(parts)(Tensor([1.0, 2.0, 3.0, 4.0])), counts


@case(raises=True)
def test_a_frozen_parameter_takes_none():
    return Parameter(Tensor([1.0]), requires_grad=False).register_hook(twice)
