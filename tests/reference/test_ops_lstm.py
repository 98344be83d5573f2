"""The LSTM Primitive with packed weights."""

import mindspore as ms
from mindspore import ops

from tests.reference.judge import case, data


@case(each={"has_bias": [True, False], "bidirectional": [True, False]}, rtol=1e-5, atol=1e-6,
      reason="another order of sums than oneDNN's")
def test_a_layer_with_packed_weights(has_bias, bidirectional):
    directions = 2 if bidirectional else 1
    size = directions * 12 * (2 + 3 + has_bias)
    net = ops.LSTM(2, 3, 1, has_bias, bidirectional, 0.0)
    states = [ms.Tensor(data((directions, 2, 3), seed=s)) for s in (1, 2)]
    return net(ms.Tensor(data((4, 2, 2))), *states, ms.Tensor(data((size, 1, 1), seed=3)))[:3]
