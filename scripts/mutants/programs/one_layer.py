"""Three training steps around one layer: ``one_layer.py "nn.LeakyReLU()" 4,6 [eval|asmade]``.

The layer stands between a scale for each input and a Dense head, so that neither its input nor its gradient
is plain.
"""

import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn

ms.set_seed(1)


class Network(nn.Cell):
    def __init__(self, layer, shape):
        super().__init__()
        scale = np.linspace(0.5, 1.5, int(np.prod(shape[1:]))).reshape(shape[1:])
        self.scale = Parameter(Tensor(scale, ms.float32))
        self.layer = layer
        self.flatten = nn.Flatten()
        features = int(np.prod(self.rows(Tensor(np.zeros(shape), ms.float32)).shape[1:]))
        self.head = nn.Dense(features, 3)

    def rows(self, x):
        y = self.layer(x * self.scale)
        return self.flatten(y[0] if isinstance(y, tuple) else y)

    def construct(self, x):
        return self.head(self.rows(x))


shape = tuple(int(n) for n in sys.argv[2].split(","))
net = Network(eval(sys.argv[1]), shape)
if "asmade" not in sys.argv:
    net.set_train("eval" not in sys.argv)
optimizer = nn.SGD(net.trainable_params(), 0.05)
loss = nn.MSELoss()
step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
rng = np.random.RandomState(0)
for _ in range(3):
    x = Tensor(rng.randn(*shape).astype(np.float32))
    y = Tensor(rng.randn(shape[0], 3).astype(np.float32))
    value, gradients = step(x, y)
    optimizer(gradients)
    print(value)
