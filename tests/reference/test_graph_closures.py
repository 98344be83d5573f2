"""Functions inside graph functions: what they see, and what `a, b = values` takes."""
import functools
import math
from collections import OrderedDict, namedtuple
from functools import partial

import mindspore as ms
import mindspore.ops.functional as F
import numpy as np
from mindspore import Parameter, Tensor, jit, mutable, nn, ops

from tests.reference.graphs import graph
from tests.reference.judge import case


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@graph
def test_nested_return_loop(x):
    for i in range(4):
        for j in range(4):
            if i * j == 4:
                return x + i, j
    return x, 0


@graph(raises=True)
def test_raise_helper(x, i):
    def check(v):
        if v < 5:
            raise ValueError("small")
        return v
    return x * check(i)


@graph(raises=True)
def test_try_nested_helper(x):
    def f():
        try:
            return 1
        except ValueError:
            return 2
    return x


@graph
def test_star_assign():
    a, *b, c = (1, 2, 3, 4)
    return a, b, c


@graph
def test_star_assign_list():
    *a, b = [1, 2, 3]
    return a, b


@graph
def test_docstring_lambda(x):
    """Doc."""
    f = lambda a, b=2: a * b
    return f(x), f(x, 3), f(x, b=4)


@graph
def test_multi_assign(x):
    a = b = x + 1
    c, (d, e) = 1, (2, 3)
    [f, g] = [4, 5]
    return a, b, c, d, e, f, g


@graph
def test_while_break_continue(x):
    s = 0
    i = 0
    while True:
        i = i + 1
        if i == 3:
            continue
        if i > 6:
            break
        s = s + i
    return s, i


@graph
def test_for_over_tensor_2d(m):
    out = []
    for row in m:
        out.append(row.sum())
    return out


@graph
def test_for_range_neg():
    out = []
    for i in range(5, 0, -2):
        out.append(i)
    return out


@graph
def test_aug_all(i):
    a = i
    a += 5
    a -= 1
    a *= 3
    a //= 2
    a **= 2
    a %= 7
    a <<= 2
    a |= 1
    a &= 13
    a ^= 3
    a >>= 1
    return a


@graph
def test_recursion(i):
    def fact(n):
        if n <= 1:
            return 1
        return n * fact(n - 1)
    return fact(5)


@graph
def test_recursion_tensor(n):
    return fib(n)


@graph(raises=True)
def test_recursion_mutual(i):
    def even(n):
        if n == 0:
            return True
        return odd(n - 1)
    def odd(n):
        if n == 0:
            return False
        return even(n - 1)
    return even(4), odd(4)


@graph
def test_closures_late(x):
    fs = []
    for k in range(3):
        def g(v):
            return v * k
        fs.append(g)
    return fs[0](x), fs[2](x)


@graph
def test_func_returned(x):
    def make(k):
        def g(v):
            return v * k
        return g
    return make(2)(make(3)(x))


@graph
def test_func_as_arg(x):
    def apply(f, *a, **k):
        return f(*a, **k)
    def g(a, b=1, *, c=0):
        return a * b + c
    return apply(g, x), apply(g, x, 2), apply(g, x, b=3, c=1)


@graph
def test_unpack_call(x, t, d):
    def g(a, b, c):
        return a + b + c
    def h(a, b):
        return a - b
    return g(*t), h(**d), g(x, *[1, 2])


@graph
def test_func_default_list(x):
    def g(v, acc=[]):
        acc.append(v)
        return acc
    return g(1), g(2)


@graph
def test_list_comp_nested(x):
    return [[i * j for j in range(2)] for i in range(2)]


@graph
def test_comp_zip(t):
    return [a + b for a, b in zip(t, (4, 5, 6))], [i for i, _ in enumerate(t)]


@graph
def test_comp_dict_items(d):
    return {k: v * 2 for k, v in d.items()}


@graph
def test_gen_sum(t):
    return sum(v * v for v in t), max(v for v in t)


@graph
def test_map_filter(t):
    return list(map(lambda v: v * 2, t)), list(filter(lambda v: v > 1, t)), map(lambda a, b: a + b, t, t)


@graph
def test_bound_late_1(x):
    k = 1
    def g(v):
        return v * k
    k = 10
    return g(x), (lambda v: v + k)(x)


@graph
def test_bound_late_2(x):
    k = 1
    g = lambda v: v * k
    k = 10
    return g(x)


@graph(raises=True)
def test_bound_late_3(x):
    def g(v):
        return v * k
    k = 10
    return g(x)


