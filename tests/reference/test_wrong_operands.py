"""What may not stand beside a Tensor in Python's operators and in their methods, in MindSpore's words."""

import operator

import mindspore as ms
import numpy as np
from mindspore import nn

from tests.reference.judge import case
from tests.reference.test_wrong_calls import T, said

WRONG = (None, "a", [1, 2], (1, 2), ["a"], [T(2)], {}, {1}, ms.float32, nn.ReLU(), b"a", range(2), slice(1), int)


def answers(function, *values):
    ms.set_context(pynative_synchronize=True)        # an operator's error comes out of its own line
    return [said(function, (value,), {}) for value in values]


@case(each={"name": ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lt", "le", "gt", "ge",
                     "eq", "ne", "and_", "or_", "xor"]})
def test_operators(name):
    compute = getattr(operator, name)
    left = answers(lambda v: compute(T(2), v), *WRONG, np.ones(2, np.float32))
    if name == "mod":                               # (a string's own operator formats)
        return left, answers(lambda v: compute(v, T(2)), *(v for v in WRONG if not isinstance(v, (str, bytes))))
    if name in ("and_", "or_", "xor"):              # (Python's own words)
        return left
    return left, answers(lambda v: compute(v, T(2)), *WRONG)


@case(each={"name": ["add", "sub", "mul", "div", "pow", "less", "greater", "less_equal", "greater_equal",
                     "not_equal", "ne", "gt", "le", "maximum", "minimum", "bitwise_and", "true_divide",
                     "logical_xor", "atan2"]})
def test_methods(name):
    return answers(getattr(T(2), name), None, "a", [1, 2], (1,), {}, np.ones(2, np.float32))


@case()
def test_lists_beside_a_tensor():
    x = T(2)
    return x.add([1, 2]), x.add(other=(1, 2)), x.sub([1.5]), x.sub(y=(1, 2)), operator.add(x, [1, 2]), (1, 2) - x


@case()
def test_truth_of_many_elements():
    return [answers(f, T(2), T(0), T(2, 8), T(1, 1)) for f in (bool, operator.not_, int, float)]
