"""Three training steps through an expression of the Tensor ``x``: ``one_operator.py "ops.std(x, 1)" 4,6``."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops  # noqa: F401 - for the expression

ms.set_seed(1)


class Operator(nn.Cell):
    def __init__(self, expression):
        super().__init__()
        self.function = eval("lambda x: " + expression)

    def construct(self, x):
        return self.function(x)


class Network(nn.Cell):
    def __init__(self, expression, shape):
        super().__init__()
        self.scale = Parameter(Tensor(np.linspace(0.5, 1.5, shape[-1]), ms.float32))
        self.operator = Operator(expression)

    def construct(self, x):
        return (self.operator(x * self.scale).astype(ms.float32) + self.scale.sum()).mean()


shape = tuple(int(n) for n in sys.argv[2].split(","))
net = Network(sys.argv[1], shape)
net.set_train()
optimizer = nn.SGD(net.trainable_params(), 0.05)
step = ms.value_and_grad(net, None, optimizer.parameters)
rng = np.random.RandomState(0)
for _ in range(3):
    value, gradients = step(Tensor(rng.randn(*shape).astype(np.float32)))
    optimizer(gradients)
    print(value)
