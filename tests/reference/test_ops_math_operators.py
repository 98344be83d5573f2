"""Python's operators on Tensors: every pair of dtypes, numbers, lists, numpy, division by zero, errors."""

import mindspore as ms
import numpy as np
from mindspore import mint

from tests.reference.judge import case, data

NAMES = ["bool_", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "bfloat16"]
OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
# What MindSpore's CPU kernels refuse, and its other devices take.
LACKS = {
    "-": (),
    "%": ("bool_", "bfloat16"),
    "**": ("bool_", "bfloat16"),
    "<": ("bool_", "bfloat16"),
    "<=": ("bool_", "bfloat16"),
    ">": ("bool_", "bfloat16"),
    ">=": ("bool_", "bfloat16"),
    "==": ("bfloat16",),
    "!=": ("bfloat16",),
}
ARITHMETIC = ["+", "-", "*", "/", "//", "%", "**"]


def tensor(values, name):
    return ms.Tensor(np.array(values), getattr(ms, name))


@case(each={"op": OPERATORS, "left": NAMES})
def test_pairs_of_dtypes(op, left):
    found = []
    for right in NAMES:
        if left in LACKS.get(op, ()) or right in LACKS.get(op, ()):
            continue
        found.append(OPERATORS[op](tensor([1, 2, 5], left), tensor([2, 1, 3], right)))
    return found


@case(each={"op": ARITHMETIC, "name": ["int8", "uint8", "int32", "int64", "float16", "float32", "float64"]})
def test_numbers_on_either_side(op, name):
    compute, x = OPERATORS[op], tensor([7, 3, 5, 10], name)
    numbers = [2, 2.5, True, 0.1, np.int8(2), np.float64(2.5)]
    return ([compute(x, n) for n in numbers], [compute(n, x) for n in numbers[:4]])


@case(
    each={"op": ["<", "<=", ">", ">=", "==", "!="], "name": ["int8", "uint8", "int32", "float16", "float32"]}
)
def test_comparison_with_numbers(op, name):
    x = tensor([0, 1, 2], name)
    return [OPERATORS[op](x, n) for n in (1, 1.5, 258, -1, 1e-8, True)] + [
        OPERATORS[op](n, x) for n in (1, 300)
    ]


@case(each={"op": ["/", "//", "%"], "name": ["int8", "uint8", "int32", "int64", "float32"]})
def test_division_by_zero(op, name):
    compute, x, y = OPERATORS[op], tensor([7, 0, 5, 100], name), tensor([0, 0, 2, 3], name)
    return compute(x, y), compute(x, 0), compute(3, y)


@case(each={"op": ["//", "%"]})
def test_floor_of_negative_quotients(op):
    compute = OPERATORS[op]
    return [
        compute(ms.Tensor(np.array([-7, 5, 7, -5], d)), ms.Tensor(np.array([2, -3, 2, 3], d)))
        for d in ("float16", "float32", "float64", "int32")
    ] + [
        compute(
            ms.Tensor(np.array([5.0, -5.0, np.inf, 1.0])), ms.Tensor(np.array([np.inf, np.inf, 2.0, 0.1]))
        )
    ]


@case
def test_powers_of_integers():
    x = ms.Tensor([1, 2, 3], ms.int32)
    return x**-1, x**0, x**0.5, 2**x, x**x, ms.Tensor([-2.0, 2.0]) ** 3


@case(each={"op": ["+", "-", "//"]})
def test_a_list_takes_the_tensors_dtype(op):
    compute = OPERATORS[op]
    return (
        compute(ms.Tensor([7, 8]), [3.5, 4]),
        compute([1.5, 2.0], ms.Tensor([1.0, 2.0])),
        compute(ms.Tensor([1.0, 2.0]), ((3, 4), (5, 6))),
    )


@case
def test_numpy_on_the_left_gives_numpy():
    x = ms.Tensor([1.0, 2.0])
    return np.float32(2) + x, np.array([1.0, 2.0], np.float32) * x


@case(each={"op": ["+", "-", "*", "//"], "other": ["a", {}]}, raises=True)
def test_what_is_no_operand(op, other):
    return OPERATORS[op](ms.Tensor([1.0, 2.0]), other)


@case(each={"op": ["+", "-", "*", "/", "//", "%", "**", "<", "=="]}, raises=True)
def test_shapes_that_do_not_broadcast(op):
    return OPERATORS[op](ms.Tensor(data((3,))), ms.Tensor(data((2,))))


@case
def test_equality_with_what_is_no_number():
    x = ms.Tensor([1.0])
    return [x == y for y in ("a", None, [1.0], (1.0,), {})] + [x != y for y in ("a", None, [1.0])]


@case
def test_one_operand():
    x = ms.Tensor([1.5, -2.5])
    return -x, +x, abs(x), ~ms.Tensor([1, 0, 2]), ~ms.Tensor([True, False]), abs(ms.Tensor([True])), round(x)


@case(each={"op": ["&", "|", "^"]})
def test_bits(op):
    a, b = ms.Tensor([5, 6, -1], ms.int32), ms.Tensor([3, 3, 8], ms.int32)
    p, q = ms.Tensor([True, False, True]), ms.Tensor([True, True, False])
    if op == "&":
        return a & b, p & q, a & 3
    return (a | b, p | q, a | 3) if op == "|" else (a ^ b, p ^ q, a ^ 3)


@case
def test_augmented_assignment_makes_a_new_tensor():
    x = ms.Tensor([1, 2])
    y = x
    x += 1.5
    p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
    q = p
    q *= 2
    return x, y, p, q


@case
def test_wrap_round():
    x = ms.Tensor([7, 100], ms.int8)
    return (
        x + 10000,
        x * 100,
        ms.Tensor([3, 5], ms.uint8) - 5,
        ms.Tensor([True, False]) - ms.Tensor([True, True]),
    )


ALPHA = {"float": [1.0, 2.0], "int": [3, 4], "bool": [True, False]}


@case(each={"method": ["add", "sub"], "first": list(ALPHA), "second": [*ALPHA, 2]})
def test_alpha(method, first, second):
    a, b = ms.Tensor(ALPHA[first]), ms.Tensor(ALPHA[second]) if second in ALPHA else second
    in_mint = getattr(mint, method)(a, b, alpha=ms.Tensor(2))
    return getattr(a, method)(b, alpha=2), in_mint
