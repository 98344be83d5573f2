"""The LSTM and GRU Primitives with packed weights."""

import mindspore as ms
import numpy as np
from mindspore import ops
from mindspore.ops.operations._rl_inner_ops import GRUV2

from tests.reference.judge import case, data


@case(each={"has_bias": [True, False], "bidirectional": [True, False]}, rtol=1e-5, atol=1e-6,
      reason="another order of sums than oneDNN's")
def test_a_layer_with_packed_weights(has_bias, bidirectional):
    directions = 2 if bidirectional else 1
    size = directions * 12 * (2 + 3 + has_bias)
    net = ops.LSTM(2, 3, 1, has_bias, bidirectional, 0.0)
    states = [ms.Tensor(data((directions, 2, 3), seed=s)) for s in (1, 2)]
    return net(ms.Tensor(data((4, 2, 2))), *states, ms.Tensor(data((size, 1, 1), seed=3)))[:3]


@case(each={"has_bias": [True, False], "bidirectional": [True, False]}, rtol=1e-5, atol=1e-6,
      reason="another order of sums than oneDNN's")
def test_gated_units_with_packed_weights(has_bias, bidirectional):
    """MindSpore's CPU gives NaN for their gradients, and reads no lengths."""
    directions = 2 if bidirectional else 1
    size = directions * 9 * (2 + 3 + 2 * has_bias)
    net = GRUV2(2, 3, 1, has_bias, bidirectional, 0.0)
    state, weights = ms.Tensor(data((directions, 2, 3), seed=1)), ms.Tensor(data((size, 1, 1), seed=3))
    return net(ms.Tensor(data((4, 2, 2))), state, weights, ms.Tensor(np.array([4, 2], np.int32)))[:2]


@case(raises=True, each={"what": ["input", "size", "state", "batch", "lengths"]})
def test_gated_units_of_wrong_shapes(what):
    shapes = {"input": (4, 2, 2), "state": (1, 2, 3), "lengths": (2,)}
    shapes.update({"input": {"input": (4, 2)}, "size": {"input": (4, 2, 5)}, "state": {"state": (2, 2, 3)},
                   "batch": {"state": (1, 3, 3)}, "lengths": {"lengths": (3,)}}[what])
    net = GRUV2(2, 3, 1, True, False, 0.0)
    return net(ms.Tensor(data(shapes["input"])), ms.Tensor(data(shapes["state"])), ms.Tensor(data((63, 1, 1))),
               ms.Tensor(np.ones(shapes["lengths"], np.int32)))


class Cast(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        self.var = ms.Parameter(ms.Tensor([1.0, 2.0], ms.float16))
        self.m, self.v = ms.Parameter(ms.Tensor([0.1, 0.2])), ms.Parameter(ms.Tensor([0.3, 0.4]))
        self.step = ops.operations.inner_ops.FusedCastAdamWeightDecay()

    def construct(self, gradient, norm):
        self.step(self.var, self.m, self.v, 0.1, 0.9, 0.999, 1e-8, 0.01, gradient, norm)
        return gradient


@case(mode="GRAPH", each={"norm": [1.0, 2.0, 0.0, 1e-9, -1.0]}, rtol=1e-3, reason="float16")
def test_adam_over_the_norm_of_all_gradients(norm):
    net = Cast()
    net(ms.Tensor([2.0, 4.0], ms.float16), ms.Tensor([norm]))
    return net.var.asnumpy(), net.m.asnumpy(), net.v.asnumpy()
