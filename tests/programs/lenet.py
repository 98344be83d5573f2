"""r1.0 style: GRAPH_MODE, Model.train with callbacks, an evaluation inside, checkpoints; on stripes."""
import argparse
import os
import shutil

import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore import Model, context
from mindspore.common import dtype as mstype
from mindspore.common import set_seed
from mindspore.common.initializer import TruncatedNormal
from mindspore.nn.metrics import Accuracy
from mindspore.train.callback import Callback, CheckpointConfig, LossMonitor, ModelCheckpoint
from mindspore.train.serialization import load_checkpoint, load_param_into_net

try:
    import mindspore.dataset.transforms.c_transforms as C
    import mindspore.dataset.vision.c_transforms as CV
except ImportError:
    import mindspore.dataset.transforms as C
    import mindspore.dataset.vision as CV


class LeNet(nn.Cell):
    def __init__(self, classes=10):
        super(LeNet, self).__init__()
        small = TruncatedNormal(0.02)
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", weight_init=small)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", weight_init=small)
        self.fc1 = nn.Dense(16 * 5 * 5, 120, small, small)
        self.fc2 = nn.Dense(120, 84, small, small)
        self.fc3 = nn.Dense(84, classes, small, small)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))


def stripes(count):
    random = np.random.RandomState(3)
    images = random.randint(0, 255, (count, 28, 28, 1)).astype(np.uint8)
    labels = random.randint(0, 10, count).astype(np.int32)
    for image, label in zip(images, labels):
        stripe = image[label * 2 : label * 2 + 6]
        stripe[:] = 200 + stripe // 5       # (of one grey, pools would meet ties, which rounding decides)
    return list(zip(images, labels))


def create_dataset(batch_size=16):
    data = ds.GeneratorDataset(stripes(96), ["image", "label"], shuffle=False)
    data = data.map(operations=C.TypeCast(mstype.int32), input_columns="label")
    data = data.map(operations=CV.Resize((32, 32)), input_columns="image")
    data = data.map(operations=[CV.Rescale(1.0 / 255.0, 0.0), CV.HWC2CHW()], input_columns="image")
    return data.shuffle(buffer_size=64).batch(batch_size, drop_remainder=True)


class Watch(Callback):
    """Keeps losses, and evaluates every sixth step."""

    def __init__(self, model, data):
        self.model = model
        self.data = data
        self.losses = []

    def step_end(self, run_context):
        params = run_context.original_args()
        step = (params.cur_epoch_num - 1) * params.batch_num + params.cur_step_num % params.batch_num
        self.losses.append(str(params.net_outputs))
        if params.cur_step_num % 6 == 0:
            print("evaluated at", step, self.model.eval(self.data, dataset_sink_mode=False))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", type=str, default="Ascend", choices=["Ascend", "GPU", "CPU"])
    parser.add_argument("--ckpt_path", type=str, default="./ckpt")
    args = parser.parse_args()
    context.set_context(mode=context.GRAPH_MODE, device_target=args.device_target, save_graphs=False)
    set_seed(1)
    shutil.rmtree(args.ckpt_path, ignore_errors=True)

    network = LeNet()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    model = Model(network, loss, optimizer, metrics={"Accuracy": Accuracy(), "loss": nn.Loss()})
    watch = Watch(model, create_dataset())
    config = CheckpointConfig(save_checkpoint_steps=6, keep_checkpoint_max=2)
    saver = ModelCheckpoint(prefix="lenet", directory=args.ckpt_path, config=config)
    model.train(4, create_dataset(), callbacks=[saver, LossMonitor(2), watch], dataset_sink_mode=False)
    print(watch.losses)

    kept = sorted(name for name in os.listdir(args.ckpt_path) if name.endswith(".ckpt"))
    print(kept)
    weights = load_checkpoint(os.path.join(args.ckpt_path, kept[-1]))
    print(sorted(weights))
    fresh = LeNet()
    load_param_into_net(fresh, weights)
    print(Model(fresh, loss, metrics={"acc"}).eval(create_dataset(), dataset_sink_mode=False))
    print(fresh.fc3.weight.asnumpy()[0, :4], fresh.conv1.weight.asnumpy().sum())
