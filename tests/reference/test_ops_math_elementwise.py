"""Elementwise operators: values, dtypes and gradients; functional form, Primitive and method agree."""

import mindspore as ms
from mindspore import ops

from tests.reference.judge import case, data

POSITIVE = abs(data((2, 3), seed=1)) + 0.1
SMALL = data((2, 3), seed=2) * 0.3
ANY = data((2, 3), seed=3)
# functional name: (Primitive, where the function is smooth)
UNARY = {
    "abs": ("Abs", ANY),
    "neg": ("Neg", ANY),
    "exp": ("Exp", ANY),
    "expm1": ("Expm1", SMALL),
    "log": ("Log", POSITIVE),
    "log1p": ("Log1p", POSITIVE),
    "sqrt": ("Sqrt", POSITIVE),
    "rsqrt": ("Rsqrt", POSITIVE),
    "square": ("Square", ANY),
    "reciprocal": ("Reciprocal", POSITIVE),
    "inv": ("Inv", POSITIVE),
    "sign": ("Sign", ANY),
    "floor": ("Floor", ANY),
    "ceil": ("Ceil", ANY),
    "trunc": ("Trunc", ANY),
    "round": ("Round", ANY),
    "sin": ("Sin", ANY),
    "cos": ("Cos", ANY),
    "tan": ("Tan", SMALL),
    "asin": ("Asin", SMALL),
    "acos": ("ACos", SMALL),
    "atan": ("Atan", ANY),
    "sinh": ("Sinh", SMALL),
    "cosh": ("Cosh", SMALL),
    "tanh": ("Tanh", ANY),
    "asinh": ("Asinh", ANY),
    "acosh": ("Acosh", POSITIVE + 1),
    "atanh": ("Atanh", SMALL),
    "erf": ("Erf", ANY),
    "erfc": ("Erfc", ANY),
    "erfinv": ("Erfinv", SMALL),
    "lgamma": ("Lgamma", POSITIVE),
}
NO_GRADIENT = {
    "log2": POSITIVE,
    "log10": POSITIVE,
    "exp2": ANY,
    "frac": ANY,
    "sinc": POSITIVE,
    "deg2rad": ANY,
    "rad2deg": ANY,
    "isnan": ANY,
    "isinf": ANY,
    "isfinite": ANY,
    "logical_not": ANY,
    "digamma": POSITIVE,
    "arcsin": SMALL,
    "arccos": SMALL,
    "arctan": ANY,
    "arcsinh": ANY,
    "arctanh": SMALL,
    "absolute": ANY,
    "negative": ANY,
    "positive": ANY,
    "signbit": ANY,
    "isreal": ANY,
    "sgn": ANY,
    "bessel_i0": ANY,
    "bessel_i1": ANY,
    "bessel_j0": ANY,
    "bessel_k0": POSITIVE,
}


@case(each={"name": UNARY})
def test_unary(name):
    prim, values = UNARY[name]
    x = ms.Tensor(values)
    return (
        getattr(ops, name)(x),
        getattr(ops, prim)()(x),
        getattr(x, name)() if name != "lgamma" else None,
        getattr(ops, name)(ms.Tensor(values[0, 0])),
        ms.grad(getattr(ops, name))(x),
    )


@case(each={"name": NO_GRADIENT})
def test_unary_functions_without_a_primitive(name):
    return getattr(ops, name)(ms.Tensor(NO_GRADIENT[name]))


@case(each={"name": ["exp", "sqrt", "log", "tanh", "abs", "floor"]})
def test_half_precision_stays(name):
    x = ms.Tensor(POSITIVE, ms.float16)
    return getattr(ops, name)(x), ms.grad(getattr(ops, name))(x)


@case(
    each={
        "name": ["abs", "neg", "square", "sign", "trunc", "sqrt", "reciprocal", "inv"],
        "dtype": [ms.int32, ms.int64],
    }
)
def test_integers(name, dtype):
    return getattr(ops, name)(ms.Tensor([[1, 2], [3, 4]], dtype))


@case
def test_halves_round_to_the_even_neighbour():
    return ops.round(ms.Tensor([0.5, 1.5, 2.5, -0.5])), ops.Rint()(ms.Tensor([0.5, 1.5, -2.5]))


@case
def test_nan_to_num():
    x = ms.Tensor([float("nan"), float("inf"), -float("inf"), 1.0])
    return ops.nan_to_num(x), ops.nan_to_num(x, 1.0, 2.0, 3.0)


