"""Graph mode's `float`, `int`, `bool`, `str`, `tuple`, `list`, `dict` and `set`."""
import mindspore as ms
import numpy as np
from mindspore import ops

from tests.reference.graphs import graph


@graph
def test_float_of_tensor(z):
    return float(z)


@graph(raises=True)
def test_float_of_vector(x):
    return float(x)


@graph
def test_float_of_one_element():
    return float(ms.Tensor([2.5]))


@graph
def test_float_of_array():
    return float(np.array([2.5]))


@graph
def test_float_of_string():
    return float("2.5")


@graph
def test_float_nothing():
    return float()


@graph(raises=True)
def test_float_bad_string():
    return float("a")


@graph
def test_float_int(i):
    return float(i)


@graph(raises=True)
def test_float_list():
    return float([1])


@graph
def test_int_of_tensor(z):
    return int(z)


@graph
def test_int_of_one_element():
    return int(ms.Tensor([2.5]))


@graph
def test_int_of_array():
    return int(np.array([2.5]))


@graph(raises=True)
def test_int_of_vector(x):
    return int(x)


@graph
def test_int_base():
    return int("12", 8)


@graph
def test_int_base16():
    return int("0x1f", 16)


@graph
def test_int_float(f):
    return int(f)


@graph
def test_int_nothing():
    return int()


@graph
def test_int_tensor_used(n):
    return int(n) + 1


@graph
def test_bool_tensor(z):
    return bool(z)


@graph(raises=True)
def test_bool_vector(x):
    return bool(x)


@graph
def test_bool_array():
    return bool(np.array([0.0]))


@graph
def test_bool_list():
    return bool([]), bool([1]), bool(()), bool({}), bool(""), bool(0), bool(None)


@graph
def test_bool_nothing():
    return bool()


@graph
def test_str_number(i):
    return str(i), str(1.5), str(True), str(None)


@graph
def test_str_tuple():
    return str((1, 2)), str([1, 2]), str({"a": 1})


@graph
def test_str_tensor(x):
    return str(x)


@graph
def test_str_constant_tensor():
    return str(ms.Tensor([1, 2]))


@graph
def test_tuple_of_list():
    return tuple([1, 2]), list((1, 2)), tuple(), list()


@graph
def test_tuple_of_tensor(x):
    return tuple(x)


@graph
def test_list_of_tensor(x):
    return list(x)


@graph(raises=True)
def test_list_of_number():
    return list(1)


@graph
def test_list_of_string():
    return list("ab")


@graph
def test_tuple_of_string():
    return tuple("ab")


@graph
def test_list_of_dict():
    return list({"a": 1, "b": 2})


@graph
def test_tuple_of_dict():
    return tuple({"a": 1, "b": 2})


@graph
def test_dict_of_pairs():
    return dict([("a", 1), ("b", 2)])


@graph
def test_dict_keywords():
    return dict(a=1, b=2)


@graph
def test_set():
    return set([1, 2, 1])
