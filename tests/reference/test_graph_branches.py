"""Branches on a Tensor in graph mode: one type for each name. And constructs that once differed here."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from tests.reference.graphs import graph

THREE = Tensor(3.0)


def scaled(x, k, *rest, scale=1):
    for r in rest:
        x = x + r
    return x * k * scale


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
def test_tuple_compare(t):
    return t == (1, 2, 3), t < (1, 3)


@graph
def test_str_in():
    return "a" in "abc", "z" not in "abc"


@graph
def test_comp_over_items(d):
    return [k for k, v in d.items()]


@graph
def test_dict_merge(x):
    a = {"a": 1}
    b = {"b": 2}
    return {**a, **b}


@graph
def test_aug_attr(x):
    k = 3
    k //= 2
    k <<= 3
    k |= 1
    return k


@graph
def test_mod_neg():
    return -7 % 3, -7 // 3, 7 % -3, -7.5 % 2


@graph
def test_lambda_in_list(x):
    fs = [lambda v: v + 1, lambda v: v * 2]
    for f in fs:
        x = f(x)
    return x


@graph
def test_nested_recursion():
    def fact(n):
        if n <= 1:
            return 1
        return n * fact(n - 1)
    return fact(5)


@graph
def test_tensor_iter_unpack(m):
    a, b = m
    return a + b


@graph
def test_isinstance_bool():
    return isinstance(True, int), isinstance(1, bool)


@graph
def test_list_pop_ret():
    a = [1, 2, 3]
    b = a.pop(0)
    return a, b


@graph
def test_tuple_of_list_mut():
    a = [1]
    t = (a, 2)
    a.append(3)
    return t


@graph
def test_for_tuple_modified():
    a = [1, 2]
    for v in a:
        if len(a) < 6:
            a.append(v)
    return a


@graph
def test_for_reuse_target(x):
    i = 10
    for i in range(3):
        x = x + i
    return x, i


@graph(raises=True)
def test_zero_floor():
    return 1 // 0


@graph(raises=True)
def test_zero_mod():
    return 1 % 0


@graph(raises=True)
def test_call_int():
    a = 5
    return a.foo


@graph
def test_np_in_graph():
    return np.sum(np.array([1, 2, 3]))


@graph
def test_hof(x):
    def twice(g):
        def h(v):
            return g(g(v))
        return h
    return twice(lambda v: v + 1)(x)


@graph
def test_zip_dict(t):
    return dict(zip(("a", "b", "c"), t))


@graph
def test_star_args_call(t):
    def f(a, b, c):
        return a + b * c
    return f(*t), f(*t[:2], c=9)


@graph
def test_kw_only(x):
    def f(a, *, k=1):
        return a * k
    return f(x, k=3)


@graph
def test_and_or_value(i):
    return i and 5, 0 or "x", None or 3


@graph
def test_global_func_kw(x):
    return scaled(x, 2, 3, 4, scale=5)


@graph
def test_join_unused(x, z):
    if z > 1:
        y = x
    else:
        y = 1
    return x


@graph(raises=True)
def test_join_bool_int(z):
    if z > 1:
        y = True
    else:
        y = 1
    return y


@graph
def test_join_none_number(z):
    if z > 1:
        y = None
    else:
        y = 1
    return y


@graph
def test_join_none_else(x, z):
    if z > 1:
        y = None
    else:
        y = x
    return y


@graph(raises=True)
def test_join_str_number(z):
    if z > 1:
        y = "a"
    else:
        y = 1
    return y


@graph(raises=True)
def test_join_str_tensor(x, z):
    if z > 1:
        y = x
    else:
        y = "b"
    return y


@graph(raises=True)
def test_join_tuple_elem(x, z):
    if z > 1:
        y = (x, 1)
    else:
        y = (x, 1.5)
    return y


@graph(raises=True)
def test_join_tuple_elem_kind(x, z):
    if z > 1:
        y = (x, 1)
    else:
        y = (1, x)
    return y


@graph
def test_join_tuple_lengths_const(z):
    if z > 1:
        y = (1, 2)
    else:
        y = (1, 2, 3)
    return y


@graph(raises=True)
def test_join_tuple_number(x, z):
    if z > 1:
        y = (x, x)
    else:
        y = 1
    return y


@graph(raises=True)
def test_join_number_tensor_first(x, z):
    if z > 1:
        y = 1
    else:
        y = x
    return y


@graph(raises=True)
def test_join_float_tensor(x, z):
    if z > 1:
        y = 1.0
    else:
        y = x
    return y + 1


@graph(raises=True)
def test_join_return_two_numbers(z):
    if z > 1:
        return 1
    return 1.5


@graph(raises=True)
def test_join_return_tensor_number(x, z):
    if z > 1:
        return x
    return 1


@graph(raises=True)
def test_join_return_list_tuple(x, z):
    if z > 1:
        return [x]
    return (x,)


@graph
def test_join_return_none_mid(x, z):
    if z > 1:
        return None
    return 1


@graph(raises=True)
def test_join_one_sided(x, z):
    y = 1
    if z > 1:
        y = x
    return y


@graph(raises=True)
def test_join_one_sided_float(z):
    y = 1
    if z > 1:
        y = 2.5
    return y


@graph(raises=True)
def test_join_one_sided_zero(x, z):
    loss = 0
    if z > 1:
        loss = loss + x
    return loss


@graph(raises=True)
def test_join_elif(x, z):
    if z > 10:
        y = x
    elif z > 5:
        y = x
    else:
        y = 0
    return y


@graph
def test_join_raise(x, z):
    if z > 1:
        y = x
    else:
        y = 1
        raise ValueError("no")
    return y


@graph
def test_join_for_zero(x, z):
    s = 0
    for i in range(3):
        s = s + x
    return s


@graph(raises=True)
def test_join_while_zero(x, z):
    s = 0
    while z > 0:
        s = s + x
        z = z - 1
    return s


@graph(raises=True)
def test_join_while_float_tensor(x, z):
    s = 0.0
    while z > 0:
        s = s + x
        z = z - 1
    return s


@graph
def test_join_while_int_tensor(z):
    k = 1
    while z > 0:
        k = k * 2
        z = z - 1
    return k


@graph
def test_join_while_unused(z, x):
    k = 0
    while z > 0:
        k = 0.5
        z = z - 1
    return z


@graph
def test_join_or_tensor(x, z):
    return z > 5 or z > 1


@graph(raises=True)
def test_join_ternary_numbers(z):
    return 1 if z > 1 else 2.5


@graph
def test_join_ternary_none(x, z):
    return x if z > 1 else None


@graph
def test_join_ternary_used_mixed(x, z):
    return x * (2 if z > 1 else 0.5)


@graph(raises=True)
def test_join_call(x, z):
    if z > 1:
        y = ops.relu(x)
    else:
        y = 0
    return y


@graph(raises=True)
def test_join_neg(z):
    if z > 1:
        y = -1
    else:
        y = 1.0
    return y


@graph
def test_join_condition_is_number(x, i):
    if i > 1:
        y = x
    else:
        y = 1
    return y


@graph
def test_not_z(z):
    return not z


@graph
def test_not_cmp(x, z):
    a = not (z > 1)
    return a


@graph
def test_not_one(x):
    return not x[:1]


@graph(raises=True)
def test_attr_float(f):
    return f.foo


@graph(raises=True)
def test_attr_str():
    s = "abc"
    return s.foo


@graph(raises=True)
def test_attr_bool():
    b = True
    return b.foo


@graph(raises=True)
def test_attr_none():
    b = None
    return b.foo


@graph(raises=True)
def test_float_mod_zero(f):
    return f % 0


@graph
def test_np_float_out():
    return np.float32(1.5), np.mean(np.array([1.0, 2.0]))


@graph
def test_np_bool_out():
    return np.bool_(True)


@graph
def test_for_changed(x):
    a = [x]
    for v in a:
        a.append(v)
    return len(a)


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


@graph(raises=True)
def test_join_scalar_tuple(x, z):
    if z > 1:
        y = 1
    else:
        y = (x, x)
    return y


@graph(raises=True)
def test_join_scalar_str(z):
    if z > 1:
        y = 1
    else:
        y = "a"
    return y


@graph(raises=True)
def test_join_tuple_tensor(x, z):
    if z > 1:
        y = (x,)
    else:
        y = x
    return y


@graph
def test_join_list_of_numbers(z):
    if z > 1:
        y = [1, 2]
    else:
        y = [1.0, 2.0]
    return y


@graph(raises=True)
def test_join_lengths_types(z):
    if z > 1:
        y = (1, 2)
    else:
        y = (1.0, 2.0, 3.0)
    return y


@graph(raises=True)
def test_join_vector_cond_one(x):
    if x[:1] > 0:
        y = x
    else:
        y = 1
    return y


@graph
def test_join_ternary_assigned_used(x, z):
    k = 2 if z > 1 else 0.5
    return x * k


@graph(raises=True)
def test_join_ternary_arg(x, z):
    return ops.add(x, x if z > 1 else 1)


@graph
def test_join_if_used(x, z):
    if z > 1:
        k = 2
    else:
        k = 0.5
    return x * k


@graph
def test_join_one_sided_used(x, z):
    k = 1
    if z > 1:
        k = 0.5
    return x * k


@graph
def test_join_not_taken_raise(x, z):
    if z > 1:
        return x
    raise ValueError("no")


@graph
def test_join_return_bare(x, z):
    if z > 1:
        return x
    return


@graph
def test_join_read_only_in_branch(x, z):
    if z > 1:
        y = x
        x = y + 1
    else:
        y = 1
        x = x + y
    return x


@graph
def test_join_rebound(x, z):
    if z > 1:
        y = x
    else:
        y = 1
    y = x
    return y


@graph(raises=True)
def test_join_for_if(x, z):
    s = 0
    for i in range(3):
        if z > i:
            s = s + x
    return s


@graph
def test_join_count(x, z):
    n = 0
    for v in x:
        if v > 1:
            n += 1
    return n


@graph
def test_join_flag(x):
    found = False
    for v in x:
        if v > 1:
            found = True
    return found


@graph(raises=True)
def test_join_best(x):
    best = 0.0
    for v in x:
        if v > best:
            best = v
    return best
