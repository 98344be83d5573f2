"""``mindspore.boost``: gradients added up over steps."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn
from mindspore.boost import GradientAccumulation

from tests.reference.judge import case


@case(each={"mode": ["GRAPH", "PYNATIVE"]})
def test_gradient_accumulation(mode):
    ms.set_context(mode=getattr(ms, f"{mode}_MODE"))
    weight = Parameter(Tensor(np.array([[1.0, 2.0, 3.0]], np.float32)), name="w")
    optimizer = nn.Momentum([weight], 0.1, 0.9)
    accumulation = GradientAccumulation(3, optimizer)
    names = [p.name for p in accumulation.get_parameters()]
    seen = []
    for k in range(7):
        loss = accumulation(Tensor(float(k)), (Tensor(np.full((1, 3), k + 1, np.float32)),))
        total = accumulation._grad_accumulation[0]
        seen.append((loss, weight.asnumpy().copy(), total.asnumpy().copy(), accumulation._accumulation_step.value()))
    return names, seen, optimizer.global_step.value()
