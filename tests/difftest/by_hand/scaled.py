"""A train cell with a fixed loss scale, and RMSProp, whose mean squares start at 1."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(4)
net = nn.SequentialCell(nn.Dense(5, 6), nn.Tanh(), nn.Dense(6, 3))
optimizer = nn.RMSProp(net.trainable_params(), 0.01, decay=0.95, epsilon=1e-4, loss_scale=256.0)
train = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, sens=256.0)
train.set_train()
rng = np.random.RandomState(2)
for _ in range(2):
    x, y = rng.randn(8, 5).astype(np.float32), rng.randn(8, 3).astype(np.float32)
    print(train(Tensor(x), Tensor(y)))
