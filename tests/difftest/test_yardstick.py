"""How much may differ, and the float64 that goes by float32's name."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from ms2torch.difftest import double, yardstick

X = torch.linspace(-2, 3, 24).reshape(4, 6)
W = torch.linspace(-1, 1, 18).reshape(3, 6)


def test_results_say_float32_and_hold_float64():
    with double.Double():
        y = F.softmax(X @ W.T, -1)
        assert y.dtype is torch.float32 and y.shape == (4, 3)
    z = X.numpy().astype(np.float64) @ W.numpy().astype(np.float64).T
    e = np.exp(z - z.max(-1, keepdims=True))
    np.testing.assert_allclose(double.numpy(y), e / e.sum(-1, keepdims=True), rtol=1e-14)


def test_gradients_are_float64_too():
    with double.Double():
        w = W.detach().requires_grad_()
        (g,) = torch.autograd.grad((X @ w.T).tanh().sum(), w)
        assert g.dtype is torch.float32
    x, v = X.numpy().astype(np.float64), W.numpy().astype(np.float64)
    np.testing.assert_allclose(double.numpy(g), (1 - np.tanh(x @ v.T) ** 2).T @ x, rtol=1e-12, atol=1e-13)


def test_what_is_written_in_place_is_rounded_once():
    mean, variance = torch.zeros(6), torch.ones(6)
    with double.Double():
        F.batch_norm(X, mean, variance, training=True, momentum=0.1)
    assert mean.dtype is torch.float32
    exact = 0.1 * X.numpy().astype(np.float64).mean(0)
    np.testing.assert_array_equal(mean.numpy(), exact.astype(np.float32))


def test_halves_are_widened_and_float64_is_left_alone():
    short = X.half()
    with double.Double():
        half = short * short
        whole = X.double() * 2
        assert half.dtype is torch.float16 and type(whole) is torch.Tensor
    exact = short.numpy().astype(np.float64)
    np.testing.assert_array_equal(double.numpy(half), exact * exact)


def test_random_draws_stay_what_they_are():
    torch.manual_seed(1)
    plain = torch.rand(5)
    torch.manual_seed(1)
    with double.Double():
        drawn = torch.rand(5)
    assert torch.equal(plain, drawn)


@pytest.mark.parametrize("dtype, unit", [("float32", 2**-23), ("float16", 2**-10), ("bfloat16", 2**-7),
                                         ("float64", 2**-52)])
def test_the_unit_in_the_last_place(dtype, unit):
    assert yardstick.epsilon(dtype) == unit
    one = torch.ones((), dtype=getattr(torch, dtype))
    assert float(torch.nextafter(one, one * 2) - one if dtype not in ("float16", "bfloat16")
                 else torch.finfo(one.dtype).eps) == unit
