"""A narrow ResNet-18."""
import mindspore.nn as nn
from mindspore.ops import operations as P


def convolution(inputs, outputs, kernel, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, pad_mode="same", weight_init="XavierUniform")


class Block(nn.Cell):
    expansion = 1

    def __init__(self, inputs, outputs, stride):
        super(Block, self).__init__()
        self.conv1 = convolution(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs, eps=1e-4, momentum=0.9)
        self.conv2 = convolution(outputs, outputs, 3)
        self.bn2 = nn.BatchNorm2d(outputs, eps=1e-4, momentum=0.9)
        self.relu = P.ReLU()
        self.add = P.Add()
        self.shortcut = None
        if stride != 1 or inputs != outputs:
            projection = convolution(inputs, outputs, 1, stride)
            self.shortcut = nn.SequentialCell([projection, nn.BatchNorm2d(outputs)])

    def construct(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return self.relu(self.add(out, x))


class ResNet(nn.Cell):
    def __init__(self, depths, widths, classes):
        super(ResNet, self).__init__()
        self.stem = nn.SequentialCell([convolution(3, widths[0], 7, 2), nn.BatchNorm2d(widths[0]), nn.ReLU()])
        self.pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        stages, inputs = [], widths[0]
        for i, (depth, width) in enumerate(zip(depths, widths)):
            stages.append(self._make_layer(inputs, width, depth, 1 if i == 0 else 2))
            inputs = width * Block.expansion
        self.stages = nn.CellList(stages)
        self.mean = P.ReduceMean(keep_dims=False)
        self.head = nn.Dense(inputs, classes, weight_init="normal", bias_init="zeros")

    def _make_layer(self, inputs, outputs, depth, stride):
        blocks = [Block(inputs, outputs, stride)]
        for _ in range(1, depth):
            blocks.append(Block(outputs, outputs, 1))
        return nn.SequentialCell(blocks)

    def construct(self, x):
        x = self.pool(self.stem(x))
        for stage in self.stages:
            x = stage(x)
        return self.head(self.mean(x, (2, 3)))


def resnet18(classes):
    return ResNet([2, 2, 2, 2], [8, 16, 32, 64], classes)
