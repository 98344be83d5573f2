"""The training_and_gradient page: a train cell of one's own, with and without clipped gradients.

The page prints nothing. The numbers are the real MindSpore's or, for the clipping cell, which it cannot run
on CPU, the formula's: weight [[2, 3, 4]], x = [[1, 2, 3]], target 19, mean squared loss, SGD 0.1.
"""
import mindspore as ms
import torch
from mindspore import nn, ops
from mindspore.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

from tests.side_by_side.pairs import pair

WEIGHT, X, Y = [[2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0]], [[19.0]]


def torch_train(steps, clip=None):
    w = torch.tensor(WEIGHT, requires_grad=True)
    optimizer, losses = torch.optim.SGD([w], 0.1), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(torch.tensor(X) @ w.T, torch.tensor(Y))
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_([w], clip)
        optimizer.step()
        losses.append(loss)
    return tuple(losses), w


def ms_network():
    net = nn.Dense(3, 1, weight_init=ms.Tensor(WEIGHT, ms.float32), has_bias=False)
    return net, nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)


class TrainOneStep(nn.Cell):
    """Forward, gradients of all weights, reduction over devices, update."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = self.optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)
        self.grad_reducer = ops.identity
        if _get_parallel_mode() in (ms.ParallelMode.DATA_PARALLEL, ms.ParallelMode.HYBRID_PARALLEL):
            mean, degree = _get_gradients_mean(), _get_device_num()
            self.grad_reducer = nn.DistributedGradReducer(self.weights, mean, degree)

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs)
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        return loss


scale_back = ops.MultitypeFuncGraph("scale_back")


@scale_back.register("Tensor", "Tensor")
def _scale_back(scale, grad):
    return grad * ops.cast(ops.Reciprocal()(scale), ops.dtype(grad))


class ClippedTrainOneStep(nn.TrainOneStepWithLossScaleCell):
    """The loss-scale cell with clipping between unscaling and reduction; takes a manager as its scale."""

    def __init__(self, network, optimizer, scale_sense=1, grad_clip=False):
        if isinstance(scale_sense, (int, float)):
            scale_sense = ms.FixedLossScaleManager(scale_sense)
        super().__init__(network, optimizer, scale_sense)
        self.grad_clip = grad_clip

    def construct(self, x, y):
        weights = self.weights
        loss = self.network(x, y)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        sens = ops.ones_like(loss) * ops.cast(scale, ops.dtype(loss))
        grads = self.grad(self.network, weights)(x, y, sens)
        grads = self.hyper_map(ops.partial(scale_back, scale), grads)
        if self.grad_clip:
            grads = ops.clip_by_global_norm(grads)
        grads = self.grad_reducer(grads)
        cond = self.get_overflow_status(status, grads)
        if not self.process_loss_scale(cond):
            self.optimizer(grads)
        return loss, cond, scale


@pair(documented=((1.0, 3.24), [[2.16, 3.32, 4.48]]))
class test_two_steps_of_a_train_cell:
    def pytorch():
        return torch_train(2)

    def mindspore():
        net, with_loss, optimizer = ms_network()
        step = TrainOneStep(with_loss, optimizer)
        x, y = ms.Tensor(X, ms.float32), ms.Tensor(Y, ms.float32)
        return (step(x, y), step(x, y)), net.weight


def clipped_step(grad_clip, scale=1):
    net, with_loss, optimizer = ms_network()
    step = ClippedTrainOneStep(with_loss, optimizer, scale, grad_clip)
    loss, overflow, _ = step(ms.Tensor(X, ms.float32), ms.Tensor(Y, ms.float32))
    return (loss,), net.weight, bool(overflow)


@pair(documented=((1.0,), [[1.8, 2.6, 3.4]], False))
class test_loss_scale_cell_without_clipping:
    def pytorch():
        return *torch_train(1), False

    def mindspore():
        return clipped_step(grad_clip=False)


@pair(documented=((1.0,), [[1.973274, 2.946548, 3.919822]], False))
class test_loss_scale_cell_with_clipping:
    def pytorch():
        return *torch_train(1, clip=1.0), False

    def mindspore():
        return clipped_step(grad_clip=True)


@pair(documented=((1.0,), [[1.973274, 2.946548, 3.919822]], False))
class test_clipping_after_a_scale_of_1024:
    def pytorch():
        return *torch_train(1, clip=1.0), False

    def mindspore():
        return clipped_step(grad_clip=True, scale=1024)
