"""Square matrices that a program multiplies by itself, and a loss scale within what it differentiates."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import initializer

ms.set_seed(7)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.into = Parameter(initializer("normal", [8, 8], ms.float32), name="into")
        self.through = Parameter(initializer("xavier_uniform", [8, 8], ms.float32), name="through")
        self.out = nn.Dense(8, 2)

    def construct(self, x):
        return self.out(ops.relu(x @ self.into) @ self.through)


net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)


def scaled(x, y):
    loss = ops.mse_loss(net(x), y)
    return loss * 1024.0, loss


gradient = ms.value_and_grad(scaled, None, optimizer.parameters, has_aux=True)
rng = np.random.RandomState(1)
for _ in range(2):
    x, y = (Tensor(rng.randn(6, n).astype(np.float32)) for n in (8, 2))
    (_, loss), gradients = gradient(x, y)
    optimizer(tuple(g / 1024.0 for g in gradients))
    print(loss)
