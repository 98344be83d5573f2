"""A transposed convolution whose sizes a program changes: an error that says what to do, no number."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import nn


@pytest.mark.parametrize("name, value", [("stride", (2, 2)), ("kernel_size", (4, 4)), ("dilation", (2, 2)),
                                         ("is_same", True), ("out_channels", 5)])
def test_it_is_to_be_made_anew(name, value):
    layer = nn.Conv2dTranspose(4, 4, 3, pad_mode="pad", padding=1)
    setattr(layer, name, value)
    with pytest.raises(NotImplementedError, match="make the layer anew"):
        layer(ms.Tensor(np.ones((1, 4, 5, 5), np.float32)))


def test_what_the_operator_alone_was_made_with_changes_nothing():
    layer, x = nn.Conv2dTranspose(4, 4, 3), ms.Tensor(np.ones((1, 4, 5, 5), np.float32))
    before = layer(x).asnumpy()
    layer.kernel_size, layer.dilation = (4, 4), (2, 2)
    np.testing.assert_array_equal(layer(x).asnumpy(), before)
