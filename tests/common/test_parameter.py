"""Parameters as packages subclass them."""

import copy
import subprocess
import sys

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


def test_names_that_are_not_given():
    """MindSpore's first is Parameter#2, and a deep copy takes a number too."""
    made = Parameter(Tensor([1.0]))
    copy.copy(made)
    copy.deepcopy(made)
    number = int(made.name.removeprefix("Parameter#"))
    assert Parameter(Tensor([1.0])).name == f"Parameter#{number + 2}"
    code = "from ms2torch import Parameter; print(Parameter(1).name)"
    first = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert first.stdout.strip() == "Parameter#2"
