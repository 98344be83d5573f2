"""Methods of a program's Cells may have any name: the slow path of a call does not lean on them."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, nn, ops


class _OwnNames(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2, weight_init="ones", has_bias=False)

    def _compute(self, x):
        return self.dense(x)

    def _before(self, x):
        return x + 1

    def _after(self, x):
        return x * 2

    def construct(self, x):
        return self._after(self._compute(self._before(x)))


def test_methods_named_like_parts_of_a_call_work_with_hooks_precision_and_recording():
    net = _OwnNames().to_float(ms.float16)
    seen = []
    net.register_forward_pre_hook(lambda cell, inputs: seen.append("before"))
    net.register_forward_hook(lambda cell, inputs, output: seen.append("after"))
    net.set_grad()
    x = Tensor([[1.0, 2.0]], ms.float32)
    assert np.array_equal(net(x).asnumpy(), [[10.0, 10.0]])    # 2 * ((1 + 1) + (2 + 1))
    assert seen == ["before", "after"]


class _TwoOptimizers(nn.Cell):
    def __init__(self, net, one, two):
        super().__init__(auto_prefix=False)
        self.net, self.one, self.two = net, one, two
        self.weights = ms.ParameterTuple(one.parameters)
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x):
        return self.one(self.grad(self.net, self.weights)(x))


def test_a_train_cell_whose_optimizers_share_names_renames_them_at_its_first_call():
    """As MindSpore 2.10.0 does in both modes."""
    net = nn.Dense(2, 2)
    net.weight.name, net.bias.name = "a.weight", "b.bias"
    step = _TwoOptimizers(net, nn.Momentum([net.weight], 0.1, 0.9), nn.Momentum([net.bias], 0.1, 0.9))
    step(Tensor([[1.0, 2.0]], ms.float32))
    assert [p.name for p in step.get_parameters()] == [
        "a.weight", "net.bias", "one.global_step", "one.learning_rate", "one.momentum",
        "one.moments.a.weight", "two.global_step", "two.learning_rate", "two.momentum", "two.moments.b.bias"]


def test_a_child_by_a_name_that_cells_have_from_2_7_on():
    """MindSpore 2.10 refuses it; programs of before call children so."""
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.buffers = None
            self.buffers = nn.Dense(2, 3)
            self.state_dict = nn.ReLU()

        def construct(self, x):
            return self.state_dict(self.buffers(x))

    net = Net()
    assert net(Tensor([[1.0, 2.0]], ms.float32)).shape == (1, 3)
    assert [p.name for p in net.get_parameters()] == ["buffers.weight", "buffers.bias"]
    assert [name for name, _ in net.cells_and_names()] == ["", "buffers", "state_dict"]
    assert net.to_float(ms.float16)(Tensor([[1.0, 2.0]], ms.float32)).dtype == ms.float16
    with pytest.raises(KeyError, match="already exists in the network"):
        net.parameters_dict = nn.ReLU()
