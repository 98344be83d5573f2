"""Functions of ``mint`` that MindSpore has no CPU kernel for: by arithmetic."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, mint

rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def test_bitwise_not_and_vdot():
    assert mint.bitwise_not(Tensor([5, -1, 0])).asnumpy().tolist() == [-6, 0, -1]
    assert mint.bitwise_not(Tensor([True, False])).asnumpy().tolist() == [False, True]
    a, b = floats(5) + 1j * floats(5), floats(5) + 1j * floats(5)
    np.testing.assert_allclose(mint.vdot(Tensor(a), Tensor(b)).asnumpy(), np.vdot(a, b), rtol=1e-5)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("dim", [0, -1])
def test_kthvalue_is_the_kth_of_the_sorted(k, dim):
    x = floats(4, 5)
    values, places = mint.kthvalue(Tensor(x), k, dim)
    np.testing.assert_array_equal(values.asnumpy(), np.sort(x, dim).take(k - 1, dim))
    np.testing.assert_array_equal(places.asnumpy(), np.argsort(x, dim).take(k - 1, dim))
    assert places.dtype == ms.int64 and mint.kthvalue(Tensor(x), k, dim, True)[0].ndim == 2


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_solve_solves(upper, transpose, unit):
    a, b = floats(3, 3) + 3 * np.eye(3, dtype=np.float32), floats(3, 2)
    x, same = mint.triangular_solve(Tensor(b), Tensor(a), upper, transpose, unit)
    matrix = np.triu(a) if upper else np.tril(a)
    if unit:
        np.fill_diagonal(matrix, 1)
    np.testing.assert_allclose((matrix.T if transpose else matrix) @ x.asnumpy(), b, atol=1e-4)
    np.testing.assert_array_equal(same.asnumpy(), a)


def test_conv_tbc_sums_over_time_and_channels():
    x, weight, bias = floats(5, 2, 3), floats(2, 3, 4), floats(4)
    y = mint.conv_tbc(Tensor(x), Tensor(weight), Tensor(bias), 1).asnumpy()
    padded = np.pad(x, ((1, 1), (0, 0), (0, 0)))
    expected = sum(padded[k : k + 6] @ weight[k] for k in range(2)) + bias
    np.testing.assert_allclose(y, expected, atol=1e-5)


def test_names_of_2_3_are_those_of_nn_functional():
    assert mint.linear is mint.nn.functional.linear and mint.pad is mint.nn.functional.pad


@pytest.mark.parametrize("value", [2, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_whole_numbers_are_scattered(value, dtype):
    x, at = np.arange(6).reshape(2, 3).astype(dtype), np.array([[0, 2], [1, 0]])
    found, added = x.copy(), x.copy()
    np.put_along_axis(found, at, value, 1)
    np.put_along_axis(added, at, np.take_along_axis(x, at, 1) + value, 1)
    x, at = Tensor(x), Tensor(at)
    for one in (x.scatter(1, at, value), x.scatter(dim=1, index=at, src=value),
                mint.scatter(x, 1, at, value)):
        np.testing.assert_array_equal(one.asnumpy(), found)
        assert one.dtype == x.dtype
    np.testing.assert_array_equal(x.scatter(1, at, value, reduce="add").asnumpy(), added)
