"""twice.py by hand in PyTorch: layers in a container that is never called, an update without torch.optim."""

import numpy as np
import torch
from torch import nn

model = nn.ModuleDict({"one": nn.Linear(2, 6), "two": nn.Linear(6, 1)})
model.viscosity = nn.Parameter(torch.tensor(0.3))
weights = list(model.parameters())
speed = [torch.zeros_like(w) for w in weights]


def field(x, t):
    return model["two"](torch.tanh(model["one"](torch.stack((x, t), 1))))[:, 0]


def slope(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


rng = np.random.RandomState(4)
for _ in range(2):
    x, t = (torch.from_numpy(a.astype(np.float32)).requires_grad_()
            for a in (rng.uniform(-1, 1, 20), rng.rand(20)))
    u = field(x, t)
    u_x = slope(u, x)
    residual = slope(u, t) + u * u_x - model.viscosity * slope(u_x, x)
    start = field(x.detach(), torch.zeros(20)) + torch.sin(torch.pi * x.detach())
    loss = residual.square().mean() + 2 * start.square().mean()
    gradients = torch.autograd.grad(loss, weights)
    with torch.no_grad():
        for w, v, g in zip(weights, speed, gradients, strict=True):
            v.mul_(0.9).add_(g)
            w.sub_(0.05 * v)
    print(loss.item())
