"""Derivatives that the real one gives as nan or of another shape: finite differences are the judge."""

import numpy as np

import ms2torch as ms
from ms2torch import Tensor, nn, ops


def slope(function, x, step=1e-3):
    rows = np.eye(x.size).reshape(x.size, *x.shape) * step
    steps = [(function(x + row).asnumpy() - function(x - row).asnumpy()).sum() for row in rows]
    return np.array(steps).reshape(x.shape) / (2 * step)


def test_gamma_functions_by_both_arguments():
    a, x = np.array([1.0, 2.0, 3.0]), np.array([0.7, 1.4, 2.1])
    by_a, by_x = ms.grad(nn.IGamma(), (0, 1))(Tensor(a, ms.float32), Tensor(x, ms.float32))
    by = (slope(lambda v: ops.igamma(Tensor(v), Tensor(x)), a),
          slope(lambda v: ops.igamma(Tensor(a), Tensor(v)), x))
    np.testing.assert_allclose((by_a.asnumpy(), by_x.asnumpy()), by, rtol=1e-4)


def test_the_gradient_of_a_gradient_of_cross_entropy():
    x, labels = np.array([[2.0, 3.0, 1.0], [2.0, 1.0, 4.0]], np.float32), Tensor([0, 1], ms.int32)
    weights = Tensor(np.arange(6.0).reshape(2, 3), ms.float32)
    of = ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)

    def weighed(v):
        return of(v if isinstance(v, Tensor) else Tensor(v, ms.float32), labels) * weights

    np.testing.assert_allclose(ms.grad(weighed)(Tensor(x)).asnumpy(), slope(weighed, x, 1e-2), atol=2e-3)
