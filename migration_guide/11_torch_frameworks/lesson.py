"""Inside PyTorch's frameworks: one Cell trained by Lightning, by accelerate, by Hugging Face's Trainer.

    python -m ms2torch migration_guide/11_torch_frameworks/lesson.py
"""

# %% quiet
import logging
import os
import tempfile
import warnings

os.environ["ACCELERATE_USE_CPU"] = "true"
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

# %% cell
import mindspore as ms
import numpy as np
import torch
from mindspore import nn

import ms2torch


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(2, 16), nn.Tanh(), nn.Dense(16, 3))

    def construct(self, x):
        return self.body(x)


def fresh():
    """The network with the weights of seed 1, as a Module."""
    ms.set_seed(1)
    net = Net()
    return net, ms2torch.to_torch(net)


rng = np.random.default_rng(0)
points = rng.normal(size=(96, 2)).astype(np.float32)
classes = (np.arctan2(points[:, 0], points[:, 1]) * 3 / 6.2832 + 1.5).astype(np.int64).clip(0, 2)

# %% plain
net, _ = fresh()
criterion = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
step = nn.TrainOneStepCell(nn.WithLossCell(net, criterion), nn.SGD(net.trainable_params(), 0.5))
step.set_train()
for _ in range(4):
    for at in range(0, 96, 32):
        step(ms.Tensor(points[at : at + 32]), ms.Tensor(classes[at : at + 32], ms.int32))
wanted = net(ms.Tensor(points)).asnumpy()
print("accuracy", round(float((wanted.argmax(1) == classes).mean()), 4))


def beside(cell):
    """How far the outputs of a Cell that something else trained are from these."""
    far = np.abs(cell(ms.Tensor(points)).asnumpy() - wanted).max()
    print("the same network" if far < 1e-5 else f"another network: {far}")


# %% loader
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.from_numpy(points), torch.from_numpy(classes))
batches = DataLoader(data, batch_size=32)

# %% lightning
import lightning


class Lit(lightning.LightningModule):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def training_step(self, batch, index):
        x, y = batch
        return torch.nn.functional.cross_entropy(self.module(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.module.parameters(), lr=0.5)


net, module = fresh()
trainer = lightning.Trainer(max_epochs=4, accelerator="cpu", logger=False, enable_checkpointing=False,
                            enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Lit(module), batches)
beside(net)

# %% check lightning
assert np.abs(net(ms.Tensor(points)).asnumpy() - wanted).max() < 1e-5

# %% accelerate
from accelerate import Accelerator

net, module = fresh()
accelerator = Accelerator(cpu=True)
optimizer = torch.optim.SGD(module.parameters(), lr=0.5)
module, optimizer, loader = accelerator.prepare(module, optimizer, batches)
for _ in range(4):
    for x, y in loader:
        optimizer.zero_grad()
        accelerator.backward(torch.nn.functional.cross_entropy(module(x), y))
        optimizer.step()
beside(net)

# %% check accelerate
assert np.abs(net(ms.Tensor(points)).asnumpy() - wanted).max() < 1e-5

# %% trainer
from transformers import PrinterCallback, Trainer, TrainingArguments


class Model(torch.nn.Module):
    """What the Trainer calls: names of columns in, the loss first out."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x, labels):
        logits = self.module(x)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


net, module = fresh()
rows = [{"x": x, "labels": y} for x, y in data]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder, num_train_epochs=4, per_device_train_batch_size=32, learning_rate=0.5, optim="sgd",
        lr_scheduler_type="constant", max_grad_norm=0, train_sampling_strategy="sequential", use_cpu=True,
        report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True,
    )
    trainer = Trainer(Model(module), arguments, train_dataset=rows)
    trainer.remove_callback(PrinterCallback)  # it prints seconds
    trainer.train()
beside(net)

# %% check trainer
assert np.abs(net(ms.Tensor(points)).asnumpy() - wanted).max() < 1e-5

# %% metrics
import torchmetrics

accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=3)
theirs = float(accuracy(module(torch.from_numpy(points)), torch.from_numpy(classes)))
ours = nn.Accuracy()
ours.update(net(ms.Tensor(points)), ms.Tensor(classes, ms.int32))
print(round(theirs, 4), round(float(ours.eval()), 4))

# %% check metrics
assert abs(theirs - ours.eval()) < 1e-6
