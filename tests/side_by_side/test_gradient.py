"""The gradient pages, r2.1 and master: weight [[2, 3, 4]], x = [[1, 2, 3]], target 19, mean squared loss."""
import mindspore as ms
import pytest
import torch
from mindspore import amp, nn, ops

from tests.side_by_side.pairs import pair


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False)
        self.fc.weight.set_data(ms.Tensor([[2, 3, 4]], ms.float32))
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return self.loss(logits, y), logits


def ms_setup():
    return Net(), ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor(19, ms.float32)


def torch_setup():
    w = torch.tensor([[2.0, 3.0, 4.0]], requires_grad=True)
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    y = torch.tensor(19.0, requires_grad=True)
    logits = torch.nn.functional.linear(x, w).squeeze()
    return w, x, y, torch.nn.functional.mse_loss(logits, y), logits


@pair(documented=(1.0, 20.0))
class test_forward:
    def pytorch():
        return torch_setup()[3:]

    def mindspore():
        net, x, y = ms_setup()
        return net(x, y)


@pair(documented=([[4.0, 6.0, 8.0]], (20.0,)))
class test_first_input:
    def pytorch():
        _, x, _, loss, logits = torch_setup()
        return torch.autograd.grad(loss, x)[0], (logits,)

    def mindspore():
        net, x, y = ms_setup()
        return ms.grad(net, grad_position=0, weights=None, has_aux=True)(x, y)


@pair(documented=(-2.0, (20.0,)))
class test_second_input:
    def pytorch():
        _, _, y, loss, logits = torch_setup()
        return torch.autograd.grad(loss, y)[0], (logits,)

    def mindspore():
        net, x, y = ms_setup()
        return ms.grad(net, grad_position=1, weights=None, has_aux=True)(x, y)


@pair(documented=(([[4.0, 6.0, 8.0]], -2.0), (20.0,)))
class test_both_inputs:
    def pytorch():
        _, x, y, loss, logits = torch_setup()
        return torch.autograd.grad(loss, (x, y)), (logits,)

    def mindspore():
        net, x, y = ms_setup()
        return ms.grad(net, grad_position=(0, 1), weights=None, has_aux=True)(x, y)


@pair(documented=(([[2.0, 4.0, 6.0]],), (20.0,)))
class test_weights:
    def pytorch():
        w, _, _, loss, logits = torch_setup()
        return torch.autograd.grad(loss, (w,)), (logits,)

    def mindspore():
        net, x, y = ms_setup()
        return ms.grad(net, grad_position=None, weights=net.trainable_params(), has_aux=True)(x, y)


@pair(documented=(([[4.0, 6.0, 8.0]], ([[2.0, 4.0, 6.0]],)), (20.0,)))
class test_first_input_and_weights:
    def pytorch():
        w, x, _, loss, logits = torch_setup()
        dx, dw = torch.autograd.grad(loss, (x, w))
        return (dx, (dw,)), (logits,)

    def mindspore():
        net, x, y = ms_setup()
        return ms.grad(net, grad_position=0, weights=net.trainable_params(), has_aux=True)(x, y)


ALL = (([[4.0, 6.0, 8.0]], -2.0), ([[2.0, 4.0, 6.0]],))


@pair(documented=(ALL, (20.0,)))
class test_all_inputs_and_weights:
    def pytorch():
        w, x, y, loss, logits = torch_setup()
        dx, dy, dw = torch.autograd.grad(loss, (x, y, w))
        return ((dx, dy), (dw,)), (logits,)

    def mindspore():
        net, x, y = ms_setup()
        return ms.grad(net, grad_position=(0, 1), weights=net.trainable_params(), has_aux=True)(x, y)


@pair(documented=((1.0, 20.0), ALL))
class test_value_and_grad:
    def pytorch():
        w, x, y, loss, logits = torch_setup()
        dx, dy, dw = torch.autograd.grad(loss, (x, y, w))
        return (loss, logits), ((dx, dy), (dw,))

    def mindspore():
        net, x, y = ms_setup()
        weights = net.trainable_params()
        return ms.value_and_grad(net, grad_position=(0, 1), weights=weights, has_aux=True)(x, y)


