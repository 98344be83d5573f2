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


def gradients(compute, scale=1.0):
    """The gradient of each weight matrix, taken of the loss times scale, divided by scale again."""
    net = network(compute)
    weights = [p for p in net.trainable_params() if p.name.endswith("weight")]
    scaled = ms.grad(lambda: net(x, target) * scale, None, weights)()
    return [g.asnumpy().astype(np.float64) / scale for g in scaled]


# %% layers
exact, half, scaled = gradients(ms.float32), gradients(ms.float16), gradients(ms.float16, 2.0**12)


def error(values, n):
    return np.linalg.norm(values[n] - exact[n]) / np.linalg.norm(exact[n])


print("| layer | norm of its gradient | off by, float16 | off by, float16 with the loss times 4096 |")
print("|--:|--:|--:|--:|")
for n in range(len(exact)):
    print(f"| {n + 1} | {np.linalg.norm(exact[n]):.0e} | {error(half, n):.0%} | {error(scaled, n):.0%} |")

# %% check layers
assert np.all(half[0] == 0) and error(scaled, 0) < 0.25 and error(half, 8) < 0.02

# %% histogram
figure = Figure((6.4, 5.4))
bins = np.arange(-40, -3, 0.5)
kinds = {"float32": exact, "float16": half, "float16, loss times 4096": scaled}
for place, (name, arrays) in enumerate(kinds.items(), 1):
    values = np.concatenate([array.ravel() for array in arrays])
    axes = figure.add_subplot(3, 1, place)
    axes.hist(np.log2(np.abs(values[values != 0])), bins)
    axes.axvline(-24, color="tab:red", linewidth=1)
    axes.set_title(name, loc="left", fontsize=10)
    axes.set_xlim(-40, -3)
    print(f"{name:25} exactly zero: {np.mean(values == 0):4.0%}")
axes.set_xlabel("log2 of a gradient; red: the smallest number of float16")
figure.tight_layout()


# %% static
class Net2(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False, weight_init=ms.Tensor([[2, 3, 4]], ms.float32))

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return ops.mse_loss(logits, y), logits


net = Net2()
a, b = ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor(19, ms.float32)
scaler = amp.StaticLossScaler(1024.0)


def forward(x, y):
    loss, logits = net(x, y)
    return scaler.scale(loss), logits


(loss, _), found = ms.value_and_grad(forward, None, net.trainable_params(), has_aux=True)(a, b)
print("scaled:  ", loss, found[0])
loss, found = scaler.unscale(loss), scaler.unscale(found)
print("unscaled:", loss, found[0], "all finite:", amp.all_finite(found))

# %% check static
assert found[0].asnumpy().tolist() == [[2, 4, 6]] and float(loss) == 1 and bool(amp.all_finite(found))


# %% overflow
class Loss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Net2()

    def construct(self, x, y):
        return self.net(x, y)[0]


network_with_loss = Loss()
manager = nn.DynamicLossScaleUpdateCell(loss_scale_value=1024.0, scale_factor=2, scale_window=3)
optimizer = nn.SGD(network_with_loss.trainable_params(), 0.01)
step = nn.TrainOneStepWithLossScaleCell(network_with_loss, optimizer, manager)

for n, label in enumerate([19.0, 18.0, np.inf, 17.0, 17.0, 17.0, 17.0], 1):
    loss, overflow, scale = step(a, ms.Tensor(label, ms.float32))
    weight = network_with_loss.net.fc.weight.asnumpy().round(4)
    print(f"step {n}: overflow {overflow!s:5}  scale used {float(scale):6g}  weight {weight}")

# %% check overflow
assert manager.get_loss_scale() == 1024 and float(step.scale_sense) == 1024


# %% machines
def scales(overflows, start, window):
    """The scale after each step of four machines that see the same overflows."""
    manager = ms.DynamicLossScaleManager(start, 2, window)
    cell = nn.DynamicLossScaleUpdateCell(start, 2, window)
    scaler = amp.DynamicLossScaler(start, 2, window)
    torch_scaler = torch.amp.GradScaler("cpu", init_scale=start, growth_interval=window)
    value = ms.Parameter(ms.Tensor(start, ms.float32))
    weight = torch.nn.Parameter(torch.zeros(1))
    sgd, rows = torch.optim.SGD([weight], 0.0), []
    for overflow in overflows:
        manager.update_loss_scale(overflow)
        cell(value, ms.Tensor(overflow))
        scaler.adjust(ms.Tensor(not overflow))
        sgd.zero_grad()
        (torch_scaler.scale(weight.sum()) * (float("inf") if overflow else 1)).backward()
        torch_scaler.step(sgd)
        torch_scaler.update()
        ours = manager.get_loss_scale(), float(value), float(scaler.scale_value)
        rows.append((*ours, torch_scaler.get_scale()))
    return np.array(rows, np.float64)


NAMES = ["DynamicLossScaleManager", "DynamicLossScaleUpdateCell", "amp.DynamicLossScaler", "torch GradScaler"]
RUNS = {
    "everyday": ([False] * 4 + [True] + [False] * 6 + [True] * 2 + [False] * 7, 1024.0),
    "at the floor": ([True] * 6 + [False] * 14, 4.0),
    "at the ceiling": ([False] * 13 + [True] * 4 + [False] * 3, 2.0**125),
}
figure = Figure((7.5, 2.8))
for place, (name, (overflows, start)) in enumerate(RUNS.items(), 1):
    found = scales(overflows, start, 3)
    found[~np.isfinite(found)] = 2.0**131  # infinity, drawn above the last finite power of two
    axes = figure.add_subplot(1, 3, place)
    for n, label in enumerate(NAMES):
        axes.step(range(1, 21), np.log2(found[:, n]) + 0.06 * n, label=label, where="mid", linewidth=1.2)
    axes.set_title(name, fontsize=10)
    axes.set_xlabel("step")
axes = figure.axes[0]
axes.set_ylabel("log2 of the scale")
figure.legend(*axes.get_legend_handles_labels(), loc="lower center", ncols=2, frameon=False, fontsize=8)
figure.tight_layout(rect=(0, 0.15, 1, 1))

# %% ends
everyday = scales(*RUNS["everyday"], 3)
floor, ceiling = (scales(*RUNS[name], 3) for name in ("at the floor", "at the ceiling"))
print("| | " + " | ".join(f"`{name}`" for name in NAMES) + " |")
print("|---" * 5 + "|")
print("| lowest scale, started at 4, six overflows | " + " | ".join(f"{v:g}" for v in floor.min(0)) + " |")
highest = [f"2^{np.log2(v):g}" if np.isfinite(v) else "inf" for v in ceiling.max(0)]
print("| highest scale, started at 2^125, no overflow | " + " | ".join(highest) + " |")

# %% check ends
assert np.all(everyday == everyday[:, :1])
rng = np.random.default_rng(3)
for window in (1, 2, 3, 4):
    for _ in range(5):
        found = scales([bool(v) for v in rng.random(12) < 0.3], 2.0**20, window)
        assert np.all(found == found[:, :1])
# What MindSpore 2.10.0 was measured to do; GradScaler has no floor.
assert floor.min(0).tolist() == [1, 1, 1, 4 / 2**6]
assert highest == ["2^129", "inf", "2^127", "2^127"]
