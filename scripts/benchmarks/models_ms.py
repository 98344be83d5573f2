"""The benchmark's networks as one writes them in MindSpore; parameters in the order of ``models_torch``."""

from __future__ import annotations

from ms2torch import nn, ops


class MLP(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(64, 64),
            nn.ReLU(),
            nn.Dense(64, 64),
            nn.ReLU(),
            nn.Dense(64, 64),
            nn.ReLU(),
            nn.Dense(64, 10),
        )

    def construct(self, x):
        return self.layers(x)


class LeNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))


class Block(nn.Cell):
    def __init__(self, fan_in: int, fan_out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(fan_in, fan_out, 3, stride, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(fan_out)
        self.conv2 = nn.Conv2d(fan_out, fan_out, 3, 1, pad_mode="pad", padding=1)
        self.bn2 = nn.BatchNorm2d(fan_out)
        self.relu = nn.ReLU()
        self.down = None
        if stride != 1 or fan_in != fan_out:
            self.down = nn.SequentialCell(
                nn.Conv2d(fan_in, fan_out, 1, stride, pad_mode="valid"), nn.BatchNorm2d(fan_out)
            )

    def construct(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(out + (x if self.down is None else self.down(x)))


class ResNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3, 1, pad_mode="pad", padding=1)
        self.bn = nn.BatchNorm2d(64)
        self.relu = nn.ReLU()
        layers, fan_in = [], 64
        for fan_out, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            layers += [Block(fan_in, fan_out, stride), Block(fan_out, fan_out, 1)]
            fan_in = fan_out
        self.blocks = nn.SequentialCell(*layers)
        self.fc = nn.Dense(512, 10)
        self.mean = ops.ReduceMean()

    def construct(self, x):
        x = self.blocks(self.relu(self.bn(self.conv(x))))
        return self.fc(self.mean(x, (2, 3)))


def resnet18() -> ResNet:
    return ResNet()


class Encoder(nn.Cell):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.norm1, self.norm2 = nn.LayerNorm((width,), epsilon=1e-5), nn.LayerNorm((width,), epsilon=1e-5)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.softmax, self.gelu = nn.Softmax(), nn.GELU()

    def construct(self, x):
        b, n, c = x.shape
        q, k, v = (
            self.qkv(self.norm1(x)).reshape(b, n, 3, self.heads, c // self.heads).transpose(2, 0, 3, 1, 4)
        )
        weights = self.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * (c // self.heads) ** -0.5)
        x = x + self.out(ops.matmul(weights, v).transpose(0, 2, 1, 3).reshape(b, n, c))
        return x + self.down(self.gelu(self.up(self.norm2(x))))


class Transformer(nn.Cell):
    def __init__(self, layers: int = 4, width: int = 256, heads: int = 8) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1000, width)
        self.blocks = nn.SequentialCell(*[Encoder(width, heads) for _ in range(layers)])
        self.fc = nn.Dense(width, 10)

    def construct(self, tokens):
        return self.fc(self.blocks(self.embedding(tokens)).mean(1))
