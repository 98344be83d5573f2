"""What MindSpore's compiled core fills arrays with, by a seed; normalisation whose inputs a graph names."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore._c_expression import _random_normal, _random_uniform, _truncated_normal

from tests.reference.judge import case, data

FILL = {"normal": (_random_normal, 0.5, 2.0), "uniform": (_random_uniform, -1.0, 1.0),
        "truncated": (_truncated_normal, -1.0, 1.5, 0.25, 2.0)}


@case(each={"kind": list(FILL), "seed": [0, 5, 1 << 40]}, rtol=1e-6, reason="float32 rounded once")
def test_filled_arrays(kind, seed):
    values = np.ndarray((3, 5), np.float32)
    fill, *parameters = FILL[kind]
    fill(seed, values, *parameters)
    return values


class Named(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = ops.BatchNorm()

    def construct(self, x, m):
        return self.norm(input_x=x, scale=m, bias=m, mean=m, variance=m)[0], self.norm(x, m, m, variance=m, mean=m)[0]


class Misnamed(Named):
    def construct(self, x, m):
        return self.norm(x=x, scale=m, bias=m, mean=m, variance=m)[0]


@case(mode="GRAPH", rtol=1e-5, reason="another order of sums")
def test_named_inputs():
    return Named()(ms.Tensor(data((2, 3, 2, 2))), ms.Tensor(np.ones(3, np.float32)))


@case(raises=True, mode="BOTH")
def test_misnamed_inputs():
    return Misnamed()(ms.Tensor(data((2, 3, 2, 2))), ms.Tensor(np.ones(3, np.float32)))


@case(raises=True, mode="PYNATIVE")
def test_inputs_are_not_named_outside_a_graph():
    return Named()(ms.Tensor(data((2, 3, 2, 2))), ms.Tensor(np.ones(3, np.float32)))
