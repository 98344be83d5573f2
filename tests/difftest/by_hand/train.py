"""A small network in MindSpore; port.py is the same by hand."""

import mindspore as ms
import numpy as np
from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid")
        self.norm = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(36, 6)
        self.drop = nn.Dropout(p=0.3)
        self.head = nn.Dense(6, 3)
        self.softmax = nn.Softmax()

    def construct(self, x):
        x = self.pool(self.relu(self.norm(self.conv(x))))
        return self.softmax(self.head(self.drop(self.dense(self.flatten(x)))))


ms.set_seed(1)
net = Net()
rates = [0.1, 0.05, 0.02]
optimizer = nn.Momentum(net.trainable_params(), rates, 0.9, weight_decay=0.01)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
random = np.random.RandomState(0)
for _ in rates:
    x, y = random.randn(5, 1, 8, 8), np.eye(3)[random.randint(0, 3, 5)]
    print(step(ms.Tensor(x, ms.float32), ms.Tensor(y, ms.float32)))
