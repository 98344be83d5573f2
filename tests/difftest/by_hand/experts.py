"""A graph's edges times a Cell's own weights, experts that see every sample, a network called twice."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import initializer

ms.set_seed(23)


class Graph(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(initializer("xavier_uniform", (5, 8)), name="weight")
        self.bias = Parameter(initializer("normal", (8,)), name="bias")
        self.expert = nn.Dense(8, 8, has_bias=False)

    def construct(self, x, edges):
        return ops.tanh(self.expert(ops.matmul(edges, ops.matmul(x, self.weight)) + self.bias))


class Mixture(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gate = nn.Dense(8, 3, has_bias=False)
        self.experts = nn.CellList(
            [nn.SequentialCell(nn.Dense(8, 6), nn.Tanh(), nn.Dense(6, 4)) for _ in range(3)])

    def construct(self, x):
        shares, places = ops.topk(ops.softmax(self.gate(x), -1), 2)
        out = 0
        for i, expert in enumerate(self.experts):
            out = out + (shares * (places == i)).sum(-1, keepdims=True) * expert(x)
        return out, shares.sum(-1).mean()


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.graph, self.mixture, self.head = Graph(), Mixture(), nn.Dense(4, 4)

    def construct(self, x, edges):
        made, share = self.mixture(self.graph(x, edges))
        return self.head(made), share


net = Net()


def loss(one, two, edges, y):
    (a, share), (b, _) = net(one, edges), net(two, edges)
    return ((a - y) ** 2).mean() + ((b + y) ** 2).mean() + 0.1 * share


optimizer = nn.Adam(net.trainable_params(), 0.01)
differentiated = ms.value_and_grad(loss, None, optimizer.parameters)
rng = np.random.RandomState(3)
edges = Tensor(np.triu(rng.rand(7, 7)).astype(np.float32))
for _ in range(3):
    one, two, y = (Tensor(rng.randn(7, n).astype(np.float32)) for n in (5, 5, 4))
    value, gradients = differentiated(one, two, edges, y)
    optimizer(gradients)
    print(value)