@graph
def test_bound_late_4(x):
    def g(n):
        return 1 if n < 1 else n * g(n - 1)
    h = g
    def g(n):
        return 100
    return h(3), g(3)


@graph
def test_bound_late_5(x):
    return [f(2) for f in [lambda v: v * k for k in range(3)]]


@graph
def test_bound_late_6(x):
    a = [1]
    def g():
        return a
    a.append(2)
    return g(), a


@graph
def test_bound_late_7(x):
    s = 0
    for i in range(3):
        def g(v):
            return v * i + s
        s = g(10)
    return s


@graph
def test_unpacked_1():
    a, b = (1, 2, 3)
    return a, b


@graph(raises=True)
def test_unpacked_2():
    a, b, c = (1, 2)
    return a


@graph
def test_unpacked_3(x):
    a, b, c = x
    return a, b, c


@graph
def test_unpacked_4(x):
    a, b = x
    return a, b


@graph
def test_unpacked_5():
    a, b = [1, 2, 3]
    return a, b


@graph
def test_unpacked_6():
    for a, b in ((1, 2, 3), (4, 5, 6)):
        c = a + b
    return 1


@graph
def test_unpacked_7(m):
    a, b = m
    return a, b


@graph(raises=True)
def test_unpacked_8():
    a, b = 5
    return a, b


@graph(raises=True)
def test_range_f():
    return range(2.5)


@graph(raises=True)
def test_range_b():
    return range(True)


@graph(raises=True)
def test_range_s():
    return range("a")


@graph(raises=True)
def test_range_n():
    return range(None)


@graph(raises=True)
def test_index_beyond_1(m):
    return m[2]


@graph(raises=True)
def test_index_beyond_2(m):
    return m[0, 3]


@graph(raises=True)
def test_index_beyond_3(m):
    return m[-3]


@graph(raises=True)
def test_index_beyond_4(m):
    return m[0, 0, 0]


@graph(raises=True)
def test_index_beyond_5(m):
    return m[..., 5]


@graph(raises=True)
def test_index_beyond_6(m):
    return m[1:, 4]


@graph(raises=True)
def test_index_beyond_7(m):
    m[2] = 1
    return m


@graph(raises=True)
def test_index_beyond_8(m):
    m[0, 7] = 1
    return m


@graph(raises=True)
def test_unpack_1(x):
    a, b, c, d = x
    return a


@graph(raises=True)
def test_unpack_2():
    a, b, c = [1, 2]
    return a


@graph(raises=True)
def test_unpack_3(d):
    a, b = d
    return a, b


@graph
def test_unpack_4():
    a, b = "xyz"
    return a, b


@graph
def test_unpack_5():
    (a, b), c = (1, 2, 3), 4
    return a, b, c


@graph
def test_unpack_6(x):
    def g():
        return 1, 2, 3
    a, b = g()
    return a, b


@graph
def test_unpack_7(x):
    [a, b] = x, 2, 3
    return a, b


@graph(raises=True)
def test_unpack_8(z):
    a, b = z
    return a


@graph(raises=True)
def test_unpack_9():
    a, b = None
    return a


@graph
def test_unpack_10(x):
    for a, b in ((1, 2, 3), (4, 5, 6)):
        x = x * a + b
    return x


@graph
def test_unpack_11():
    a, *b = (1, 2, 3)
    return a, b


@case(mode="GRAPH")
def test_what_an_inner_function_changes():
    @jit
    def changed(x):
        appended, written, named, popped = [1], [1], {"a": 1}, [1, 2]

        def append(value):
            appended.append(value)
            return appended

        def write():
            written[0] = 5
            named["b"] = x
            return written, named

        def pop():
            popped.pop()
            return popped

        def set_part():
            x[0] = 9.0
            return x
        appended.append(7)
        return append(2), append(3), write(), pop(), set_part(), appended, written, named, popped, x
    return changed(Tensor([1.0, 2.0]))


@case(mode="GRAPH", raises="all arguments are required to be constants, but input 0 is a variable")
def test_instances_of_what_runs():
    @jit
    def made(x):
        return Made(x).value
    return made(Tensor([1.0]))


@ms.jit_class
class Made:
    def __init__(self, value):
        self.value = value


@case(mode="GRAPH")
def test_instances_of_constants():
    def size(x):
        return x.shape[0]

    @jit
    def made(x):
        return Made(size(x)).value, Made(x.shape).value, Made(2).value
    return made(Tensor([1.0]))
