"""Arithmetic of Python numbers in graphs: floats are of 32 bits, integers of 64."""
import mindspore as ms
from mindspore import nn

from tests.reference.graphs import graph
from tests.reference.judge import case

RATE = 0.1


@graph
def test_products():
    return 0.1 * 3, 1.1 * 3, 0.1 * 3 == 0.3, 0.1 * 3 - 0.3


@graph
def test_names():
    a = 0.1
    b = a * 3
    return b == 0.3, b, b * 1e8


@graph
def test_sums_in_a_loop():
    s = 0.0
    for _ in range(10):
        s += 0.1
    return s, s == 1.0


@graph
def test_grows_in_a_loop():
    a = 1e-3
    while a < 1e-2:
        a = a * 1.1
    return a


@graph
def test_remainders():
    return 0.7 % 0.1, 0.7 % 0.2, -0.7 % 0.2, 0.7 % -0.2, 7.5 % 2, 5 % 0.3, -7 % 3


@graph
def test_floor_divisions():
    return 0.1 // 0.03, -0.1 // 0.03, 1.0 // 0.1, -7 // 2, (0.1 + 0.2) * 10 // 1


@graph
def test_powers_of_integers():
    return 2 ** -1, 2 ** -2, 1 ** -1, (-1) ** -1, (-2) ** -3, 0 ** -1, 2 ** 63, 4 ** 32, 3 ** 41


@graph
def test_powers_of_floats():
    return 2.0 ** -1, 0.1 ** 2, 2 ** 0.5, 2 ** -1.0, 2.0 ** 200


@graph
def test_powers_of_an_argument(x, i):
    return i ** -1, (i - 1) ** -1, x ** -1, x * 10 ** -3


@graph
def test_powers_of_numbers_known_late(x, i):
    k = 1 - i - x.shape[0]
    return 2 ** -i, 10 ** k, pow(2, k), pow(2.0, k), (-1) ** k, 2 ** -x.shape[0], x ** -i, x ** k, 3 ** i


@graph
def test_comparisons():
    return 0.1 + 0.2 == 0.3, 0.1 < 0.1 + 1e-9, 16777216.0 + 1 == 16777216.0, -(0.1 + 0.2) == -0.3


@graph
def test_texts():
    return str(0.1 + 0.2), str(1 / 3), int(0.29 * 100)


@graph
def test_global():
    return RATE * 3, RATE + 0.2 == 0.3


@graph
def test_with_tensors(x):
    return x * (0.1 * 3), x + 1 / 3, x.astype(ms.float64) * (1 - RATE)


@graph(raises=True)
def test_overflow_of_a_sum():
    return 9223372036854775807 + 1


@graph(raises=True)
def test_overflow_of_a_difference():
    return -9223372036854775807 - 2


@graph(raises=True)
def test_overflow_of_a_product():
    return 9223372036854775807 * 2


class Attributes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.rate = 0.1

    def construct(self, x):
        return x * (self.rate * 3), self.rate * 3 == 0.3, self.rate * 3


@case(mode="GRAPH")
def test_attributes():
    return Attributes()(ms.Tensor([1.0, 2.0], ms.float32))


@graph
def test_the_least_integer():
    return -2**63, -(2**63), -(2**3), -(2.0**3)


@graph(raises=True)
def test_no_truth_is_negated(x):
    return -(x.ndim == 2)


@graph(raises=True)
def test_nor_is_its_opposite(x):
    return -(not x.ndim)


@graph(raises=True)
def test_a_product_of_two_dtypes(x):
    return x @ x.astype(ms.float16).T


@graph
def test_sums_of_floats_are_of_32_bits():
    a = sum([0.1, 0.2])
    return a, sum([0.1]), sum((0.1, 2), 0.3), sum([True, True]), sum([k * 0.1 for k in range(3)]), a == 0.3


@graph
def test_a_negative_float_has_an_absolute_value_of_32_bits():
    return abs(-0.1), abs(0.1), abs(-3), abs(-0.1) == 0.1


@graph
def test_sums_of_tensors(x):
    return sum([x, x, 0.1]), sum(x), sum((x,), 1)
