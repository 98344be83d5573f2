"""r1.2 style: a U-Net that finds discs in noise; Dice and cross entropy, a loss scale, c_transforms."""

import argparse

import mindspore
import mindspore.dataset as ds
import mindspore.dataset.vision.c_transforms as c_vision
import mindspore.nn as nn
import mindspore.ops as ops
import mindspore.ops.operations as F
import numpy as np
from mindspore import Model, context
from mindspore.common.initializer import TruncatedNormal
from mindspore.nn import CentralCrop
from mindspore.nn.loss.loss import _Loss
from mindspore.train.callback import Callback
from mindspore.train.loss_scale_manager import FixedLossScaleManager


def conv(in_channel, out_channel):
    kernel = TruncatedNormal(0.15)
    return nn.SequentialCell(
        [
            nn.Conv2d(
                in_channel, out_channel, kernel_size=3, has_bias=True, weight_init=kernel, pad_mode="same"
            ),
            nn.BatchNorm2d(out_channel),
            nn.ReLU(),
        ]
    )


class Up(nn.Cell):
    def __init__(self, in_channel, out_channel, crop):
        super(Up, self).__init__()
        self.center_crop = CentralCrop(central_fraction=crop)
        self.up = nn.Conv2dTranspose(
            in_channel,
            out_channel,
            kernel_size=2,
            stride=2,
            pad_mode="same",
            weight_init=TruncatedNormal(0.2),
        )
        self.relu = F.ReLU()
        self.concat = F.Concat(axis=1)
        self.double_conv = conv(out_channel * 2, out_channel)

    def construct(self, x1, x2):
        x1 = self.relu(self.up(x1))
        x2 = self.center_crop(x2)
        return self.double_conv(self.concat((x1, x2)))


class UNet(nn.Cell):
    def __init__(self, n_channels, n_classes):
        super(UNet, self).__init__()
        self.inc = conv(n_channels, 8)
        self.maxpool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.down1 = conv(8, 16)
        self.down2 = conv(16, 32)
        self.up1 = Up(32, 16, 1.0)
        self.up2 = Up(16, 8, 1.0)
        self.outc = nn.Conv2d(8, n_classes, kernel_size=1, has_bias=True, weight_init=TruncatedNormal(0.15))

    def construct(self, x):
        x1 = self.inc(x)
        x2 = self.down1(self.maxpool(x1))
        x3 = self.down2(self.maxpool(x2))
        return self.outc(self.up2(self.up1(x3, x2), x1))


class CrossEntropyWithDice(_Loss):
    def __init__(self, weight):
        super(CrossEntropyWithDice, self).__init__()
        self.transpose = F.Transpose()
        self.reshape = F.Reshape()
        self.softmax = nn.Softmax(axis=-1)
        self.sum = F.ReduceSum(keep_dims=False)
        self.loss = nn.SoftmaxCrossEntropyWithLogits()
        self.weight = weight

    def construct(self, logits, label):
        logits = self.reshape(self.transpose(logits, (0, 2, 3, 1)), (-1, 2))
        label = self.reshape(self.transpose(label, (0, 2, 3, 1)), (-1, 2))
        entropy = self.get_loss(self.loss(logits, label), self.weight)
        share = self.softmax(logits)
        dice = (2 * self.sum(share * label) + 1.0) / (self.sum(share * share) + self.sum(label * label) + 1.0)
        return entropy + 1.0 - dice


class StepLossTimeMonitor(Callback):
    def step_end(self, run_context):
        cb_params = run_context.original_args()
        step = (cb_params.cur_step_num - 1) % cb_params.batch_num + 1
        print("step: %s, loss is %s" % (step, cb_params.net_outputs))


class DiceCoeff(nn.Metric):
    """Overlap of what is found and what is there."""

    def __init__(self):
        super(DiceCoeff, self).__init__()
        self.clear()

    def clear(self):
        self._sum = 0
        self._num = 0

    def update(self, *inputs):
        found = self._convert_data(inputs[0]).argmax(1)
        there = self._convert_data(inputs[1]).argmax(1)
        self._sum += 2 * (found * there).sum() / max(1, found.sum() + there.sum())
        self._num += 1

    def eval(self):
        return self._sum / self._num


def discs(count):
    random = np.random.RandomState(0)
    rows, columns = np.mgrid[:24, :24]
    for _ in range(count):
        y, x, r = random.randint(6, 18), random.randint(6, 18), random.randint(3, 7)
        mask = ((rows - y) ** 2 + (columns - x) ** 2 < r * r).astype(np.uint8)
        image = np.clip(mask * 90 + random.randint(0, 120, (24, 24)), 0, 255).astype(np.uint8)
        yield image[..., None], mask


def create_dataset(count, batch_size):
    data = ds.GeneratorDataset(list(discs(count)), ["image", "mask"], shuffle=False)
    data = data.map(operations=[c_vision.Rescale(1.0 / 127.5, -1), c_vision.HWC2CHW()], input_columns="image")
    data = data.map(operations=lambda m: np.stack([1 - m, m]).astype(np.float32), input_columns="mask")
    return data.batch(batch_size, drop_remainder=True)


def train_net(device_target):
    context.set_context(mode=context.GRAPH_MODE, device_target=device_target, save_graphs=False)
    mindspore.set_seed(1)
    net = UNet(n_channels=1, n_classes=2)
    criterion = CrossEntropyWithDice(2.0)
    optimizer = nn.Adam(
        params=net.trainable_params(), learning_rate=2e-3, weight_decay=5e-4, loss_scale=1024.0
    )
    manager = FixedLossScaleManager(1024.0, False)
    model = Model(
        net,
        loss_fn=criterion,
        loss_scale_manager=manager,
        optimizer=optimizer,
        amp_level="O0",
        metrics={"dice_coeff": DiceCoeff()},
    )
    data = create_dataset(16, 4)
    print("============== Starting Training ==============")
    model.train(4, data, callbacks=[StepLossTimeMonitor()], dataset_sink_mode=False)
    print("============== End Training ==============")
    print(model.eval(data, dataset_sink_mode=False))
    print(ops.ReduceSum()(net.outc.weight), net.inc[1].moving_mean.asnumpy()[:3])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="Ascend")
    train_net(parser.parse_args().device_target)
