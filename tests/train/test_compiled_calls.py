"""Compiled beside train cells: evaluation, gradient functions of graph mode; sums of products as one."""

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import ms2torch as ms
from ms2torch import Tensor, nn
from ms2torch._core import mode, torch_private
from ms2torch.compiler import products

pytestmark = [pytest.mark.skipif(torch_private.RELEASE < (2, 5), reason="torch 2.5 compiles"),
              pytest.mark.usefixtures("traced")]


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        ms.set_seed(3)
        self.norm, self.drop, self.last = nn.BatchNorm1d(8), nn.Dropout(p=0.5), nn.Dense(8, 3)

    def construct(self, x):
        return self.last(self.drop(self.norm(x)))


def _x(seed=0):
    return Tensor(np.random.RandomState(seed).randn(6, 8).astype(np.float32))


def _eagerly(function, *args):
    mode.graphs = "eager"
    try:
        return function(*args)
    finally:
        mode.graphs = "compile"


@pytest.mark.parametrize("prepare", [lambda net: net.set_train(False), lambda net: net.compile(_x())])
def test_evaluation(prepare):
    net = Network()
    prepare(net)
    for seed in range(5):
        np.testing.assert_array_equal(net(_x(seed)).asnumpy(), _eagerly(net, _x(seed)).asnumpy())
    step = net.__dict__["_compiled_step"]
    assert step.variants[0].runs == 5 and not step.off
    net.norm.moving_mean.set_data(Tensor(np.ones(8, np.float32)))       # weights are read anew
    np.testing.assert_array_equal(net(_x()).asnumpy(), _eagerly(net, _x()).asnumpy())
    net.set_train()                                                     # training has dropout, and is eager
    assert not np.array_equal(net(_x()).asnumpy(), net(_x()).asnumpy())
    assert step.variants[0].runs == 6


def test_a_pipeline_cell_is_evaluated():
    ms.set_context(mode=ms.GRAPH_MODE)
    net, y = Network(), Tensor(np.ones((6, 3), np.float32))
    loss = nn.PipelineCell(nn.WithLossCell(net, nn.MSELoss()), 2)
    nn.TrainOneStepCell(loss.set_train(), nn.Adam(net.trainable_params()))(_x(), y)
    loss.set_train(False)
    np.testing.assert_allclose(loss(_x(), y).asnumpy(), _eagerly(loss, _x(), y).asnumpy(), rtol=1e-6)


def test_evaluated_parts_of_a_network_train_as_before():
    ms.set_context(mode=ms.GRAPH_MODE)
    losses = []
    for graphs in ("eager", "compile"):
        mode.graphs = graphs
        net = Network()
        net.norm.set_train(False)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
        losses.append([float(step(_x(i), Tensor(np.ones((6, 3), np.float32)))) for i in range(4)])
    np.testing.assert_allclose(*losses, rtol=1e-5)


@pytest.mark.parametrize("how", ["value_and_grad", "GradOperation"])
def test_gradient_functions_of_graph_mode(how):
    ms.set_context(mode=ms.GRAPH_MODE)
    results = []
    for graphs in ("eager", "compile"):
        mode.graphs = graphs
        net = Network().set_train()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)

        def forward(x, net=net):
            return (net(x) ** 2).mean()

        if how == "value_and_grad":
            gradient = ms.value_and_grad(forward, None, optimizer.parameters)
        else:
            gradient = ms.ops.GradOperation(get_by_list=True)(forward, optimizer.parameters)
        seen = []
        for i in range(12):
            found = gradient(_x(i))
            optimizer(found[1] if how == "value_and_grad" else found)
            seen.append(found[0].asnumpy())
        results.append([*seen, *[p.asnumpy() for p in net.get_parameters()]])
        steps = next(c.cell_contents for c in gradient.__closure__ if isinstance(c.cell_contents, dict))
        assert ("step" in steps and len(steps["step"].variants) == 1) == (graphs == "compile")
    for eager, compiled in zip(*results, strict=True):
        np.testing.assert_array_equal(compiled, eager)


# ---- sums of products --------------------------------------------------------------------------------------


def _recurrent(weight, bias, xs):
    """Gradients of a weight that each step uses, by autograd."""
    weight, bias = weight.detach().requires_grad_(), bias.detach().requires_grad_()
    h = torch.zeros_like(xs[0])
    for x in xs:
        h = torch.tanh(torch.nn.functional.linear(h, weight, bias) + x)
    return torch.autograd.grad((h * h).sum(), (weight, bias))


@pytest.mark.parametrize(("steps", "joins"), [(3, False), (4, True), (9, True)])
def test_sums_of_products_become_one_product(steps, joins):
    given = torch.randn(5, 5), torch.randn(5), [torch.randn(2, 5) for _ in range(steps)]
    gm = make_fx(_recurrent, tracing_mode="fake")(*given)
    expected = gm(*given)
    before = sum(n.target is torch.ops.aten.mm.default for n in gm.graph.nodes)
    products.joined(gm)
    after = sum(n.target is torch.ops.aten.mm.default for n in gm.graph.nodes)
    assert after == (before - steps + 1 if joins else before)
    for one, other in zip(gm(*given), expected, strict=True):
        torch.testing.assert_close(one, other)


def test_what_is_overwritten_later_is_not_read_later():
    def body(a, b):
        total = None
        for _ in range(5):
            term = a.t() @ b
            a.add_(1.0)
            total = term if total is None else total + term
        return total

    given = torch.randn(3, 4), torch.randn(3, 2)
    gm = make_fx(body, tracing_mode="fake")(*given)
    products.joined(gm)
    torch.testing.assert_close(gm(*[t.clone() for t in given]), body(*[t.clone() for t in given]))
