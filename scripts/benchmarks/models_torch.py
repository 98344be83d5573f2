"""The benchmark's networks as one writes them in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


def same_weights(module: nn.Module, cell) -> nn.Module:
    """``module`` with the weights of ``cell``, whose parameters come in the same order."""
    own = [*module.parameters()]
    theirs = cell.trainable_params()
    if len(own) != len(theirs):
        raise ValueError(f"{len(own)} parameters against {len(theirs)}.")
    with torch.no_grad():
        for mine, param in zip(own, theirs, strict=True):
            mine.copy_(param.torch().reshape(mine.shape))
    return module


class MLP(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(64, 64),
            nn.ReLU(),
            nn.Linear(64, 64),
            nn.ReLU(),
            nn.Linear(64, 64),
            nn.ReLU(),
            nn.Linear(64, 10),
        )

    def forward(self, x):
        return self.layers(x)


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, bias=False)
        self.conv2 = nn.Conv2d(6, 16, 5, bias=False)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()

    def forward(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))


class Block(nn.Module):
    def __init__(self, fan_in: int, fan_out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(fan_in, fan_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(fan_out)
        self.conv2 = nn.Conv2d(fan_out, fan_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(fan_out)
        self.relu = nn.ReLU()
        self.down = None
        if stride != 1 or fan_in != fan_out:
            self.down = nn.Sequential(
                nn.Conv2d(fan_in, fan_out, 1, stride, bias=False), nn.BatchNorm2d(fan_out)
            )

    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(out + (x if self.down is None else self.down(x)))


class ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
        self.bn = nn.BatchNorm2d(64)
        self.relu = nn.ReLU()
        layers, fan_in = [], 64
        for fan_out, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            layers += [Block(fan_in, fan_out, stride), Block(fan_out, fan_out, 1)]
            fan_in = fan_out
        self.blocks = nn.Sequential(*layers)
        self.fc = nn.Linear(512, 10)

    def forward(self, x):
        x = self.blocks(self.relu(self.bn(self.conv(x))))
        return self.fc(x.mean((2, 3)))


def resnet18() -> ResNet:
    return ResNet()


class Encoder(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) * (c // self.heads) ** -0.5, -1)
        x = x + self.out(torch.matmul(weights, v).permute(0, 2, 1, 3).reshape(b, n, c))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Transformer(nn.Module):
    def __init__(self, layers: int = 4, width: int = 256, heads: int = 8) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1000, width)
        self.blocks = nn.Sequential(*[Encoder(width, heads) for _ in range(layers)])
        self.fc = nn.Linear(width, 10)

    def forward(self, tokens):
        return self.fc(self.blocks(self.embedding(tokens)).mean(1))
