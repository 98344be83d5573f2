"""teacher.py by hand in PyTorch: the average is called first, the convolution sees an image."""

import copy

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.filter = nn.Conv2d(1, 4, (3, 5))
        self.classify = nn.Linear(4, 3)

    def forward(self, x):
        return self.classify(torch.tanh(self.filter(x.mT[:, None])).squeeze(3).mean(2))


net = Net()
average = copy.deepcopy(net).requires_grad_(False)
optimizer = torch.optim.Adam(net.parameters(), 0.02)
rng = np.random.RandomState(5)
for _ in range(3):
    x, y = torch.from_numpy(rng.randn(6, 5, 7).astype(np.float32)), torch.from_numpy(rng.randint(0, 3, 6))
    taught = average(x + 0.1)
    learnt = net(x)
    loss = functional.cross_entropy(learnt, y) + functional.mse_loss(learnt, taught)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for own, weight in zip(average.parameters(), net.parameters(), strict=True):
            own.lerp_(weight, 0.2)
