"""scaled.py in PyTorch, which needs no loss scale in float32."""

import numpy as np
import torch
from torch import nn

net = nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 3))


class RMSProp(torch.optim.Optimizer):
    """MindSpore's: epsilon inside the root, mean squares from 1."""

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            squares = self.state[p].setdefault("squares", torch.ones_like(p))
            squares.mul_(0.95).addcmul_(p.grad, p.grad, value=0.05)
            p.sub_(0.01 * p.grad / (squares + 1e-4).sqrt())


optimizer = RMSProp(net.parameters(), {"lr": 0.01})
rng = np.random.RandomState(2)
for _ in range(2):
    x, y = rng.randn(8, 5).astype(np.float32), rng.randn(8, 3).astype(np.float32)
    loss = nn.functional.mse_loss(net(torch.from_numpy(x)), torch.from_numpy(y))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss)
