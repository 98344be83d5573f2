"""train.py by hand in PyTorch."""

import numpy as np
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False)
        self.bn = nn.BatchNorm1d(width)

    def forward(self, x):
        return x + torch.relu(self.bn(self.linear(x)))


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.stem = nn.Linear(2, width)
        self.blocks = nn.Sequential(Block(width), Block(width))
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)))


def batches(steps, size=32):
    rng = np.random.RandomState(0)
    for _ in range(steps):
        label = rng.randint(0, 2, size)
        turn = rng.uniform(0.5, 3, size)
        angle = turn * 3 + np.pi * label
        points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], 1) + rng.normal(0, 0.1, (size, 2))
        yield torch.tensor(points, dtype=torch.float32), torch.tensor(label)


net = Net()
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
for x, y in batches(4):
    optimizer.zero_grad()
    loss = loss_function(net(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    print(loss.item())
