"""The train page of r1.0, with its imports: TrainOneStepCell, and the arithmetic of sink mode."""
import re

import mindspore.dataset as ds
import mindspore.ops as ops
import numpy as np
import pytest
import torch
from mindspore import context
from mindspore.common.tensor import Tensor
from mindspore.nn import Cell, Dense, Momentum, SoftmaxCrossEntropyWithLogits, TrainOneStepCell, WithLossCell
from mindspore.train import Model
from mindspore.train.callback import LossMonitor

from tests.side_by_side.pairs import pair


class ReluMeanDense(Cell):
    """relu, the mean over height and width, a dense layer with the given weights."""

    def __init__(self, kernel, bias, in_channel, num_class):
        super().__init__()
        self.relu = ops.ReLU()
        self.mean = ops.ReduceMean(keep_dims=False)
        self.dense = Dense(in_channel, num_class, kernel, bias)

    def construct(self, x):
        return self.dense(self.mean(self.relu(x), (2, 3)))


IMAGES = np.random.RandomState(0).randn(32, 2048, 7, 7).astype(np.float32)


@pair(documented=np.zeros(32))
class test_labels_of_all_zeros_cost_nothing:
    def pytorch():
        logits = torch.relu(torch.from_numpy(IMAGES)).mean((2, 3)) @ torch.ones(2048, 1000) + 1
        return -(torch.zeros(32, 1000) * torch.log_softmax(logits, 1)).sum(1)

    def mindspore():
        weight, bias = Tensor(np.ones((1000, 2048), np.float32)), Tensor(np.ones((1000,), np.float32))
        net = ReluMeanDense(weight, bias, 2048, 1000)
        criterion = SoftmaxCrossEntropyWithLogits(sparse=False)
        optimizer = Momentum(learning_rate=0.1, momentum=0.1,
                             params=filter(lambda x: x.requires_grad, net.get_parameters()))
        train = TrainOneStepCell(WithLossCell(net, criterion), optimizer)
        train.set_train()
        return train(Tensor(IMAGES), Tensor(np.zeros((32, 1000), np.float32)))


@pair(documented=([1.098612, 1.098612], [2.505225, 0.000154], [0.675127, 0.072235]))
class test_three_steps_of_a_dense_layer_of_ones:
    """No reduction: TrainOneStepCell differentiates the vector of losses with ones."""

    def pytorch():
        w, b = torch.ones(3, 4, requires_grad=True), torch.ones(3, requires_grad=True)
        optimizer, losses = torch.optim.SGD([w, b], 0.1, momentum=0.1), []
        x, y = torch.arange(8.0).reshape(2, 4), torch.eye(3)[[0, 2]]
        for _ in range(3):
            optimizer.zero_grad()
            loss = -(y * torch.log_softmax(x @ w.T + b, 1)).sum(1)
            loss.sum().backward()
            optimizer.step()
            losses.append(loss)
        return tuple(losses)

    def mindspore():
        net = Dense(4, 3, Tensor(np.ones((3, 4), np.float32)), Tensor(np.ones(3, np.float32)))
        optimizer = Momentum(net.trainable_params(), 0.1, 0.1)
        train = TrainOneStepCell(WithLossCell(net, SoftmaxCrossEntropyWithLogits(sparse=False)), optimizer)
        x = Tensor(np.arange(8, dtype=np.float32).reshape(2, 4))
        y = Tensor(np.eye(3, dtype=np.float32)[[0, 2]])
        return tuple(train(x, y).asnumpy().copy() for _ in range(3))


# Sink mode, on the page's device and in its mode. 1,875 batches: the size of MNIST in batches of 32.

@pytest.fixture(autouse=True)
def graph_mode_on_ascend():
    before = {name: context.get_context(name) for name in ("mode", "device_target")}
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    yield
    context.set_context(**before)


def lines_of_training(capsys, epochs, batches, **arguments):
    x = np.random.RandomState(0).rand(batches * 2, 2).astype(np.float32)
    columns = {"data": x, "label": np.arange(batches * 2, dtype=np.int32) % 3}
    data = ds.NumpySlicesDataset(columns, shuffle=False)
    net = Dense(2, 3)
    loss = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, Momentum(net.trainable_params(), 0.01, 0.9))
    model.train(epochs, data.batch(2), callbacks=[LossMonitor()], **arguments)
    found = re.findall(r"epoch: (\d+) step: (\d+), loss is (\S+)", capsys.readouterr().out)
    assert all(np.isfinite(float(value)) for _, _, value in found)
    return [(int(epoch), int(step)) for epoch, step, _ in found]


def test_ten_epochs_of_sink_size_1000_over_1875_batches(capsys):
    lines = lines_of_training(capsys, 10, 1875, dataset_sink_mode=True, sink_size=1000)
    assert lines == [(epoch, 1000) for epoch in range(1, 11)]


def test_sink_size_is_the_whole_dataset_by_default(capsys):
    assert lines_of_training(capsys, 3, 20, dataset_sink_mode=True) == [(1, 20), (2, 20), (3, 20)]


def test_sink_size_has_no_effect_without_sink_mode(capsys):
    lines = lines_of_training(capsys, 2, 20, dataset_sink_mode=False, sink_size=7)
    assert lines == [(epoch, step) for epoch in (1, 2) for step in range(1, 21)]
