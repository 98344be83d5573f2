"""`_cell_graph_executor`: a network compiled, not run; `mindspore.common.api._executor` of older programs."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.api import _cell_graph_executor as executor

from tests.reference.judge import case


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones((2, 3)), ms.float32), name="weight")

    def construct(self, x):
        self.weight += 1.0
        return ops.matmul(x, self.weight)


def ones(*shape):
    return Tensor(np.ones(shape), ms.float32)


@case()
def test_compiling_changes_nothing():
    net = Counting()
    first, again = executor.compile(net, ones(4, 2)), executor.compile(net, ones(4, 2), do_convert=False)
    named = first[0].startswith("predict."), first[1:], again[1:]
    before = net.weight.asnumpy().copy()
    return named, executor.has_compiled("another"), before, executor(net, ones(4, 2)), net.weight.asnumpy()


@case()
def test_compiling_a_training_step_changes_nothing():
    net = nn.WithLossCell(nn.Dense(2, 3, "ones"), nn.MSELoss())
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    compiled = executor.compile(step, ones(4, 2), ones(4, 3), phase="train")[1]
    return compiled, [p.asnumpy().sum() for p in net.trainable_params()], step.optimizer.global_step.asnumpy()


@case(raises="shape1[-1] must be equal to shape2[-2], but got 5 and 2.")
def test_what_a_graph_refuses_is_refused():
    return executor.compile(Counting(), ones(4, 5))


@case(raises=True)
def test_what_is_no_network():
    return executor.compile(3)
