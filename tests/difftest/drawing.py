"""Draws numbers in each way that the recorder sees; with another seed on ms2torch, so that they differ.

``records/drawing.trace`` is the real MindSpore's run with --level cell --full 'random/*'.
"""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(2 if "ms2torch" in sys.modules else 1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(6, 5, weight_init="ones", bias_init="zeros")
        self.drop = nn.Dropout(p=0.3)
        self.normal = ops.StandardNormal()

    def construct(self, x):
        y = self.drop(self.dense(x)) + self.normal((8, 5)) + ops.randn(8, 5) * 0.1
        y = ops.dropout(y, 0.5, training=True)
        return y + ops.randint(0, 4, (8, 5)) + ops.uniform((8, 5), Tensor(0.0), Tensor(1.0))


net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.01)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
random = np.random.RandomState(0)
for _ in range(2):
    x, y = random.randn(8, 6), random.randn(8, 5)
    print(step(Tensor(x, ms.float32), Tensor(y, ms.float32)))
