"""What `test_plan` plans and measures: three steps of Adam on layers of one width."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import init

WIDTH, LAYERS = 64, 8


class Deep(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(WIDTH, WIDTH, has_bias=False) for _ in range(LAYERS)])

    def construct(self, x, y):
        for layer in self.layers:
            x = ops.tanh(layer(x))
        return ops.square(x - y).mean()


def step_of(level, kind="functional"):
    """A training step under optimizer parallelism of this level (0: none), and its optimizer."""
    config = {"parallel_optimizer_threshold": 0, "optimizer_level": f"level{max(level, 1)}"}
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True,
                                 enable_parallel_optimizer=level > 0, parallel_optimizer_config=config)
    net = Deep()
    optimizer = nn.Adam(net.trainable_params(), 0.001)
    if kind == "cell":
        return nn.TrainOneStepCell(net, optimizer).set_train(), optimizer
    reducer = nn.DistributedGradReducer(optimizer.parameters)
    forward = ms.value_and_grad(net, None, optimizer.parameters)

    def step(x, y):
        loss, gradients = forward(x, y)
        optimizer(reducer(gradients))
        return loss

    return step, optimizer


def main(level, kind="functional"):
    init()
    step, _ = step_of(int(level), kind)
    x = Tensor(np.ones((256, WIDTH), np.float32))
    for _ in range(3):
        print(step(x, x))


if __name__ == "__main__":
    main(*sys.argv[1:])
