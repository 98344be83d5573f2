"""nn.TensorArray, which MindSpore had until 2.6."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, nn


def test_what_its_documentation_shows():
    array = nn.TensorArray(ms.int64, ())
    assert array.write(0, 1)
    array.write(1, 2)
    assert int(array.read(1)) == 2
    np.testing.assert_array_equal(array.stack().asnumpy(), [1, 2])
    array.clear()
    array.write(0, 3)
    assert (int(array.read(0)), int(array.size())) == (3, 1)
    assert array.close()


def test_places_left_out_hold_zeros():
    array = nn.TensorArray(ms.float32, (2,))
    array.write(2, Tensor([1.0, 2.0]))
    np.testing.assert_array_equal(array.stack().asnumpy(), [[0, 0], [0, 0], [1, 2]])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_gradients_go_through_it(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.array = nn.TensorArray(ms.float32, (2,))

        def construct(self, x):
            self.array.clear()
            for i in range(3):
                self.array.write(i, x * i)
            return self.array.stack().sum()

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        np.testing.assert_array_equal(ms.grad(Net())(Tensor([1.0, 2.0])).asnumpy(), [3, 3])
    finally:
        ms.set_context(mode=before)


@pytest.mark.parametrize(("place", "value", "kind"), [
    (1, [1.0, 2.0], IndexError), (-1, [1.0, 2.0], IndexError), (0, [1, 2], TypeError), (0, [1.0], ValueError),
])
def test_refused(place, value, kind):
    array = nn.TensorArray(ms.float32, (2,), dynamic_size=False, size=1)
    with pytest.raises(kind, match="For 'TensorArray'"):
        array.write(place, Tensor(value))


def test_a_closed_one_is_told():
    array = nn.TensorArray(ms.float32, ())
    array.close()
    with pytest.raises(RuntimeError, match="it is closed"):
        array.read(0)
