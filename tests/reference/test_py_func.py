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


@case(each={"pair": ["() (1,)", "(2,) (2, 1)", "(1, 2) (2,)", "(2, 1) (1, 2)"]})
def test_arrays_have_the_shapes_that_were_announced(pair):
    given, shape = {"() (1,)": ((), (1,)), "(2,) (2, 1)": ((2,), (2, 1)), "(1, 2) (2,)": ((1, 2), (2,)),
                    "(2, 1) (1, 2)": ((2, 1), (1, 2))}[pair]
    call = ops.PyFunc(lambda a: a + a.shape[0], [ms.float32], [shape], [ms.float32], [shape])
    return call(ms.Tensor(data(given)))
