"""Operators that MindSpore has on other devices than the CPU: the figures of its documentation."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import CSRTensor, Parameter, Tensor, ops


def t(values, kind=np.float32):
    return Tensor(np.array(values, kind))


def rescaled():
    weight, gradient = t([[0.5, 0.8, 0.2], [0.6, 0.4, 0.2]]), t([[0.4, 0.4, 0.5], [0.2, 0.4, 0.3]])
    return ops.LARSUpdate()(weight, gradient, (weight**2).sum(), (gradient**2).sum(), 0.0, 1.0)


def moved():
    var, accum = (Parameter(t([[0.2, 0.3], [0.1, 0.4]]), name=name) for name in ("var", "accum"))
    return ops.ApplyKerasMomentum()(var, accum, t(0.001), t([[0.3, 0.2], [0.4, 0.1]]), t(0.99))


DOCUMENTED = {
    "ConfusionMatrix": (lambda: ops.ConfusionMatrix(4)(t([0, 1, 1, 3], np.int32), t([1, 2, 1, 3], np.int32)),
                        [[0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]]),
    "LARSUpdate": (rescaled, [[0.0005265, 0.0005265, 0.00065813], [0.00026325, 0.0005265, 0.00039488]]),
    "MultilabelMarginLoss": (lambda: ops.MultilabelMarginLoss()(
        t([[0.1, 0.2, 0.4, 0.8], [0.2, 0.3, 0.5, 0.7]]), t([[1, 2, 0, 3], [2, 3, -1, 1]], np.int32)),
        (0.325, [[1, 1, 1, 1], [0, 0, 1, 1]])),
    "Quantile": (lambda: ops.Quantile()(t([0.07, -0.5446, 0.9214]), t([0, 0.5, 1])), [-0.5446, 0.07, 0.9214]),
    "TripletMarginLoss": (lambda: ops.TripletMarginLoss()(
        t([[0.3, 0.7], [0.5, 0.5]]), t([[0.4, 0.6], [0.4, 0.6]]), t([[0.2, 0.9], [0.3, 0.7]]), t(1.0)),
        0.8881968),
    "ApplyKerasMomentum": (moved, ([[0.3977, 0.5968], [0.1986, 0.7959]],
                                   [[0.1977, 0.2968], [0.0986, 0.3959]])),
    "SplitV": (lambda: ops.SplitV(size_splits=[1, -1], split_dim=1, num_split=2)(
        t([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.int32)), ([[1], [4], [7]], [[2, 3], [5, 6], [8, 9]])),
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_documented_figures(name):
    compute, figures = DOCUMENTED[name]
    found = compute()
    pairs = zip(found, figures, strict=True) if isinstance(found, tuple) else [(found, figures)]
    for result, expected in pairs:
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=2e-5)


def _thin(rows, columns, seed):
    values = np.random.RandomState(seed).randn(rows, columns).astype(np.float32)
    values[np.arange(rows * columns).reshape(rows, columns) % 3 == seed] = 0
    return values


def test_the_product_of_two_csr_matrices():
    a, b = _thin(4, 5, 0), _thin(5, 3, 1)
    left, right, turned = (ops.dense_to_sparse_csr(t(m)) for m in (a, b, a.T))
    for product in (ops.csr_mm(left, right), left.mm(right), ops.csr_mm(turned, right, trans_a=True)):
        np.testing.assert_allclose(product.to_dense().asnumpy(), a @ b, rtol=1e-6)
    gradient = ms.grad(lambda v: (ops.csr_mm(CSRTensor(left.indptr, left.indices, v, left.shape), right)
                                  .to_dense() * 2).sum())(left.values)
    np.testing.assert_allclose(gradient.asnumpy(), (2 * np.ones((4, 3)) @ b.T)[a != 0], rtol=1e-5)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_stopped_value_is_a_constant(mode):
    def both(x):
        kept, stopped = x * 2, x * 3
        ops.stop_gradient_(stopped)
        return kept * stopped

    ms.set_context(mode=mode)
    try:
        np.testing.assert_allclose(ms.grad(both)(t([1, 2])).asnumpy(), [6, 12])
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(TypeError):
        ops.stop_gradient_(1)
