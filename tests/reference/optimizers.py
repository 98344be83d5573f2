"""Parameters, gradients and runs that the cases about optimizers share."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor

from tests.reference.judge import data

SHAPES = {"conv.weight": (4, 16, 3), "bn.gamma": (4,), "bn.beta": (4,), "fc.weight": (3, 5), "fc.bias": (3,)}


def parameters(dtype=ms.float32, shapes=None):
    """A tuple of named Parameters, the same every time."""
    return ParameterTuple([Parameter(Tensor(data(shape, seed=i)).astype(dtype), name=name)
                           for i, (name, shape) in enumerate((shapes or SHAPES).items())])


def gradients(params, step, dtype=None):
    """Gradients of a step in the order of ``params``, by their names."""
    return tuple(Tensor(data(p.shape, seed=100 * step + sum(map(ord, p.name)))).astype(dtype or p.dtype)
                 for p in params)


def run(optimizer, steps=5, dtype=None):
    """The optimizer after some steps: what a step returns, and all that it keeps, by name."""
    result = None
    for step in range(1, steps + 1):
        result = optimizer(gradients(optimizer.parameters, step, dtype))
    return result, state(optimizer)


def state(optimizer):
    """Names and values of all Parameters of an optimizer, in order."""
    return [(p.name, np.array(p.asnumpy())) for p in optimizer.get_parameters()]


def weights(optimizer, steps=5, dtype=None):
    """The parameters after some steps."""
    run(optimizer, steps, dtype)
    return [Tensor(p.asnumpy()) for p in optimizer.parameters]


def grouped(lr=None, weight_decay=None, centralize=None, order=False, default_first=False):
    """Parameters in two groups: convolution and the rest, the first with what is given."""
    params = parameters()
    first = {"params": [p for p in params if "conv" in p.name]}
    for key, value in (("lr", lr), ("weight_decay", weight_decay), ("grad_centralization", centralize)):
        if value is not None:
            first[key] = value
    second = {"params": [p for p in params if "conv" not in p.name]}
    groups = [second, first] if default_first else [first, second]
    return groups + ([{"order_params": params}] if order else [])
