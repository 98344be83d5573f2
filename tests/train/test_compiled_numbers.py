"""Python numbers among the arguments of a compiled step: what changes from step to step is an input."""

import math

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core import mode, torch_private

pytestmark = [pytest.mark.skipif(torch_private.RELEASE < (2, 5), reason="torch 2.5 compiles"),
              pytest.mark.usefixtures("traced")]

X = np.random.RandomState(0).randn(4, 3).astype(np.float32)
STEPS = 9


class Train(nn.Cell):
    """A train cell that is given a counter, a temperature and a loss scale."""

    def __init__(self):
        super().__init__(auto_prefix=False)
        ms.set_seed(3)
        self.network = nn.Dense(3, 2)
        self.optimizer = nn.Adam(self.network.trainable_params(), 1e-2)
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x, step, temperature, scale=2.0):
        def forward(x):
            kept = 0.9 ** step if step < 7 else 0.5
            return (self.network(x) / (temperature / (1 + step))).sum() * kept + 0.1 * (1.0 - temperature)

        loss = forward(x)
        sens = ops.fill(ms.float32, loss.shape, scale)
        grads = self.grad(forward, self.optimizer.parameters)(x, sens)
        return ops.depend(loss, self.optimizer(tuple([g / scale for g in grads])))


def _trained(graphs):
    mode.graphs = graphs
    train = Train()
    return [float(train(Tensor(X), n, 1.0 + n / 8, scale=2.0 ** n)) for n in range(STEPS)], train


@pytest.mark.parametrize("kind", ["PYNATIVE_MODE", "GRAPH_MODE"])
def test_counters_and_scales_are_inputs(kind):
    ms.set_context(mode=getattr(ms, kind))
    eager, _ = _trained("eager")
    compiled, train = _trained("compile")
    np.testing.assert_allclose(compiled, eager, rtol=1e-6)
    variant, = train.__dict__["_compiled_step"].variants
    assert variant.numbers.live == {0, 1, 2} and variant.runs == 7      # from 7 on the branch is another one


@pytest.mark.parametrize("function, runs", [
    (lambda x, n: x * n + ops.pow(x * x, n) - n ** 2, 4),
    (lambda x, n: x * (n % 4) // (n + 1), 4),
    (lambda x, n: ops.where(x > n, x, x - n), 4),
    (lambda x, n: x * (3 if isinstance(n, int) else n), 1),
    (lambda x, n: x * math.exp(n) + math.cos(math.pi * n / 4), 4),
    (lambda x, n: x * math.gamma(n + 1), 1),            # what Python computes of it cannot be followed
    (lambda x, n: ops.zeros((n + 1,)) + x[0, 0], 1),    # a shape
    (lambda x, n: x * len(range(n)), 1),
    (lambda x, n: x * {0: 1.0}.get(n, 2.0), 1),
    (lambda x, n: x * int(np.floor(n / 2)), 1),
])
def test_what_a_function_does_with_a_number(function, runs):
    step = ms.jit(function)
    for kind in (int, float) if runs == 4 else (int,):
        for n in range(4):
            result = step(Tensor(X), kind(n))
            mode.graphs = "eager"
            expected = function(Tensor(X), kind(n))
            mode.graphs = "compile"
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
    variants = step.__closure__[[*step.__code__.co_freevars].index("steps")].cell_contents["step"].variants
    assert variants[0].runs == runs


rate = 1.0


class Reads(nn.Cell):
    """A train cell that reads numbers of an attribute, of a global name and of the function around."""

    def __init__(self, forward):
        super().__init__(auto_prefix=False)
        ms.set_seed(3)
        self.network = nn.Dense(3, 2)
        self.optimizer = nn.Momentum(self.network.trainable_params(), 1e-2, 0.9)
        self.temperature, self.seen, self.warm = 1.0, 0, 20
        self.grad = ops.value_and_grad(lambda x: forward(self, x), None, self.optimizer.parameters)

    def construct(self, x):
        loss, gradients = self.grad(x)
        return ops.depend(loss, self.optimizer(gradients))


class Counts(Reads):
    """One that counts its own steps."""

    def construct(self, x):
        self.seen = self.seen + 1
        loss, gradients = self.grad(x)
        return ops.depend(loss * min(1.0, self.seen / self.warm), self.optimizer(gradients))


def _moving(cls, graphs):
    global rate
    weight = 1.0
    mode.graphs = graphs
    train = cls(lambda cell, x: (cell.network(x) / cell.temperature).sum() * rate + weight * x.sum())
    losses = []
    for n in range(8):
        train.temperature, rate, weight = 1.0 + n / 8, 0.5 ** n, 0.25 * n
        losses.append(float(train(Tensor(X))))
    return losses, train


@pytest.mark.parametrize("kind", ["PYNATIVE_MODE", "GRAPH_MODE"])
@pytest.mark.parametrize("cls, counted", [(Reads, 0), (Counts, 8)])
def test_numbers_that_a_program_keeps_are_inputs(cls, counted, kind):
    ms.set_context(mode=getattr(ms, kind))
    eager, _ = _moving(cls, "eager")
    compiled, train = _moving(cls, "compile")
    np.testing.assert_allclose(compiled, eager, rtol=1e-6)
    assert train.seen == counted
    assert [v.runs for v in train.__dict__["_compiled_step"].variants] == [7]


@pytest.mark.parametrize("optimizer", [nn.Adam, nn.SGD, nn.Momentum])
def test_a_rate_that_a_program_writes_is_taken_at_once(optimizer):
    """Also before a step that is compared with the eager one (the tenth)."""
    ends = {}
    for graphs in ("eager", "compile"):
        mode.graphs = graphs
        ms.set_seed(3)
        net = nn.Dense(3, 2)
        rule = optimizer(net.trainable_params(), 1e-2, *([0.9] if optimizer is nn.Momentum else []))
        train = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), rule).set_train()
        for n in range(14):
            if n in (6, 9, 12):
                ops.assign(rule.learning_rate, Tensor(0.01 * (n - 5), ms.float32))
            train(Tensor(X), Tensor(X[:, :2]))
        ends[graphs] = net.weight.asnumpy(), float(rule.learning_rate)
    np.testing.assert_allclose(ends["compile"][0], ends["eager"][0], rtol=1e-5)
    assert ends["compile"][1] == ends["eager"][1]
    assert not train.__dict__["_compiled_step"].off
