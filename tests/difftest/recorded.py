"""A small program for the recorder's tests: three layers, a schedule, three steps, one evaluation.

``python recorded.py [function | graph_function]``: by a train cell in graph mode, or as 2.x functions under
value_and_grad, in PyNative or graph mode.
"""
import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.second = nn.Dense(4, 2, activation="tanh")

    def construct(self, x):
        return self.second(ops.relu(self.norm(self.first(x)) + 0.1))


ms.set_context(mode=ms.PYNATIVE_MODE if "function" in sys.argv else ms.GRAPH_MODE)
ms.set_seed(3)
net, loss_fn = Net(), nn.MSELoss()
optimizer = nn.Momentum(net.trainable_params(), nn.PolynomialDecayLR(0.1, 0.01, 10, 1.0), 0.9)
random = np.random.RandomState(0)
batches = [ms.Tensor(random.randn(5, n).astype(np.float32)) for n in (3, 2) * 3]
if any(how in sys.argv for how in ("function", "graph_function")):
    def forward(x, y):
        return loss_fn(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)
    net.set_train()
    for x, y in zip(batches[::2], batches[1::2], strict=True):
        loss, grads = gradient(x, y)
        optimizer(grads)
        print(loss)
else:
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer).set_train()
    for x, y in zip(batches[::2], batches[1::2], strict=True):
        print(step(x, y))
net.set_train(False)
print(net(batches[0]).shape)
