"""``ops.PyFunc``: Python functions of numpy arrays as operators."""

import mindspore as ms
from mindspore import ops

from tests.reference.judge import case, data


@case()
def test_two_inputs_and_outputs():
    shape, types = (2, 3), [ms.float32, ms.float32]
    call = ops.PyFunc(lambda a, b: (a + b, a * 2), types, [shape] * 2, types, [shape] * 2)
    return call(ms.Tensor(data(shape)), ms.Tensor(data(shape, seed=1)))


@case()
def test_one_array():
    call = ops.PyFunc(lambda a: a * 2, [ms.float32], [(2, 3)], [ms.float32], [(2, 3)])
    return call(ms.Tensor(data((2, 3))))
