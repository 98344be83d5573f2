"""Branches on a Tensor in graph mode: one type for each name. And constructs that once differed here."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from tests.reference.graphs import graph

THREE = Tensor(3.0)


@graph(raises=True)
def test_branch_tensor_number(x, z):
    if z > 1:
        y = x
    else:
        y = 1
    return y


@graph(raises=True)
def test_branch_tensor_number_used(x, z):
    if z > 1:
        y = x
    else:
        y = 1
    return y + x


@graph(raises=True)
def test_branch_number_types(z):
    if z > 1:
        y = 2
    else:
        y = 1.5
    return y


@graph
def test_branch_number_used(z, x):
    if z > 1:
        y = 2
    else:
        y = 3
    return x * y


@graph(raises=True)
def test_branch_list_tuple(x, z):
    if z > 1:
        y = [x, x]
    else:
        y = (x, x)
    return y


@graph
def test_branch_dict(x, z):
    if z > 1:
        y = {"a": x}
    else:
        y = {"b": x}
    return y


@graph
def test_branch_shape_sum(x, m, z):
    if z > 1:
        y = x
    else:
        y = m
    return y.sum() + 1


@graph(raises=True)
def test_branch_return_types(x, z):
    if z > 1:
        return x
    return (x, x)


@graph(raises=True)
def test_branch_return_number(x, z):
    if z > 1:
        return 1
    return x


@graph
def test_branch_function(x, z):
    def a(v):
        return v + 1
    def b(v):
        return v * 2
    if z > 1:
        f = a
    else:
        f = b
    return f(x)


@graph
def test_branch_while_number(z):
    k = 0
    while z > 0:
        k = k + 1
        z = z - 1
    return k


@graph(raises=True)
def test_branch_while_number_float(z):
    k = 0
    while z > 0:
        k = k + 0.5
        z = z - 1
    return k


@graph
def test_branch_while_tuple(z, x):
    y = ()
    while z > 0:
        y = y + (x,)
        z = z - 1
    return y


@graph(raises=True)
def test_branch_ternary_types(x, z):
    return x if z > 1 else 1


@graph
def test_branch_raise_else(x, z):
    if z > 1:
        y = x
    else:
        raise ValueError("no", z)
    return y


@graph
def test_branch_elif_tensor(x, z):
    if z > 10:
        y = x
    elif z > 2:
        y = x * 2
    else:
        y = x * 3
    return y


@graph
def test_branch_index_assign(x, z):
    if z > 1:
        x[0] = 9
    return x


@graph
def test_branch_append(x, z):
    y = [x]
    if z > 1:
        y.append(x)
    return y


@graph
def test_branch_break_value(z):
    k = 0
    for i in range(5):
        if z < i:
            break
        k = k + i
    return k


@graph
def test_branch_scalar_compare(z):
    if z > 1:
        k = 2
    else:
        k = 1
    if k > 1:
        return 10
    return 20


@graph
def test_constant_condition_global_tensor(x):
    if THREE > 1:
        y = x
    else:
        y = 1
    return y


@graph
def test_constant_condition_made_tensor(x):
    t = Tensor(3.0)
    if t > 1:
        y = x
    else:
        y = 1
    return y


@graph
def test_constant_condition_nested_const(x):
    def f(c):
        if c > 1:
            return x
        return 1
    return f(Tensor(3.0))


@graph
def test_constant_condition_size(x):
    if ops.size(x) > 1:
        return x
    return 1


@graph
def test_constant_condition_ones(x):
    if ops.ones((), ms.float32) > 0:
        return x
    return 1
