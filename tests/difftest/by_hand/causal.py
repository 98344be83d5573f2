"""Convolutions in time that see no later moment, and an average of the weights beside them."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(3)
ms.set_context(mode=ms.PYNATIVE_MODE)


class Causal(nn.Cell):
    def __init__(self, channels, out, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, out, 3, pad_mode="valid", dilation=dilation, has_bias=True)
        self.ahead = 2 * dilation

    def construct(self, x):
        return self.conv(ops.pad(x, (self.ahead, 0)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = Causal(2, 4, 1), Causal(4, 4, 2)
        self.head = nn.Conv1d(4, 1, 1, has_bias=True)

    def construct(self, x):
        return self.head(ops.relu(self.b(ops.relu(self.a(x)))))


class Average(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.live = ms.ParameterTuple(net.trainable_params())
        self.kept = self.live.clone("average", init="same")

    def construct(self):
        for kept, live in zip(self.kept, self.live, strict=True):
            ops.assign(kept, 0.9 * kept + 0.1 * live)
        return 0


net = Net()
average = Average(net)
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
loss = nn.MSELoss()
step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
draw = np.random.RandomState(1)
for _ in range(2):
    x = draw.randn(3, 2, 10).astype(np.float32)
    value, gradients = step(Tensor(x), Tensor(np.cumsum(x, -1)[:, :1]))
    optimizer(gradients)
    average()
