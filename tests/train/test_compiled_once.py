"""Nothing is compiled again from step to step: what changes between steps is an input of the compiled one."""

import types

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core import mode, torch_private
from ms2torch.compiler import backends, tracing

pytestmark = [pytest.mark.skipif(torch_private.RELEASE < (2, 5), reason="torch 2.5 compiles"),
              pytest.mark.usefixtures("traced")]

STEPS = 12
_LOSS = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


@pytest.fixture
def made(monkeypatch):
    """Counts traces and compilations."""
    counts = {"traced": 0, "compiled": 0}

    def counted(function, key):
        def count(*args, **kwargs):
            counts[key] += 1
            return function(*args, **kwargs)

        return count

    monkeypatch.setattr(tracing, "trace", counted(tracing.trace, "traced"))
    monkeypatch.setattr(backends, "compiled", counted(backends.compiled, "compiled"))
    return counts


def _batch(n: int, size: int = 8):
    random = np.random.RandomState(n)
    return (Tensor(random.randn(size, 6).astype(np.float32)),
            Tensor(random.randint(0, 3, size).astype(np.int32)))


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.drop = nn.Dense(6, 8), nn.BatchNorm1d(8), nn.Dropout(p=0.1)
        self.last = nn.Dense(8, 3)

    def construct(self, x):
        return self.last(self.drop(self.norm(ops.relu(self.first(x)))))


def _with_optimizer(make):
    net = Network()
    return nn.TrainOneStepCell(nn.WithLossCell(net, _LOSS), make(net.trainable_params())).set_train()


def _steps(train, before=lambda n: (), size=lambda n: 8):
    """The losses of some steps; ``before(n)`` comes before each and gives what it is called with besides."""
    losses = []
    for n in range(STEPS):
        more = before(n)
        out = train(*_batch(n, size(n)), *more)
        losses.append(float((out[0] if isinstance(out, tuple) else out).asnumpy()))
    return losses


def _schedule(rate):
    return _steps(_with_optimizer(lambda params: nn.Momentum(params, rate, 0.9)))


def _warm_up():
    class WarmUp(nn.learning_rate_schedule.LearningRateSchedule):
        def __init__(self):
            super().__init__()
            self.cosine, self.warm = nn.CosineDecayLR(0.001, 0.1, 20), nn.WarmUpLR(0.1, 5)

        def construct(self, step):
            return ops.select(step < 5, self.warm(step), self.cosine(step))

    return _schedule(WarmUp())


def _rate_written():
    train = _with_optimizer(lambda params: nn.SGD(params, 0.1))
    return _steps(train, lambda n: (train.optimizer.learning_rate.set_data(Tensor(0.1 / (n + 1))), ())[1])


def _scheduler():
    net = Network().set_train()
    rule = ms.experimental.optim.Adam(net.trainable_params(), lr=0.1)
    rates = ms.experimental.optim.lr_scheduler.StepLR(rule, 2)
    return _steps(_functional(net, rule), lambda n: (rates.step(), ())[1])


def _functional(net, rule, weight=lambda: 1.0):
    gradient = ms.value_and_grad(lambda x, y, *more: _LOSS(net(x), y) * weight(*more), None, rule.parameters)

    @ms.jit
    def step(x, y, *more):
        loss, grads = gradient(x, y, *more)
        rule(grads)
        return loss

    return step


def _scaled(scale, before=lambda train, n: ()):
    net = Network()
    train = nn.TrainOneStepWithLossScaleCell(
        nn.WithLossCell(net, _LOSS), nn.Adam(net.trainable_params()), scale).set_train()
    return _steps(train, lambda n: before(train, n))


def _weighted(weight, before):
    """A functional step whose loss is multiplied by a number that changes."""
    net = Network().set_train()
    return _steps(_functional(net, nn.Adam(net.trainable_params()), weight), lambda n: (before(n), ())[1])


def _around():
    beta = 1.0

    def change(n):
        nonlocal beta
        beta = 0.5 ** n

    return _weighted(lambda: beta, change)


def _in_a_dict():
    settings = {"name": "beta", "inner": {"beta": 1.0, "gamma": 1.0}}

    def change(n):
        settings["inner"].update(beta=0.5 ** n, gamma=0.5 ** n)         # (one number at two places)

    return _weighted(lambda: settings["inner"]["beta"] + 2 * settings["inner"]["gamma"], change)


def _in_a_list():
    weights = [1.0, 2.0]

    def change(n):
        weights[1] = 0.5 ** n

    return _weighted(lambda: weights[0] * weights[1], change)


SETTINGS = {"beta": 1.0}


def _in_a_global_dict():
    return _weighted(lambda: SETTINGS["beta"], lambda n: SETTINGS.update(beta=0.5 ** n))


def _in_an_object():
    options = types.SimpleNamespace(rates={"beta": 1.0}, alpha=1.0)

    def change(n):
        options.rates["beta"], options.alpha = 0.5 ** n, n

    return _weighted(lambda: options.rates["beta"] + options.alpha, change)


def _counts_in_a_dict():
    counts = {"steps": 0}

    def weight():
        counts["steps"] += 1
        return 1.0 / counts["steps"]

    losses = _weighted(weight, lambda n: None)
    assert counts["steps"] == STEPS
    return losses


