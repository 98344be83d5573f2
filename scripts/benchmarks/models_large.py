"""ResNet-50 and BERT-base, in MindSpore's way and in torch's: the same arithmetic, the same names."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch import Parameter, Tensor, nn, ops

# ---- ResNet-50 ---------------------------------------------------------------------------------------------


class Bottleneck(nn.Cell):
    def __init__(self, fan_in: int, width: int, stride: int) -> None:
        super().__init__()
        fan_out = 4 * width
        self.conv1, self.bn1 = nn.Conv2d(fan_in, width, 1, 1, "valid"), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, "pad", 1), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, fan_out, 1, 1, "valid"), nn.BatchNorm2d(fan_out)
        self.relu, self.down = nn.ReLU(), None
        if stride != 1 or fan_in != fan_out:
            self.down = nn.SequentialCell(nn.Conv2d(fan_in, fan_out, 1, stride, "valid"),
                                          nn.BatchNorm2d(fan_out))

    def construct(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.relu(out + (x if self.down is None else self.down(x)))


class ResNet(nn.Cell):
    """ResNet with bottlenecks; ``depths`` (3, 4, 6, 3) and ``width`` 64 make ResNet-50."""

    def __init__(self, depths=(3, 4, 6, 3), width: int = 64, classes: int = 1000) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, width, 7, 2, "pad", 3), nn.BatchNorm2d(width)
        self.relu, self.pool = nn.ReLU(), nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        blocks, fan_in = [], width
        for stage, depth in enumerate(depths):
            for i in range(depth):
                blocks.append(Bottleneck(fan_in, width << stage, 2 if stage and not i else 1))
                fan_in = 4 * (width << stage)
        self.blocks = nn.SequentialCell(blocks)
        self.fc = nn.Dense(fan_in, classes)

    def construct(self, x):
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        return self.fc(self.blocks(x).mean((2, 3)))


class TorchBottleneck(torch.nn.Module):
    def __init__(self, fan_in: int, width: int, stride: int) -> None:
        super().__init__()
        fan_out, conv, norm = 4 * width, torch.nn.Conv2d, torch.nn.BatchNorm2d
        self.conv1, self.bn1 = conv(fan_in, width, 1, bias=False), norm(width)
        self.conv2, self.bn2 = conv(width, width, 3, stride, 1, bias=False), norm(width)
        self.conv3, self.bn3 = conv(width, fan_out, 1, bias=False), norm(fan_out)
        self.down = None
        if stride != 1 or fan_in != fan_out:
            self.down = torch.nn.Sequential(conv(fan_in, fan_out, 1, stride, bias=False), norm(fan_out))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = F.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return F.relu(out + (x if self.down is None else self.down(x)))


class TorchResNet(torch.nn.Module):
    def __init__(self, depths=(3, 4, 6, 3), width: int = 64, classes: int = 1000) -> None:
        super().__init__()
        self.conv1, self.bn1 = torch.nn.Conv2d(3, width, 7, 2, 3, bias=False), torch.nn.BatchNorm2d(width)
        blocks, fan_in = [], width
        for stage, depth in enumerate(depths):
            for i in range(depth):
                blocks.append(TorchBottleneck(fan_in, width << stage, 2 if stage and not i else 1))
                fan_in = 4 * (width << stage)
        self.blocks = torch.nn.Sequential(*blocks)
        self.fc = torch.nn.Linear(fan_in, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        return self.fc(self.blocks(x).mean((2, 3)))


# ---- BERT --------------------------------------------------------------------------------------------------


class BertLayer(nn.Cell):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Dense(width, width) for _ in range(3))
        self.out, self.norm1 = nn.Dense(width, width), nn.LayerNorm((width,), epsilon=1e-5)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.norm2 = nn.LayerNorm((width,), epsilon=1e-5)

    def _split(self, x):
        n, t, c = x.shape
        return x.reshape(n, t, self.heads, c // self.heads).transpose(0, 2, 1, 3)

    def construct(self, x):
        n, t, c = x.shape
        q, k, v = self._split(self.query(x)), self._split(self.key(x)), self._split(self.value(x))
        scores = ops.softmax(ops.matmul(q, k.swapaxes(2, 3)) / (c // self.heads) ** 0.5, -1)
        mixed = ops.matmul(scores, v).transpose(0, 2, 1, 3).reshape(n, t, c)
        x = self.norm1(x + self.out(mixed))
        return self.norm2(x + self.down(ops.gelu(self.up(x), approximate="none")))


class Bert(nn.Cell):
    """BERT's pre-training network: word scores for every place and a score for the pair of sentences."""

    def __init__(self, words=30522, places=512, width=768, heads=12, layers=12) -> None:
        super().__init__()
        self.words, self.kinds = nn.Embedding(words, width), nn.Embedding(2, width)
        self.places = Parameter(Tensor(torch.randn(places, width) * 0.02), name="places")
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.layers = nn.CellList([BertLayer(width, heads) for _ in range(layers)])
        self.scores, self.pair = nn.Dense(width, words), nn.Dense(width, 2)

    def construct(self, tokens, kinds):
        x = self.words(tokens) + self.kinds(kinds) + self.places[: tokens.shape[1]]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x)
        return self.scores(x), self.pair(x[:, 0])


