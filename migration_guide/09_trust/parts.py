"""The network and the training step of train.py."""

from mindspore import nn, ops


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.dense = nn.Dense(width, width, has_bias=False)
        self.norm = nn.BatchNorm1d(width)
        self.act = nn.ReLU()

    def construct(self, x):
        return x + self.act(self.norm(self.dense(x)))


class Net(nn.Cell):
    def __init__(self, width=16):
        super().__init__()
        self.stem = nn.Dense(2, width)
        self.block1 = Block(width)
        self.block2 = Block(width)
        self.head = nn.Dense(width, 2)

    def construct(self, x):
        return self.head(self.block2(self.block1(self.stem(x))))


class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, y):
        loss = self.network(x, y)
        gradients = self.grad(self.network, self.weights)(x, y)
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        self.optimizer(gradients)
        return loss
