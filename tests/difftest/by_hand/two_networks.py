"""Two networks whose parameters have the same names, one with moving statistics, each with an optimizer: a
functional step of either."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(3)


class Generator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Dense(4, 8), nn.BatchNorm1d(8), nn.Dense(8, 6)

    def construct(self, z):
        return ops.tanh(self.fc2(ops.relu(self.norm(self.fc1(z)))))


class Critic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Dense(6, 8), nn.Dense(8, 1)

    def construct(self, x):
        return self.fc2(ops.relu(self.fc1(x)))


generator, critic = Generator(), Critic()
made = nn.Adam(generator.trainable_params(), 1e-2, beta1=0.5)
judged = nn.Adam(critic.trainable_params(), 1e-2, beta1=0.5)
bce = nn.BCEWithLogitsLoss()


def critics(real, z):
    of_real, of_made = critic(real), critic(ops.stop_gradient(generator(z)))
    return bce(of_real, ops.ones_like(of_real)) + bce(of_made, ops.zeros_like(of_made))


def generators(z):
    of_made = critic(generator(z))
    return bce(of_made, ops.ones_like(of_made))


critics_gradient = ms.value_and_grad(critics, None, judged.parameters)
generators_gradient = ms.value_and_grad(generators, None, made.parameters)
generator.set_train()
critic.set_train()
rng = np.random.default_rng(0)
for _ in range(2):
    real = Tensor(rng.normal(size=(16, 6)).astype(np.float32))
    z = Tensor(rng.normal(size=(16, 4)).astype(np.float32))
    judged(critics_gradient(real, z)[1])
    made(generators_gradient(z)[1])
