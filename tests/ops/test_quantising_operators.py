"""The operators of quantisation-aware training, which MindSpore computes on GPUs and Ascend alone, beside
their formulas written out for one number at a time."""

import math

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Parameter, Tensor
from ms2torch.ops.operations import _quant_ops as quantising

X = np.array([[-2.1, -1.03, -0.3, 0.0], [0.41, 1.24, 2.51, 7.0]], np.float32)
LOW, HIGH = -1.5, 2.5


def rounded(x, low, high, bits=8, symmetric=False, narrow=False):
    """One number on its grid, and whether a gradient passes; in single precision, since the zero of a
    symmetric range lies half-way between two integers."""
    x, low, high = map(np.float32, (x, low, high))
    first = (-(2 ** (bits - 1)) if symmetric else 0) + narrow
    last = (2 ** (bits - 1) if symmetric else 2**bits) - 1
    if symmetric:
        high = max(-low, high)
        low = -high
    scale = (high - low) / np.float32(last - first)
    zero = math.floor(min(max(first - low / scale, first), last) + 0.5)
    bottom, top = (first - zero) * scale, (last - zero) * scale
    return math.floor((min(max(x, bottom), top) - bottom) / scale + 0.5) * scale + bottom, bottom <= x <= top


def each(function, x=X):
    return np.vectorize(function, otypes=[np.float32])(x)


@pytest.mark.parametrize("bits", [4, 7, 8])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_rounding_to_a_range(bits, symmetric, narrow):
    made = quantising.FakeQuantPerLayer(num_bits=bits, symmetric=symmetric, narrow_range=narrow)
    given = Tensor(X), Tensor([LOW]), Tensor([HIGH])
    want = each(lambda x: rounded(x, LOW, HIGH, bits, symmetric, narrow)[0])
    np.testing.assert_allclose(made(*given).asnumpy(), want, rtol=1e-5, atol=1e-6)
    passed = quantising.FakeQuantPerLayerGrad(num_bits=bits, symmetric=symmetric, narrow_range=narrow)
    want = each(lambda x: rounded(x, LOW, HIGH, bits, symmetric, narrow)[1])
    np.testing.assert_array_equal(passed(Tensor(np.ones_like(X)), *given).asnumpy(), want)


def test_a_range_of_one_number():
    zero = Tensor([0.0])
    np.testing.assert_array_equal(quantising.FakeQuantPerLayer()(Tensor(X), zero, zero).asnumpy(), 0 * X)


def test_the_gradient_goes_where_mindspore_makes_it_go():
    """Its gradient operator is made without ``symmetric``: of (-1.5, 2.5), not of (-2.5, 2.5)."""
    made = quantising.FakeQuantPerLayer(symmetric=True)
    gradient = ms.grad(lambda x: made(x, Tensor([LOW]), Tensor([HIGH])).sum())(Tensor(X))
    np.testing.assert_array_equal(gradient.asnumpy(), each(lambda x: rounded(x, LOW, HIGH)[1]))


def test_rounding_to_a_range_for_each_channel():
    low, high = np.array([-1.5, -1.0, -2.0, -0.1], np.float32), np.array([2.5, 1.0, 2.0, 5.0], np.float32)
    want = np.stack([each(lambda x, i=i: rounded(x, low[i], high[i])[0], X[:, i]) for i in range(4)], 1)
    found = quantising.FakeQuantPerChannel(channel_axis=1)(Tensor(X), Tensor(low), Tensor(high))
    np.testing.assert_allclose(found.asnumpy(), want, rtol=1e-5, atol=1e-6)


def test_the_first_calls_change_nothing():
    made = quantising.FakeQuantPerLayer(quant_delay=2)
    found = [made(Tensor(X), Tensor([LOW]), Tensor([HIGH])).asnumpy() for _ in range(3)]
    np.testing.assert_array_equal(found[0], X)
    np.testing.assert_array_equal(found[1], X)
    assert not np.array_equal(found[2], X)


@pytest.mark.parametrize("ema", [False, True])
def test_observed_ranges(ema):
    layer = quantising.MinMaxUpdatePerLayer(ema=ema, ema_decay=0.75)(Tensor(X), Tensor([LOW]), Tensor([HIGH]))
    want = (-2.1, 7.0) if not ema else (0.75 * LOW + 0.25 * -2.1, 0.75 * HIGH + 0.25 * 7.0)
    np.testing.assert_allclose([t.asnumpy()[0] for t in layer], want, rtol=1e-6)
    low, high = Tensor([LOW, LOW]), Tensor([HIGH, HIGH])
    channels = quantising.MinMaxUpdatePerChannel(ema=False, channel_axis=0)(Tensor(X), low, high)
    np.testing.assert_allclose([t.asnumpy() for t in channels], [[-2.1, 0.0], [0.0, 7.0]], rtol=1e-6)


def learned(x, alpha, most, truncated):
    """One number, and its share in the gradients of x and of alpha."""
    share, least = x / alpha, 0 if truncated else -1
    step = math.floor(min(max(share, least), 1) * most + 0.5) / most
    outside = share > 1 or share < least
    return step * alpha, float(not outside), math.copysign(1, share) if outside else step - share


