"""Parameters that a compiled step writes itself: gradients summed over steps, statistics, counters."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Parameter, Tensor, nn, ops
from ms2torch._core import mode, torch_private

pytestmark = [pytest.mark.skipif(torch_private.RELEASE < (2, 5), reason="torch 2.5 compiles"),
              pytest.mark.usefixtures("traced")]

X = np.random.RandomState(0).randn(12, 4, 3).astype(np.float32)
WAYS = {
    "assign": lambda kept, x: ops.assign(kept, kept * 0.5 + x),
    "assign_add": lambda kept, x: ops.assign_add(kept, x),
    "assign_sub": lambda kept, x: ops.assign_sub(kept, x),
    "scatter_add": lambda kept, x: ops.scatter_add(kept, Tensor([1], ms.int32), x[:1]),
    "scatter_update": lambda kept, x: ops.scatter_update(kept, Tensor([2], ms.int32), kept[2:3] + x[:1]),
    "add_": lambda kept, x: kept.add_(x),
    "assign, assign_add": lambda kept, x: ops.assign(kept, x) + ops.assign_add(kept, x),
}


class Writing(nn.Cell):
    """Its loss depends on what it has written in the steps before."""

    def __init__(self, way):
        super().__init__(auto_prefix=False)
        ms.set_seed(3)
        self.network, self.way = nn.Dense(3, 3), way
        self.kept = Parameter(Tensor(np.ones((4, 3), np.float32)), name="kept", requires_grad=False)
        self.optimizer = nn.SGD(self.network.trainable_params(), 1e-2)
        self.grad = ops.value_and_grad(self.forward, None, self.optimizer.parameters)

    def forward(self, x):
        return (self.network(x) * self.kept).sum()

    def construct(self, x):
        loss, grads = self.grad(x)
        written = self.way(self.kept, x * 0.1)
        return ops.depend(loss, self.optimizer(grads)) + written.sum()


class Accumulating(nn.Cell):
    """Sums gradients over three steps, as programs write it."""

    def __init__(self):
        super().__init__(auto_prefix=False)
        ms.set_seed(3)
        self.network = nn.Dense(3, 2)
        self.optimizer = nn.SGD(self.network.trainable_params(), 1e-2)
        self.sums = self.optimizer.parameters.clone(prefix="sum", init="zeros")
        self.grad = ops.value_and_grad(lambda x: self.network(x).sum(), None, self.optimizer.parameters)
        self.count = 0

    def construct(self, x):
        loss, grads = self.grad(x)
        for total, g in zip(self.sums, grads, strict=True):
            loss = ops.depend(loss, ops.assign_add(total, g))
        self.count += 1
        if self.count % 3 == 0:
            loss = ops.depend(loss, self.optimizer(tuple([total / 3 for total in self.sums])))
            for total in self.sums:
                loss = ops.depend(loss, ops.assign(total, ops.zeros_like(total)))
        return loss


def _trained(graphs, make):
    mode.graphs = graphs
    train = make()
    return [float(train(Tensor(x))) for x in X], [p.asnumpy() for p in train.get_parameters()], train


@pytest.mark.parametrize("make", [*(lambda way=way: Writing(way) for way in WAYS.values()), Accumulating],
                         ids=[*WAYS, "accumulating"])
def test_what_a_step_writes_it_writes_once(make):
    losses, state, _ = _trained("eager", make)
    compiled, written, train = _trained("compile", make)
    np.testing.assert_allclose(compiled, losses, rtol=1e-5)
    for one, other in zip(written, state, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    step = train.__dict__["_compiled_step"]
    assert not step.off and step.variants
