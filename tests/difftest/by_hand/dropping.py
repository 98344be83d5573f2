"""Dropout after a ReLU, a layer in float16, evaluation between the steps, two calls a step in a loop."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(3)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.into = nn.Dense(8, 12).to_float(ms.float16)
        self.drop = nn.Dropout(p=0.3)
        self.out = nn.Dense(12, 3)

    def construct(self, x):
        return self.out(self.drop(ops.relu(self.into(x).astype(ms.float32))))


net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.5)
step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y) / 2, None, optimizer.parameters)
rng = np.random.RandomState(6)
for _ in range(2):
    total = None
    net.set_train(True)
    for _ in range(2):
        x, y = rng.randn(10, 8).astype(np.float32), rng.randint(0, 3, 10).astype(np.int32)
        value, found = step(Tensor(x), Tensor(y))
        total = found if total is None else tuple(a + b for a, b in zip(total, found, strict=True))
    optimizer(total)
    net.set_train(False)
    print(value, net(Tensor(rng.randn(5, 8).astype(np.float32))).argmax(1))
