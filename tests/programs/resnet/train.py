"""r1.3 style model folder: src/ package, weight-decay groups, a list of rates, static loss scale."""
import argparse
import ast

import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore import Tensor, context
from mindspore.common import set_seed
from mindspore.common.initializer import TruncatedNormal, initializer
from mindspore.communication.management import init
from mindspore.context import ParallelMode
from mindspore.nn.optim.momentum import Momentum
from mindspore.train.callback import LossMonitor
from mindspore.train.loss_scale_manager import FixedLossScaleManager
from mindspore.train.model import Model
from src.config import config
from src.loss import SmoothedCrossEntropy
from src.lr import rates
from src.network import resnet18

parser = argparse.ArgumentParser(description="Image classification")
parser.add_argument("--run_distribute", type=ast.literal_eval, default=False)
parser.add_argument("--device_num", type=int, default=1)
parser.add_argument("--device_target", type=str, default="Ascend")
args = parser.parse_args()
set_seed(1)


class Colours:
    """Noise with one channel's mean moved by the label."""

    def __init__(self, count):
        random = np.random.RandomState(0)
        self.images = random.randn(count, 3, 32, 32).astype(np.float32)
        self.labels = random.randint(0, config.class_num, count).astype(np.int32)
        for image, label in zip(self.images, self.labels):
            image[:, label] += 2

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.images)


if __name__ == "__main__":
    context.set_context(mode=context.GRAPH_MODE, device_target=args.device_target, save_graphs=False)
    if args.run_distribute:
        context.set_auto_parallel_context(
            device_num=args.device_num, parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True
        )
        init()

    data = ds.GeneratorDataset(Colours(32), ["image", "label"], shuffle=True)
    data = data.batch(config.batch_size, drop_remainder=True)
    network = resnet18(config.class_num)
    for _, cell in network.cells_and_names():
        if isinstance(cell, nn.Dense):
            weight = cell.weight
            weight.set_data(initializer(TruncatedNormal(), weight.shape, weight.dtype))

    decayed, plain = [], []
    for param in network.trainable_params():
        names = ("beta", "gamma", "bias")
        (plain if any(name in param.name for name in names) else decayed).append(param)
    groups = [
        {"params": decayed, "weight_decay": config.weight_decay},
        {"params": plain},
        {"order_params": network.trainable_params()},
    ]
    rate = Tensor(rates(config, data.get_dataset_size()))
    optimizer = Momentum(groups, rate, config.momentum, loss_scale=config.loss_scale)
    loss = SmoothedCrossEntropy(config.smoothing, config.class_num)
    scale = FixedLossScaleManager(config.loss_scale, drop_overflow_update=False)
    model = Model(network, loss_fn=loss, optimizer=optimizer, loss_scale_manager=scale, metrics={"acc"})
    model.train(config.epochs, data, callbacks=[LossMonitor()], dataset_sink_mode=False)
    print(model.eval(data, dataset_sink_mode=False))
    for name, param in list(network.parameters_and_names())[:12]:
        print(name, param.shape, param.requires_grad, param.asnumpy().ravel()[:3])
    print([param.name for param in optimizer.get_parameters()][-3:])
