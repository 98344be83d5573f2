"""LeNet on handwritten digits, as a MindSpore program of 2020 (release 1.x) would have it.

Nothing here knows ms2torch:

    python scripts/make_digits.py data/digits
    python -m ms2torch migration_guide/lenet/train.py --data_path data/digits
"""

import argparse
import os

import mindspore.dataset as ds
import mindspore.dataset.transforms.c_transforms as C
import mindspore.dataset.vision.c_transforms as CV
import mindspore.nn as nn
from mindspore import context
from mindspore.common import dtype as mstype
from mindspore.common import set_seed
from mindspore.common.initializer import TruncatedNormal
from mindspore.dataset.vision import Inter
from mindspore.nn.metrics import Accuracy
from mindspore.train import Model
from mindspore.train.callback import LossMonitor, TimeMonitor


def create_dataset(data_path, batch_size, shuffle):
    """Images as float32 in (N, 1, 32, 32), normalized; labels as int32."""
    digits = ds.MnistDataset(data_path, shuffle=shuffle)
    images = [CV.Resize((32, 32), interpolation=Inter.LINEAR), CV.Rescale(1.0 / 255.0, 0.0),
              CV.Rescale(1 / 0.3081, -1 * 0.1307 / 0.3081), CV.HWC2CHW()]
    digits = digits.map(operations=C.TypeCast(mstype.int32), input_columns="label")
    digits = digits.map(operations=images, input_columns="image")
    return digits.batch(batch_size, drop_remainder=shuffle)


class LeNet5(nn.Cell):
    """The network of LeCun et al. 1998, with ReLU and max pooling."""

    def __init__(self, num_class=10):
        super(LeNet5, self).__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", weight_init=TruncatedNormal(0.1))
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", weight_init=TruncatedNormal(0.1))
        self.fc1 = nn.Dense(16 * 5 * 5, 120, TruncatedNormal(0.05))
        self.fc2 = nn.Dense(120, 84, TruncatedNormal(0.05))
        self.fc3 = nn.Dense(84, num_class, TruncatedNormal(0.05))
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def main():
    parser = argparse.ArgumentParser(description="LeNet on handwritten digits")
    parser.add_argument("--data_path", default="data/digits",
                        help="folder with train/ and test/ in MNIST's format")
    parser.add_argument("--device_target", default="Ascend", choices=["Ascend", "GPU", "CPU"])
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()

    set_seed(1)
    context.set_context(mode=context.GRAPH_MODE, device_target=args.device_target)
    train_set = create_dataset(os.path.join(args.data_path, "train"), 32, shuffle=True)
    test_set = create_dataset(os.path.join(args.data_path, "test"), 100, shuffle=False)

    network = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    steps = train_set.get_dataset_size()
    rates = nn.cosine_decay_lr(0.0, 0.02, total_step=steps * args.epochs, step_per_epoch=steps,
                               decay_epoch=args.epochs)
    optimizer = nn.Momentum(network.trainable_params(), learning_rate=rates, momentum=0.9)
    model = Model(network, loss, optimizer, metrics={"Accuracy": Accuracy()})

    print("============== Starting Training ==============")
    callbacks = [TimeMonitor(steps), LossMonitor(32)]
    model.train(args.epochs, train_set, callbacks=callbacks, dataset_sink_mode=False)
    print("============== Starting Testing ==============")
    print("============== {} ==============".format(model.eval(test_set, dataset_sink_mode=False)))


if __name__ == "__main__":
    main()
