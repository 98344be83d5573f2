"""Lists and tuples that a graph compares: numbers in them are equal where their types are, too."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.common import mutable
from mindspore.ops.operations import _sequence_ops

from tests.reference.judge import case
from tests.reference.networks import t

PAIRS = [((1, 2), (True, 2)), ((1, 2), (1.0, 2)), ((1, 2), (1, 2)), ((0,), (False,)), ((1, 2), (1, 2, 3)),
         (((1,), 2), ((True,), 2)), ([1, 2], [1.0, 2]), ([1.0], [1.0]), ((1, 2), [1, 2]), (1, 1.0), (True, 1),
         (("a", 1), ("a", 1.0)), ((None, 1), (None, 1)), ([[1.5], (2,)], [[1.5], (2.0,)])]


@ms.jit
def compared(one, other):
    return one == other, one != other


@case(each={"pair": list(range(len(PAIRS)))})
def test_arguments(pair):
    return compared(*PAIRS[pair])


@ms.jit
def written():
    number = 1
    made = number * 1.0
    return ((1, 2) == (1.0, 2), (1,) != (True,), [1, 2] == [1, 2], (number,) == (made,), 2 == 2.0,
            (None,) == (None,))


@case
def test_constants():
    return written()


@ms.jit
def by_shape(x):
    if x.shape == (2.0, 3):
        return 0
    return (x.shape == (2, 3), x.shape != (2, 3.0), (x.shape[0], 3) == (2, 3.0))


@case
def test_shapes():
    return by_shape(ms.Tensor(np.ones((2, 3), np.float32)))


@case
def test_tensors_among_them():
    return (compared((ms.Tensor(1), 2), (ms.Tensor(1), 2)), compared((ms.Tensor(1), 2), (ms.Tensor(1), 2.0)),
            compared((ms.Tensor(1),), (1,)), compared(t(1.0, 2.0), t(1.0, 3.0)))


@ms.jit
def equal(one, other):
    return one == other


@case
def test_what_is_mutable():
    return equal(mutable((1, 2)), (1.0, 2)), equal(mutable((1, 2)), mutable((1, 3)))


class Equal(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.equal = getattr(_sequence_ops, f"{kind.__name__}_equal")()

    def construct(self, one, other):
        return self.equal(one, other)


@case(mode="BOTH", each={"kind": [tuple, list], "other": [(True, 2), (1.0, 2), (1, 2), (1, 3)]})
def test_operators(kind, other):
    return Equal(kind)(kind((1, 2)), kind(other))
