"""Operators of graph mode's language over numbers, texts, containers and Tensors."""
import mindspore as ms
import numpy as np
from mindspore import mint, ops

from tests.reference.graphs import graph


@graph
def test_and_or_numbers():
    return (0 and 3), (2 and 3), (0 or 3), (2 or 3), not 0


@graph
def test_and_or_containers():
    return ([] or 1), ((1,) and "a"), ("" or None)


@graph(raises=True)
def test_and_vector(x):
    return x and x


@graph(raises=True)
def test_not_vector(x):
    return not x


@graph
def test_chained_comparison(z):
    return 1 < z < 3, 1 < z < 2


@graph
def test_chained_numbers(i):
    return 1 < i < 3


@graph
def test_in(x, t):
    return 1 in t, 5 not in t, "a" in "abc", "a" in {"a": 1}


@graph
def test_in_tensor(x):
    return 1 in x


@graph
def test_is(x):
    return x is None, x is not None, None is None


@graph
def test_is_number(i):
    return i is 2


@graph
def test_compare_types(x):
    return 1 == "a", "a" == "a", (1, 2) == (1, 2), [1] == [1], None == 1


@graph(raises=True)
def test_compare_less_types():
    return 1 < "a"


@graph
def test_compare_tuples():
    return (1, 2) < (1, 3)


@graph
def test_compare_tensor_none(x):
    return x == None


@graph(raises=True)
def test_add_text_number():
    return "a" + 1


@graph
def test_add_text():
    return "a" + "b", "a" * 3


@graph
def test_add_tuples(t):
    return t + (4,), t * 2, [1] + [2], [1] * 2


@graph(raises=True)
def test_add_tuple_list(t):
    return t + [1]


@graph(raises=True)
def test_divide_zero():
    return 1 / 0


@graph
def test_floor_mod():
    return 7 // 2, -7 // 2, 7 % 3, -7 % 3, 7.5 // 2, -7.5 % 2


@graph
def test_shift():
    return 1 << 3, 8 >> 1, 5 & 3, 5 | 3, 5 ^ 3, ~5


@graph
def test_matmul(m):
    return m @ m.T


@graph(raises=True)
def test_matmul_of_two_dtypes(m):
    return mint.matmul(m, m.T.astype(ms.float16))


@graph(raises=True)
def test_matmul_operator_of_two_dtypes(m):
    return m.astype(ms.int32) @ m.T


@graph(raises=True)
def test_method_matmul_of_two_dtypes(m):
    return m.matmul(m.T.astype(ms.float64))


@graph(raises=True)
def test_bmm_of_two_dtypes(m):
    return mint.bmm(m[None], m.T[None].astype(ms.float64))


@graph(raises=True)
def test_linear_of_two_dtypes(m):
    return mint.nn.functional.linear(m, m.astype(ms.float64))


@graph(raises=True)
def test_primitive_matmul_of_two_dtypes(m):
    return ops.MatMul()(m, m.T.astype(ms.float16))


@graph
def test_divide_ints(i):
    return i / 2, i // 2, 3 / 2


@graph
def test_big_int():
    return 2 ** 40 + 1


@graph
def test_float_precision():
    return 0.1 + 0.2, 1 / 3


@graph
def test_negative(x, i, f):
    return -x, -i, +f


@graph(raises=True)
def test_negative_text():
    return -"a"


@graph(raises=True)
def test_negative_tuple(t):
    return -t


@graph
def test_shifts(i):
    n = i
    n <<= 3
    return n, 16 >> i, -16 >> 70


@graph(raises=True)
def test_negative_shift(i):
    return i >> -2


@graph(raises=True)
def test_shift_of_a_float(f):
    return f << 1


@graph(raises=True)
def test_shift_too_far(i):
    return i << 62


@graph
def test_a_number_before_a_tensor_of_bits(n, b):
    return 3 & n, 4 | n, 6 ^ n, True & b, True & n


@graph
def test_signs_of_powers(x):
    n = 3
    return -(x**2), -x**2, -(n**2), -((x + 1) ** n), -(2**x), ops.exp(-(x**2)), -(x**n) ** 2
