"""Primitives whose inputs are not what they were made for, and numbers that they are made of."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from tests.reference.judge import case, data


def T(*shape):
    return Tensor(data(shape))


WRONG = {
    "more channels": lambda: ops.Conv2D(4, 2)(T(1, 3, 5, 5), T(8, 3, 2, 2)),
    "another kernel": lambda: ops.Conv2D(4, 2)(T(1, 3, 5, 5), T(4, 3, 3, 3)),
    "another width": lambda: ops.Conv2D(4, (2, 3))(T(1, 3, 5, 5), T(4, 3, 2, 2)),
    "an image": lambda: ops.Conv2D(4, 2)(T(3, 5, 5), T(3, 2, 2)),
    "a weight": lambda: ops.Conv2D(4, 2)(T(1, 3, 5, 5), T(3, 2, 2)),
    "more channels of volumes": lambda: ops.Conv3D(4, 2)(T(1, 3, 5, 5, 5), T(8, 3, 2, 2, 2)),
    "another kernel of volumes": lambda: ops.Conv3D(4, 2)(T(1, 3, 5, 5, 5), T(4, 3, 3, 3, 3)),
    "a weight of volumes": lambda: ops.Conv3D(4, 2)(T(1, 3, 5, 5, 5), T(4, 3, 2, 2)),
    "padding": lambda: ops.Conv2D(4, 2, pad_mode="pad", pad=-1),
    "one padding": lambda: ops.Conv2D(4, 2, pad_mode="pad", pad=(0, 0, 0, -1)),
    "a size": lambda: ops.Slice()(T(2, 3), (0, 0), (1, -2)).asnumpy(),
    "an axis": lambda: ops.Stack(np.int64(1)),
    "another axis": lambda: ops.Unstack(1.0),
    "a size in a Tensor": lambda: ops.Eye()(2, Tensor([2]), ms.float32),
}


@case(each={"what": list(WRONG)}, raises=True)
def test_refused(what):
    WRONG[what]()


@case
def test_taken():
    unsigned = [ops.eye(2, 3, d) for d in (ms.uint16, ms.uint32, ms.uint64)]
    assert all(ops.dropout(T(2, 3), p, False).shape == (2, 3) for p in (0, 1.0, 1.5, "nothing looks at it"))
    return unsigned, ops.hann_window(4, np.bool_(True)), ops.Conv2D(4, (2, 2))(T(1, 3, 3, 3), T(4, 3, 2, 2)).shape


FUNCTIONS = {
    "a vector": lambda: ops.matmul(T(2, 3), T(2)),
    "stacks": lambda: T(2, 2, 3) @ T(3, 3, 4),
    "a vector of a stack": lambda: T(2, 2, 3).matmul(T(4)),
    "no step": lambda: ops.avg_pool2d(T(1, 1, 4, 4), 2, 0),
    "no step along one axis": lambda: ops.avg_pool2d(T(1, 1, 4, 4), 2, (2, 0)),
    "less than no padding": lambda: ops.avg_pool1d(T(1, 1, 4), 2, 2, -1),
    "padding of two axes": lambda: ops.avg_pool2d(T(1, 1, 4, 4), 2, 2, (1, 1)),
    "padding of four sides": lambda: ops.max_pool2d(T(1, 1, 4, 4), 2, 2, (1, 1, 1, 1)),
    "no step of maxima": lambda: ops.max_pool2d(T(1, 1, 4, 4), 2, 0),
    "the axis before": lambda: ops.gumbel_softmax(T(2, 3), 1.0, True, -2),
    "all goes": lambda: ops.dropout(T(2, 3), 1.0),
    "a share of an int": lambda: ops.dropout(T(2, 3), 0),
    "a Tensor of repeats": lambda: ops.repeat_elements(T(2, 3), Tensor(2), 0),
    "nothing": lambda: T(0, 3).max(),
    "nothing along an axis": lambda: T(0, 3).min(1),
    "nothing of a function": lambda: ops.max(T(0, 3), 1),
}


@case(each={"what": list(FUNCTIONS)}, raises=True)
def test_refused_by_functions(what):
    found = FUNCTIONS[what]()                   # MindSpore may say it when the numbers are asked for
    (found[0] if isinstance(found, tuple) else found).asnumpy()


@case(each={"name": ["ReLU", "Div"]}, raises=True)
def test_what_only_the_function_takes(name):
    getattr(ops, name)()(T(2, 3), T(2, 3), "floor")
