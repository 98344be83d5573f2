"""Methods that write in place: the tensor itself changes and comes back, in its dtype.

MindSpore's documentation says so; its CPU backend leaves the tensor as it was, so that no recorded case can.
"""
import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor


@pytest.mark.parametrize(("call", "expected"), [
    (lambda x: x.add_(2), [3.0, 0.0]), (lambda x: x.add_(Tensor([1.0, 1.0]), alpha=2), [3.0, 0.0]),
    (lambda x: x.sub_(Tensor([1.0, 1.0])), [0.0, -3.0]), (lambda x: x.mul_(3), [3.0, -6.0]),
    (lambda x: x.div_(2), [0.5, -1.0]), (lambda x: x.div_(2, rounding_mode="floor"), [0.0, -1.0]),
    (lambda x: x.clamp_(-1, 0), [0.0, -1.0]), (lambda x: x.floor_divide_(2), [0.0, -1.0]),
    (lambda x: x.exp_(), [np.e, np.exp(-2.0)]), (lambda x: x.sign_(), [1.0, -1.0]),
])
def test_the_tensor_changes_and_comes_back(call, expected):
    x = Tensor([1.0, -2.0])
    view = x.asnumpy()
    assert call(x) is x
    np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-6)
    np.testing.assert_array_equal(view, x.asnumpy())


def test_the_dtype_stays():
    x = Tensor([5, 8])
    x.mul_(Tensor([0.5, 0.5]))
    assert x.dtype is ms.int64
    np.testing.assert_array_equal(x.asnumpy(), [2, 4])


def test_a_parameter_is_written():
    p = ms.Parameter(Tensor([1.0, 2.0]), name="p")
    p.mul_(2)
    np.testing.assert_array_equal(p.asnumpy(), [2.0, 4.0])


def test_writing_is_differentiated():
    def fn(x):
        y = x * 3
        y.mul_(x)
        return y

    np.testing.assert_allclose(ms.grad(fn)(Tensor([2.0, 5.0])).asnumpy(), [12.0, 30.0])
