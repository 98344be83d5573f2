"""r1.9 style: an MLP-Mixer with ms_function and a dynamic loss scaler; checkpoints, and on from them."""

import argparse
import os

import mindspore as ms
import mindspore.nn as nn
import mindspore.numpy as mnp
import mindspore.ops as ops
import numpy as np
from mindspore import ParameterTuple, Tensor, ms_function
from mindspore.amp import DynamicLossScaler, all_finite
from mindspore.common.initializer import HeUniform

parser = argparse.ArgumentParser()
parser.add_argument("--device_target", default="Ascend")
ms.set_context(mode=ms.PYNATIVE_MODE, device_target=parser.parse_args().device_target)
ms.set_seed(17)


class Mixer(nn.Cell):
    """Mixes places, then channels, around two residuals."""

    def __init__(self, places, channels, hidden):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm([channels]), nn.LayerNorm([channels])
        self.places = nn.SequentialCell(
            nn.Dense(places, hidden, HeUniform()), nn.GELU(), nn.Dense(hidden, places, HeUniform())
        )
        self.channels = nn.SequentialCell(
            nn.Dense(channels, hidden, HeUniform()), nn.GELU(), nn.Dense(hidden, channels, HeUniform())
        )

    def construct(self, x):
        x = x + self.places(self.norm1(x).transpose(0, 2, 1)).transpose(0, 2, 1)
        return x + self.channels(self.norm2(x))


class Regressor(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mixer = nn.SequentialCell(*[Mixer(4, 8, 16) for _ in range(2)])
        self.head = nn.Dense(8, 1)

    def construct(self, x):
        return mnp.squeeze(self.head(self.mixer(x).mean(1)), -1)


def batches(count):
    random = np.random.RandomState(11)
    weight = random.randn(4, 8)
    for _ in range(count):
        x = random.randn(16, 4, 8).astype(np.float32)
        yield Tensor(x), Tensor(np.tanh((x * weight).sum((1, 2)) / 4).astype(np.float32))


net = Regressor()
loss_fn = nn.HuberLoss(delta=0.5)
weights = ParameterTuple(net.trainable_params())
schedule = nn.CosineDecayLR(1e-3, 2e-2, 30)
optimizer = nn.Adam(weights, schedule)
scaler = DynamicLossScaler(scale_value=2**8, scale_factor=2, scale_window=5)


def forward(x, y):
    loss = loss_fn(net(x), y)
    return scaler.scale(loss), loss


grad_fn = ops.value_and_grad(forward, None, weights, has_aux=True)


@ms_function
def step(x, y):
    (_, loss), grads = grad_fn(x, y)
    grads = scaler.unscale(grads)
    finite = all_finite(grads)
    if finite:
        optimizer(grads)
    scaler.adjust(finite)
    return loss


for i, (x, y) in enumerate(batches(15)):
    print("step", i, "loss", step(x, y), "scale", scaler.scale_value.asnumpy())
ms.save_checkpoint(net, "net.ckpt")
ms.save_checkpoint(optimizer, "optimizer.ckpt")
before = net(x).asnumpy()

net.head.weight.set_data(ops.zeros_like(net.head.weight))
ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt"))
ms.load_param_into_net(optimizer, ms.load_checkpoint("optimizer.ckpt"))
print(
    np.array_equal(net(x).asnumpy(), before),
    optimizer.global_step.asnumpy(),
    os.path.getsize("net.ckpt") > 1000,
)
for i, (x, y) in enumerate(batches(15)):
    print("step", i + 15, "loss", step(x, y), "scale", scaler.scale_value.asnumpy())
