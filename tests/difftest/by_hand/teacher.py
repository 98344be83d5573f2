"""A network, its average, and a convolution along one axis."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(29)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.convolve = nn.Conv1d(5, 4, 3, pad_mode="valid", has_bias=True)
        self.out = nn.Dense(4, 3)

    def construct(self, x):
        return self.out(ops.tanh(self.convolve(x)).mean(2))


net, teacher = Net(), Net()
for weight, average in zip(net.trainable_params(), teacher.trainable_params(), strict=True):
    average.set_data(weight.value())


def loss(x, y):
    learnt, taught = net(x), ops.stop_gradient(teacher(x + 0.1))
    return ops.cross_entropy(learnt, y) + ((learnt - taught) ** 2).mean()


optimizer = nn.Adam(net.trainable_params(), 0.02)
differentiated = ms.value_and_grad(loss, None, optimizer.parameters)
rng = np.random.RandomState(5)
for _ in range(3):
    x, y = Tensor(rng.randn(6, 5, 7).astype(np.float32)), Tensor(rng.randint(0, 3, 6).astype(np.int32))
    value, gradients = differentiated(x, y)
    optimizer(gradients)
    for weight, average in zip(net.trainable_params(), teacher.trainable_params(), strict=True):
        average.set_data(0.8 * average + 0.2 * weight)
    print(value)
