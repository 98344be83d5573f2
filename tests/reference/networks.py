"""Small tensors, networks and train cells that several case files share."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import data


def t(*values):
    return ms.Tensor(np.array(values if len(values) > 1 else values[0], np.float32))


class Net(nn.Cell):
    """w * x * x, counting its runs in Python."""

    def __init__(self, w=3.0):
        super().__init__()
        self.w = ms.Parameter(t(w), name="w")
        self.runs = 0

    def construct(self, x):
        self.runs += 1
        return self.w * x * x


class Counting(nn.Cell):
    """w * x * x, counting its runs in a Parameter, which a graph can do too."""

    def __init__(self, w=3.0):
        super().__init__()
        self.w = ms.Parameter(t(w), name="w")
        self.count = ms.Parameter(t(0.0), name="count", requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.count, t(1.0))
        return self.w * x * x


class Plain(nn.Cell):
    """w * x * x"""

    def __init__(self, w):
        super().__init__()
        self.w = ms.Parameter(t(w), name="w")

    def construct(self, x):
        return self.w * x * x


class Step(nn.Cell):
    """A user's train cell: forward, then gradients of the same call."""

    def __init__(self, network, set_grad=True):
        super().__init__(auto_prefix=False)
        self.network = network
        if set_grad:
            self.network.set_grad()
        self.weights = ms.ParameterTuple(network.trainable_params())
        self.grad = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.ones_like(loss)
        return loss, self.grad(self.network, self.weights)(*inputs, sens)


class Normalised(nn.Cell):
    """BatchNorm with statistics that move all the way: a second update would show."""

    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(2, momentum=0.5)

    def construct(self, x):
        return (self.bn(x) * x).sum()


class Dropped(nn.Cell):
    """A loss whose gradient with respect to w is the dropped input itself."""

    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(p=0.5)
        self.w = ms.Parameter(ms.Tensor(data((64,), seed=1)), name="w")

    def construct(self, x):
        return (self.dropout(x) * self.w).sum()


def sens():
    return t(1.0)


def now(tensor):
    """A copy: asnumpy shares memory, and weights move."""
    return tensor.asnumpy().copy()


def gradients(net):
    return ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)(net, net.trainable_params())


def names(cell):
    return [p.name for p in cell.get_parameters()]


def children(cell):
    return [name for name, _ in cell.cells_and_names()]
