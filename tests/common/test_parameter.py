"""Parameters as packages subclass them."""

from ms2torch import Parameter, Tensor


def test_a_subclass_may_hand_its_data_to_new():
    class Counted(Parameter):
        def __new__(cls, data, count):
            made = super().__new__(cls, data)
            made.count = count
            return made

        def __init__(self, data, count):
            super().__init__(data, requires_grad=False)

    made = Counted(Tensor([1.0]), 3)
    assert (made.count, made.requires_grad, made.asnumpy().tolist()) == (3, False, [1.0])
