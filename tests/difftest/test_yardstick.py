"""How much may differ, and the float64 that goes by float32's name."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import ms2torch as ms
from ms2torch import nn
from ms2torch.difftest import double, locate, yardstick
from ms2torch.difftest.finding import Finding

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


def test_gradients_pass_through_casts_to_integers_in_float64_too():
    x = ms.Tensor(np.array([1.5, -2.25, 3.75], np.float32))
    with double.Double():
        found = ms.grad(lambda x: x.astype(ms.int32).astype(ms.float32) * x)(x * 1.0)
        assert isinstance(found._t, double.Wide)
    # Its whole part by itself, and itself through the cast, where gradients are whole.
    assert found.asnumpy().tolist() == [2.0, -4.0, 6.0]


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


def trembled(function, monkeypatch):
    """By how much a result moves, as a part of its norm, when float64 trembles."""
    with double.Double():
        still = double.numpy(function())
    monkeypatch.setattr(double, "noise", double.Noise())
    with double.Double():
        moved = double.numpy(function())
    return np.linalg.norm(moved - still) / np.linalg.norm(still)


def test_trembling_knows_what_cancels_and_what_is_exact(monkeypatch):
    unit = 2.0**-24
    assert trembled(lambda: torch.ones(8) + torch.ones(8), monkeypatch) == 0.0
    assert 0.5 * unit < trembled(lambda: X / 3, monkeypatch) < 2 * unit
    # 1e-4 is left of numbers near 1/3: their rounding is 3,000 times as much of it.
    assert 1e3 * unit < trembled(lambda: (X / 3 + 1e-4) - X / 3, monkeypatch) < 1e5 * unit
    # MindSpore's tanh is good to four digits only from 3 to 7.
    assert trembled(lambda: torch.tanh(X / 10 + 4.5), monkeypatch) > 50 * unit


class Run:
    """What a pass left: arrays and distances by key."""

    def __init__(self, key, array, gap=None, items=()):
        self.key, self.value, self.distance, self.items = key, array, gap, items

    def array(self, key):
        return self.value if key == self.key else None

    def gap(self, key):
        return self.distance


@pytest.mark.parametrize("ours, reference, wrong, said", [
    (1 + 1e-7, 1 - 1e-7, False, ""),  # rounding on both sides
    (1 + 5e-6, 1 - 1e-7, True, "lost digits"),  # ours alone is far from float64: half precision inside
    (1 + 1e-7, 1 + 9e-6, True, ""),  # another epsilon: the reference is far from ours and from its float64
    (1 + 4e-4, 1 - 3e-4, False, ""),  # half precision on both sides, as the program says
])
def test_a_side_that_lost_digits_is_told_from_rounding_on_both(ours, reference, wrong, said):
    key, true = (1, 0, "forward", "norm", "output", 0, 0), np.ones(4)
    o, r = np.full(4, ours), np.full(4, reference)
    event = {"key": key, "kind": "value", "error": abs(ours - reference), "size": 2.0, "dtype": "float32"}
    events = Run(key, o, items=[event])
    rounding = locate.Rounding(events, Run(key, true, float(np.linalg.norm(r - true))))
    finding = Finding(1, "forward", "norm", "value", error=event["error"])
    rounding.judge(finding, key)
    assert rounding.exceeded(key) is wrong
    assert (said in finding.judge) if said else not finding.judge


@pytest.mark.parametrize("kind", ["Adadelta", "Adagrad", "AdaMax", "FTRL", "Lamb", "RMSProp", "SGD"])
def test_an_optimizer_keeps_its_state_after_a_step_in_float64(kind):
    """What float64 made of a state becomes its content, not its memory, which a `Wide` has none of."""
    weight = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]), name="w")
    optimizer = getattr(nn, kind)([weight], learning_rate=0.1)
    gradient = (ms.Tensor([0.5, -1.0, 0.25]),)
    with double.Double():
        for _ in range(2):
            optimizer(gradient)
    for parameter in (weight, *optimizer.get_parameters()):
        assert type(parameter.value()._t) is not double.Wide
        assert np.isfinite(parameter.asnumpy()).all()
    optimizer(gradient)
    assert not np.array_equal(weight.asnumpy(), [1.0, 2.0, 3.0])
