"""train.py by hand in PyTorch."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4))
        self.linear = nn.Linear(36, 6)
        self.dropout = nn.Dropout(0.3)
        self.out = nn.Linear(6, 3)

    def forward(self, x):
        x = functional.max_pool2d(torch.relu(self.features(x)), 2)
        x = self.dropout(self.linear(x.flatten(1)))
        return torch.softmax(self.out(x), -1)


net = Net()
norm = list(net.features[1].parameters())
rest = [p for name, p in net.named_parameters() if not name.startswith("features.1.")]
groups = [{"params": rest, "weight_decay": 0.01}, {"params": norm}]
optimizer = torch.optim.SGD(groups, 0.1, momentum=0.9)
random = np.random.RandomState(0)
for rate in (0.1, 0.05, 0.02):
    for group in optimizer.param_groups:
        group["lr"] = rate
    x, y = random.randn(5, 1, 8, 8), np.eye(3)[random.randint(0, 3, 5)]
    optimizer.zero_grad()
    loss = functional.mse_loss(net(torch.tensor(x).float()), torch.tensor(y).float())
    loss.backward()
    optimizer.step()
    print(loss.item())
