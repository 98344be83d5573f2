"""2.x style: RealNVP on two moons; coupling layers, the change of variables, gradients of density."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import Normal


class Coupling(nn.Cell):
    """Half of the coordinates stay and move and scale the other half."""

    def __init__(self, hidden, flip):
        super().__init__()
        self.flip = flip
        self.scale = nn.SequentialCell(
            nn.Dense(1, hidden, Normal(0.5)), nn.Tanh(), nn.Dense(hidden, 1, Normal(0.1)), nn.Tanh()
        )
        self.move = nn.SequentialCell(
            nn.Dense(1, hidden, Normal(0.5)), nn.ReLU(), nn.Dense(hidden, 1, Normal(0.1))
        )

    def construct(self, x):
        kept, other = x.chunk(2, 1)
        if self.flip:
            kept, other = other, kept
        scale = self.scale(kept)
        other = other * scale.exp() + self.move(kept)
        out = (other, kept) if self.flip else (kept, other)
        return ops.cat(out, 1), scale.sum(1)

    def inverse(self, y):
        kept, other = y.chunk(2, 1)
        if self.flip:
            kept, other = other, kept
        other = (other - self.move(kept)) * (-self.scale(kept)).exp()
        out = (other, kept) if self.flip else (kept, other)
        return ops.cat(out, 1)


class RealNVP(nn.Cell):
    def __init__(self, depth, hidden):
        super().__init__()
        self.layers = nn.CellList([Coupling(hidden, i % 2 == 1) for i in range(depth)])

    def construct(self, x):
        total = 0.0
        for layer in self.layers:
            x, volume = layer(x)
            total = total + volume
        prior = -0.5 * (x * x).sum(1) - float(np.log(2 * np.pi))
        return prior + total

    def sample(self, z):
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def moons(count, rng):
    angle = rng.uniform(0, np.pi, count)
    upper = rng.random(count) < 0.5
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle)) - 0.5
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle)) - 0.25
    return (np.stack([x, y], 1) + rng.normal(0, 0.08, (count, 2))).astype(np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="Ascend")
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target=parser.parse_args().device_target)
    ms.set_seed(21)
    rng = np.random.default_rng(4)
    flow = RealNVP(4, 16)
    optimizer = nn.Adam(flow.trainable_params(), 0.01, weight_decay=1e-5)
    def forward(x):
        return -flow(x).mean()

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    for step in range(40):
        loss, grads = grad_fn(Tensor(moons(64, rng)))
        optimizer(grads)
        if step % 2 == 0:
            print(f"step {step} nll {loss.item():.9f}")
    points = Tensor(moons(5, rng))
    score = ms.grad(lambda x: flow(x).sum())(points)
    print("score", score.asnumpy().ravel())
    there = flow.sample(Tensor(rng.normal(size=(4, 2)).astype(np.float32)))
    print("samples", there.asnumpy().ravel())
    print("norms", [(p * p).sum().sqrt().item() for p in flow.layers[0].trainable_params()])


main()
