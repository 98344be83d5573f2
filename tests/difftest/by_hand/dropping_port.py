"""dropping.py by hand in PyTorch."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.into = nn.Linear(8, 12)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(12, 3)

    def forward(self, x):
        half = functional.linear(x.half(), self.into.weight.half(), self.into.bias.half())
        return self.out(self.drop(torch.relu(half.float())))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), 0.5)
rng = np.random.RandomState(6)
for _ in range(2):
    net.train()
    for _ in range(2):
        x, y = rng.randn(10, 8).astype(np.float32), rng.randint(0, 3, 10)
        loss = functional.cross_entropy(net(torch.from_numpy(x)), torch.from_numpy(y)) / 2
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    net.eval()
    print(loss.item(), net(torch.from_numpy(rng.randn(5, 8).astype(np.float32))).argmax(1))
