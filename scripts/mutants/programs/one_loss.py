"""Three steps with a loss function: ``one_loss.py "nn.SmoothL1Loss()" real|index|binary|onehot [LAST]``.

``LAST`` is a last layer before the loss, like ``nn.Sigmoid()``.
"""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(1)

rng = np.random.RandomState(0)
LABELS = {
    "real": lambda: rng.randn(6, 4).astype(np.float32),
    "index": lambda: rng.randint(0, 4, 6).astype(np.int32),
    "binary": lambda: rng.randint(0, 2, (6, 4)).astype(np.float32),
    "onehot": lambda: np.eye(4, dtype=np.float32)[rng.randint(0, 4, 6)],
}
net = nn.SequentialCell(nn.Dense(5, 8), nn.Tanh(), nn.Dense(8, 4))
if len(sys.argv) > 3:
    net.append(eval(sys.argv[3]))


class WithLoss(nn.Cell):
    def __init__(self, backbone, loss):
        super().__init__()
        self.backbone = backbone
        self.loss = loss

    def construct(self, x, y):
        return self.loss(self.backbone(x), y).sum()


network = WithLoss(net, eval(sys.argv[1]))
network.set_train()
optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9)
step = ms.value_and_grad(network, None, optimizer.parameters)
for _ in range(3):
    x = Tensor(rng.randn(6, 5).astype(np.float32))
    value, gradients = step(x, Tensor(LABELS[sys.argv[2]]()))
    optimizer(gradients)
    print(value)
