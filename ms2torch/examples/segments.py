"""Seven-segment digits, as a MindSpore program of 2020 (release 1.x) would read them.

It draws its own data. Nothing in it knows ms2torch:

    python -m ms2torch -m ms2torch.examples.segments
"""

import argparse

import mindspore.dataset as ds
import mindspore.dataset.transforms.c_transforms as C
import mindspore.nn as nn
import numpy as np
from mindspore import context
from mindspore.common import dtype as mstype
from mindspore.common import set_seed
from mindspore.common.initializer import TruncatedNormal
from mindspore.nn.metrics import Accuracy
from mindspore.ops import operations as P
from mindspore.train import Model
from mindspore.train.callback import LossMonitor

#    Lit segments of 0 to 9: top, upper left, upper right, middle, lower left, lower right, bottom.
LIT = ["1110111", "0010010", "1011101", "1011011", "0111010",
       "1101011", "1101111", "1010010", "1111111", "1111011"]
PLACE = [(0, 1, 1, 5), (1, 5, 0, 1), (1, 5, 5, 6), (5, 6, 1, 5), (6, 10, 0, 1), (6, 10, 5, 6), (10, 11, 1, 5)]


class SegmentDigits:
    """Digits of 11x6 pixels, near the middle of a noisy image of 16x16."""

    def __init__(self, length, seed):
        rng = np.random.RandomState(seed)
        self.labels = rng.randint(0, 10, length).astype(np.int32)
        self.images = rng.normal(0.0, 0.3, (length, 1, 16, 16)).astype(np.float32)
        for image, label in zip(self.images, self.labels):
            row, column = rng.randint(1, 4), rng.randint(4, 7)
            for lit, (top, bottom, left, right) in zip(LIT[label], PLACE):
                if lit == "1":
                    image[0, row + top:row + bottom, column + left:column + right] += 1.0

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


def create_dataset(length, seed, batch_size=32):
    digits = ds.GeneratorDataset(SegmentDigits(length, seed), ["image", "label"], shuffle=True)
    digits = digits.map(operations=C.TypeCast(mstype.int32), input_columns="label")
    return digits.batch(batch_size, drop_remainder=True)


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, weight_init=TruncatedNormal(0.2))
        self.conv2 = nn.Conv2d(8, 16, 3, weight_init=TruncatedNormal(0.2))
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.fc1 = nn.Dense(16 * 4 * 4, 64, TruncatedNormal(0.1))
        self.fc2 = nn.Dense(64, 10, TruncatedNormal(0.1))
        self.relu = P.ReLU()
        self.reshape = P.Reshape()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.reshape(x, (-1, 16 * 4 * 4))
        return self.fc2(self.relu(self.fc1(x)))


def main():
    parser = argparse.ArgumentParser(description="Seven-segment digits")
    parser.add_argument("--device_target", default="Ascend", choices=["Ascend", "GPU", "CPU"])
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()

    set_seed(1)
    context.set_context(mode=context.GRAPH_MODE, device_target=args.device_target)
    train_set, test_set = create_dataset(1600, seed=1), create_dataset(480, seed=2)
    network = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), learning_rate=0.02, momentum=0.9)
    model = Model(network, loss, optimizer, metrics={"Accuracy": Accuracy()})
    model.train(args.epochs, train_set, callbacks=[LossMonitor(train_set.get_dataset_size())],
                dataset_sink_mode=True)
    print(model.eval(test_set))


if __name__ == "__main__":
    main()
