"""Compiled steps (``--graph compile``): eager's numbers, or eager itself with the reason.

Most cases run the traced graph as it is; one goes through Inductor and a C++ compiler.
"""

import gc
import time

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core import mode, torch_private
from ms2torch.compiler import backends, comparing, settings, steps

pytestmark = [pytest.mark.skipif(torch_private.RELEASE < (2, 5), reason="torch 2.5 compiles"),
              pytest.mark.usefixtures("traced")]

STEPS = 11


class Dense(nn.Cell):
    shape = (6, 8)

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(8, 16, activation="relu"), nn.Dense(16, 3)

    def construct(self, x):
        return self.last(self.first(x))


class Dropped(Dense):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(p=0.3)

    def construct(self, x):
        return self.last(ops.dropout(self.drop(self.first(x)), 0.2, True))


class Normed(nn.Cell):
    shape = (6, 1, 8, 8)

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.last = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Dense(256, 3)

    def construct(self, x):
        return self.last(ops.relu(self.norm(self.conv(x))).reshape(x.shape[0], -1))


class Recurrent(nn.Cell):
    shape = (6, 4, 8)

    def __init__(self):
        super().__init__()
        self.lstm, self.last = nn.LSTM(8, 5, batch_first=True), nn.Dense(5, 3)

    def construct(self, x):
        return self.last(self.lstm(x)[0][:, -1])


class Derived(Dense):
    """A second derivative by the input in the forward pass, as in physics-informed networks."""

    def construct(self, x):
        def inner(t):
            return ops.tanh(self.last(ops.tanh(self.first(t)))).sum()

        bent = ms.grad(lambda t: ms.grad(inner)(t).sum())(x)
        return self.last(self.first(x)) + bent[:, :3]


class UsersCell(nn.Cell):
    """A train cell as programs write them."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.network.set_grad()
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = ops.clip_by_global_norm(self.grad(self.network, self.weights)(*inputs), 1.0)
        return ops.depend(loss, self.optimizer(grads))


def _batches(shape, count=STEPS):
    random = np.random.RandomState(0)
    for _ in range(count):
        yield (Tensor(random.randn(*shape).astype(np.float32)),
               Tensor(random.randint(0, 3, (shape[0],)).astype(np.int32)))


_LOSS = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def _built_in(network, optimizer):
    return nn.TrainOneStepCell(nn.WithLossCell(network, _LOSS), optimizer).set_train()


def _users(network, optimizer):
    return UsersCell(nn.WithLossCell(network, _LOSS), optimizer).set_train()


def _scaled(network, optimizer):
    scale = nn.DynamicLossScaleUpdateCell(2.0**127, 2, 3)       # overflows at first
    return nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(network, _LOSS), optimizer, scale).set_train()


def _functional(network, optimizer):
    network.set_train()
    gradient = ms.value_and_grad(lambda x, y: _LOSS(network(x), y), None, optimizer.parameters)

    @ms.jit
    def step(x, y):
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    return step


def _adam(params):
    return nn.Adam(params, 0.01)


def _trained(graphs, network=Dense, optimizer=_adam, how=_built_in, count=STEPS):
    """Losses and the state after some steps, and the step itself."""
    mode.graphs = graphs
    ms.set_seed(7)
    net = network()
    rule = optimizer(net.trainable_params())
    step = how(net, rule)
    losses = []
    for x, y in _batches(net.shape, count):
        out = step(x, y)
        losses.append([np.array(v.asnumpy()) for v in (out if isinstance(out, tuple) else (out,))])
    state = [p.asnumpy().copy() for p in (*net.get_parameters(), *rule.get_parameters())]
    return losses, state, step


def _compiled(step):
    """The step's state, after making sure that it did run compiled."""
    found = step.__dict__["_compiled_step"]
    assert not found.off and found.variants[0].runs == STEPS
    return found