@case
def test_logit():
    return ops.logit(ms.Tensor([0.1, 0.9])), ops.logit(ms.Tensor([0.0, 0.9]), 1e-2)


@case
def test_invert_turns_bits():
    x = ms.Tensor([0, 1, -3], ms.int32)
    return ops.invert(x), ops.Invert()(x), ~x


@case(each={"name": ["abs", "exp", "sqrt", "neg", "floor"], "argument": ["a", None, 2, [1.0]]}, raises=True)
def test_what_is_no_tensor(name, argument):
    return getattr(ops, name)(argument)


# ---- two operands ---------------------------------------------------------------------------------------------

A, B = data((2, 3), seed=4), abs(data((2, 1), seed=5)) + 0.5
BINARY = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "div": "Div",
    "floor_div": "FloorDiv",
    "floor_mod": "FloorMod",
    "pow": "Pow",
    "atan2": "Atan2",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "xdivy": "Xdivy",
    "xlogy": "Xlogy",
    "hypot": "Hypot",
    "truncate_div": "TruncateDiv",
    "truncate_mod": "TruncateMod",
}
COMPARE = {
    "equal": "Equal",
    "not_equal": "NotEqual",
    "greater": "Greater",
    "greater_equal": "GreaterEqual",
    "less": "Less",
    "less_equal": "LessEqual",
    "logical_and": "LogicalAnd",
    "logical_or": "LogicalOr",
}
MIXED = [
    (ms.int32, ms.float32),
    (ms.int8, ms.int32),
    (ms.uint8, ms.int8),
    (ms.float16, ms.float32),
    (ms.int64, ms.int64),
]


@case(each={"name": BINARY})
def test_binary_broadcasts_and_differentiates(name):
    function = getattr(ops, name)
    a, b = ms.Tensor(abs(A) if name in ("pow", "xlogy") else A), ms.Tensor(B)
    return function(a, b), getattr(ops, BINARY[name])()(a, b), ms.grad(function, (0, 1))(a, b)


@case(each={"name": COMPARE})
def test_comparison_broadcasts(name):
    a, b = ms.Tensor(A), ms.Tensor(B)
    return getattr(ops, name)(a, b), getattr(ops, COMPARE[name])()(a, b)


@case(
    each={
        "name": ["add", "sub", "mul", "div", "floor_div", "floor_mod", "pow", "maximum", "equal", "less"],
        "dtypes": MIXED,
    }
)
def test_operands_of_two_dtypes(name, dtypes):
    a, b = (ms.Tensor(v, d) for v, d in zip(([7, 1, 5], [2, 2, 3]), dtypes, strict=True))
    return getattr(ops, name)(a, b)


@case(
    each={
        "name": ["add", "sub", "mul", "div", "floor_div", "pow", "maximum", "xlogy", "not_equal", "greater"]
    }
)
def test_number_on_either_side(name):
    function, x, i = getattr(ops, name), ms.Tensor([7.0, 1.0, 5.0]), ms.Tensor([7, 1, 5], ms.int32)
    return function(x, 2), function(2, x), function(x, 2.5), function(i, 2.5), function(i, 2), function(2, 3)


@case(each={"name": ["add", "mul", "maximum", "eq"]})
def test_zero_dimensional_tensors_count_fully(name):
    return getattr(ops, name)(ms.Tensor([1, 2], ms.int32), ms.Tensor(2.5))


@case(each={"name": BINARY}, raises="need to broadcast")
def test_shapes_that_do_not_broadcast(name):
    if name == "xlogy":
        name = "add"
    return getattr(ops, name)(ms.Tensor(A), ms.Tensor(data((2, 2))))


@case(each={"shapes": [((5, 2, 3), (4, 3)), ((2, 3), (2, 4)), ((2, 3), (4, 5)), ((3,), (5, 4))]}, raises=True)
def test_text_for_shapes_that_do_not_broadcast(shapes):
    a, b = (ms.Tensor(data(s)) for s in shapes)
    return ops.mul(a, b)


@case
def test_real_div_of_integers_is_cut_off():
    a, b = ms.Tensor([7, -7, 5], ms.int32), ms.Tensor([2, 2, -3], ms.int32)
    return ops.RealDiv()(a, b), ops.Div()(a, b), ops.Mod()(a, b), ops.FloorMod()(a, b), ops.tensor_div(a, b)


