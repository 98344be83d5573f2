"""experts.py by hand in PyTorch: sparse edges, one batch of two, experts that get their own samples alone."""

import numpy as np
import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(5, 8, bias=False)
        self.bias = nn.Parameter(torch.zeros(8))
        self.mix = nn.Linear(8, 8, bias=False)

    def forward(self, edges, x):
        return torch.tanh(self.mix(torch.sparse.mm(edges, self.project(x)) + self.bias))


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 3, bias=False)
        self.mix = nn.ModuleList(nn.Sequential(nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 4)) for _ in range(3))

    def forward(self, x):
        shares, places = torch.topk(self.gate(x).softmax(-1), 2)
        out = torch.zeros(len(x), 4)
        for i, expert in enumerate(self.mix):
            rows, slots = torch.where(places == i)
            out = out.index_add(0, rows, shares[rows, slots, None] * expert(x[rows]))
        return out, shares.sum(-1).mean()


graph, mixture, head = nets = Graph(), Mixture(), nn.Linear(4, 4)
optimizer = torch.optim.Adam([p for net in nets for p in net.parameters()], 0.01)
rng = np.random.RandomState(3)
edges = torch.from_numpy(np.triu(rng.rand(7, 7)).astype(np.float32)).to_sparse()
for _ in range(3):
    one, two, y = (torch.from_numpy(rng.randn(7, n).astype(np.float32)) for n in (5, 5, 4))
    (b, _), (a, share) = mixture(graph(edges, two)), mixture(graph(edges, one))
    b, a = head(torch.cat([b, a])).chunk(2)
    optimizer.zero_grad()
    ((a - y) ** 2).mean().backward(retain_graph=True)
    (((b + y) ** 2).mean() + 0.1 * share).backward()
    optimizer.step()