@pair(documented=[[6.0, 9.0, 12.0]])
class test_without_has_aux_all_outputs_are_summed:
    def pytorch():
        _, x, _, loss, logits = torch_setup()
        return torch.autograd.grad(loss + logits, x)[0]

    def mindspore():
        net, x, y = ms_setup()
        return ms.grad(net, grad_position=0, weights=None, has_aux=False)(x, y)


def test_neither_inputs_nor_weights_is_an_error():
    net, x, y = ms_setup()
    with pytest.raises(ValueError, match="`grad_position` and `weight` can not be None at the same time"):
        ms.grad(net, grad_position=None, weights=None)(x, y)


@pair(documented=(1024.0, ([[2048.0, 4096.0, 6144.0]],), 1.0, ([[2.0, 4.0, 6.0]],), True))
class test_loss_scale:
    def pytorch():
        w, _, _, loss, _ = torch_setup()
        scaled = loss * 1024
        grads = torch.autograd.grad(scaled, (w,))
        unscaled = tuple(g / 1024 for g in grads)
        return scaled, grads, scaled / 1024, unscaled, all(bool(g.isfinite().all()) for g in unscaled)

    def mindspore():
        net, x, y = ms_setup()
        scaler = amp.StaticLossScaler(1024.0)

        def forward(x, y):
            loss, logits = net(x, y)
            return scaler.scale(loss), logits

        step = ms.value_and_grad(forward, grad_position=None, weights=net.trainable_params(), has_aux=True)
        (scaled, _), grads = step(x, y)
        unscaled = scaler.unscale(grads)
        return scaled, grads, scaler.unscale(scaled), unscaled, bool(amp.all_finite(unscaled))


@pair(documented=([[0.267261, 0.534522, 0.801784]],))
class test_clipping_by_global_norm:
    def pytorch():
        w, _, _, loss, _ = torch_setup()
        w.grad = torch.autograd.grad(loss, w)[0]
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        return (w.grad,)

    def mindspore():
        net, x, y = ms_setup()
        grads, _ = ms.grad(net, None, net.trainable_params(), has_aux=True)(x, y)
        return ops.clip_by_global_norm(grads)


# x**2 + y at x = 1, y = 2

def leaves():
    return torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)


@pair(documented=(2.0, 1.0))
class test_backward_and_grad:
    def pytorch():
        x, y = leaves()
        (x**2 + y).backward()
        return x.grad, y.grad

    def mindspore():
        def net(x, y):
            return x**2 + y

        x, y = ms.Tensor(1.0), ms.Tensor(2.0)
        return ms.grad(net, grad_position=0)(x, y), ms.grad(net, grad_position=1)(x, y)


@pair(documented=3.0)
class test_several_outputs:
    """torch.autograd.backward takes one output; grad takes the sum of them."""

    def pytorch():
        x, y = leaves()
        return torch.autograd.grad((x**2 + y, x), x, grad_outputs=(torch.ones(()), torch.ones(())))[0]

    def mindspore():
        def net(x, y):
            return x**2 + y, x

        return ms.grad(net, grad_position=0)(ms.Tensor(1.0), ms.Tensor(2.0))


@pair(documented=(2.0, 1.0))
class test_several_outputs_has_aux:
    def pytorch():
        x, y = leaves()
        return torch.autograd.grad(x**2 + y, (x, y))

    def mindspore():
        def net(x, y):
            return x**2 + y, x

        x, y = ms.Tensor(1.0), ms.Tensor(2.0)
        return ms.grad(net, 0, has_aux=True)(x, y)[0], ms.grad(net, 1, has_aux=True)(x, y)[0]


@pair(documented=False)
class test_a_forward_alone_records_nothing:
    """torch needs no_grad for what MindSpore does by itself."""

    def pytorch():
        x, y = leaves()
        with torch.no_grad():
            return (x**2 + y).requires_grad

    def mindspore():
        x, y = ms.Parameter(ms.Tensor(1.0), name="x"), ms.Tensor(2.0)
        return (x**2 + y).torch().requires_grad
