"""gated.py by hand in PyTorch."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.into = nn.Linear(9, 12)
        self.gate = nn.Parameter(torch.linspace(-1, 1, 12))
        self.mix, self.out = nn.Linear(12, 20), nn.Linear(20, 2)

    def forward(self, x):
        x = torch.sigmoid(self.into(x)) * functional.softplus(self.gate)
        product = (x.half() @ self.mix.weight.half().T).float()
        return self.out(torch.tanh(product + self.mix.bias))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), 0.5, momentum=0.9)
rng = np.random.RandomState(1)
for i in range(4):
    x = rng.randn(24, 9).astype(np.float32)
    y = np.stack((x[:, 0] * x[:, 1], np.abs(x[:, 2])), 1)
    loss = functional.huber_loss(net(torch.from_numpy(x)), torch.from_numpy(y), delta=0.7) / 2
    loss.backward()
    if i % 2 == 1:
        optimizer.step()
        optimizer.zero_grad()
