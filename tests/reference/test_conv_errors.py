"""What the convolutions say where shapes do not fit each other."""

import copy

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

from tests.reference.judge import case, data


def t(*shape):
    return Tensor(data(shape))


CALLS = {
    "channels": lambda: ops.conv2d(t(2, 16, 8, 8), t(16, 3, 3, 3)),
    "channels, padded": lambda: ops.conv2d(t(2, 16, 8, 8), t(16, 3, 3, 3), None, 1, "pad", 1),
    "channels, the same size": lambda: ops.conv2d(t(2, 16, 8, 8), t(16, 3, 3, 3), pad_mode="same"),
    "channels of a group": lambda: ops.conv2d(t(2, 16, 8, 8), t(16, 3, 3, 3), groups=2),
    "channels of the operator": lambda: ops.Conv2D(16, 3)(t(2, 16, 8, 8), t(16, 3, 3, 3)),
    "channels, 1-d": lambda: ops.conv1d(t(2, 16, 4), t(4, 3, 3)),
    "channels, 3-d": lambda: ops.conv3d(t(2, 16, 4, 4, 4), t(4, 3, 3, 3, 3)),
    "bias": lambda: ops.conv2d(t(2, 3, 8, 8), t(16, 3, 3, 3), t(4)),
    "bias of four axes": lambda: ops.conv2d(t(2, 16, 8, 8), t(16, 3, 3, 3), t(1, 16, 1, 1)),
    "bias, 1-d": lambda: ops.conv1d(t(2, 3, 4), t(4, 3, 3), t(1, 4)),
    "groups": lambda: ops.conv2d(t(2, 3, 8, 8), t(16, 3, 3, 3), groups=3),
    "one sample": lambda: ops.conv2d(t(3, 8, 8), t(16, 3, 3, 3)),
    "axes of the weight": lambda: ops.conv2d(t(2, 3, 8, 8), t(16, 3, 3)),
    "a large kernel": lambda: ops.conv2d(t(2, 3, 2, 2), t(16, 3, 3, 3)),
    "stride": lambda: ops.conv2d(t(2, 3, 8, 8), t(16, 3, 3, 3), stride=0),
    "layer": lambda: nn.Conv2d(3, 4, 3)(t(2, 16, 8, 8)),
}


@case(raises=True, each={"what": list(CALLS)})
def test_shapes_that_do_not_fit(what):
    return CALLS[what]()


@case
def test_copies_by_their_own_method():
    weight = ms.Parameter(Tensor(np.ones(2, np.float32)), name="w")
    return [Tensor([1.0, 2.0]).__deepcopy__(memodict={}), weight.__deepcopy__(memodict={}),
            copy.deepcopy(weight).name]