class TorchBertLayer(torch.nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, linear = heads, torch.nn.Linear
        self.query, self.key, self.value = (linear(width, width) for _ in range(3))
        self.out, self.norm1 = linear(width, width), torch.nn.LayerNorm(width)
        self.up, self.down = linear(width, 4 * width), linear(4 * width, width)
        self.norm2 = torch.nn.LayerNorm(width)

    def _split(self, x):
        n, t, c = x.shape
        return x.reshape(n, t, self.heads, c // self.heads).permute(0, 2, 1, 3)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = self._split(self.query(x)), self._split(self.key(x)), self._split(self.value(x))
        scores = torch.softmax(torch.matmul(q, k.transpose(2, 3)) / (c // self.heads) ** 0.5, -1)
        mixed = torch.matmul(scores, v).permute(0, 2, 1, 3).reshape(n, t, c)
        x = self.norm1(x + self.out(mixed))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class TorchBert(torch.nn.Module):
    def __init__(self, words=30522, places=512, width=768, heads=12, layers=12) -> None:
        super().__init__()
        self.words, self.kinds = torch.nn.Embedding(words, width), torch.nn.Embedding(2, width)
        self.places = torch.nn.Parameter(torch.randn(places, width) * 0.02)
        self.norm = torch.nn.LayerNorm(width)
        self.layers = torch.nn.ModuleList([TorchBertLayer(width, heads) for _ in range(layers)])
        self.scores, self.pair = torch.nn.Linear(width, words), torch.nn.Linear(width, 2)

    def forward(self, tokens, kinds):
        x = self.words(tokens) + self.kinds(kinds) + self.places[: tokens.shape[1]]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x)
        return self.scores(x), self.pair(x[:, 0])


_NAMES = (("embedding_table", "weight"), ("gamma", "weight"), ("beta", "bias"))


def same_weights(module: torch.nn.Module, cell: nn.Cell) -> torch.nn.Module:
    """``module`` with the weights of ``cell``, found by name; ValueError where one is missing."""
    theirs = dict(module.named_parameters())
    for name, param in cell.parameters_and_names():
        if not param.requires_grad:
            continue
        path, _, leaf = name.rpartition(".")
        leaf = dict(_NAMES).get(leaf, leaf)
        key = f"{path}.{leaf}" if path else leaf
        if key not in theirs:
            raise ValueError(f"{key} is in the Cell and not in the Module.")
        theirs.pop(key).data = param.torch().detach().clone()
    if theirs:
        raise ValueError(f"{sorted(theirs)} are in the Module and not in the Cell.")
    return module
