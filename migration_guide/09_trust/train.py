"""Two interleaved spirals: a small network with BatchNorm, trained by a step with clipped gradients."""

import mindspore as ms
import numpy as np
from mindspore import nn
from parts import Net, Step

ms.set_seed(3)
ms.set_context(mode=ms.PYNATIVE_MODE)


def batches(steps, size=32):
    rng = np.random.RandomState(0)
    for _ in range(steps):
        label = rng.randint(0, 2, size)
        turn = rng.uniform(0.5, 3, size)
        angle = turn * 3 + np.pi * label
        points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], 1) + rng.normal(0, 0.1, (size, 2))
        yield ms.Tensor(points, ms.float32), ms.Tensor(label, ms.int32)


net = Net()
loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
optimizer = nn.Adam(net.trainable_params(), learning_rate=nn.exponential_decay_lr(0.02, 0.9, 20, 1, 5))
step = Step(loss, optimizer)
step.set_train()
for n, (x, y) in enumerate(batches(8), 1):
    print(n, step(x, y))
