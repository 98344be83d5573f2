"""Stripes of three directions, as a MindSpore program of release 1.0 learns them."""

import mindspore.dataset as ds
import mindspore.dataset.transforms.c_transforms as C2
import mindspore.dataset.vision.c_transforms as CV
import mindspore.nn as nn
import numpy as np
from mindspore import Tensor, context
from mindspore.common import dtype as mstype
from mindspore.common import set_seed
from mindspore.common.parameter import ParameterTuple
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.train.callback import LossMonitor
from mindspore.train.loss_scale_manager import FixedLossScaleManager
from mindspore.train.model import Model

set_seed(1)
context.set_context(mode=context.GRAPH_MODE, device_target="Ascend", device_id=0, save_graphs=False,
                    enable_auto_mixed_precision=True)


class Stripes:
    """Images of 12x12 uint8 pixels; the label is the direction."""

    def __init__(self, length):
        rng = np.random.RandomState(7)
        y, x = np.mgrid[:12, :12]
        self.labels = rng.randint(0, 3, length).astype(np.int)
        waves = [np.sin((a * x + b * y) * 1.2 + p) for a, b, p in
                 zip(self.labels != 1, self.labels != 0, rng.uniform(0, 6, length))]
        noise = rng.normal(0, 0.5, (length, 12, 12))
        self.images = np.clip(128 + 60 * (np.array(waves) + noise), 0, 255).astype(np.uint8)[..., None]

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


def create_dataset():
    data_set = ds.GeneratorDataset(Stripes(512), ["image", "label"], shuffle=True)
    data_set = data_set.map(operations=C2.TypeCast(mstype.int32), input_columns="label")
    data_set = data_set.map(operations=[CV.Rescale(1.0 / 255.0, -0.5), CV.HWC2CHW()], input_columns="image")
    return data_set.batch(32, drop_remainder=True)


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = nn.Conv2d(1, 8, 5)
        self.fc1 = nn.Dense(8 * 6 * 6, 32)
        self.fc2 = nn.Dense(32, 3)
        self.dropout = nn.Dropout(0.9)
        self.relu = P.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = P.Flatten()
        self.add = P.TensorAdd()

    def construct(self, x):
        x = self.pool(self.relu(self.conv(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.add(self.fc2(self.dropout(x)), 0.0)


clip = C.MultitypeFuncGraph("clip")


@clip.register("Number", "Tensor")
def _clip(limit, gradient):
    return C.clip_by_value(gradient, F.cast(F.tuple_to_array((-limit,)), F.dtype(gradient)),
                           F.cast(F.tuple_to_array((limit,)), F.dtype(gradient)))


class TrainStep(nn.Cell):
    """Forward, scaled gradient, clipping, update."""

    def __init__(self, network, optimizer, sens=1.0):
        super(TrainStep, self).__init__(auto_prefix=False)
        self.network = network
        self.network.set_train()
        self.network.set_grad()
        self.weights = ParameterTuple(network.trainable_params())
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.hyper_map = C.HyperMap()
        self.sens = sens

    def construct(self, image, label):
        loss = self.network(image, label)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, self.weights)(image, label, sens)
        grads = self.hyper_map(F.partial(clip, 1.0 * self.sens), grads)
        return F.depend(loss, self.optimizer(grads))


network = nn.WithLossCell(Net(), nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
scale = FixedLossScaleManager(128.0, drop_overflow_update=False)
momentum = nn.Momentum(network.trainable_params(), 0.1, 0.9, loss_scale=scale.get_loss_scale())
model = Model(TrainStep(network, momentum, sens=scale.get_loss_scale()))
data = create_dataset()
model.train(10, data, callbacks=[LossMonitor(data.get_dataset_size())], dataset_sink_mode=True)
print("trained on", context.get_context("device_target"), Tensor(np.zeros((1,))).dtype)
