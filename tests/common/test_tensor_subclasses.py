"""Tensors as packages subclass them."""

import numpy as np

from ms2torch import Tensor


def test_a_subclass_may_hand_its_data_to_new():
    class Named(Tensor):
        def __new__(cls, data, name=""):
            made = super().__new__(cls, data, name=name)
            made.label = name
            return made

        def __init__(self, data, name=""):
            super().__init__(data)

    class Plain(Tensor):
        def __new__(cls, data):
            return Tensor.__new__(cls, data)

    made = Named(np.ones(2, np.float32), name="a")
    assert (made.label, made.shape, type(made + 1)) == ("a", (2,), Tensor)
    assert Plain(np.ones(2, np.float32)).asnumpy().tolist() == [1.0, 1.0]
