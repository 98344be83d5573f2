"""Networks of many small operations, in MindSpore and in torch, each with its loss."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn as tnn

from ms2torch import Tensor, nn, ops

_random = np.random.RandomState(0)


def _normal(*shape) -> np.ndarray:
    return _random.randn(*shape).astype(np.float32)


def _integers(high: int, *shape) -> np.ndarray:
    return _random.randint(0, high, shape).astype(np.int32)


class LSTM(nn.Cell):
    """A classifier of 16 steps of 32 features."""

    data = staticmethod(lambda: (_normal(32, 16, 32), _integers(10, 32)))

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.fc = nn.LSTM(32, 64, batch_first=True), nn.Dense(64, 10)

    def construct(self, x, y):
        return ops.cross_entropy(self.fc(self.lstm(x)[0][:, -1]), y)


class TorchLSTM(tnn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.fc = tnn.LSTM(32, 64, batch_first=True), tnn.Linear(64, 10)

    def forward(self, x, y):
        return F.cross_entropy(self.fc(self.lstm(x)[0][:, -1]), y)


class PINN(nn.Cell):
    """u'' + u = 0 on 256 points: second derivatives by the input."""

    data = staticmethod(lambda: (_normal(256, 1),))

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.SequentialCell(nn.Dense(1, 32, activation="tanh"), nn.Dense(32, 32, activation="tanh"),
                                     nn.Dense(32, 1))
        self.slope = ops.grad(lambda x: self.net(x).sum())
        self.bend = ops.grad(lambda x: self.slope(x).sum())

    def construct(self, x):
        return ((self.bend(x) + self.net(x)) ** 2).mean()


class TorchPINN(tnn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = tnn.Sequential(tnn.Linear(1, 32), tnn.Tanh(), tnn.Linear(32, 32), tnn.Tanh(),
                                  tnn.Linear(32, 1))

    def forward(self, x):       # (the network runs twice, as it does above)
        point = x.detach().requires_grad_()
        slope = torch.autograd.grad(self.net(point).sum(), point, create_graph=True)[0]
        bend = torch.autograd.grad(slope.sum(), point, create_graph=True)[0]
        return ((bend + self.net(x)) ** 2).mean()


class GCN(nn.Cell):
    """Two graph convolutions over 64 nodes with a dense adjacency matrix."""

    data = staticmethod(lambda: (_normal(64, 32), np.abs(_normal(64, 64)) / 64, _integers(7, 64)))

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Dense(32, 16), nn.Dense(16, 7)

    def construct(self, x, adjacency, y):
        h = ops.relu(ops.matmul(adjacency, self.one(x)))
        return ops.cross_entropy(ops.matmul(adjacency, self.two(h)), y)


class TorchGCN(tnn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = tnn.Linear(32, 16), tnn.Linear(16, 7)

    def forward(self, x, adjacency, y):
        h = F.relu(adjacency @ self.one(x))
        return F.cross_entropy(adjacency @ self.two(h), y)


class DeepFM(nn.Cell):
    """10 fields of 1000 values, embeddings of 8, batch 128."""

    data = staticmethod(lambda: (_integers(1000, 128, 10), _integers(2, 128, 1).astype(np.float32)))

    def __init__(self) -> None:
        super().__init__()
        self.first, self.table = nn.Embedding(1000, 1), nn.Embedding(1000, 8)
        self.deep = nn.SequentialCell(nn.Dense(80, 64, activation="relu"),
                                      nn.Dense(64, 32, activation="relu"), nn.Dense(32, 1))

    def construct(self, ids, y):
        e = self.table(ids)
        crossed = 0.5 * (e.sum(1) ** 2 - (e ** 2).sum(1)).sum(1, keepdims=True)
        logits = self.first(ids).sum(1) + crossed + self.deep(e.reshape(e.shape[0], -1))
        return ops.binary_cross_entropy_with_logits(logits, y, ops.ones_like(y), ops.ones_like(y))


class TorchDeepFM(tnn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.table = tnn.Embedding(1000, 1), tnn.Embedding(1000, 8)
        self.deep = tnn.Sequential(tnn.Linear(80, 64), tnn.ReLU(), tnn.Linear(64, 32), tnn.ReLU(),
                                   tnn.Linear(32, 1))

    def forward(self, ids, y):
        e = self.table(ids)
        crossed = 0.5 * (e.sum(1) ** 2 - (e ** 2).sum(1)).sum(1, keepdim=True)
        logits = self.first(ids).sum(1) + crossed + self.deep(e.reshape(e.shape[0], -1))
        return F.binary_cross_entropy_with_logits(logits, y)


class _Classifier(nn.Cell):
    """A network of the other benchmarks with its loss."""

    def __init__(self, net) -> None:
        super().__init__()
        self.net = net

    def construct(self, x, y):
        return ops.cross_entropy(self.net(x), y)


class _TorchClassifier(tnn.Module):
    def __init__(self, net) -> None:
        super().__init__()
        self.net = net

    def forward(self, x, y):
        return F.cross_entropy(self.net(x), y)


class _GPT(nn.Cell):
    """Two causal layers of width 64 over 32 tokens of 256, weights of the embedding shared."""

    def __init__(self, causal: bool = True) -> None:
        super().__init__()
        self.table, self.places = nn.Embedding(256, 64), nn.Embedding(32, 64)
        self.blocks = nn.CellList([_Block(64, 4, causal) for _ in range(2)])
        self.norm, self.ids = nn.LayerNorm((64,)), Tensor(np.arange(32, dtype=np.int32))

    def construct(self, x, y):
        h = self.table(x) + self.places(self.ids)
        for block in self.blocks:
            h = block(h)
        logits = ops.matmul(self.norm(h), self.table.embedding_table.T)
        return ops.cross_entropy(logits.reshape(-1, 256), y.reshape(-1))


class _Block(nn.Cell):
    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads = heads
        self.one, self.two = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.mask = Tensor(np.triu(np.full((32, 32), -1e9 if causal else 0.0, np.float32), 1))

    def construct(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(self.one(x)).reshape(b, n, 3, self.heads, -1).transpose(2, 0, 3, 1, 4)
        scores = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * (c // self.heads) ** -0.5 + self.mask)
        x = x + self.out(ops.matmul(scores, v).transpose(0, 2, 1, 3).reshape(b, n, c))
        return x + self.down(ops.gelu(self.up(self.two(x))))


class _TorchGPT(tnn.Module):
    def __init__(self, causal: bool = True) -> None:
        super().__init__()
        self.table, self.places = tnn.Embedding(256, 64), tnn.Embedding(32, 64)
        self.blocks = tnn.Sequential(*[_TorchBlock(64, 4, causal) for _ in range(2)])
        self.norm = tnn.LayerNorm(64)
        self.register_buffer("ids", torch.arange(32))

    def forward(self, x, y):
        h = self.blocks(self.table(x) + self.places(self.ids))
        return F.cross_entropy((self.norm(h) @ self.table.weight.T).reshape(-1, 256), y.reshape(-1))


class _TorchBlock(tnn.Module):
    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads = heads
        self.one, self.two = tnn.LayerNorm(width), tnn.LayerNorm(width)
        self.qkv, self.out = tnn.Linear(width, 3 * width), tnn.Linear(width, width)
        self.up, self.down = tnn.Linear(width, 4 * width), tnn.Linear(4 * width, width)
        self.register_buffer("mask", torch.triu(torch.full((32, 32), -1e9 if causal else 0.0), 1))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(self.one(x)).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = torch.softmax(q @ k.transpose(-1, -2) * (c // self.heads) ** -0.5 + self.mask, -1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(b, n, c))
        return x + self.down(F.gelu(self.up(self.two(x)), approximate="tanh"))


def pairs() -> dict:
    """By name: how to make the Cell, the torch module, and the data (numpy arrays)."""
    import models_ms
    import models_torch

    def classified(name: str, data):
        return (lambda: _Classifier(getattr(models_ms, name)()),
                lambda: _TorchClassifier(getattr(models_torch, name)()), data)

    images, labels = (lambda *s: _normal(32, *s)), (lambda: _integers(10, 32))
    tokens = lambda: (_integers(256, 16, 32), _integers(256, 16, 32))       # noqa: E731
    found = {"MLP": classified("MLP", lambda: (images(64), labels())),
             "LSTM": (LSTM, TorchLSTM, LSTM.data), "PINN": (PINN, TorchPINN, PINN.data),
             "GCN": (GCN, TorchGCN, GCN.data), "DeepFM": (DeepFM, TorchDeepFM, DeepFM.data),
             "LeNet": classified("LeNet", lambda: (images(1, 32, 32), labels())),
             "GPT": (_GPT, _TorchGPT, tokens),
             "BERT": (lambda: _GPT(False), lambda: _TorchGPT(False), tokens),
             "Transformer": classified("Transformer", lambda: (_integers(1000, 32, 32), labels())),
             "ResNet-18": classified("resnet18", lambda: (images(3, 32, 32), labels()))}
    return found



