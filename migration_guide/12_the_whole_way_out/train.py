"""Three kinds of rings on 12 x 12 pixels, told apart by a small convolutional network."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.BatchNorm2d(8)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(8 * 6 * 6, 3)

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x)))
        return self.fc(self.flatten(x))


def rings(count):
    """Pictures of one channel, and the radius of the ring in each: 0, 1 or 2."""
    random = np.random.RandomState(0)
    rows, columns = np.mgrid[:12, :12]
    kind = random.randint(0, 3, count).astype(np.int32)
    distance = np.hypot(rows - 5.5, columns - 5.5)
    pictures = np.abs(distance - 2 - 1.5 * kind[:, None, None]) < 0.8
    return (pictures[:, None] + 0.4 * random.randn(count, 1, 12, 12)).astype(np.float32), kind


ms.set_seed(1)
data = ds.NumpySlicesDataset(rings(96), ["picture", "kind"], shuffle=True).batch(16, drop_remainder=True)
net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.001)


def forward(picture, kind):
    return loss_fn(net(picture), kind)


step = ms.value_and_grad(forward, None, optimizer.parameters)
net.set_train()
for epoch in range(3):
    for picture, kind in data.create_tuple_iterator():
        loss, grads = step(picture, kind)
        grads = ops.clip_by_global_norm(grads, 1.0)
        optimizer(grads)
    print(f"epoch {epoch}: loss {float(loss):.3f}")
net.set_train(False)
ms.save_checkpoint(net, "net.ckpt")
