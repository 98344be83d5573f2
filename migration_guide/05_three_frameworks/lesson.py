"""Three frameworks, seven steps: one network on handwritten digits, twice, with equal losses.

    python -m ms2torch migration_guide/05_three_frameworks/lesson.py     (scikit-learn has the digits)
"""

# %% digits
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import torch
from mindspore import nn
from sklearn.datasets import load_digits

digits = load_digits()
order = np.random.default_rng(0).permutation(len(digits.target))
images = (digits.images[order, None] / 16).astype(np.float32)
labels = digits.target[order].astype(np.int32)
images, test_images = images[:1500], images[1500:]
labels, test_labels = labels[:1500], labels[1500:]
print(images.shape, test_images.shape)

# %% ms1
train = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=False).batch(32)

# %% torch1
pairs = torch.utils.data.TensorDataset(torch.tensor(images), torch.tensor(labels, dtype=torch.int64))
torch_train = torch.utils.data.DataLoader(pairs, batch_size=32)

# %% ms2
ms.set_seed(1)
network = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="valid", has_bias=True),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Flatten(),
    nn.Dense(8 * 3 * 3, 10),
)

# %% torch2
torch_network = torch.nn.Sequential(
    torch.nn.Conv2d(1, 8, 3),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Flatten(),
    torch.nn.Linear(8 * 3 * 3, 10),
)

# %% start
with torch.no_grad():
    for mine, theirs in zip(network.trainable_params(), torch_network.parameters()):
        theirs.copy_(torch.tensor(mine.asnumpy()))

# %% ms3
loss_function = nn.CrossEntropyLoss()

# %% torch3
torch_loss_function = torch.nn.CrossEntropyLoss()

# %% ms4
optimizer = nn.Momentum(network.trainable_params(), learning_rate=0.05, momentum=0.9)

# %% torch4
torch_optimizer = torch.optim.SGD(torch_network.parameters(), lr=0.05, momentum=0.9)


# %% ms5
def forward(x, y):
    return loss_function(network(x), y)  # 5. forward


gradient = ms.value_and_grad(forward, None, optimizer.parameters)  # 6. backward
losses = []
for epoch in range(5):
    for x, y in train.create_tuple_iterator():
        loss, gradients = gradient(x, y)
        optimizer(gradients)  # 7. update
        losses.append(float(loss))

# %% torch5
torch_losses = []
for epoch in range(5):
    for x, y in torch_train:
        loss = torch_loss_function(torch_network(x), y)  # 5. forward
        torch_optimizer.zero_grad()
        loss.backward()  # 6. backward
        torch_optimizer.step()  # 7. update
        torch_losses.append(loss.item())

# %% losses
print("| epoch | MindSpore | PyTorch |")
print("|--:|--:|--:|")
for epoch in range(5):
    last = (epoch + 1) * len(losses) // 5 - 1
    print(f"| {epoch + 1} | {losses[last]:.6f} | {torch_losses[last]:.6f} |")

# %% check losses
assert np.allclose(losses, torch_losses, rtol=1e-3, atol=1e-5)
assert losses[-1] < 0.2 * losses[0]

# %% curves
from matplotlib.figure import Figure

figure = Figure((6, 2.8))
axes = figure.add_subplot()
axes.plot(losses, label="MindSpore", linewidth=4, alpha=0.4)
axes.plot(torch_losses, label="PyTorch", linewidth=1)
axes.set(xlabel="step", ylabel="loss")
axes.legend(frameon=False)
largest = max(abs(a - b) for a, b in zip(losses, torch_losses))
print("largest difference in", len(losses), "steps: below 1e-5:", largest < 1e-5)

# %% accuracy
network.set_train(False)
found = network(ms.Tensor(test_images)).argmax(1).asnumpy()
torch_network.eval()
with torch.no_grad():
    torch_found = torch_network(torch.tensor(test_images)).argmax(1).numpy()
print("MindSpore:", round(float(np.mean(found == test_labels)), 4))
print("PyTorch:  ", round(float(np.mean(torch_found == test_labels)), 4))

# %% check accuracy
assert np.mean(found == test_labels) > 0.9 and np.array_equal(found, torch_found)

# %% model
from mindspore import Model
from mindspore.train import LossMonitor

model = Model(network, loss_function, optimizer)
model.train(1, train, callbacks=[LossMonitor(train.get_dataset_size())])
