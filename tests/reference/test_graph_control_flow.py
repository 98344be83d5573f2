"""Branches and loops of graph mode's language: values, types, bound names."""
import mindspore as ms
import numpy as np
from mindspore import ops

from tests.reference.graphs import graph


@graph(raises=True)
def test_bound_in_constant_branch(x, i):
    if i == 2:
        y = x + 1
    return y


@graph(raises=True)
def test_not_bound_in_constant_branch(x, i):
    if i == 3:
        y = x + 1
    return y


@graph(raises=True)
def test_bound_in_tensor_branch(x, z):
    if z > 1:
        y = x + 1
    return y


@graph(raises=True)
def test_undefined(x):
    return x + undefined_name


@graph(raises=True)
def test_undefined_not_reached(x, i):
    if i == 3:
        return x + undefined_name
    return x


@graph(raises=True)
def test_used_before(x):
    y = w + 1
    w = x
    return y


@graph(raises=True)
def test_loop_without_turns(x):
    for k in ():
        y = k
    return y


@graph(raises=True)
def test_loop_variable_after(x):
    for k in (1, 2):
        x = x + k
    return x * k


@graph
def test_branch_types_int(z):
    if z > 1:
        y = 2
    else:
        y = 1
    return y


@graph
def test_branch_shapes(x, m, z):
    if z > 1:
        y = x
    else:
        y = m
    return y


@graph
def test_branch_none(x, z):
    if z > 1:
        y = x
    else:
        y = None
    return y


@graph
def test_branch_tuple_lengths(x, z):
    if z > 1:
        y = (x, x)
    else:
        y = (x,)
    return y


@graph
def test_branch_returns(x, z):
    if z > 1:
        return x
    return x + 1


@graph
def test_branch_returns_nothing(x, z):
    if z > 1:
        return x


@graph
def test_ternary_tensor(x, z):
    return x if z > 1 else x + 1


@graph(raises=True)
def test_if_vector(x):
    if x:
        return x
    return x + 1


@graph
def test_if_vector_of_one(x):
    if x[:1]:
        return x
    return x + 1


@graph(raises=True)
def test_while_vector(x):
    while x > 1:
        x = x - 1
    return x


@graph
def test_while_tensor(z, x):
    while z < 10:
        z = z + 1
        x = x * 2
    return x, z


@graph
def test_while_constant(x, i):
    while i < 5:
        x = x + i
        i += 1
    return x


@graph
def test_while_break(z, x):
    while z < 10:
        z = z + 1
        if z > 5:
            break
        x = x + 1
    return x


@graph
def test_while_continue(z, x):
    while z < 10:
        z = z + 1
        if z > 5:
            continue
        x = x + 1
    return x


@graph(raises=True)
def test_while_else(i, x):
    while i < 4:
        i += 1
    else:
        x = x + 1
    return x


@graph
def test_while_counts(z):
    k = 0
    while z < 10:
        z = z + 1
        k = k + 1
    return k


@graph
def test_while_list(z):
    a = []
    while z < 4:
        z = z + 1
        a.append(z)
    return a


@graph(raises=True)
def test_for_else(x):
    for k in (1, 2):
        x = x + k
    else:
        x = x * 2
    return x


@graph
def test_for_break(x):
    for k in (1, 2, 3):
        if k == 2:
            break
        x = x + k
    return x


@graph
def test_for_tensor_break(x, z):
    for k in (1, 2, 3):
        if z > k:
            break
        x = x + k
    return x


@graph
def test_for_over_tensor(m):
    s = 0
    for row in m:
        s = s + row
    return s


@graph(raises=True)
def test_for_over_scalar(z):
    for k in z:
        return k
    return z


@graph(raises=True)
def test_for_over_number(i):
    for k in i:
        return k
    return i


@graph
def test_for_over_dict(d):
    s = 0
    for k in d:
        s = s + d[k]
    return s


@graph
def test_for_over_items(d):
    s = 0
    for k, v in d.items():
        s = s + v
    return s


@graph
def test_for_over_text():
    s = ""
    for c in "abc":
        s = s + c + "-"
    return s


@graph
def test_for_over_list_changed(x):
    a = [1, 2]
    for k in a:
        if len(a) < 4:
            a.append(k)
    return a


@graph(raises=True)
def test_for_over_none(x):
    for k in None:
        x = x + k
    return x
