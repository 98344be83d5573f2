"""r1.1 style: MobileNetV2 blocks, label smoothing, a list of rates with warm-up and cosine."""

import argparse
import math

import mindspore.dataset as ds
import mindspore.dataset.transforms.c_transforms as C2
import mindspore.dataset.vision.c_transforms as C
import mindspore.nn as nn
import numpy as np
from mindspore import Tensor, context
from mindspore.common import dtype as mstype
from mindspore.common import set_seed
from mindspore.nn.loss.loss import _Loss
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.ops.operations import TensorAdd
from mindspore.train import Model
from mindspore.train.callback import Callback
from mindspore.train.loss_scale_manager import FixedLossScaleManager


def _make_divisible(v, divisor, min_value=None):
    if min_value is None:
        min_value = divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < 0.9 * v:
        new_v += divisor
    return new_v


class GlobalAvgPooling(nn.Cell):
    def __init__(self):
        super(GlobalAvgPooling, self).__init__()
        self.mean = P.ReduceMean(keep_dims=False)

    def construct(self, x):
        return self.mean(x, (2, 3))


class ConvBNReLU(nn.Cell):
    def __init__(self, in_planes, out_planes, kernel_size=3, stride=1, groups=1):
        super(ConvBNReLU, self).__init__()
        padding = (kernel_size - 1) // 2
        if groups == 1:
            conv = nn.Conv2d(in_planes, out_planes, kernel_size, stride, pad_mode="pad", padding=padding)
        else:
            conv = nn.Conv2d(
                in_planes, in_planes, kernel_size, stride, pad_mode="pad", padding=padding, group=in_planes
            )
        self.features = nn.SequentialCell([conv, nn.BatchNorm2d(out_planes), nn.ReLU6()])

    def construct(self, x):
        return self.features(x)


class InvertedResidual(nn.Cell):
    def __init__(self, inp, oup, stride, expand_ratio):
        super(InvertedResidual, self).__init__()
        hidden_dim = int(round(inp * expand_ratio))
        self.use_res_connect = stride == 1 and inp == oup
        layers = []
        if expand_ratio != 1:
            layers.append(ConvBNReLU(inp, hidden_dim, kernel_size=1))
        layers.extend(
            [
                ConvBNReLU(hidden_dim, hidden_dim, stride=stride, groups=hidden_dim),
                nn.Conv2d(hidden_dim, oup, kernel_size=1, stride=1, has_bias=False),
                nn.BatchNorm2d(oup),
            ]
        )
        self.conv = nn.SequentialCell(layers)
        self.add = TensorAdd()

    def construct(self, x):
        identity = x
        x = self.conv(x)
        if self.use_res_connect:
            return self.add(identity, x)
        return x


class MobileNetV2(nn.Cell):
    def __init__(self, num_classes=6, width_mult=0.5):
        super(MobileNetV2, self).__init__()
        settings = [[1, 8, 1, 1], [4, 16, 2, 2]]
        channel = _make_divisible(16 * width_mult, 8)
        features = [ConvBNReLU(3, channel, stride=2)]
        for t, c, n, s in settings:
            output_channel = _make_divisible(c * width_mult, 8)
            for i in range(n):
                features.append(InvertedResidual(channel, output_channel, s if i == 0 else 1, t))
                channel = output_channel
        features.append(ConvBNReLU(channel, 32, kernel_size=1))
        self.features = nn.SequentialCell(features)
        self.head = nn.SequentialCell([GlobalAvgPooling(), nn.Dense(32, num_classes, has_bias=True)])
        self._initialize_weights()

    def construct(self, x):
        return self.head(self.features(x))

    def _initialize_weights(self):
        self.init_parameters_data()
        random = np.random.RandomState(7)
        for _, m in self.cells_and_names():
            if isinstance(m, nn.Conv2d):
                n = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
                w = random.normal(0, np.sqrt(2.0 / n), m.weight.data.shape).astype("float32")
                m.weight.set_data(Tensor(w))
            elif isinstance(m, nn.Dense):
                m.weight.set_data(Tensor(random.normal(0, 0.01, m.weight.data.shape).astype("float32")))


