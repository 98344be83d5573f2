"""Corners of graph mode's language: what two constructs do together."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from tests.reference.graphs import graph


def scaled(x, k, *rest, scale=1):
    for r in rest:
        x = x + r
    return x * k * scale


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


@graph(raises="cannot get item by index from an empty sequence")
def test_index_into_an_empty_shape(z):
    return z.shape[0]


@graph(raises="cannot get item by index from an empty sequence")
def test_index_into_an_empty_list(x):
    none = []
    return none[0] + x


@graph(raises="TupleGetItem evaluator index should be in range[-2, 2), but got 5.")
def test_index_beyond_a_shape(m):
    return m.shape[5]


@graph(raises="'The shape of index (3) does not match the shape of the indexed data (2, 3)'")
def test_a_mask_of_another_shape(m, x):
    return m[x > 1]


@graph(raises="'The dim of index cannot be greater than indexed data, but got dim of index:2, dim of data:1'")
def test_a_mask_of_too_many_dimensions(x, m):
    return x[m > 1]


@graph(raises="'dimension is 2 but corresponding boolean dimension is 3'")
def test_a_list_as_a_mask(m):
    return m[[True, False, True]]
