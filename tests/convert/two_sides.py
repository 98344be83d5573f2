"""One network by two people: MindSpore's and a port whose layers have other names."""

import mindspore.nn as msnn
import torch
from torch import nn


class Theirs(msnn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = msnn.Embedding(11, 6)
        self.conv = msnn.Conv1d(6, 6, 3, has_bias=True, pad_mode="same")
        self.ln = msnn.LayerNorm((6,), epsilon=1e-5)
        self.attention = msnn.MultiheadAttention(6, 2, batch_first=True)
        self.layers = msnn.CellList([msnn.Dense(6, 6), msnn.Dense(6, 6)])
        self.head = msnn.Dense(6, 11, has_bias=False)

    def construct(self, x):
        x = self.ln(self.conv(self.embedding(x).swapaxes(1, 2)).swapaxes(1, 2))
        x = self.attention(x, x, x)[0]
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Ours(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(11, 6)
        self.mix = nn.Conv1d(6, 6, 3, padding=1)
        self.norm = nn.LayerNorm(6)
        self.attn = nn.MultiheadAttention(6, 2, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(6, 6), nn.Linear(6, 6))
        self.out = nn.Linear(6, 11, bias=False)

    def forward(self, x):
        x = self.norm(self.mix(self.tok(x).transpose(1, 2)).transpose(1, 2))
        return self.out(self.mlp(self.attn(x, x, x)[0]))


class Tied(Ours):
    def __init__(self):
        super().__init__()
        self.out.weight = self.tok.weight


class Larger(Ours):
    def __init__(self):
        super().__init__()
        self.extra = nn.Linear(3, 7)


class Swapped(Ours):
    """Two layers of one shape, defined in the other order."""

    def forward(self, x):
        x = self.norm(self.mix(self.tok(x).transpose(1, 2)).transpose(1, 2))
        return self.out(self.mlp[0](self.mlp[1](self.attn(x, x, x)[0])))


class _TheirBlock(msnn.Cell):
    def __init__(self):
        super().__init__()
        self.ln_1 = msnn.LayerNorm((4,), epsilon=1e-5)
        self.wide = msnn.Dense(4, 8)
        self.narrow = msnn.Dense(8, 4)
        self.ln_2 = msnn.LayerNorm((4,), epsilon=1e-5)

    def construct(self, x):
        return self.ln_2(x + self.narrow(self.wide(self.ln_1(x))))


class TheirBlocks(msnn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = msnn.SequentialCell([_TheirBlock() for _ in range(11)])

    def construct(self, x):
        return self.blocks(x)


class _OurBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(4)
        self.up = nn.Linear(4, 8)
        self.down = nn.Linear(8, 4)
        self.norm2 = nn.LayerNorm(4)

    def forward(self, x):
        return self.norm2(x + self.down(self.up(self.norm1(x))))


class OurBlocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*(_OurBlock() for _ in range(11)))

    def forward(self, x):
        return self.layers(x)


def broken():
    raise ValueError("no weights here")


def nothing():
    return torch.zeros(1)
