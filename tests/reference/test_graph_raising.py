"""Graph mode's `raise` and `assert`: what is raised, in which words."""
import mindspore as ms
import numpy as np
from mindspore import ops

from tests.reference.graphs import graph


@graph(raises=True)
def test_assert(x):
    assert x.shape[0] == 2, "wrong shape"
    return x


@graph(raises=True)
def test_assert_plain(i):
    assert i == 3
    return i


@graph
def test_assert_true(x):
    assert x.shape[0] == 3, "wrong shape"
    return x


@graph(raises=True)
def test_assert_tensor(z):
    assert z > 3, "too small"
    return z


@graph(raises=True)
def test_raise(x):
    raise ValueError("wrong")


@graph
def test_raise_not_taken(x):
    if x.ndim > 1:
        raise ValueError("rank is", x.ndim)
    return x


@graph(raises=True)
def test_raise_fstring(x, i):
    raise ValueError(f"i is {i}")


@graph(raises=True)
def test_raise_tensor_condition(z):
    if z > 1:
        raise ValueError("large")
    return z


@graph
def test_raise_tensor_condition_not(z):
    if z > 100:
        raise ValueError("large")
    return z


@graph(raises=True)
def test_raise_with_tensor(z):
    raise ValueError("z is", z)


@graph(raises=True)
def test_raise_class(x):
    raise ValueError


@graph(raises=True)
def test_raise_from(x):
    raise ValueError("a") from TypeError("b")


@graph(raises=True)
def test_raise_bare(x):
    raise


class Own(Exception):
    pass


@graph(raises=True)
def test_raise_own(x):
    raise Own("mine")


@graph(raises=True)
def test_raise_several(x):
    raise RuntimeError("a", 1, 2.5, [1, 2], "b")


@graph(raises=True)
def test_whole_floats_in_a_text():
    raise ValueError([1, 2.0], [3, 2.5])


@graph(raises=True)
def test_a_whole_float():
    raise ValueError(2.0)


@graph(raises="Unsupported exception type: NotSupportError. Raise only support some Python standard exception")
def test_nobodys_exception_that_is_not_raised(x):
    if x.shape[0] == 4:
        raise NotSupportError("it is 4")  # noqa: F821
    return x


@graph(raises=True)
def test_exception_itself():
    raise Exception("plain")


@graph(raises=True)
def test_exception_itself_where_a_tensor_decides(x):
    if x.sum() > 1:
        raise Exception("plain")
    return x
