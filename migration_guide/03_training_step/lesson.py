"""The training step taken apart: forward, gradient, update, and what programs put between them.

    python -m ms2torch migration_guide/03_training_step/lesson.py
"""

# %% network
import mindspore as ms
import numpy as np
import torch
from mindspore import nn, ops


class Net(nn.Cell):
    """The loss of one layer; counts how often it runs."""

    def __init__(self, weight=(2, 3, 4)):
        super().__init__()
        self.fc = nn.Dense(len(weight), 1, has_bias=False, weight_init=ms.Tensor([weight], ms.float32))
        self.loss = nn.MSELoss()
        self.runs = 0

    def construct(self, x, y):
        self.runs += 1
        return self.loss(self.fc(x).squeeze(), y)


x, y = ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor(19, ms.float32)
tx, ty = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor(19.0)

# %% torch
layer = torch.nn.Linear(3, 1, bias=False)
layer.weight.data = torch.tensor([[2.0, 3.0, 4.0]])
sgd = torch.optim.SGD(layer.parameters(), 0.1)

for _ in range(2):
    sgd.zero_grad()
    loss = torch.nn.functional.mse_loss(layer(tx).squeeze(), ty)
    loss.backward()
    sgd.step()
    print(f"{loss.item():.6f}", layer.weight.data.numpy())

# %% functional
net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)
forward_and_gradient = ms.value_and_grad(net, None, optimizer.parameters)

for _ in range(2):
    loss, gradients = forward_and_gradient(x, y)
    optimizer(gradients)
    print(f"{float(loss):.6f}", net.fc.weight.asnumpy())

# %% check functional
documented = [[2.16, 3.32, 4.48]]
assert np.allclose(net.fc.weight.asnumpy(), documented) and np.isclose(float(loss), 3.24)
assert np.allclose(layer.weight.detach(), documented)

# %% ready
net = Net()
step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
print([f"{float(step(x, y)):.6f}" for _ in range(2)], net.fc.weight.asnumpy(), "forward passes:", net.runs)

# %% check ready
assert np.allclose(net.fc.weight.asnumpy(), documented) and net.runs == 2


# %% own
class OwnStep(nn.Cell):
    """What TrainOneStepCell does, as programs of 1.x write it."""

    def __init__(self, network, optimizer, announced=True):
        super().__init__(auto_prefix=False)
        self.network = network
        if announced:
            self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def between(self, gradients):
        """What a subclass does to the gradients before they are used."""
        return gradients

    def construct(self, *inputs):
        loss = self.network(*inputs)
        gradients = self.grad(self.network, self.weights)(*inputs)
        self.optimizer(self.between(gradients))
        return loss


# %% passes
print("| mode | `set_grad()` | forward passes for one step |")
print("|---|---|--:|")
passes = {}
for mode, name in [(ms.PYNATIVE_MODE, "PYNATIVE_MODE"), (ms.GRAPH_MODE, "GRAPH_MODE")]:
    for announced in (True, False):
        ms.set_context(mode=mode)
        net = Net()
        OwnStep(net, nn.SGD(net.trainable_params(), 0.1), announced)(x, y)
        passes[name, announced] = net.runs
        print(f"| `{name}` | {'yes' if announced else 'no'} | {net.runs} |")
ms.set_context(mode=ms.PYNATIVE_MODE)

# %% check passes
assert list(passes.values()) == [1, 2, 1, 1]


# %% batchnorm
def moved(announced):
    """Where one training step takes BatchNorm's moving mean, for inputs of mean 1."""
    norm = nn.BatchNorm1d(1)
    norm.set_train()
    OwnStep(norm, nn.SGD(norm.trainable_params(), 0.0), announced)(ms.Tensor([[0.0], [2.0]]))
    return norm.moving_mean.asnumpy()


print("with set_grad:", moved(True), " without:", moved(False))

# %% check batchnorm
assert np.allclose(moved(True), 0.1) and np.allclose(moved(False), 0.19)


# %% clip
class ClippedStep(OwnStep):
    def between(self, gradients):
        return ops.clip_by_global_norm(gradients, clip_norm=1.0)


net = Net()
ClippedStep(net, nn.SGD(net.trainable_params(), 0.1))(x, y)
print("MindSpore:", net.fc.weight.asnumpy())

layer.weight.data = torch.tensor([[2.0, 3.0, 4.0]])
sgd.zero_grad()
torch.nn.functional.mse_loss(layer(tx).squeeze(), ty).backward()
torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
sgd.step()
print("PyTorch:  ", layer.weight.data.numpy())

# %% check clip
assert np.allclose(net.fc.weight.asnumpy(), [[1.973274, 2.946548, 3.919822]], atol=1e-6)

# %% outlier
from matplotlib.figure import Figure

rng = np.random.default_rng(0)
truth = np.array([1.0, -2.0, 0.5], np.float32)