def _same(one, other):
    for a, b in zip(one[0], other[0], strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=2e-6, atol=1e-7)
    for a, b in zip(one[1], other[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


_RATES = nn.cosine_decay_lr(0.0, 0.1, STEPS, 4, 3)
OPTIMIZERS = {
    "Momentum": lambda p: nn.Momentum(p, _RATES, 0.9, weight_decay=1e-3, loss_scale=4.0),
    "SGD": lambda p: nn.SGD(p, 0.1, momentum=0.5, dampening=0.2, nesterov=False),
    "SGD alone": lambda p: nn.SGD(p, nn.ExponentialDecayLR(0.1, 0.9, 2)),
    "Adam": lambda p: nn.Adam(p, nn.PolynomialDecayLR(0.01, 0.001, 10, 1.0), weight_decay=1e-3),
    "Nesterov": lambda p: nn.Adam(p, 0.01, use_nesterov=True),
    "AMSGrad": lambda p: nn.Adam(p, 0.01, use_amsgrad=True),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1),
    "groups": lambda p: nn.Momentum([{"params": p[:2], "lr": 0.05, "weight_decay": 0.01},
                                     {"params": p[2:], "grad_centralization": True}], 0.1, 0.9),
    "RMSProp": lambda p: nn.RMSProp(p, 0.01),
    "experimental": lambda p: ms.experimental.optim.AdamW(p, 0.01),
}


@pytest.mark.parametrize("how", [_built_in, _scaled])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers(optimizer, how):
    rule = OPTIMIZERS[optimizer]
    eager, found = (_trained(g, optimizer=rule, how=how) for g in ("eager", "compile"))
    _same(eager, found)
    assert len(_compiled(found[2]).variants) == 1       # rates, scales and counters are inputs


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("how", [_built_in, _users])
@pytest.mark.parametrize("network", [Dropped, Normed, Recurrent, Derived])
def test_networks(network, how, graph):
    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    if graph and network is Derived:
        pytest.skip("a nested gradient of a network's own in graph mode is the same trace")
    eager, found = (_trained(g, network, how=how) for g in ("eager", "compile"))
    _same(eager, found)
    _compiled(found[2])


def test_a_functional_loop():
    eager, found = (_trained(g, Dropped, how=_functional) for g in ("eager", "compile"))
    _same(eager, found)


def test_inductor(monkeypatch):
    if settings.cxx() is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setattr(settings, "backend", "inductor")
    eager, found = (_trained(g) for g in ("eager", "compile"))
    _same(eager, found)
    _compiled(found[2])
    before = dict(torch._dynamo.utils.counters["inductor"])
    for x, y in _batches(Dense.shape, 3):
        found[2](x, y)
    assert dict(torch._dynamo.utils.counters["inductor"]) == before


# ---- what runs eagerly, and says so ------------------------------------------------------------------------


class Deciding(Dense):
    def construct(self, x):
        x = self.first(x)
        if x.sum() > 1e9:
            x = x * 2
        return self.last(x)


class Counting(Dense):
    calls = 0

    def construct(self, x):
        self.calls += 1
        return super().construct(x)


class Every(Dense):
    """A counter of the network's decides, true for none of the first three steps."""

    def __init__(self):
        super().__init__()
        self.n = ms.Parameter(Tensor(0, ms.int32), name="n", requires_grad=False)

    def construct(self, x):
        self.n += 1
        if self.n % 4 == 0:
            x = x * 2
        return super().construct(x)


class Flagged(Dense):
    def __init__(self):
        super().__init__()
        self.on = ms.Parameter(Tensor(False), name="on", requires_grad=False)

    def construct(self, x):
        return super().construct(x * 2 if self.on else x)


class Indexed(Every):
    def construct(self, x):
        self.n += 1
        return Dense.construct(self, x) * [1.0, 2.0, 3.0, 4.0][self.n]


class Printing(Dense):
    def construct(self, x):
        print("called")
        return super().construct(x)


class Reading(Dense):
    def construct(self, x):
        return super().construct(x) * float(self.last.bias.asnumpy().sum() > 1e9 or 1)


class Random(Dense):
    def construct(self, x):
        return super().construct(x) * np.random.rand()


@pytest.mark.parametrize(("network", "why"), [
    (Deciding, "the numbers of a Tensor decide"), (Every, "the numbers of a Tensor decide"),
    (Flagged, "the numbers of a Tensor decide"), (Indexed, "the numbers of a Tensor decide"),
    (Counting, "it sets Counting.calls"), (Printing, "calls print"),
    (Reading, "the numbers of a Tensor are read"), (Random, "numpy.random")])
def test_what_a_graph_cannot_hold_runs_eagerly(network, why, capsys):
    eager, found = (_trained(g, network, count=3) for g in ("eager", "compile"))
    _same(eager, found)
    assert found[2].__dict__["_compiled_step"].off
    said = capsys.readouterr()
    assert why in said.err and said.err.count("is not compiled") == 1
    assert said.out.count("called") == (6 if network is Printing else 0)
    assert network is not Counting or found[2].network.backbone_network.calls == 3


def test_a_graph_that_prints_says_so(capsys):
    @ms.jit
    def shown(x):
        print(x.sum())
        return x * 2

    mode.graphs = "compile"
    assert shown(Tensor([1.0, 2.0])).asnumpy().tolist() == [2.0, 4.0]
    assert "it prints; it runs eagerly" in capsys.readouterr().err


def test_hooks_run_eagerly(capsys):
    step = _built_in(net := Dense(), _adam(net.trainable_params()))
    seen = []
    net.first.register_forward_hook(lambda cell, args, out: seen.append(1))
    for x, y in _batches(net.shape, 3):
        step(x, y)
    assert len(seen) == 3 and "Dense has hooks" in capsys.readouterr().err


def test_a_compiler_error_ends_no_run(monkeypatch, capsys):
    monkeypatch.setattr(backends, "compiled", lambda *args: 1 / 0)
    eager, found = (_trained(g, count=3) for g in ("eager", "compile"))
    _same(eager, found)
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_an_error_while_it_runs_leaves_the_eager_step(monkeypatch, capsys):
    def broken(gm, inputs, kept, results):
        calls = []

        def run(*given):
            calls.append(1)
            if len(calls) > 2:
                raise RuntimeError("out of luck")
            return gm(*given)

        return run

    monkeypatch.setattr(backends, "compiled", broken)
    eager, found = (_trained(g) for g in ("eager", "compile"))
    _same(eager, found)
    assert "out of luck" in capsys.readouterr().err


@pytest.mark.parametrize("at", [0, 1])
def test_a_difference_drops_the_compiled_form(monkeypatch, capsys, at):
    def off(gm, inputs, kept, results):
        calls = []

        def run(*given):
            out = gm(*given)
            calls.append(1)
            if len(calls) > at:
                out[0].mul_(1.001)
            return out

        return run

    monkeypatch.setattr(backends, "compiled", off)
    eager, found = (_trained(g) for g in ("eager", "compile"))
    _same(eager, found)
    assert "differs from the eager one in result 0; it is dropped" in capsys.readouterr().err


# ---- what a trace saw --------------------------------------------------------------------------------------


def test_shapes_that_change_run_eagerly_unless_they_come_often():
    mode.graphs = "compile"
    step = _built_in(net := Dense(), _adam(net.trainable_params()))
    for i in range(20):
        for x, y in _batches((6 - i % 2 * 2, 8), 1):
            step(x, y)
    found = step.__dict__["_compiled_step"]
    assert [v.runs for v in found.variants] == [10, 10 - steps.MET + 1]


def test_collections_in_the_middle_of_a_step_are_not_its_own():
    """Libraries have the collector call them (hypothesis does, with a clock); a trace sees none of it."""
    def timed(phase, info):
        time.perf_counter()

    before = gc.get_threshold()
    gc.callbacks.append(timed)
    gc.set_threshold(1)
    try:
        _compiled(_trained("compile")[2])
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(timed)


@pytest.mark.parametrize("optimizer", [_adam, nn.Adagrad])        # Adagrad steps after the graph
def test_frozen_weights_are_seen(optimizer):
    def state(graphs):
        mode.graphs = graphs
        ms.set_seed(7)
        step = _built_in(net := Dense(), optimizer(net.trainable_params()))
        for i, (x, y) in enumerate(_batches(net.shape, 6)):
            if i == 3:
                net.first.weight.requires_grad = False
            step(x, y)
        return [p.asnumpy() for p in net.get_parameters()]

    for a, b in zip(state("eager"), state("compile"), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_auto_leaves_short_runs_alone(monkeypatch):
    ms.set_context(mode=ms.GRAPH_MODE)
    _, _, step = _trained("auto", count=5)
    assert step.__dict__["_compiled_step"].variants == []
    for name, value in (("PATIENCE", 0.0), ("COMPILING", 0.0), ("GAIN", 0.0)):
        monkeypatch.setattr(steps, name, value)
    _, _, step = _trained("auto", count=50)
    assert step.__dict__["_compiled_step"].variants[0].runs == 30


def test_the_yardstick_tells_rounding_from_a_defect():
    exact = torch.linspace(0, 1, 1001, dtype=torch.float64)
    rough = exact.float() + 1e-4 * torch.randn(1001, generator=torch.Generator().manual_seed(1))
    other = exact.float() + 1e-4 * torch.randn(1001, generator=torch.Generator().manual_seed(2))

    def truth(shaken, wide=True, units=0):
        return [exact if wide else rough]

    assert comparing.differ([other], [rough], [None], truth) is None
    assert comparing.differ([exact.float()], [rough], [None], truth) is None
    assert comparing.differ([other * 1.1], [rough], [None], truth) == 0
    assert comparing.differ([other], [rough], [None], lambda *how, **units: None) == 0


def test_a_graph_that_computes_something_else_is_a_defect():
    """Its float64 form agrees with itself alone."""
    x, wrong = torch.linspace(1, 2, 1001), torch.fx.symbolic_trace(lambda x: [x * 2])

    def truth(shaken, wide=True, units=0):
        return comparing.in_float64(wrong, [x], shaken, wide, units)[:1]

    assert comparing.differ(wrong(x), [x * 3], [None], truth) == 0
    assert comparing.differ(wrong(x), [x * 2], [None], truth) is None


def test_tanh_is_that_of_mathematics():
    small = torch.logspace(-40, 2, 100_001, dtype=torch.float64).float()
    x = torch.cat([small, torch.linspace(0, 10, 100_001), torch.tensor([torch.inf])])
    x = torch.cat([x, -x])
    exact = x.double().tanh()
    unit = torch.nextafter(exact.abs().float(), torch.tensor(torch.inf)) - exact.abs().float()
    found = backends._tanh(x)
    assert ((found.double() - exact).abs() <= 3 * unit.double()).all()
    assert torch.equal(torch.signbit(found), torch.signbit(x))
    assert backends._tanh(torch.tensor(torch.nan)).isnan()


def test_an_activation_that_rounding_moves_over_zero_is_no_defect():
    """A difference of one unit in the last place may come out as zero; what ReLU lets through then jumps."""
    random = torch.Generator().manual_seed(0)
    left = torch.rand(1000, generator=random) + 1
    right, weights = left - torch.randn(1000, generator=random), torch.rand(1000, generator=random) + 1
    right[7] = left[7] - 2**-23
    gm = torch.fx.experimental.proxy_tensor.make_fx(lambda a, b, c: [(a - b > 0) * c])(left, right, weights)
    (eager,) = gm(left, right, weights)

    def judged(ours):
        return comparing.differ([ours], [eager], [None], lambda *how, **units: comparing.in_float64(
            gm, [left, right, weights], *how, **units)[:1])

    moved, wrong = eager.clone(), eager * 1.5
    moved[7] = 0.0
    assert eager[7] > 0 and judged(moved) is None and judged(wrong) == 0


def test_a_loss_that_is_right_by_luck_does_not_condemn_the_other():
    """The loss of a net that fits its data is the logarithm of nearly 1: the units that one side loses say
    nothing of what the other one may."""
    gm = torch.fx.experimental.proxy_tensor.make_fx(lambda x: [torch.logsumexp(x, 0) - x[0]])(torch.ones(2))
    rows = [torch.tensor([12.0 + i / 997, 1.9]) for i in range(500)]
    off = [abs(float(gm(x)[0].double() - gm(x.double())[0])) for x in rows]
    x = rows[off.index(min(off))]
    (eager,) = gm(x)

    def judged(ours):
        return comparing.differ([ours], [eager], [None], lambda *how, **units: comparing.in_float64(
            gm, [x], *how, **units)[:1])

    assert judged(eager + torch.finfo(torch.float32).eps * x[0] / 2) is None and judged(eager * 3) == 0