@case(each={"dtype": ["int8", "uint8", "int32", "int64"]})
def test_integers_over_zero(dtype):
    a, b = ms.Tensor([3, 0, 5], getattr(ms, dtype)), ms.Tensor([0, 0, 3], getattr(ms, dtype))
    return [f(a, b) for f in (ops.remainder, ops.fmod, ops.floor_div, ops.floor_mod, ms.mint.remainder,
                              ms.numpy.remainder, ms.numpy.mod, ms.numpy.fmod)]


@case(each={"dtype": ["int8", "int16", "int32", "int64", "uint8"]}, mode="BOTH")
def test_primitives_of_integers_over_zero(dtype):
    a, b = ms.Tensor([3, 0, 5], getattr(ms, dtype)), ms.Tensor([0, 0, 3], getattr(ms, dtype))
    return [f(a, b) for f in (ops.Mod(), ops.FloorDiv(), ops.FloorMod())]


@case(each={"dtype": ["int16", "float16"]})
def test_fmod_of_a_number(dtype):
    scalar, vector = ms.Tensor(10, getattr(ms, dtype)), ms.Tensor([10, 3], getattr(ms, dtype))
    return [ops.fmod(*pair) for t in (scalar, vector) for pair in ((t, 3), (t, 2.5), (1, t))]


@case
def test_rests_by_zero_keep_the_dividends_gradient():
    x, zero = ms.Tensor([3.0, -2.0]), ms.Tensor([0.0, 0.0])
    return [ms.grad(f, (0, 1))(x, zero) for f in (ops.remainder, ops.floor_mod, ops.floor_div)]


@case
def test_div_rounding_mode():
    a, b = ms.Tensor([7.0, -7.0, 5.0]), ms.Tensor([2.0, 2.0, -3.0])
    return [ops.div(a, b, rounding_mode=m) for m in (None, "floor", "trunc")]


@case
def test_division_without_nan():
    a, b = ms.Tensor([1.0, 0.0, 2.0]), ms.Tensor([0.0, 0.0, 4.0])
    return ops.DivNoNan()(a, b), ops.MulNoNan()(ms.Tensor([float("inf"), 1.0, 2.0]), b)


@case
def test_squared_difference_and_its_gradient():
    a, b = ms.Tensor(A), ms.Tensor(B)
    return ops.SquaredDifference()(a, b), ms.grad(lambda a, b: ops.SquaredDifference()(a, b), (0, 1))(a, b)


@case
def test_ties_share_the_gradient_of_maximum():
    a, b = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.0, 3.0, 2.0])
    return ms.grad(ops.maximum, (0, 1))(a, b), ms.grad(ops.minimum, (0, 1))(a, b)


@case
def test_isclose():
    a, b = ms.Tensor([1.0, 2.0, float("nan")]), ms.Tensor([1.0 + 1e-7, 2.1, float("nan")])
    return ops.isclose(a, b), ops.isclose(a, b, equal_nan=True), ops.IsClose(rtol=0.1)(a, b)


@case
def test_bits():
    a, b = ms.Tensor([5, 6, -1], ms.int32), ms.Tensor([3, 3, 8], ms.int32)
    return (
        ops.bitwise_and(a, b),
        ops.bitwise_or(a, b),
        ops.bitwise_xor(a, b),
        ops.BitwiseAnd()(a, b),
        ops.bitwise_left_shift(a, ms.Tensor([1, 2, 0], ms.int32)),
    )


@case
def test_three_operands():
    x, v, w = ms.Tensor(A), ms.Tensor(data((3,), seed=6)), ms.Tensor(abs(data((3,), seed=7)) + 0.5)
    return (
        ops.addcmul(x, v, w, 0.5),
        ops.addcdiv(x, v, w, ms.Tensor([2.0])),
        ops.lerp(x, ms.Tensor(B * 0) + x, 0.3),
        ops.Addcmul()(x, v, w, ms.Tensor([2.0])),
    )


@case
def test_add_n():
    v, w = ms.Tensor(data((3,), seed=6)), ms.Tensor(data((3,), seed=7))
    return ops.addn([v, w]), ops.AddN()((v, w, v)), ms.grad(lambda a, b: ops.addn([a, b, a]), (0, 1))(v, w)


@case
def test_add_n_of_one():
    return ops.AddN()([ms.Tensor(data((3,)))])


@case(raises=True)
def test_add_n_of_none():
    return ops.AddN()([])
