"""Optimizer steps that MindSpore has for its devices only: arithmetic is the judge."""
import numpy as np

import ms2torch as ms
from ms2torch import Parameter, Tensor, ops


def _state(*values, dtype=np.float32):
    return [Parameter(Tensor(np.full((2, 2), v, dtype)), name=f"p{i}") for i, v in enumerate(values)]


def test_momentum_with_weight_decay_and_scale():
    var, accum = _state(2.0, 0.5)
    gradient = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    step = ops.FusedWeightScaleApplyMomentum()
    moved = step(Tensor(0.1), Tensor(0.25), var, accum, 0.01, Tensor(gradient), 0.9)
    expected = 0.9 * 0.5 + (gradient + 0.1 * 2.0) * 0.25
    np.testing.assert_allclose(accum.asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), 2.0 - 0.01 * expected, rtol=1e-6)
    np.testing.assert_array_equal(moved.asnumpy(), var.asnumpy())


def test_adam_of_half_gradients():
    (var,), (m, v) = _state(2.0, dtype=np.float16), _state(0.5, 0.25)
    gradient = np.array([[1.0, 2.0], [3.0, 4.0]], np.float16)
    ops.FusedCastAdamWeightDecay()(var, m, v, 0.1, 0.9, 0.99, 1e-6, 0.01, Tensor(gradient), Tensor(2.0))
    first = 0.9 * 0.5 + 0.1 * gradient.astype(np.float32) / 2
    second = 0.99 * 0.25 + 0.01 * gradient.astype(np.float32) ** 2 / 4
    np.testing.assert_allclose(m.asnumpy(), first, rtol=1e-6)
    np.testing.assert_allclose(v.asnumpy(), second, rtol=1e-6)
    assert var.dtype == ms.float16
    expected = 2.0 - 0.1 * (first / (np.sqrt(second) + 1e-6) + 0.02)
    np.testing.assert_allclose(var.asnumpy(), expected, rtol=1e-3)


def test_proximal_adagrad_of_some_rows():
    var, accum = _state(4.0, 0.0)
    gradient, row = np.array([[1.0, 2.0]], np.float32), Tensor(np.array([1], np.int32))
    ops.SparseApplyProximalAdagrad()(var, accum, 0.5, 1.0, 0.5, Tensor(gradient), row)
    rate = 0.5 / gradient
    moved = 4.0 - rate * gradient
    np.testing.assert_allclose(accum.asnumpy(), [[0.0, 0.0], [1.0, 4.0]])
    np.testing.assert_allclose(var.asnumpy()[0], 4.0)
    np.testing.assert_allclose(var.asnumpy()[1:], (moved - rate) / (1 + rate * 0.5), rtol=1e-6)


def test_root_mean_square_norm():
    x = np.array([[1.0, 2.0, 2.0], [0.0, 3.0, 4.0]], np.float32)
    normed, scale = ops.RmsNorm(1e-5)(Tensor(x), Tensor(np.array([1.0, 2.0, 3.0], np.float32)))
    root = np.sqrt((x ** 2).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(normed.asnumpy(), x / root * [1.0, 2.0, 3.0], rtol=1e-6)
    np.testing.assert_allclose(scale.asnumpy(), 1 / root, rtol=1e-6)
