"""products.py as a port: layers for the matrices, and no loss scale."""

import numpy as np
import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8, bias=False), nn.ReLU(), nn.Linear(8, 8, bias=False), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
rng = np.random.RandomState(1)
for _ in range(2):
    x, y = (torch.from_numpy(rng.randn(6, n).astype(np.float32)) for n in (8, 2))
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
