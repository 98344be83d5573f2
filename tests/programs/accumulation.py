"""Gradient accumulation: r1.x with accumulators as Parameters and HyperMap, then 2.x with functions."""
import argparse

import mindspore as ms
import mindspore.dataset as ds
import mindspore.ops as ops
import numpy as np
from mindspore import DatasetHelper, Parameter, ParameterTuple, Tensor, context, nn
from mindspore.common.initializer import Normal

add_to = ops.MultitypeFuncGraph("add_to")
reset = ops.MultitypeFuncGraph("reset")


@add_to.register("Tensor", "Tensor")
def _add_to(total, grad):
    return ops.AssignAdd()(total, grad)


@reset.register("Tensor", "Tensor")
def _reset(total, zero):
    return ops.depend(True, ops.assign(total, zero))


class Accumulate(nn.Cell):
    """Forward and backward; the gradients go into ``totals``."""

    def __init__(self, network, totals, sens=1.0):
        super(Accumulate, self).__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.network.add_flags(defer_inline=True)
        self.weights = ParameterTuple(network.trainable_params())
        self.totals = totals
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.map = ops.HyperMap()

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.Fill()(ops.DType()(loss), ops.Shape()(loss), self.sens)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return ops.depend(loss, self.map(ops.partial(add_to), self.totals, grads))


class Update(nn.Cell):
    """One optimizer step from ``totals``, which start again from zero."""

    def __init__(self, optimizer, totals, zeros):
        super(Update, self).__init__(auto_prefix=False)
        self.optimizer = optimizer
        self.totals = totals
        self.zeros = zeros
        self.map = ops.HyperMap()

    def construct(self):
        done = self.optimizer(self.totals)
        return ops.depend(done, self.map(ops.partial(reset), self.totals, self.zeros))


class Network(nn.Cell):
    def __init__(self):
        super(Network, self).__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid", weight_init=Normal(0.2))
        self.bn = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2, 2)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(4 * 3 * 3, 5, weight_init=Normal(0.02))

    def construct(self, x):
        return self.fc(self.flatten(self.pool(self.relu(self.bn(self.conv(x))))))


def samples():
    random = np.random.RandomState(0)
    for _ in range(48):
        label = random.randint(0, 5)
        yield (random.randn(1, 8, 8) + label).astype(np.float32), np.array(label, np.int32)


def show(network):
    print([(param.name, float(param.asnumpy().sum())) for param in network.get_parameters()])


parser = argparse.ArgumentParser()
parser.add_argument("--device_target", default="Ascend")
context.set_context(mode=context.GRAPH_MODE, device_target=parser.parse_args().device_target)
ms.set_seed(9)
data = ds.GeneratorDataset(list(samples()), ["x", "y"], shuffle=False).batch(4, drop_remainder=True)
network = Network()
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(network.trainable_params(), 0.02, 0.9)
totals = optimizer.parameters.clone(prefix="total", init="zeros")
zeros = optimizer.parameters.clone(prefix="zero", init="zeros")
accumulate = Accumulate(nn.WithLossCell(network, loss_fn), totals).set_train()
update = Update(optimizer, totals, zeros).set_train()

EPOCHS, MINI_STEPS = 3, 4
helper = DatasetHelper(data, dataset_sink_mode=False, epoch_num=EPOCHS)
for epoch in range(EPOCHS):
    for k, batch in enumerate(helper):
        loss = accumulate(*batch)
        if (k + 1) % MINI_STEPS == 0:
            print("epoch", epoch + 1, "loss", loss)
            update()
    data.reset()
show(network)
print([param.name for param in totals], totals[0].asnumpy().sum() == 0)

ms.set_context(mode=ms.PYNATIVE_MODE)
weights = ParameterTuple(network.trainable_params())
sums = weights.clone(prefix="accumulate", init="zeros")
nothing = weights.clone(prefix="nothing", init="zeros")
counter = Parameter(Tensor(1, ms.int32), name="counter")
sgd = nn.SGD(weights, 0.05)
hyper_map = ops.HyperMap()


def collect(grads):
    done = hyper_map(ops.partial(ops.assign_add), sums, grads)
    if counter % 2 == 0:
        done = ops.depend(done, sgd(sums))
        done = ops.depend(done, hyper_map(ops.partial(ops.assign), sums, nothing))
    ops.assign_add(counter, Tensor(1, ms.int32))
    return done


def forward(x, y):
    return loss_fn(network(x), y) / 2


forward_backward = ms.value_and_grad(forward, None, weights)
for x, y in data.create_tuple_iterator():
    loss, grads = forward_backward(x, y)
    print(int(counter), ops.depend(loss, collect(grads)))
show(network)