@pytest.mark.parametrize("truncated", [False, True])
def test_learned_steps(truncated):
    made = quantising.FakeLearnedScaleQuantPerLayer(neg_trunc=truncated)
    alpha, most = Tensor([2.0]), Tensor([7.0])
    value, (of_x, of_alpha) = ms.value_and_grad(lambda x, a: made(x, a, most).sum(), (0, 1))(Tensor(X), alpha)
    parts = [learned(x, 2.0, 7.0, truncated) for x in X.ravel()]
    np.testing.assert_allclose(float(value), sum(p[0] for p in parts), rtol=1e-5)
    np.testing.assert_array_equal(of_x.asnumpy().ravel(), [p[1] for p in parts])
    np.testing.assert_allclose(of_alpha.asnumpy(), [sum(p[2] for p in parts)], rtol=1e-5)
    explicit = quantising.FakeLearnedScaleQuantPerLayerGrad(neg_trunc=truncated)
    again = explicit(Tensor(np.ones_like(X)), Tensor(X), alpha, most)
    for got, want in zip(again, (of_x, of_alpha), strict=True):
        np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())


def test_learned_steps_for_each_channel():
    alpha, most = np.array([2.0, 1.0, 0.5, 4.0], np.float32), Tensor([7.0])
    made = quantising.FakeLearnedScaleQuantPerChannel(channel_axis=1)
    of_alpha = ms.grad(lambda a: made(Tensor(X), a, most).sum())(Tensor(alpha))
    want = [sum(learned(x, alpha[i], 7.0, False)[2] for x in X[:, i]) for i in range(4)]
    np.testing.assert_allclose(of_alpha.asnumpy(), want, rtol=1e-5, atol=1e-6)


def test_folded_batch_normalisation():
    """Folding a batch normalisation into the weights before it gives what the two layers give."""
    draw = np.random.default_rng(0)
    x = draw.normal(2, 3, (4, 3, 5, 5)).astype(np.float32)
    gamma, beta = draw.uniform(1, 2, (2, 3)).astype(np.float32)
    mean = Parameter(Tensor(np.full(3, 0.5, np.float32)), name="mean")
    variance = Parameter(Tensor(gamma), name="variance")
    fold = quantising.BatchNormFold(momentum=0.75, epsilon=1e-5, freeze_bn=10)
    step = Tensor([0], ms.int32)
    centre, spread, before, deviation = fold(Tensor(x), mean, variance, step)
    np.testing.assert_allclose(centre.asnumpy(), x.mean((0, 2, 3)), rtol=1e-5)
    np.testing.assert_allclose(spread.asnumpy(), np.sqrt(x.var((0, 2, 3)) + 1e-5), rtol=1e-5)
    np.testing.assert_allclose(before.asnumpy(), 0.5, rtol=1e-6)
    np.testing.assert_allclose(deviation.asnumpy(), np.sqrt(gamma + 1e-5), rtol=1e-5)
    np.testing.assert_allclose(mean.asnumpy(), 0.75 * 0.5 + 0.25 * x.mean((0, 2, 3)), rtol=1e-5)
    np.testing.assert_allclose(
        variance.asnumpy(), 0.75 * gamma + 0.25 * x.var((0, 2, 3), ddof=1), rtol=1e-5)
    # x * gamma / deviation is what the folded weights give; the last operator corrects it to the batch's
    last = quantising.BatchNormFold2(freeze_bn=10)
    weighted = Tensor(x) * Tensor(gamma.reshape(3, 1, 1)) / deviation.reshape(3, 1, 1)
    y = last(weighted, Tensor(beta), Tensor(gamma), spread, centre, deviation, before, step)
    normal = (x - x.mean((0, 2, 3), keepdims=True)) / np.sqrt(x.var((0, 2, 3), keepdims=True) + 1e-5)
    want = normal * gamma.reshape(3, 1, 1) + beta.reshape(3, 1, 1)
    np.testing.assert_allclose(y.asnumpy(), want, rtol=1e-4, atol=1e-5)
    frozen = fold(Tensor(x), mean, variance, Tensor([10], ms.int32))
    assert [float(t.asnumpy()[0]) for t in frozen[:2]] == [0.0, 1.0]


def test_corrected_weights_and_their_gradients():
    x = X.reshape(2, 4, 1, 1)
    std, running = np.array([[2.0, 3.0], [4.0, 1.5]], np.float32)
    made = quantising.CorrectionMul(channel_axis=0)
    y, grads = ms.value_and_grad(lambda *a: made(*a).sum(), (0, 1, 2))(*map(Tensor, (x, std, running)))
    ratio = (std / running).reshape(2, 1, 1, 1)
    np.testing.assert_allclose(float(y), (x * ratio).sum(), rtol=1e-6)
    wants = (np.broadcast_to(ratio, x.shape), x.sum((1, 2, 3)) / running, np.zeros(2))
    for got, want in zip(grads, wants, strict=True):
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-6)
    explicit = quantising.CorrectionMulGrad(channel_axis=0)(*map(Tensor, (np.ones_like(x), x, std, running)))
    for got, want in zip(explicit, grads, strict=False):
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)


def test_a_scale_carried_with_a_value():
    made = quantising.FakeQuantParam.linear_quant_param(ms.QuantDtype.INT8, 0.5, 1)
    assert (made.attrs["linear_quant_scale"], made.attrs["linear_quant_zero_point"]) == ([0.5], [1])
    np.testing.assert_array_equal(made(Tensor(X)).asnumpy(), X)


def test_refused_settings():
    with pytest.raises(ValueError, match="For 'FakeQuantPerLayer' attr 'num_bits' is not support"):
        quantising.FakeQuantPerLayer(num_bits=5)
    with pytest.raises(ValueError, match="'ema' and 'ema_decay' should set together"):
        quantising.FakeQuantPerLayer(ema=True, ema_decay=0.0)
