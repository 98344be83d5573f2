"""Builtin functions in graph mode's language."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from tests.reference.graphs import graph

F = ops.functional


def double(a):
    return a * 2


@graph
def test_len_of(x, t, d):
    return len(x), len(t), len(d), len("abc"), len([1])


@graph(raises=True)
def test_len_number():
    return len(3)


@graph(raises=True)
def test_len_scalar(z):
    return len(z)


@graph
def test_isinstance(x, i, t):
    return isinstance(x, ms.Tensor), isinstance(i, int), isinstance(t, tuple), isinstance(i, (float, int))


@graph
def test_isinstance_two():
    return isinstance(True, int), isinstance(1, bool), isinstance(1.0, float), isinstance("a", str), \
        isinstance([], list), isinstance({}, dict)


@graph
def test_type_of(x, i, t):
    return type(x), type(i), type(t)


@graph
def test_type_compared(x, i):
    return type(i) == int, type(x) == ms.Tensor


@graph
def test_type_printed(i):
    print(type(i))
    return 1


@graph
def test_type_is(i):
    return type(i) is int


@graph
def test_sum_tuple(t):
    return sum(t), sum(t, 10), sum([1.5, 2])


@graph
def test_sum_tensors(x, y):
    return sum((x, y))


@graph
def test_sum_of_tensor(m):
    return sum(m)


@graph(raises=True)
def test_sum_strings():
    return sum(("a", "b"))


@graph(raises=True)
def test_sum_number():
    return sum(3)


@graph
def test_max_numbers(t):
    return max(t), min(t), max(1, 2), min(1, 2.5, 0)


@graph
def test_max_tensor(x):
    return max(x), min(x)


@graph
def test_max_of_tensors_list(z):
    return max([z, z + 1])


@graph
def test_max_strings():
    return max("a", "b")


@graph(raises=True)
def test_max_empty():
    return max(())


@graph(raises=True)
def test_max_matrix(m):
    return max(m)


@graph
def test_abs_of(x):
    return abs(x - 2), abs(-3), abs(-2.5), abs(True)


@graph(raises=True)
def test_abs_string():
    return abs("a")


@graph
def test_all_any():
    return all((1, 2)), any((0, 0)), all([]), any([])


@graph
def test_all_tensor(x):
    return all(x > 0), any(x > 5)


@graph(raises=True)
def test_all_number():
    return all(1)


@graph
def test_round():
    return round(2.5), round(3.567, 2), round(-2.5), round(7)


@graph
def test_round_tensor(z):
    return round(z)


@graph
def test_pow(x):
    return pow(x, 2), pow(2, 3), pow(2.0, 3)


@graph
def test_pow_mod():
    return pow(2, 3, 5)


@graph
def test_divmod():
    return divmod(7, 2)


@graph
def test_sorted():
    return sorted([3, 1, 2])


@graph
def test_reversed():
    return reversed([3, 1, 2])


@graph
def test_hasattr(x):
    return hasattr(x, "shape"), hasattr(x, "nothing"), hasattr([], "append")


@graph
def test_getattr(x):
    return getattr(x, "shape"), getattr(x, "nothing", 3)


@graph(raises=True)
def test_getattr_missing(x):
    return getattr(x, "nothing")


@graph
def test_getattr_of_tensor_none():
    return getattr([1], "abc", None)


@graph(raises=True)
def test_getattr_list_missing():
    return getattr([1], "abc")


@graph
def test_chr_ord():
    return chr(65), ord("A")


@graph
def test_hex_bin_oct():
    return hex(10), bin(5), oct(8)


@graph
def test_complex():
    return complex(1, 2)


@graph
def test_callable():
    return callable(double)


@graph
def test_id(i):
    return id(i) == id(i)


@graph
def test_hash(i):
    return hash(i)


@graph
def test_iter():
    return iter([1, 2])


@graph
def test_next():
    return next(iter([1, 2]))


@graph(raises=True)
def test_open():
    return open("a")


@graph
def test_eval():
    return eval("1")


@graph
def test_format():
    return format(1.5, ".2f")


@graph
def test_slice(x):
    return x[slice(0, 2)]


@graph
def test_vars():
    return vars()


@graph
def test_dir(x):
    return dir(x)[0]


@graph
def test_issubclass():
    return issubclass(int, object)


@graph
def test_repr():
    return repr(1)


@graph
def test_frozenset():
    return frozenset([1])


@graph
def test_partial(x):
    return F.partial(double)(x)


def affine(x, k, c):
    return x * k + c


@graph
def test_partial_position(x):
    return F.partial(affine, x)(2, 3)


@graph
def test_partial_keywords(x):
    return F.partial(affine, x=x)(k=2, c=3)


@graph
def test_partial_keyword_and_position(x):
    return F.partial(affine, c=1)(x, 2)


@graph(raises=True)
def test_partial_keyword_twice(x):
    return F.partial(affine, x=x)(1, 2)


@graph(raises=True)
def test_functools_partial(x):
    import functools
    return functools.partial(affine, c=1)(x, 2)


@graph(raises=True)
def test_largest_of_tuples_with_tensors():
    return max(((Tensor(10.0), Tensor(30.0)),))


@graph(raises=True)
def test_smallest_of_lists_with_arguments(x):
    return min([[x / 4, 2 * x], [x / 2, 3 * x]])


@graph(raises=True)
def test_int_of_a_constant_tensor():
    return int(Tensor([1, 2, 3]))


@graph(raises=True)
def test_float_of_a_constant_tensor():
    return float(Tensor([1.0, 2.0]))


@graph
def test_extremes_of_a_sequence_laid_out():
    ends = (4, 1, 3)
    return max(*ends), min(*ends, 2), sum(*[ends])
