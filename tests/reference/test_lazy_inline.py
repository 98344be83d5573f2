"""What lazy_inline may stand on."""
import mindspore as ms
from mindspore import nn

from tests.reference.judge import case


@case(raises="The lazy_inline should decorate the __init__ function, not the function: construct")
def test_of_another_method():
    class Net(nn.Cell):
        @ms.lazy_inline
        def construct(self, x):
            return x
    return Net


@case(raises="The lazy_inline should decorate the __init__ function, not the class ReLU")
def test_of_a_class():
    return ms.lazy_inline(nn.ReLU)


@case()
def test_of_init():
    class Net(nn.Cell):
        @ms.lazy_inline
        def __init__(self):
            super().__init__()
            self.scale = 2

        def construct(self, x):
            return x * self.scale
    return Net()(ms.Tensor([1.0]))
