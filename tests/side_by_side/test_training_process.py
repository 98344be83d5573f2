"""The training process page of r1.8, the smallest form that runs: datasets, GradOperation, TrainOneStepCell.

The page prints nothing; the numbers are the real MindSpore's.
"""
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import torch
from mindspore import nn
from mindspore.ops import GradOperation

from tests.side_by_side.pairs import pair


class Items:
    """A dataset in the way of both frameworks: an index gives an item."""

    def __len__(self):
        return 100

    def __getitem__(self, index):
        return np.full((3, 4, 5), index, np.float32), np.array([index], np.int32)


SHAPES = ((25, 3, 4, 5), (25, 1))


@pair(documented=(np.arange(0, 100, 25), *map(np.array, SHAPES)))
class test_a_dataset_in_batches_by_dict:
    """GeneratorDataset is the data, `batch` does what DataLoader's batch_size does."""

    def pytorch():
        batches = list(torch.utils.data.DataLoader(Items(), batch_size=25))
        image, label = batches[0]
        return np.array([int(b[1][0]) for b in batches]), np.array(image.shape), np.array(label.shape)

    def mindspore():
        data = ds.GeneratorDataset(Items(), column_names=["data", "label"], shuffle=False).batch(25)
        batches = list(data.create_dict_iterator())
        first = batches[0]
        starts = np.array([int(b["label"].asnumpy()[0, 0]) for b in batches])
        return starts, np.array(first["data"].shape), np.array(first["label"].shape)


@pair(documented=(np.arange(100), np.array((3, 4, 5))))
class test_a_dataset_one_by_one_by_tuple:
    def pytorch():
        rows = list(torch.utils.data.DataLoader(Items(), batch_size=None))
        return np.array([int(label[0]) for _, label in rows]), np.array(rows[0][0].shape)

    def mindspore():
        data = ds.GeneratorDataset(Items(), column_names=["data", "label"], shuffle=False)
        rows = list(data.create_tuple_iterator())
        return np.array([int(label.asnumpy()[0]) for _, label in rows]), np.array(rows[0][0].shape)


class GradNetWrtX(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.grad_op = GradOperation()

    def construct(self, x, y):
        gradient_function = self.grad_op(self.net)
        return gradient_function(x, y)


class MatMulScaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.z = ms.Parameter(ms.Tensor(2.0, ms.float32), name="z")

    def construct(self, x, y):
        return ms.ops.matmul(x * self.z, y)


A, B = [[0.8, 0.6, 0.2], [1.8, 1.3, 1.1]], [[0.11, 3.3, 1.1], [1.1, 0.2, 1.4], [1.1, 2.2, 0.3]]


@pair(documented=[[9.02, 5.4, 7.2], [9.02, 5.4, 7.2]])
class test_a_gradient_function_inside_a_cell:
    """2 * the sums of the second factor's rows."""

    def pytorch():
        x = torch.tensor(A, requires_grad=True)
        return torch.autograd.grad(((x * 2) @ torch.tensor(B)).sum(), x)[0]

    def mindspore():
        return GradNetWrtX(MatMulScaled())(ms.Tensor(A, ms.float32), ms.Tensor(B, ms.float32))


@pair(documented=(1.0, [[1.6, 2.2, 2.8]]))
class test_train_one_step_cell_with_sens_of_two:
    def pytorch():
        w = torch.tensor([[2.0, 3.0, 4.0]], requires_grad=True)
        loss = torch.nn.functional.mse_loss(torch.tensor([[1.0, 2.0, 3.0]]) @ w.T, torch.tensor([[19.0]]))
        loss.backward(torch.tensor(2.0))
        torch.optim.SGD([w], 0.1).step()
        return loss, w

    def mindspore():
        net = nn.Dense(3, 1, weight_init=ms.Tensor([[2, 3, 4]], ms.float32), has_bias=False)
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, sens=2.0)
        return step(ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor([[19]], ms.float32)), net.weight