def train(step_class, steps=60):
    """Losses of a regression in which the batch of step 20 has a label that is 1,000 times too large."""
    net = Net((0.0, 0.0, 0.0))
    step, losses = step_class(net, nn.SGD(net.trainable_params(), 0.1)), []
    rng = np.random.default_rng(0)
    for n in range(steps):
        inputs = rng.normal(size=(16, 3)).astype(np.float32)
        labels = inputs @ truth
        if n == 20:
            labels[0] *= 1000
        losses.append(float(step(ms.Tensor(inputs), ms.Tensor(labels))))
    return losses


plain, clipped = train(OwnStep), train(ClippedStep)
figure = Figure((6, 3))
axes = figure.add_subplot()
axes.semilogy(plain, label="plain")
axes.semilogy(clipped, label="clipped to norm 1")
axes.set(xlabel="step", ylabel="loss")
axes.grid(alpha=0.3)
axes.legend(frameon=False)

# %% check outlier
assert plain[21] > 1000 * clipped[21]


# %% accumulate
class AccumulatingStep(nn.Cell):
    """Adds the gradients of several small batches and updates once."""

    def __init__(self, network, optimizer, batches):
        super().__init__(auto_prefix=False)
        self.forward_and_gradient = ms.value_and_grad(network, None, optimizer.parameters)
        self.optimizer, self.batches = optimizer, batches
        self.sums = optimizer.parameters.clone("accumulated", "zeros")
        self.count = 0

    def construct(self, x, y):
        loss, gradients = self.forward_and_gradient(x, y)
        for total, gradient in zip(self.sums, gradients):
            ops.assign_add(total, gradient)
        self.count += 1
        if self.count % self.batches == 0:
            self.optimizer(tuple(total / self.batches for total in self.sums))
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return loss


inputs = rng.normal(size=(32, 3)).astype(np.float32)
labels = inputs @ truth

whole = Net((0.0, 0.0, 0.0))
nn.TrainOneStepCell(whole, nn.SGD(whole.trainable_params(), 0.1))(ms.Tensor(inputs), ms.Tensor(labels))

parts = Net((0.0, 0.0, 0.0))
step = AccumulatingStep(parts, nn.SGD(parts.trainable_params(), 0.1), batches=4)
for quarter in range(0, 32, 8):
    step(ms.Tensor(inputs[quarter : quarter + 8]), ms.Tensor(labels[quarter : quarter + 8]))

print("one batch of 32:    ", whole.fc.weight.asnumpy())
print("four batches of 8:  ", parts.fc.weight.asnumpy())

# %% check accumulate
assert np.allclose(whole.fc.weight.asnumpy(), parts.fc.weight.asnumpy(), atol=1e-6)


# %% two
class Regression(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(3, 4, weight_init="ones", bias_init="zeros")
        self.head = nn.Dense(4, 1, weight_init="ones", bias_init="zeros")

    def construct(self, x, y):
        return ops.mse_loss(self.head(self.body(x)).squeeze(-1), y)


class TwoOptimizers(nn.Cell):
    """One forward pass, one gradient, two optimizers."""

    def __init__(self, network, first, second):
        super().__init__(auto_prefix=False)
        self.first, self.second = first, second
        self.count = len(first.parameters)
        self.weights = ms.ParameterTuple(tuple(first.parameters) + tuple(second.parameters))
        self.forward_and_gradient = ms.value_and_grad(network, None, self.weights)

    def construct(self, x, y):
        loss, gradients = self.forward_and_gradient(x, y)
        self.first(gradients[: self.count])
        self.second(gradients[self.count :])
        return loss


net = Regression()
step = TwoOptimizers(
    net,
    nn.Momentum(net.body.trainable_params(), learning_rate=0.001, momentum=0.9),
    nn.Adam(net.head.trainable_params(), learning_rate=0.01),
)
losses = [float(step(ms.Tensor(inputs), ms.Tensor(labels))) for _ in range(5)]

twin = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
for part in twin:
    torch.nn.init.ones_(part.weight)
    torch.nn.init.zeros_(part.bias)
first = torch.optim.SGD(twin[0].parameters(), 0.001, momentum=0.9)
second = torch.optim.Adam(twin[1].parameters(), 0.01)
torch_losses = []
for _ in range(5):
    loss = torch.nn.functional.mse_loss(twin(torch.tensor(inputs)).squeeze(-1), torch.tensor(labels))
    first.zero_grad()
    second.zero_grad()
    loss.backward()
    first.step()
    second.step()
    torch_losses.append(loss.item())

print("MindSpore:", *(f"{loss:.5f}" for loss in losses))
print("PyTorch:  ", *(f"{loss:.5f}" for loss in torch_losses))

# %% check two
assert np.allclose(losses, torch_losses, rtol=1e-5) and losses[-1] < losses[0]
