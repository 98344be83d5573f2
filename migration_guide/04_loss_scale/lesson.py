"""Loss scale: underflow in float16 made visible, and the machines that choose the scale.

    python -m ms2torch migration_guide/04_loss_scale/lesson.py
"""

# %% float16
import mindspore as ms
import numpy as np
import torch
from matplotlib.figure import Figure
from mindspore import amp, nn, ops

for number in (1.0, 1e-4, 1e-5, 1e-6, 1e-7, 2e-8, 70000.0):
    print(f"{number:<8g} in float16 is {float(ms.Tensor(number).astype(ms.float16)):g}")

# %% check float16
assert float(ms.Tensor(2e-8).astype(ms.float16)) == 0 and np.isinf(float(ms.Tensor(7e4).astype(ms.float16)))


# %% network
class Net(nn.Cell):
    """Eight layers with sigmoids, computing in one float type; the weights stay float32."""

    def __init__(self, compute):
        super().__init__()
        layers = []
        for _ in range(8):
            layers += [nn.Dense(32, 32), nn.Sigmoid()]
        self.layers = nn.SequentialCell(*layers, nn.Dense(32, 10))
        self.layers.to_float(compute)

    def construct(self, x, target):
        return ops.mse_loss(self.layers(x).astype(ms.float32), target)


def network(compute):
    """The same network each time, but for the float type."""
    ms.set_seed(1)
    return Net(compute)


rng = np.random.default_rng(0)
x = ms.Tensor(rng.normal(size=(256, 32)), ms.float32)
target = ms.Tensor(rng.normal(size=(256, 10)), ms.float32)


def gradients(compute, scale):
    """All gradients of the weights, taken of the loss times scale, divided by scale, as one array."""
    net = network(compute)
    scaled_loss = ms.grad(lambda: net(x, target) * scale, None, net.trainable_params())
    return np.concatenate([g.asnumpy().astype(np.float64).ravel() for g in scaled_loss()]) / scale


# %% histogram
exact = gradients(ms.float32, 1)
half = gradients(ms.float16, 1)
scaled = gradients(ms.float16, 2.0**12)

figure = Figure((6.4, 5.4))
bins = np.arange(-50, -4, 0.5)
for place, (name, values) in enumerate([("float32", exact), ("float16", half), ("float16, loss times 4096", scaled)], 1):
    axes = figure.add_subplot(3, 1, place)
    zeros = np.mean(values == 0)
    axes.hist(np.log2(np.abs(values[values != 0])), bins)
    axes.axvline(-24, color="tab:red", linewidth=1)
    axes.set_title(f"{name}: {zeros:.1%} are zero", loc="left", fontsize=10)
    axes.set_xlim(-50, -4)
axes.set_xlabel("log2 of a gradient; red: the smallest number of float16")
figure.tight_layout()
for name, values in [("float32", exact), ("float16", half), ("float16 scaled", scaled)]:
    error = np.linalg.norm(values - exact) / np.linalg.norm(exact)
    print(f"{name:15} zeros: {np.mean(values == 0):6.1%}   distance from float32: {error:.1%}")

