"""An activation within a layer, a tanh of large values, and a normalisation of values that scatter little."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(5)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.into = nn.Dense(9, 24, activation="gelu")
        self.mid, self.norm = nn.Dense(24, 16), nn.LayerNorm((16,), epsilon=1e-7)
        self.out = nn.Dense(16, 2)

    def construct(self, x):
        x = self.mid(ops.tanh(self.into(x) * 9))
        return self.out(ops.tanh(self.norm(x) * 3))


net = Net()
net.set_train()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
rng = np.random.RandomState(1)
for _ in range(2):
    x = rng.randn(64, 9).astype(np.float32)
    y = np.stack((x[:, 0] * x[:, 1], np.abs(x[:, 2])), 1)
    print(step(Tensor(x), Tensor(y)))