class Kept(nn.Cell):
    """A train cell of a program, with what it keeps between steps."""

    def __init__(self):
        super().__init__(auto_prefix=False)
        self.network = Network().set_train()
        self.optimizer = nn.Adam(self.network.trainable_params())
        self.sens, self.pair, self.rates, self.seen, self.mean = 1.0, (1.0, 0.0), {"a": 1.0}, 0, 0.0
        self.grad = ops.value_and_grad(self.forward, None, self.optimizer.parameters)

    def forward(self, x, y):
        return _LOSS(self.network(x), y) * self.sens * self.pair[0] + self.pair[1] * self.rates["a"]

    def construct(self, x, y):
        self.mean = 0.9 * self.mean + 0.1 * self.seen           # (the first step leaves it as it is)
        self.seen = self.seen + 1
        loss, grads = self.grad(x, y)
        return ops.depend(loss + self.mean, self.optimizer(grads))


def _attributes():
    train = Kept()

    def change(n):
        train.sens, train.pair = 2.0 ** n, (n + 1.0, n + 1.0)
        train.rates["a"] = 0.5 * n

    losses = _steps(train, lambda n: (change(n), ())[1])
    assert train.seen == STEPS
    return losses


def _arguments():
    net = Network().set_train()
    step = _functional(net, nn.Adam(net.trainable_params()), lambda a, b: a * b["c"])
    return _steps(step, lambda n: (n, {"c": 0.5 ** n}))


def _alternating():
    net = Network()
    train = nn.TrainOneStepCell(nn.WithLossCell(net, _LOSS), nn.Adam(net.trainable_params()))
    evaluate = nn.WithEvalCell(net, _LOSS)
    losses = []
    for n in range(STEPS):
        net.set_train()
        losses.append(float(train(*_batch(n)).asnumpy()))
        evaluate.set_train(False)
        losses.append(float(evaluate(*_batch(n))[0].asnumpy()))
    return losses


# By name: a program; how often it is traced, and how often compiled.
PROGRAMS = {
    "a rate for each step": (lambda: _schedule(nn.exponential_decay_lr(0.1, 0.9, STEPS, 3, 1)), 1, 1),
    "a warm-up and a cosine": (_warm_up, 1, 1),
    "a rate that is written": (_rate_written, 1, 1),
    "a scheduler's rate": (_scheduler, 1, 1),
    "a scale that halves and doubles": (lambda: _scaled(nn.DynamicLossScaleUpdateCell(2.0**127, 2, 3)), 1, 1),
    "a scale that is set": (lambda: _scaled(Tensor(128.0), lambda train, n: (
        train.set_sense_scale(Tensor(2.0 ** (n % 7))), ())[1]), 1, 1),
    "numbers as arguments": (_arguments, 3, 1),
    "a number of the function around": (_around, 4, 2),
    "numbers in a dict": (_in_a_dict, 4, 2),
    "a number in a list": (_in_a_list, 4, 2),
    "a number in a global dict": (_in_a_global_dict, 4, 2),
    "numbers in an object's attributes": (_in_an_object, 4, 2),
    "a counter in a dict": (_counts_in_a_dict, 3, 1),
    "attributes that change and are counted": (_attributes, None, 2),
    "a last batch that is smaller": (lambda: _steps(_with_optimizer(nn.Adam),
                                                    size=lambda n: 8 - n % 4 // 3 * 5), 1, 1),
    "training and evaluation in turn": (_alternating, 2, 2),
}


@pytest.mark.parametrize("kind", ["PYNATIVE_MODE", "GRAPH_MODE"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_changes_from_step_to_step_compiles_nothing_again(name, kind, made, capsys):
    """A number that is not an argument is a constant until it has changed once: two compilations."""
    ms.set_context(mode=getattr(ms, kind))
    run, traced, compiled = PROGRAMS[name]
    losses = {}
    for mode.graphs in ("eager", "compile"):
        ms.set_seed(3)
        losses[mode.graphs] = run()
    np.testing.assert_allclose(losses["compile"], losses["eager"], rtol=1e-5)
    assert made["compiled"] == compiled and traced in (None, made["traced"])
    assert "not compiled" not in capsys.readouterr().err


class Holder:
    """An object of a program."""

    def __init__(self, value):
        self.value = value


def _one(holder, value):
    holder.value = value
    return holder


def _filled(array, value):
    array[0] = value
    return array


_BY_VALUE = (1, 1, 1, 2, 3, 3, 4, 5, 1)
_HELD, _SMALL, _LONG = Holder(1), np.ones(3), np.ones(100_000)
ARGUMENTS = {
    "numpy's numbers": (lambda a: a, np.float32),
    "new objects": (lambda a: a.value, Holder),
    "one object": (lambda a: a.value, lambda v: _one(_HELD, v)),
    "new arrays": (lambda a: float(a[0]), lambda v: np.full(3, float(v))),
    "one array": (lambda a: float(a[0]), lambda v: _filled(_SMALL, v)),
    "a long array": (lambda a: float(a[0]), lambda v: _filled(_LONG, v)),
    "functions": (lambda a: a(), lambda v: lambda: v),
}


@pytest.mark.parametrize("where", ["an argument", "an attribute", "the function around"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_objects_are_what_they_are_at_each_step(name, where):
    """Numbers in objects, arrays and functions, which no graph takes as inputs."""
    read, make = ARGUMENTS[name]
    around = None

    class Train(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2, 2)
            self.rule, self.held = nn.SGD(self.dense.trainable_params(), 0.0), None

        def construct(self, x, given=None):
            _, grads = ms.value_and_grad(lambda x: self.dense(x).sum(), None, self.rule.parameters)(x)
            held = {"an argument": given, "an attribute": self.held}.get(where, around)
            return ops.depend(x.sum() * 0 + read(held), self.rule(grads))

    train, x = Train(), Tensor(np.ones((1, 2), np.float32))
    for value in _BY_VALUE:
        made = make(value)
        given = (made,) if where == "an argument" else ()
        if where == "an attribute":
            train.held = made
        around = made
        assert float(train(x, *given)) == value