class CrossEntropyWithLabelSmooth(_Loss):
    def __init__(self, smooth_factor=0.1, num_classes=6):
        super(CrossEntropyWithLabelSmooth, self).__init__()
        self.onehot = P.OneHot()
        self.on_value = Tensor(1.0 - smooth_factor, mstype.float32)
        self.off_value = Tensor(1.0 * smooth_factor / (num_classes - 1), mstype.float32)
        self.ce = nn.SoftmaxCrossEntropyWithLogits()
        self.mean = P.ReduceMean(False)

    def construct(self, logit, label):
        one_hot_label = self.onehot(label, F.shape(logit)[1], self.on_value, self.off_value)
        return self.mean(self.ce(logit, one_hot_label), 0)


def get_lr(lr_init, lr_end, lr_max, warmup_steps, total_steps):
    lr_each_step = []
    for i in range(total_steps):
        if i < warmup_steps:
            lr = lr_init + (lr_max - lr_init) * i / warmup_steps
        else:
            lr = (
                lr_end
                + (lr_max - lr_end)
                * (1.0 + math.cos(math.pi * (i - warmup_steps) / (total_steps - warmup_steps)))
                / 2.0
            )
        lr_each_step.append(max(lr, 0.0))
    return np.array(lr_each_step).astype(np.float32)


class Monitor(Callback):
    def __init__(self, lr_init):
        super(Monitor, self).__init__()
        self.lr_init = lr_init

    def epoch_begin(self, run_context):
        self.losses = []

    def epoch_end(self, run_context):
        print("avg loss: {:.8f}".format(np.mean(self.losses)))

    def step_end(self, run_context):
        cb_params = run_context.original_args()
        step_loss = np.mean(cb_params.net_outputs.asnumpy())
        self.losses.append(step_loss)
        print(
            "epoch: [{:3d}/{:3d}], loss: {:.8f}, lr: {:.6f}".format(
                cb_params.cur_epoch_num,
                cb_params.epoch_num,
                step_loss,
                self.lr_init[cb_params.cur_step_num - 1],
            )
        )


def pictures(count):
    """Coloured bars: the class is the place of the brightest."""
    random = np.random.RandomState(4)
    for _ in range(count):
        image = random.randint(0, 160, (36, 36, 3)).astype(np.uint8)
        label = random.randint(0, 6)
        image[:, label * 6 : label * 6 + 6] += 90
        yield image, np.array(label, np.int64)


def create_dataset(count, batch_size):
    data = ds.GeneratorDataset(list(pictures(count)), ["image", "label"], shuffle=False)
    trans = [
        C.CenterCrop(32),
        C.Normalize(
            mean=[0.485 * 255, 0.456 * 255, 0.406 * 255], std=[0.229 * 255, 0.224 * 255, 0.225 * 255]
        ),
        C.HWC2CHW(),
    ]
    data = data.map(operations=trans, input_columns="image")
    data = data.map(operations=C2.TypeCast(mstype.int32), input_columns="label")
    return data.batch(batch_size, drop_remainder=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Image classification")
    parser.add_argument("--device_target", type=str, default="Ascend")
    args_opt = parser.parse_args()
    context.set_context(mode=context.GRAPH_MODE, device_target=args_opt.device_target, save_graphs=False)
    set_seed(1)
    net = MobileNetV2()
    loss = CrossEntropyWithLabelSmooth()
    dataset = create_dataset(32, 8)
    lr = get_lr(0.0, 0.0, 0.05, 4, 5 * dataset.get_dataset_size())
    opt = nn.Momentum(filter(lambda x: x.requires_grad, net.get_parameters()), Tensor(lr), 0.9, 4e-5, 1024)
    model = Model(
        net,
        loss_fn=loss,
        optimizer=opt,
        loss_scale_manager=FixedLossScaleManager(1024, drop_overflow_update=False),
    )
    model.train(5, dataset, callbacks=[Monitor(lr_init=lr)], dataset_sink_mode=False)
    print(sum(p.size for p in net.get_parameters()), net.head[1].bias.asnumpy())
