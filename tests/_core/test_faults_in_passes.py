"""An exception in a step leaves weights, slots, modes and random state as if the step had not begun."""

import gc
import threading
from itertools import count

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch._core import mode
from ms2torch._core.random import rng
from ms2torch.experimental import optim as experimental


class Fault(Exception):
    """What is injected."""


@pytest.fixture(autouse=True)
def undisturbed():
    """Nothing that other tests left is collected in the middle of a step: finalizers may run operators."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class FaultAt(TorchDispatchMode):
    """Raises `Fault` at the n-th operator that torch runs, and counts them."""

    def __init__(self, n=None):
        super().__init__()
        self.n, self.count = n, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += 1
        if self.count == self.n:
            raise Fault
        return function(*args, **(kwargs or {}))


class Net(nn.Cell):
    """Normalisation, dropout, a memory bank, an overwritten activation and a backward hook."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 4)
        self.bn = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(p=0.5)
        self.bank = ms.Parameter(Tensor(np.ones(4, np.float32)), name="bank", requires_grad=False)
        self.head = nn.Dense(4, 1)
        self.head.register_backward_hook(lambda cell, grad_input, grad_output: None)

    def construct(self, x):
        h = ops.sigmoid(self.bn(self.dense(x)))
        h[:, 0] = 0.0
        h = self.drop(h * self.bank)
        ops.assign(self.bank, self.bank * 0.5)
        return self.head(h).sum()


X = Tensor(np.random.RandomState(0).randn(6, 3).astype(np.float32))


def functional(net, optimizer):
    ask = ms.value_and_grad(net, None, optimizer.parameters)

    def step():
        loss, grads = ask(X)
        optimizer(grads)
        return loss

    return step


def cell(net, optimizer):
    train = nn.TrainOneStepCell(net, optimizer).set_train()
    return lambda: train(X)


def scaled(net, optimizer):
    """With a manager that moves its scale, and a counter that the train cell keeps itself."""
    class Train(nn.TrainOneStepWithLossScaleCell):
        def __init__(self):
            super().__init__(net, optimizer, nn.DynamicLossScaleUpdateCell(2.0**10, 2, 1))
            self.steps = ms.Parameter(Tensor(0, ms.int32), name="steps", requires_grad=False)

        def construct(self, *inputs):
            ops.assign_add(self.steps, Tensor(1, ms.int32))
            return super().construct(*inputs)

    train = Train().set_train()

    def step():
        return train(X)[0]

    step.train = train
    return step


def recorded(net, optimizer):
    net.set_grad()
    ask = ops.GradOperation(get_by_list=True)(net, optimizer.parameters)

    def step():
        loss = net(X)
        optimizer(ask(X))
        return loss

    return step


def started(kind, make):
    ms.set_seed(3)
    net = Net()
    net.set_train()
    optimizer = make(net.trainable_params())
    step = kind(net, optimizer)
    step()
    return net, optimizer, step


def state(net, optimizer, step=None):
    params = [*net.get_parameters(), *optimizer.get_parameters(),
              *(step.train.get_parameters() if hasattr(step, "train") else ())]
    return [p.asnumpy().copy() for p in params], dict(rng.kernel_seeds)


def assert_at_rest(net):
    assert mode.differentiation is None and torch.is_grad_enabled()
    for p in net.get_parameters():
        assert p._t is p._rest and not p._t.requires_grad and p._t.grad is None


def before_the_update(kind, make) -> tuple[int, int]:
    """How many operators a step runs until the optimizer begins, and in all."""
    _, optimizer, step = started(kind, make)
    seen = {}
    update = optimizer.construct

    def noted(*args):
        seen["count"] = counter.count
        return update(*args)

    optimizer.construct = noted
    with FaultAt() as counter:
        step()
    return seen["count"], counter.count


def momentum(weights):
    return nn.Momentum(weights, 0.1, 0.9)


def adam(weights):
    """Two groups of parameters, for normalisation's do not decay."""
    return nn.Adam(weights, 0.1, weight_decay=0.1)


