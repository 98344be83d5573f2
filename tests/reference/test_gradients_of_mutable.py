"""Gradients by tuples, lists and dicts that are made mutable, of higher order and in marked functions too."""

import mindspore as ms
from mindspore import mutable, ops

from tests.reference.judge import case
from tests.reference.networks import t

A, B = [1.0, 2.0], [3.0, 4.0]


def by_place(p):
    return (p[0] * p[0] * p[1]).sum()


def by_key(p):
    return (p["x"] * p["x"] * p["y"]).sum()


def inside(p):
    return (p[0][1] * p[1]).sum()


def loop(p):
    total = ops.zeros_like(p[0])
    for x in p:
        total = total + x * x
    return total.sum()


GIVEN = {
    "tuple": (by_place, lambda: mutable((t(A), t(B)))), "list": (by_place, lambda: mutable([t(A), t(B)])),
    "dict": (by_key, lambda: mutable({"x": t(A), "y": t(B)})),
    "in a tuple": (inside, lambda: mutable(((t(A), t(B)), t(B)))), "unused": (loop, lambda: mutable((t(A),))),
    "numbers beside": (by_place, lambda: mutable((2.0, t(B)))),
    "integers": (by_place, lambda: mutable((ms.Tensor([1, 2], ms.int32), t(B)))),
    "of no fixed length": (loop, lambda: mutable((t(A), t(B)), True)),
}


@case(mode="BOTH", each={"given": list(GIVEN)})
def test_gradient_by_what_is_mutable(given):
    function, made = GIVEN[given]
    return ms.grad(function)(made()), ms.value_and_grad(function, (0,))(made())


@case(mode="BOTH")
def test_gradient_by_what_is_mutable_in_a_marked_function():
    @ms.jit
    def marked(p):
        return ms.grad(by_place)(p)

    return marked(mutable((t(A), t(B)))), marked(mutable([t(A), t(B)]))


def first(p):
    return ms.grad(by_place)(p)[0].sum()


def first_by_key(p):
    return ms.grad(by_key)(p)["x"].sum()


@case(mode="GRAPH")
def test_second_gradient_by_what_is_mutable():
    return (ms.grad(first)(mutable((t(A), t(B)))), ms.grad(first)(mutable([t(A), t(B)])),
            ms.grad(first_by_key)(mutable({"x": t(A), "y": t(B)})))


@case(mode="GRAPH", each={"given": [(2, 3), [2.0, 3], (2.5, (1, 2)), (2, True), []]})
def test_gradient_by_numbers_that_are_mutable(given):
    def f(x, y):
        return y * y * len(x)
    return ops.GradOperation(get_all=True)(f)(mutable(given), t(A))


@case(each={"place": [0, 1, (0, 1), (0,)]})
def test_a_constant_tensor_has_no_gradient_in_a_graph(place):
    def f(x, y):
        return x * y
    constant = ms.Tensor(A, ms.float32, const_arg=True)
    return constant.const_arg, ms.grad(f, place)(constant, t(B)), ms.grad(f, place)(t(B), constant)
