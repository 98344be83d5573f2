"""Methods of a program's Cells may have any name: the slow path of a call does not lean on them."""

import numpy as np

import ms2torch as ms
from ms2torch import Tensor, nn


class _OwnNames(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2, weight_init="ones", has_bias=False)

    def _compute(self, x):
        return self.dense(x)

    def _before(self, x):
        return x + 1

    def _after(self, x):
        return x * 2

    def construct(self, x):
        return self._after(self._compute(self._before(x)))


def test_methods_named_like_parts_of_a_call_work_with_hooks_precision_and_recording():
    net = _OwnNames().to_float(ms.float16)
    seen = []
    net.register_forward_pre_hook(lambda cell, inputs: seen.append("before"))
    net.register_forward_hook(lambda cell, inputs, output: seen.append("after"))
    net.set_grad()
    x = Tensor([[1.0, 2.0]], ms.float32)
    assert np.array_equal(net(x).asnumpy(), [[10.0, 10.0]])    # 2 * ((1 + 1) + (2 + 1))
    assert seen == ["before", "after"]
