"""Optimizers where MindSpore's CPU kernels are missing or off their documentation: against the documented
formulas."""

import copy
import pickle
import sys

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Parameter, Tensor, nn
from ms2torch._naming import generation

SHAPES = ((4, 16, 3), (4,), (3, 5))


def drawn(seed, dtype=np.float32):
    random = np.random.RandomState(seed)
    return [random.standard_normal(shape).astype(dtype) for shape in SHAPES]


def stepped(make, steps=3, dtype=ms.float32):
    """The parameters after some steps, as float64 arrays."""
    params = [Parameter(Tensor(w).astype(dtype), name=f"w{i}") for i, w in enumerate(drawn(0))]
    optimizer = make(params)
    for step in range(steps):
        optimizer(tuple(Tensor(g).astype(dtype) for g in drawn(step + 1)))
    return [p.asnumpy().astype(np.float64) for p in params]


def by_formula(update, steps=3):
    """The same with ``update(w, g, state, t)`` on float64 arrays."""
    found = []
    for i, w in enumerate(drawn(0, np.float64)):
        state = {}
        for step in range(steps):
            w = update(w, drawn(step + 1, np.float64)[i], state, step + 1)
        found.append(w)
    return found


def agree(ours, expected, rtol=1e-5, atol=1e-6):
    for a, b in zip(ours, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)


def test_momentum_nesterov():
    def update(w, g, state, t):
        state["v"] = 0.9 * state.get("v", 0) + g
        return w - 0.1 * (g + 0.9 * state["v"])

    agree(stepped(lambda p: nn.Momentum(p, 0.1, 0.9, use_nesterov=True)), by_formula(update))


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_momentum_of_half_precision(dtype):
    def update(w, g, state, t):
        state["v"] = 0.9 * state.get("v", 0) + g
        return w - 0.1 * state["v"]

    agree(stepped(lambda p: nn.Momentum(p, 0.1, 0.9), dtype=dtype), by_formula(update), rtol=0.03, atol=0.03)


def test_adagrad_keeps_its_slots():
    def update(w, g, state, t):
        return w - 0.1 * g / np.sqrt(0.1)

    agree(stepped(lambda p: nn.Adagrad(p, learning_rate=0.1, update_slots=False)), by_formula(update))


def test_rmsprop_has_its_epsilon_inside_the_root():
    def update(w, g, state, t):
        state["s"] = 0.8 * state.get("s", 1.0) + 0.2 * g * g
        state["v"] = 0.5 * state.get("v", 0.0) + 0.1 * g / np.sqrt(state["s"] + 0.1)
        return w - state["v"]

    agree(stepped(lambda p: nn.RMSProp(p, 0.1, 0.8, 0.5, 0.1)), by_formula(update))


def test_ftrl_with_l1():
    def update(w, g, state, t):
        a = state.get("a", 0.2)
        state["a"] = a + g * g
        state["z"] = z = state.get("z", 0.0) + g - (state["a"] ** 0.5 - a ** 0.5) / 0.1 * w
        return np.where(abs(z) > 1.5, (np.sign(z) * 1.5 - z) / (state["a"] ** 0.5 / 0.1 + 2 * 0.3), 0.0)

    agree(stepped(lambda p: nn.FTRL(p, 0.2, 0.1, -0.5, 1.5, 0.3)), by_formula(update))


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_lamb(decay):
    def update(w, g, state, t):
        state["m"] = 0.9 * state.get("m", 0.0) + 0.1 * g
        state["v"] = 0.999 * state.get("v", 0.0) + 0.001 * g * g
        u = state["m"] / (1 - 0.9 ** t) / (np.sqrt(state["v"] / (1 - 0.999 ** t)) + 1e-6) + decay * w
        return w - 0.01 * np.linalg.norm(w) / np.linalg.norm(u) * u

    agree(stepped(lambda p: nn.Lamb(p, 0.01, weight_decay=decay)), by_formula(update), rtol=1e-4)


def test_centralized_gradients():
    def update(w, g, state, t):
        if g.ndim > 1 and g.shape[1] % 16 == 0:
            g = g - g.mean(axis=tuple(range(1, g.ndim)), keepdims=True)
        return w - 0.1 * g

    agree(stepped(lambda p: nn.SGD([{"params": p, "grad_centralization": True}], 0.1)), by_formula(update))


def test_lars_gives_the_documented_gradient():
    """The figures of LARSUpdate's page: no decay, rate 1."""
    w = np.array([[0.5, 0.8, 0.2], [0.6, 0.4, 0.2]], np.float32)
    g = np.array([[0.4, 0.4, 0.5], [0.2, 0.4, 0.3]], np.float32)
    param = Parameter(Tensor(w), name="w")
    nn.LARS(nn.SGD([param], 1.0))((Tensor(g),))
    np.testing.assert_allclose(w - param.asnumpy(), [[0.0005265, 0.0005265, 0.00065813],
                                                     [0.00026325, 0.0005265, 0.00039488]], atol=2e-7)


