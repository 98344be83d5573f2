"""Moving out: the same model as plain PyTorch, its checkpoint carried over, and the differences that bite.

    python -m ms2torch migration_guide/10_moving_out/lesson.py
"""

# %% model
import tempfile
from pathlib import Path

import mindspore as ms
import numpy as np
import torch
from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, has_bias=True)
        self.norm = nn.BatchNorm2d(8)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(8 * 4 * 4, 10)

    def construct(self, x):
        x = self.pool(self.relu(self.norm(self.conv(x))))
        return self.fc(self.flatten(x))


ms.set_seed(1)
rng = np.random.default_rng(0)
images = rng.normal(size=(64, 1, 8, 8)).astype(np.float32)
labels = rng.integers(0, 10, 64).astype(np.int32)

net = Net()
loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.05, 0.9))
step.set_train()
for _ in range(10):
    last = step(ms.Tensor(images), ms.Tensor(labels))
folder = tempfile.TemporaryDirectory()
checkpoint = str(Path(folder.name) / "net.ckpt")
ms.save_checkpoint(net, checkpoint)
print("loss", round(float(last), 4), "->", *ms.load_checkpoint(checkpoint))


# %% plain
class TorchNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 8, 3, padding="same")
        self.norm = torch.nn.BatchNorm2d(8)
        self.fc = torch.nn.Linear(8 * 4 * 4, 10)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        return self.fc(torch.nn.functional.max_pool2d(x, 2).flatten(1))


# %% names
NAMES = {"gamma": "weight", "beta": "bias", "moving_mean": "running_mean", "moving_variance": "running_var"}


def to_state_dict(checkpoint):
    """A MindSpore checkpoint under PyTorch's names."""
    found = {}
    for name, parameter in ms.load_checkpoint(checkpoint).items():
        module, _, last = name.rpartition(".")
        found[f"{module}.{NAMES.get(last, last)}"] = torch.tensor(parameter.asnumpy())
    return found


torch_net = TorchNet()
print(torch_net.load_state_dict(to_state_dict(checkpoint), strict=False))

# %% compare
net.set_train(False)
torch_net.eval()
with torch.no_grad():
    theirs = torch_net(torch.tensor(images)).numpy()
print("largest difference below 1e-5:", np.abs(net(ms.Tensor(images)).asnumpy() - theirs).max() < 1e-5)

# %% check compare
assert np.allclose(net(ms.Tensor(images)).asnumpy(), theirs, atol=1e-5)


# %% wrong
def distance(change):
    """How far the outputs move if one line of the port is forgotten."""
    port = TorchNet()
    port.load_state_dict(to_state_dict(checkpoint), strict=False)
    change(port)
    port.eval()
    with torch.no_grad():
        return np.abs(port(torch.tensor(images)).numpy() - theirs).max() / np.abs(theirs).max()


def forget_statistics(port):
    port.norm.reset_running_stats()


def swap_scale_and_shift(port):
    port.norm.weight.data, port.norm.bias.data = port.norm.bias.data, port.norm.weight.data


def stay_in_training(port):
    port.eval = lambda: None


print("| forgotten | outputs move by |")
print("|---|--:|")
for change in (forget_statistics, swap_scale_and_shift, stay_in_training):
    print(f"| {change.__name__.replace('_', ' ')} | {distance(change):.0%} |")

# %% continue
BATCH = torch.tensor(images), torch.tensor(labels, dtype=torch.int64)


def continued(momentum):
    """Losses of five more steps in plain PyTorch, with this momentum in BatchNorm; where its mean went."""
    port = TorchNet()
    port.norm.momentum = momentum
    port.load_state_dict(to_state_dict(checkpoint), strict=False)
    optimizer, losses = torch.optim.SGD(port.parameters(), 0.05), []
    for _ in range(5):
        loss = torch.nn.functional.cross_entropy(port(BATCH[0]), BATCH[1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, port.norm.running_mean.numpy()


step = nn.TrainOneStepCell(loss, nn.SGD(net.trainable_params(), 0.05))
step.set_train()
mine = [float(step(ms.Tensor(images), ms.Tensor(labels))) for _ in range(5)]
right, mean = continued(0.1)
_, wrong_mean = continued(0.9)
moving = net.norm.moving_mean.asnumpy()
print("MindSpore: ", [f"{v:.4f}" for v in mine])
print("PyTorch:   ", [f"{v:.4f}" for v in right])
print("moving mean off by, with momentum 0.1: below 1e-5:", bool(np.abs(mean - moving).max() < 1e-5))
off = np.abs(wrong_mean - moving).max() / np.abs(moving).max()
print(f"moving mean off by, with momentum 0.9: {off:.0%}")

# %% check continue
assert np.allclose(mine, right, rtol=1e-4) and np.allclose(mean, moving, atol=1e-5)
assert not np.allclose(wrong_mean, moving, rtol=0.05)

# %% module
import ms2torch

module = ms2torch.to_torch(net)
optimizer = torch.optim.AdamW(module.parameters(), 1e-3)
module.train()
before = net.fc.weight.asnumpy().copy()
torch.nn.functional.cross_entropy(module(BATCH[0]), BATCH[1]).backward()
optimizer.step()
print("a torch Module:", isinstance(module, torch.nn.Module))
print("the Cell's weight moved:", bool((net.fc.weight.asnumpy() != before).any()))
print([name for name, _ in module.named_parameters()])

# %% check module
assert (net.fc.weight.asnumpy() != before).any()

# %% program
import pathlib
import tempfile

module.eval()
program = torch.export.export(module, (BATCH[0],))
print([str(node.target) for node in program.graph.nodes if node.op == "call_function"])
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "net.pt2")
    torch.export.save(program, path)
    loaded = torch.export.load(path).module()
print("the same output:", torch.equal(loaded(BATCH[0]), module(BATCH[0])))

# %% check program
assert torch.equal(loaded(BATCH[0]), module(BATCH[0]))

# %% back
reverse = {v: k for k, v in NAMES.items()}
parameters = {}
for name, tensor in torch_net.state_dict().items():
    module_name, _, last = name.rpartition(".")
    if last != "num_batches_tracked":
        last = reverse.get(last, last) if module_name == "norm" else last
        parameters[f"{module_name}.{last}"] = ms.Parameter(ms.Tensor(tensor.numpy()), name=last)
print(ms.load_param_into_net(Net(), parameters))

# %% check back
assert ms.load_param_into_net(Net(), parameters) == ([], [])

# %% facts
from ms2torch.migrate import facts


def sheet(language):
    """The facts as one table for each topic."""
    topic = None
    for fact in facts():
        if fact.topic != topic:
            topic = fact.topic
            print("\n###", TOPICS[topic] if language == "zh" else topic.capitalize())
            print("\n| | PyTorch | MindSpore |\n|---|---|---|")
        torch_side = f"`{fact.torch}`<br>{fact.torch_gives}".replace("|", "\\|")
        mine = f"`{fact.mindspore}`<br>{fact.mindspore_gives}".replace("|", "\\|")
        print(f"| {getattr(fact, language)} | {torch_side} | {mine} |")


TOPICS = {"modes": "模式", "layers": "层", "losses": "损失", "optimizers": "优化器", "gradients": "梯度"}
TOPICS |= {"tensors": "张量", "data and dtypes": "数据与类型"}

# %% sheet.en
sheet("en")

# %% sheet.zh
sheet("zh")
