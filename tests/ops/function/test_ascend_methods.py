"""Methods and operators without a CPU kernel in the real one: numpy and the definitions judge them."""

import numpy as np
import pytest

from ms2torch import Tensor, ops

X = np.array([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]], np.float32)


@pytest.mark.parametrize(("k", "axis"), [(1, -1), (3, 1), (2, 0)])
def test_kthvalue(k, axis):
    values, places = Tensor(X).kthvalue(k, axis)
    np.testing.assert_array_equal(values.asnumpy(), np.sort(X, axis).take(k - 1, axis))
    np.testing.assert_array_equal(places.asnumpy(), np.argsort(X, axis).take(k - 1, axis))


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_ormqr_multiplies_with_q(left, transpose):
    square = Tensor(X[:, :2])
    reflectors, factors = ops.geqrf(square)
    q = np.linalg.qr(X[:, :2])[0]
    q = q.T if transpose else q
    expected = q @ X[:, 1:] if left else X[:, 1:] @ q
    other = Tensor(X[:, 1:])
    for found in (ops.ormqr(reflectors, factors, other, left, transpose),
                  reflectors.ormqr(factors, other, left, transpose),
                  ops.Ormqr(left, transpose)(reflectors, factors, other)):
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5)


def test_uniform_stays_between_its_limits():
    drawn = Tensor(X).uniform(2.0, 3.0).asnumpy()
    assert drawn.shape == X.shape
    assert (drawn >= 2).all()
    assert (drawn < 3).all()


def test_a_storage_is_the_memory_of_the_whole():
    whole, other = Tensor(X.copy()), Tensor(X + 1)
    storage = whole[1].untyped_storage()
    assert storage.data_ptr() == whole.data_ptr()
    assert storage.copy_(other.storage()) is storage
    np.testing.assert_array_equal(whole.asnumpy(), X + 1)
    assert whole.copy().storage().resize_(8).nbytes() == 8


@pytest.mark.parametrize("axis", [0, 1])
def test_sparse_gather_reads_rows(axis):
    found = ops.operations.SparseGatherV2()(Tensor(X), Tensor(np.array([1, 0], np.int32)), axis)
    np.testing.assert_array_equal(found.asnumpy(), X.take([1, 0], axis))


def test_operators_keep_what_they_are_given():
    cast, given = ops.Cast(), Tensor(X)
    cast.set_user_data("key", given)
    assert cast.get_user_data("key") is given
    assert cast.get_user_data("other") is None