@pytest.mark.parametrize("clip", [False, True])
def test_lars_over_momentum(clip):
    def update(w, g, state, t):
        g = g / 4
        r = 0.02 * np.linalg.norm(w) / (np.linalg.norm(g) + 0.1 * np.linalg.norm(w) + 1e-5)
        r = min(r / 0.1, 1.0) if clip else r
        state["v"] = 0.9 * state.get("v", 0.0) + r * (g + 0.1 * w)
        return w - 0.1 * state["v"]

    def make(params):
        inner = nn.Momentum(params, 0.1, 0.9, weight_decay=0.1, loss_scale=4.0)
        return nn.LARS(inner, coefficient=0.02, use_clip=clip)

    agree(stepped(make), by_formula(update), rtol=1e-4)


class Releases1(nn.Optimizer):
    """Written for releases where get_lr counted the steps and weight_decay was a number."""

    def construct(self, gradients):
        lr = self.get_lr()
        for p, g in zip(self.parameters, gradients, strict=True):
            p.set_data(p - lr * (g + self.weight_decay * p))
        return True


@pytest.fixture
def api_1_5():
    generation.set_api("1.5")
    yield
    generation.set_api(None)


def test_get_lr_counts_steps_before_2_0(api_1_5):
    rates = [0.1, 0.2, 0.3]
    ours = stepped(lambda p: Releases1([0.1, 0.2, 0.3], p, 0.5))
    agree(ours, by_formula(lambda w, g, state, t: w - rates[t - 1] * (g + 0.5 * w)))


def test_get_lr_does_not_count_steps_since():
    ours = stepped(lambda p: Releases1([0.1, 0.2, 0.3], p, 0.5))
    agree(ours, by_formula(lambda w, g, state, t: w - 0.1 * (g + 0.5 * w)))


def test_is_a_torch_module():
    optimizer = nn.Adam([Parameter(Tensor(w), name=f"w{i}") for i, w in enumerate(drawn(0))], 0.1)
    names = set(optimizer.state_dict())
    assert {"global_step", "learning_rate", "w0", "moment1.w0"} <= {n.replace("\\.", ".") for n in names}
    assert isinstance(optimizer.__dict__["_parameters"], dict)
    assert sum(1 for _ in torch.nn.Module.parameters(optimizer)) == len(list(optimizer.get_parameters()))


PICKLED = pytest.param(lambda x: pickle.loads(pickle.dumps(x)), id="pickle", marks=pytest.mark.skipif(
    torch.__version__ < "2.6" and sys.version_info >= (3, 13), reason="torch 2.5 pickles none here"))


@pytest.mark.parametrize("copied", [copy.deepcopy, PICKLED])
def test_copies_go_on_alone(copied):
    first = nn.Adam([Parameter(Tensor(w), name=f"w{i}") for i, w in enumerate(drawn(0))], [0.1, 0.2])
    first(tuple(map(Tensor, drawn(1))))
    before = [p.asnumpy().copy() for p in first.parameters]
    second = copied(first)
    second(tuple(map(Tensor, drawn(2))))
    agree([p.asnumpy() for p in first.parameters], before)
    first(tuple(map(Tensor, drawn(2))))
    agree([p.asnumpy() for p in second.parameters], [p.asnumpy() for p in first.parameters])
    assert int(second.global_step.asnumpy()[0]) == 2


def test_wrong_number_of_gradients():
    optimizer = nn.SGD([Parameter(Tensor(w), name=f"w{i}") for i, w in enumerate(drawn(0))], 0.1)
    with pytest.raises(RuntimeError, match="there are 3 parameters, but got 1 gradients"):
        optimizer((Tensor(drawn(1)[0]),))


def test_no_gradient_state_is_left():
    params = [Parameter(Tensor(w), name=f"w{i}") for i, w in enumerate(drawn(0))]
    optimizer = nn.Adam(params, 0.1)
    optimizer(tuple(map(Tensor, drawn(1))))
    assert not any(p._rest.requires_grad or p._rest.grad is not None for p in optimizer.get_parameters())


def test_speed_adamw_is_adamw_of_torch():
    from ms2torch.experimental.optim.adamw import SpeedAdamW

    weights = [torch.nn.Parameter(torch.from_numpy(w)) for w in drawn(0)]
    theirs = torch.optim.AdamW(weights, 0.05, betas=(0.8, 0.9), weight_decay=0.1)
    for step in range(3):
        for weight, grad in zip(weights, drawn(step + 1), strict=True):
            weight.grad = torch.from_numpy(grad)
        theirs.step()
    ours = stepped(lambda p: SpeedAdamW(p, 0.05, (0.8, 0.9), weight_decay=0.1))
    agree(ours, [w.detach().numpy() for w in weights])
    with pytest.raises(ValueError, match="amsgrad can only be False"):
        stepped(lambda p: SpeedAdamW(p, amsgrad=True))


def test_a_subclass_brings_its_own_state():
    """Libraries write AdamWeightDecay's constructor anew, with its names."""

    class Own(nn.AdamWeightDecay):
        def __init__(self, params):
            super(nn.AdamWeightDecay, self).__init__(0.1, params, 0.01)
            self.beta1, self.beta2, self.eps = (Tensor([x], ms.float32) for x in (0.8, 0.9, 1e-3))
            self.moments1 = self.parameters.clone("adam_m", init="zeros")
            self.moments2 = self.parameters.clone("adam_v", init="zeros")

    agree(stepped(Own), stepped(lambda p: nn.AdamWeightDecay(p, 0.1, 0.8, 0.9, 1e-3, 0.01)))
