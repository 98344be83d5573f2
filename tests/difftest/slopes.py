"""Gradients of gradients for the twin run's test: a gradient penalty, and a field with its own slopes in the
loss. ``records/slopes.trace`` is the real one's run, recorded with --refeed 1 --steps 1."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Dense(3, 6), nn.Dense(6, 1)

    def construct(self, x):
        return self.two(ops.tanh(self.one(x)))


ms.set_seed(5)
net = Network()
optimizer = nn.SGD(net.trainable_params(), 0.1)
slope = ms.grad(lambda x: net(x).sum())


def forward(x):
    residual = slope(x).sum(1) - net(x).squeeze(1)
    size = ops.sqrt((slope(2 * x) ** 2).sum(1) + 1e-6)
    return (residual**2).mean() + ((size - 1) ** 2).mean()


step = ms.value_and_grad(forward, None, optimizer.parameters)
random = np.random.RandomState(1)
for _ in range(2):
    loss, gradients = step(ms.Tensor(random.randn(4, 3).astype(np.float32)))
    optimizer(gradients)
    print(loss)
