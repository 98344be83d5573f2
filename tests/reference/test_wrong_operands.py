"""What may not stand beside a Tensor in Python's operators and in their methods, in MindSpore's words."""

import operator

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

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


def whole(*shape):
    return Tensor(np.ones(shape, np.int32))


SIZES = {
    "BatchMatMul 2-D": lambda: ops.BatchMatMul()(T(2, 8, 3), T(3, 4)),
    "BatchMatMul rows": lambda: ops.BatchMatMul(transpose_b=True)(T(2, 8, 3), T(2, 3, 4)),
    "BatchMatMul 1-D": lambda: ops.BatchMatMul()(T(3), T(3)),
    "BatchMatMul batches": lambda: ops.BatchMatMul()(T(1, 8, 3), T(2, 3, 4)),
    "BatchMatMul": lambda: ops.BatchMatMul(True)(T(2, 3, 8), T(2, 3, 4)),
    "bmm rows": lambda: ops.bmm(T(2, 3, 4), T(2, 3, 4)),
    "bmm ranks": lambda: T(2, 3, 4).bmm(T(4, 3)),
    "Concat": lambda: ops.Concat(1)((T(2, 8, 16), T(2, 16, 8))),
    "Concat of three": lambda: ops.Concat(0)((T(2, 8), T(3, 8), T(3, 9))),
    "Stack": lambda: ops.Stack()((T(2), T(2, 1))),
    "Reshape": lambda: ops.Reshape()(T(2, 8), (-1, -1)),
    "Reshape to -2": lambda: ops.Reshape()(T(2, 8), (-2, 8)),
    "Argmax": lambda: ops.Argmax(3)(T(2, 3)),
    "Assign": lambda: ops.Assign()(Parameter(T(2)), T(3)),
    "GatherNd": lambda: ops.GatherNd()(T(2, 3), whole(2, 3)),
    "scatter_nd": lambda: ops.scatter_nd(whole(2, 1), T(3), (3,)),
    "cross": lambda: ops.cross(T(2, 4), T(2, 4)),
    "cross along 1": lambda: ops.cross(T(2, 4), T(2, 4), 1),
    "OneHot": lambda: nn.OneHot(depth=4)(T(2)),
    "OneHot depth": lambda: ops.OneHot()(whole(2, 3), T(2), Tensor(1.0), Tensor(0.0)),
    "norm": lambda: (said(ops.norm, (T(2, 3),), {"dim": 5}), said(ops.norm, (T(2, 3), 1), {"dim": 5})),
    "interpolate": lambda: ops.interpolate(T(2, 3, 4), size=(2, 2)),
    "NLLLoss": lambda: ops.NLLLoss()(T(2, 3), whole(4), T(3)),
    "ROIAlign": lambda: ops.ROIAlign(2, 2, 0.5, 2)(T(1, 3, 8, 8), whole(5)),
}


@case()
def test_sizes_that_do_not_fit():
    ms.set_context(pynative_synchronize=True)
    return {name: said(call, (), {}) for name, call in SIZES.items() if name != "norm"}, SIZES["norm"]()


class Compares(nn.Cell):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def construct(self, x):
        return x == self.value, x != self.value


@case(each={"mode": [0, 1]})
def test_equality_with_numpys_numbers(mode):
    ms.set_context(mode=mode)
    numbers = (np.int64(2), np.float32(2), np.float64(2), np.bool_(True), 2j)
    return [Compares(number)(Tensor([1.0, 2.0])) for number in numbers]


@case(each={"name": ["add", "sub", "mul", "truediv", "mod", "pow", "lt", "ge", "and_"]})
def test_complex_numbers_beside_tensors(name):
    compute = getattr(operator, name)
    return [*answers(lambda v: compute(T(2), v), 2j, np.complex64(2j)), *answers(lambda v: compute(v, T(2)), 2j)]
