"""Five steps of an optimizer over the parameters ``p``: ``one_optimizer.py "nn.Adam(p, 0.01)"``."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(1)

net = nn.SequentialCell(nn.Dense(5, 8), nn.Tanh(), nn.Dense(8, 2))
net.set_train()
p = net.trainable_params()
optimizer = eval(sys.argv[1])
train = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
train.set_train()
rng = np.random.RandomState(0)
for _ in range(5):
    x, y = rng.randn(6, 5).astype(np.float32), rng.randn(6, 2).astype(np.float32)
    print(train(Tensor(x), Tensor(y)))