@pytest.mark.parametrize("kind", [functional, cell, scaled])
def test_a_step_that_fails_has_not_begun(kind):
    make = adam if kind is scaled else momentum
    update, total = before_the_update(kind, make)
    reference_net, reference_optimizer, step = started(kind, make)
    wanted = float(step())
    wanted_state, _ = state(reference_net, reference_optimizer, step)
    for n in range(update - 40 if kind is scaled else 1, (update if kind is functional else total) + 1):
        net, optimizer, step = started(kind, make)
        before, seeds = state(net, optimizer, step)
        with pytest.raises(Fault), FaultAt(n):
            step()
        assert_at_rest(net)
        after, seeds_after = state(net, optimizer, step)
        assert seeds_after == seeds, f"a fault at operator {n} moved the random state"
        for a, b in zip(after, before, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"a fault at operator {n} changed a parameter")
        assert float(step()) == wanted
        for a, b in zip(state(net, optimizer, step)[0], wanted_state, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_forward_pass_or_its_gradient_has_not_begun():
    """Where a program calls the network and asks for the gradient after, each is a whole of its own."""
    net, optimizer, _ = started(recorded, momentum)
    before, _ = state(net, optimizer)
    net(X)
    between, _ = state(net, optimizer)
    for n in range(1, before_the_update(recorded, momentum)[0] + 1):
        net, optimizer, step = started(recorded, momentum)
        with pytest.raises(Fault), FaultAt(n):
            step()
        assert_at_rest(net)
        after, _ = state(net, optimizer)
        assert any(all(map(np.array_equal, after, whole)) for whole in (before, between)), n


GROUPED = {"weight_decay": 0.1}
MOVING = {"momentum": 0.9, **GROUPED}
OPTIMIZERS = {
    "Momentum": MOVING, "SGD": MOVING, "Adam": GROUPED, "LazyAdam": GROUPED, "AdamWeightDecay": GROUPED,
    "Lamb": GROUPED, "RMSProp": {"centered": True}, "Adagrad": {}, "Adadelta": {}, "AdaMax": GROUPED,
    "FTRL": {}, "ProximalAdagrad": {}, "Rprop": {}, "ASGD": GROUPED,
    "AdaFactor": {"relative_step": False, "beta1": 0.9},
}


@pytest.mark.parametrize(("package", "name"), [
    *((nn, name) for name in OPTIMIZERS),
    *((experimental, name)
      for name in ("SGD", "Adam", "NAdam", "RAdam", "RMSprop", "ASGD", "Rprop", "Adagrad")),
])  # fmt: skip
def test_an_update_that_fails_has_not_begun(package, name):
    """At each operator of the first update and of the second."""
    def make():
        weights = [ms.Parameter(Tensor(np.linspace(-1, 1, 6).reshape(2, 3) + k, ms.float32), name=f"{end}{k}")
                   for k, end in enumerate(("weight", "gamma", "weight"))]
        if package is nn:
            return weights, getattr(nn, name)(weights, learning_rate=0.1, **OPTIMIZERS[name])
        groups = [{"params": weights[:2], "lr": 0.1}, {"params": weights[2:], "lr": 0.2}]
        return weights, getattr(experimental, name)(groups, lr=0.1)

    def content(weights, optimizer):
        return [p.asnumpy().copy() for p in (*weights, *optimizer.get_parameters())]

    steps = [tuple(Tensor(np.random.RandomState(k + step).randn(2, 3).astype(np.float32)) for k in range(3))
             for step in (0, 10)]
    sound, faulty = make(), make()
    for grads in steps:
        before = content(*sound)
        sound[1](grads)
        for n in count(1):
            try:
                with FaultAt(n):
                    faulty[1](grads)
                break
            except Fault:
                for a, b in zip(content(*faulty), before, strict=True):
                    np.testing.assert_array_equal(a, b, err_msg=f"a fault at operator {n}")
        assert n > 1
        for a, b in zip(content(*faulty), content(*sound), strict=True):
            np.testing.assert_array_equal(a, b)


def test_four_threads_share_a_network():
    """One differentiates, one calls the network, two write: every loss is a value, every write counts."""
    net = nn.SequentialCell(nn.Dense(3, 4, weight_init="ones"), nn.Tanh(), nn.Dense(4, 1, weight_init="ones"))
    count = ms.Parameter(Tensor(0, ms.int32), name="count", requires_grad=False)
    ask = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    loss, grads = ask(X)
    found, failures = [], []
    rounds = 150

    def run(work):
        try:
            for _ in range(rounds):
                work()
        except Exception as err:
            failures.append(err)

    def differentiate():
        found.append(ask(X))

    def call():
        found.append((net(X).sum(), None))

    def write():
        for _ in range(7):
            ops.assign_add(count, Tensor(1, ms.int32))

    threads = [threading.Thread(target=run, args=(w,)) for w in (differentiate, call, write, write)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []
    assert int(count.asnumpy()) == 2 * 7 * rounds
    assert_at_rest(net)
    for value, gradients in found:
        assert not value.torch().requires_grad
        np.testing.assert_allclose(float(value), float(loss), rtol=1e-6)
        for g, h in zip(gradients or (), grads, strict=False):
            np.testing.assert_allclose(g.asnumpy(), h.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("mode_of_run", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_train_steps_in_four_threads_are_as_alone(mode_of_run):
    def losses_of_each(at_once):
        steps = [started(cell, momentum)[2] for _ in range(4)]
        found = [[] for _ in steps]
        works = [threading.Thread(target=lambda s=s, f=f: f.extend(s() for _ in range(10)))
                 for s, f in zip(steps, found, strict=True)]
        for work in works:
            work.start()
            if not at_once:
                work.join()
        for work in works:
            work.join()
        assert not any(loss.torch().requires_grad for losses in found for loss in losses)
        return [[float(loss) for loss in losses] for losses in found]

    ms.set_context(mode=mode_of_run)
    try:
        assert losses_of_each(at_once=True) == losses_of_each(at_once=False)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
