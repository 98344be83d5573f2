"""Gradients of norms do not depend on how memory is laid out: against float64 over contiguous tensors."""

import itertools

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Tensor, nn

SHAPES = [(3, 4, 5, 1), (3, 4, 1, 6), (1, 4, 5, 6), (1, 4, 5, 1), (3, 4, 5, 6), (2, 3, 4, 1, 2),
          (1, 3, 4, 2, 2)]
LAYERS = {
    "batch": (nn.BatchNorm2d, nn.BatchNorm3d),
    "instance": (nn.InstanceNorm2d, nn.InstanceNorm3d),
    "mint": (ms.mint.nn.BatchNorm2d, ms.mint.nn.BatchNorm3d),
}


def laid_out(array, order):
    """A view of the array's values whose axes lie in memory in this order."""
    inverse = np.argsort(order)
    return Tensor(torch.from_numpy(np.ascontiguousarray(array.transpose(order))).permute(*map(int, inverse)))


def gradients(x, sens, kind, training):
    """Of normalisation over all but the channels (and, of instances, the batch), in float64."""
    x = torch.from_numpy(x).double().requires_grad_()
    axes = [i for i in range(x.ndim) if i != 1 and (kind != "instance" or i)]
    mean = x.mean(axes, keepdim=True) if training else 0.0
    variance = x.var(axes, unbiased=False, keepdim=True) if training else 1.0
    y = (x - mean) / (variance + 1e-5) ** 0.5
    return torch.autograd.grad(y, x, torch.from_numpy(sens).double())[0].numpy()


@pytest.mark.parametrize("kind", list(LAYERS))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_in_every_layout(kind, shape):
    rng = np.random.default_rng(0)
    x, sens = (rng.normal(size=shape).astype(np.float32) for _ in range(2))
    layer = LAYERS[kind][len(shape) - 4](shape[1])
    orders = list(itertools.permutations(range(len(shape))))[:: 1 if len(shape) == 4 else 11]
    for training in (False, True) if kind == "batch" else (True,):
        layer.set_train(training)
        gradient = ms.ops.GradOperation(sens_param=True)(layer)
        expected = gradients(x, sens, kind, training)
        for order, back in itertools.product(orders, orders[::4]):
            found = gradient(laid_out(x, order), laid_out(sens, back))
            np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-3, atol=1e-4,
                                       err_msg=f"axes in memory: {order}, of the sensitivity {back}")
