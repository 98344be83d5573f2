"""``TensorPy``, what Tensor descends from in MindSpore's core."""

import mindspore as ms
from mindspore._c_expression import TensorPy

from tests.reference.judge import case


@case()
def test_its_methods_stay_where_a_library_replaces_those_of_tensor():
    x, own = ms.Tensor([1.0, 2.0]), ms.Tensor.__repr__
    ms.Tensor.__repr__ = lambda self: TensorPy.__repr__(self)[:-1] + ", device=cpu)"
    try:
        return repr(x)
    finally:
        ms.Tensor.__repr__ = own


@case()
def test_what_is_one():
    x = ms.Tensor([1.0])
    return [isinstance(x, TensorPy), isinstance(ms.Parameter(x, name="p"), TensorPy), isinstance(1.0, TensorPy),
            issubclass(ms.Tensor, TensorPy), issubclass(int, TensorPy)]
