"""A loss that holds derivatives of the network, the second one too."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_seed(2)


class Field(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.SequentialCell(nn.Dense(2, 6), nn.Tanh(), nn.Dense(6, 1))
        self.nu = Parameter(Tensor(0.3, ms.float32), name="nu")

    def construct(self, x, t):
        return self.net(ops.stack((x, t), -1)).squeeze(-1)


field = Field()
u_x = ms.grad(lambda x, t: field(x, t).sum(), 0)
u_t = ms.grad(lambda x, t: field(x, t).sum(), 1)
u_xx = ms.grad(lambda x, t: u_x(x, t).sum(), 0)


def loss_of(x, t, start):
    residual = u_t(x, t) + field(x, t) * u_x(x, t) - field.nu * u_xx(x, t)
    return (residual ** 2).mean() + 2.0 * ((field(x, ops.zeros_like(t)) - start) ** 2).mean()


optimizer = nn.Momentum(field.trainable_params(), 0.05, 0.9)
step = ms.value_and_grad(loss_of, None, optimizer.parameters)
rng = np.random.RandomState(4)
for _ in range(2):
    x, t = rng.uniform(-1, 1, 20).astype(np.float32), rng.rand(20).astype(np.float32)
    value, gradients = step(Tensor(x), Tensor(t), Tensor(-np.sin(np.pi * x)))
    optimizer(gradients)
    print(value)
