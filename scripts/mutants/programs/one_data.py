"""One epoch over a dataset: ``one_data.py "d.shuffle(8).batch(4)"``; ``d`` has 16 rows of ``x`` and ``y``."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms  # noqa: F401 - for the expression
import mindspore.dataset.vision as vision  # noqa: F401 - for the expression
import numpy as np
from mindspore import nn

ms.set_seed(1)

rng = np.random.RandomState(0)
rows = (rng.randint(0, 256, (16, 6, 6, 3)).astype(np.uint8), rng.randint(0, 3, 16).astype(np.int32))


class Rows:
    def __getitem__(self, n):
        return rows[0][n], rows[1][n]

    def __len__(self):
        return 16


d = ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False)
d = eval(sys.argv[1])
net = nn.SequentialCell(nn.Flatten(), nn.Dense(108, 3))
net.set_train()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.SGD(net.trainable_params(), 0.001)
step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for x, y in d.create_tuple_iterator(num_epochs=1):
    value, gradients = step(x.reshape(-1, 108).astype(ms.float32) / 255, y.reshape(-1).astype(ms.int32))
    optimizer(gradients)
    print(value)
