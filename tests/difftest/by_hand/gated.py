"""A gate of the program's own after a layer with its activation, a product in float16, two calls a step."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_seed(19)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.into = nn.Dense(9, 12, activation="sigmoid")
        self.gate = Parameter(Tensor(np.linspace(-1, 1, 12), ms.float32), name="gate")
        self.mix, self.out = nn.Dense(12, 20), nn.Dense(20, 2)

    def construct(self, x):
        x = self.into(x) * ops.softplus(self.gate)
        product = ops.matmul(x.astype(ms.float16), self.mix.weight.astype(ms.float16).T)
        return self.out(ops.tanh(product.astype(ms.float32) + self.mix.bias))


class Accumulate(nn.Cell):
    def __init__(self, net, optimizer):
        super().__init__(auto_prefix=False)
        self.net, self.optimizer, self.calls = net, optimizer, 0
        self.sums = optimizer.parameters.clone(prefix="sum", init="zeros")
        self.gradient = ops.value_and_grad(self.loss, None, optimizer.parameters)

    def loss(self, x, y):
        return ops.huber_loss(self.net(x), y, delta=0.7) / 2

    def construct(self, x, y):
        value, gradients = self.gradient(x, y)
        for total, gradient in zip(self.sums, gradients, strict=True):
            ops.assign_add(total, gradient)
        self.calls += 1
        if self.calls % 2 == 0:
            self.optimizer(tuple(total * 1.0 for total in self.sums))
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return value


net = Net()
net.set_train()
step = Accumulate(net, nn.SGD(net.trainable_params(), 0.5, momentum=0.9))
rng = np.random.RandomState(1)
for _ in range(4):
    x = rng.randn(24, 9).astype(np.float32)
    y = np.stack((x[:, 0] * x[:, 1], np.abs(x[:, 2])), 1)
    print(step(Tensor(x), Tensor(y)))
