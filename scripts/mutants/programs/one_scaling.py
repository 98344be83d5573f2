"""Six float16 steps under a loss scale, the third with an overflow: ``one_scaling.py [static]``."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, amp, nn, ops

ms.set_seed(1)

net = nn.SequentialCell(nn.Dense(5, 8), nn.Tanh(), nn.Dense(8, 2)).to_float(ms.float16)
net.set_train()
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
scaler = amp.StaticLossScaler(128) if "static" in sys.argv else amp.DynamicLossScaler(256, 2, 2)


def forward(x, y):
    return scaler.scale(ops.reduce_mean(ops.square(net(x).astype(ms.float32) - y)))


gradient = ms.value_and_grad(forward, None, optimizer.parameters)
rng = np.random.RandomState(0)
for n in range(6):
    x, y = rng.randn(6, 5).astype(np.float32), rng.randn(6, 2).astype(np.float32)
    if n == 2:
        y = y * 1e30
    loss, gradients = gradient(Tensor(x), Tensor(y))
    finite = amp.all_finite(gradients)
    if finite:
        optimizer(scaler.unscale(gradients))
    scaler.adjust(finite)
    print(scaler.unscale(loss), finite, getattr(scaler, "scale_value", 0))
