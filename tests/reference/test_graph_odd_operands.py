"""Operands that no operator of a graph takes."""
from tests.reference.graphs import graph


@graph(raises=True)
def test_inverse_of_a_text():
    return ~"a"


@graph(raises=True)
def test_inverse_of_a_tuple(t):
    return ~t


@graph(raises=True)
def test_inverse_of_a_dict():
    return ~{"a": 1}


@graph(raises=True)
def test_inverse_of_a_float():
    return ~1.5


@graph(raises=True)
def test_plus_none():
    return +None


@graph(raises=True)
def test_plus_list():
    return +[1]


@graph(raises=True)
def test_product_of_matrices_of_numbers(i):
    return i @ 2


@graph(raises=True)
def test_product_of_matrices_of_a_list(x):
    return [1] @ x


@graph(raises=True)
def test_product_of_matrices_with_a_number(x):
    return x @ 2


@graph(raises=True)
def test_product_of_a_dict(x):
    return {"a": 1} @ x


@graph(raises=True)
def test_half_a_text():
    return "a" * 0.5


@graph(raises=True)
def test_a_list_and_a_half(f):
    return [1] * f


@graph(raises=True)
def test_bits_of_a_float(i):
    return i & 2.5


@graph(raises=True)
def test_bits_of_two_floats(f):
    return f | 2.5


@graph(raises=True)
def test_differing_bits_of_a_float(f, i):
    return f ^ i


@graph(raises="same")
def test_product_of_matrices_of_two_dtypes(x, n):
    return x.reshape((1, 3)) @ n.reshape((1, 1)).broadcast_to((3, 1))
