"""Elementwise functions of two tensors or a tensor and a number: arithmetic, comparison, logic, bits.

Sums and differences, which may scale, are in `_math_sums`; comparisons with words of their own, or with a
tolerance, in `_math_comparing`.

Dtypes meet by MindSpore's rules (``_core.operators.arithmetic``): 0-d tensors count fully, but not in
products and quotients with a tensor of their kind; integers divide to Float32, a Python number follows the
tensor's kind.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from ms2torch._core.checks.kernel_dtypes import WITHOUT_REMAINDERS, must_be, not_selected, refusing
from ms2torch._core.errors import final
from ms2torch._core.gradient.integers import Shadowed
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.arithmetic import _binary, promote_operands
from ms2torch._core.operators.registry import OPS, method, mint_form, op
from ms2torch._core.tensor.dtype import UNSIGNED, from_torch

from . import _gamma

__all__: list[str] = []


def _define(
    name, compute, text, prim=None, alias=(), mint=True, tensor=True, arguments="input other", call=None
):
    """One operation from one computation over two operands.

    ``arguments`` are MindSpore's names for them, ``call`` those that the Primitive has.
    """
    if arguments == "x y":

        def kernel(x, y):
            return compute(x, y)
    elif arguments == "input exponent":

        def kernel(input, exponent):
            return compute(input, exponent)
    elif arguments == "x other":

        def kernel(x, other):
            return compute(x, other)
    else:

        def kernel(input, other):
            return compute(input, other)

    kernel.__name__ = kernel.__qualname__ = name
    kernel.__module__ = __name__
    kernel.__doc__ = f"{text} (``mindspore.ops.{name}``, elementwise with broadcasting)."
    globals()[name] = op(
        kernel,
        primitive=prim,
        call=call,
        alias=alias,
        method=(name, *alias) if tensor is True else tensor or None,
        mint=(name, *alias) if mint is True else mint or None,
    )
    globals().update(dict.fromkeys(alias, globals()[name]))
    __all__.extend((name, *alias))


# ---- computations that are not one torch function ----------------------------------------------------------


def _logical(function):
    def compute(a, b):
        if isinstance(a, np.generic) or isinstance(b, np.generic):     # (numbers elsewhere, and refused here)
            raise TypeError("both must be Tensors")
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
            return function(a, b)
        return function(*[torch.as_tensor(x) for x in promote_operands(a, b)])

    return compute


def _tensors(function, name):
    """For torch functions that take two tensors only."""

    def compute(a, b):
        if not isinstance(a, torch.Tensor):
            a = torch.full((), a, dtype=b.dtype, device=b.device)
        elif not isinstance(b, torch.Tensor):
            b = torch.full((), b, dtype=a.dtype, device=a.device)
        return function(a, b)

    compute.of_tensors = function
    return _binary(name, compute)


def _of_integers(function, name):
    def compute(a, b):
        if a.dtype not in (torch.int16, torch.int32, torch.int64):
            raise TypeError(f"For Primitive[{name}], the type of the input tensor must be [Int16, Int32, "
                            f"Int64], but got {from_torch(a.dtype)}!")
        if isinstance(a, Shadowed) or isinstance(b, Shadowed):
            raise final(RuntimeError(f"Illegal primitive {name}'s bprop not defined"))
        return function(a, b)

    return compute


def _or_zero(function, zero_where):
    """``function`` with 0 where the operand ``zero_where`` (0 or 1) is 0, in the gradient too."""

    def compute(a, b):
        zero = (a, b)[zero_where] == 0
        other = torch.where(zero, torch.ones_like(b), b)
        return torch.where(zero, torch.zeros((), dtype=b.dtype, device=b.device), function(a, other))

    return compute


class _Next(torch.autograd.Function):
    """The next number, which moves as ``x`` does: MindSpore's derivative is 1, and 0 by ``other``."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x, other):
        return torch.nextafter(x, other)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return gradient, torch.zeros_like(gradient)

    @staticmethod
    def jvp(ctx, moved, _):
        return moved.clone()


def _next_after(x, other):
    return _Next.apply(*torch.broadcast_tensors(x, other))


def _copysign(x, other):
    """By comparing ``other`` with 0, of which -0.0 is no less; Float32 of integers and of BFloat16."""
    size = (x if x.dtype in (torch.float16, torch.float32, torch.float64) else x.float()).abs()
    return torch.where(torch.as_tensor(other < 0, device=x.device), -size, size)


def _in_double(power, a, b):
    double = [
        x.to(torch.complex128 if x.is_complex() else torch.float64) if isinstance(x, torch.Tensor) else x
        for x in (a, b)
    ]
    return power(*double)


def _xlogy_everywhere(a, b):
    if a.is_complex():                       # torch has none
        return torch.where(a == 0, 0, a * torch.log(b))
    return torch.xlogy(a, b)


_xlogy_of_tensors = _tensors(_xlogy_everywhere, "XLogy")


def _xlogy(a, b):
    # A number is a Float32 tensor here: of Float16 the result is Float32.
    a, b = [x if isinstance(x, torch.Tensor) else torch.tensor(float(x)) for x in (a, b)]
    return _xlogy_of_tensors(a, b.to(a.device))


@arithmetic.division(torch.fmod)
def _fmod(a, b):
    if isinstance(a, torch.Tensor) and a.dtype is torch.bool:
        return torch.zeros_like(torch.bitwise_and(a, b))
    return torch.fmod(arithmetic.of_dtype(a, b), b)


@arithmetic.division(torch.fmod)
def _composed_fmod(a, b):
    """In rounded steps, as MindSpore composes it: fmod(10, 0.1) is 0, where C's and TruncateMod's is 0.1."""
    a = torch.as_tensor(a)
    if a.is_floating_point() or isinstance(b, float) or getattr(b, "is_floating_point", bool)():
        return a - torch.div(a, b, rounding_mode="trunc") * b
    return _fmod(a, b)


def _within(bits, beside):
    """As many bits as C's shifts on processors move: modulo 32, among 64-bit integers modulo 64."""
    tensors = [x for x in (bits, beside) if isinstance(x, torch.Tensor)]
    if any(x.dtype is torch.bool or x.is_floating_point() or x.is_complex() for x in tensors):
        return bits
    most = 63 if any(x.element_size() == 8 for x in tensors) else 31
    if bits.__class__ is int or bits.dtype not in UNSIGNED:
        return bits & most
    return (bits.to(torch.int64) & most).to(bits.dtype)


def _shift(name, compute):
    def call(input, other):
        if isinstance(other, float):
            raise TypeError(f"For '{name}', 'other' must be an integer, but got other:{type(other)}.")
        if other.__class__ is bool and isinstance(input, torch.Tensor):
            other = int(other)
        if other.__class__ is int and isinstance(input, torch.Tensor) and input.dtype in UNSIGNED:
            other = torch.tensor(other, device=input.device).to(input.dtype)
        return compute(input, _within(other, input))

    return call


@arithmetic.division(partial(torch.div, rounding_mode="trunc"))
def _truncated_quotient(a, b):
    return torch.div(arithmetic.of_dtype(a, b), b, rounding_mode="trunc")


_trunc_div = _binary(
    "TruncateDiv", refusing("TruncateDiv", _truncated_quotient, WITHOUT_REMAINDERS, not_selected))
_div_truncated = _binary("TruncateDiv", _truncated_quotient, over_zero=arithmetic.lowest, scalars=True)
numpy_fmod = _binary("TruncateMod", _composed_fmod, over_zero=torch.zeros_like)
_trunc_mod = _binary(
    "TruncateMod",
    refusing("TruncateMod", _fmod, (*WITHOUT_REMAINDERS, "int16", "int64", "uint16", "uint32", "uint64"),
              must_be("Float16", "Float32", "Float64", "Int32", "Int8", "UInt8")),
    over_zero=torch.zeros_like,
)

@arithmetic.division(torch.fmod)
def _fmod_in_double(a, b):
    """In rounded steps of Float64, nan for an infinite divisor; of integers C's fmod."""
    t = a if isinstance(a, torch.Tensor) else b
    if not t.is_floating_point():
        return _fmod(a, b)
    x, y = (torch.as_tensor(n, dtype=torch.float64, device=t.device) for n in (a, b))
    return (x - torch.trunc(x.detach() / y.detach()) * y).to(t.dtype)


_mod = refusing(
    "Mod",
    refusing("Mod", _fmod_in_double, ("uint16", "uint32", "uint64", *WITHOUT_REMAINDERS[1:]), not_selected),
    ("bool",),
    must_be("BFloat16", "Complex128", "Complex64", "Float16", "Float32", "Float64", "Int16", "Int32",
            "Int64", "Int8", "UInt16", "UInt32", "UInt64", "UInt8"))
_mod_of_zero = _binary("Mod", _mod, over_zero=lambda a: torch.where(a == 0, a, arithmetic.lowest(a)))
_real_div = _binary("RealDiv", arithmetic.whole_quotient)

_define("mul", arithmetic.product, "The product", prim="Mul", alias=("tensor_mul",), tensor=None, mint=None)
_define("multiply", arithmetic.product, "The product", mint=None, tensor="multiply(input, value)")


@method(name="mul", named="Mul")
def _mul_method(input, other):
    """The product (``mindspore.Tensor.mul``): of this Tensor's dtype with a number, as ``input * other``."""
    return arithmetic.mul(input, other)


@mint_form(name="mul", named="Mul")
def _mul_mint(input, other):
    """The product (``mindspore.mint.mul``): of the tensor's dtype with a number behind it."""
    if isinstance(input, torch.Tensor):
        return arithmetic.mul(input, other)
    return arithmetic.product(input, other)


_define("floor_divide", arithmetic.floor_div, "The quotient, rounded down")
_define(
    "floor_div",
    arithmetic.floor_div,
    "The quotient, rounded down",
    prim="FloorDiv",
    alias=("floordiv", "tensor_floordiv"),
    mint=None,
    tensor=None,
    arguments="x y",
    call=("input", "other"),
)
_define(
    "floor_mod",
    arithmetic.floor_mod,
    "What the quotient rounded down leaves; it has the divisor's sign",
    prim="FloorMod",
    alias=("floormod", "tensor_mod"),
    mint=None,
    tensor=None,
    arguments="x y",
)
_define(
    "remainder",
    arithmetic.remainder,
    "What the quotient rounded down leaves; it has the divisor's sign",
    tensor="remainder(input, other|divisor)",
)
_SMALL = (torch.uint8, torch.int8, torch.int16, torch.int32)


def _holds(dtype, number: int) -> bool:
    limits = torch.iinfo(dtype)
    return limits.min <= number <= limits.max


_fmod_of_one_dtype = _binary("TruncateMod", _composed_fmod, prepare=arithmetic.numbers_beside_rank_0,
                             over_zero=arithmetic.dividend)


def _fmod_by_steps(a, b):
    if b.__class__ is int and b and getattr(a, "dtype", None) in _SMALL and not _holds(a.dtype, b):
        return torch.fmod(a.long(), b).to(a.dtype)
    if "Mul" not in arithmetic.rank_0_counts and arithmetic.of_one_kind(a, b) and a.dtype is not b.dtype:
        return arithmetic.sub(a, arithmetic.mul(_div_truncated(a, b), b))
    return _fmod_of_one_dtype(a, b)


_define(
    "fmod",
    _fmod_by_steps,
    "What the quotient rounded towards zero leaves; it has the dividend's sign",
)
_define(
    "truncate_div",
    _trunc_div,
    "The quotient, rounded towards zero",
    prim="TruncateDiv",
    mint=None,
    tensor=None,
    arguments="x y",
)
_define(
    "truncate_mod",
    _trunc_mod,
    "What the quotient rounded towards zero leaves",
    prim="TruncateMod",
    mint=None,
    tensor=None,
    arguments="x y",
)
_define(
    "tensor_div",
    _real_div,
    "The quotient; of integers an integer, rounded towards zero",
    prim="RealDiv",
    mint=None,
    tensor=None,
    arguments="x y",
)
_define(
    "pow",
    arithmetic.pow,
    "The first to the power of the second",
    prim="Pow",
    alias=("tensor_pow", "pows"),
    mint=None,
    tensor="pow",
    arguments="input exponent",
)


@mint_form(name="pow")
def _pow_mint(input, exponent):
    """``input ** exponent`` (``mindspore.mint.pow``)."""
    return arithmetic.mint_pow(input, exponent)


_define(
    "float_power",
    partial(_in_double, arithmetic.power),
    "The first to the power of the second, in Float64",
    arguments="input exponent",
    alias=("float_power_ext(input, exponent)",),
    tensor="float_power(input, other)",
    mint=None,
)


@mint_form(name="float_power")
def _float_power_mint(input, exponent):
    """``input ** exponent`` in Float64 (``mindspore.mint.float_power``)."""
    return _in_double(arithmetic.mint_power, input, exponent)


_define(
    "atan2",
    _tensors(torch.atan2, "Atan2"),
    "The angle of the point (other, input)",
    prim="Atan2",
    alias=("arctan2",),
)
_define("hypot", _tensors(torch.hypot, "Hypot"), "The length of the hypotenuse", prim="Hypot", mint=None)
_define("maximum", _tensors(torch.maximum, "Maximum"), "The larger one; NaN where one is", prim="Maximum")
_define("minimum", _tensors(torch.minimum, "Minimum"), "The smaller one; NaN where one is", prim="Minimum")
_define(
    "fmax",
    _tensors(torch.fmax, "Fmax"),
    "The larger one; the number where the other is NaN",
    prim="Fmax",
    mint=None,
)
_define(
    "fmin",
    _tensors(torch.fmin, "Fmin"),
    "The smaller one; the number where the other is NaN",
    prim="Fmin",
    mint=None,
)
_define("ne", arithmetic.not_equal, "Whether they differ", alias=("not_equal",), prim="NotEqual")
_define(
    "gt",
    arithmetic.greater,
    "Whether the first is larger",
    alias=("greater", "tensor_gt"),
    prim="Greater",
    mint=("gt", "greater"),
    tensor=("gt", "greater"),
)
_define(
    "ge",
    arithmetic.greater_equal,
    "Whether the first is not smaller",
    alias=("greater_equal", "tensor_ge"),
    prim="GreaterEqual",
    mint=("ge", "greater_equal"),
    tensor=("ge", "greater_equal"),
)
_define(
    "le",
    arithmetic.less_equal,
    "Whether the first is not larger",
    alias=("less_equal", "tensor_le"),
    prim="LessEqual",
    mint=("le", "less_equal"),
    tensor=("le", "less_equal"),
)
_define(
    "logical_and",
    _logical(torch.logical_and),
    "Whether both are true, nonzero counting as true",
    prim="LogicalAnd",
    call=("x", "y"),
)
_define(
    "logical_or",
    _logical(torch.logical_or),
    "Whether one is true, nonzero counting as true",
    prim="LogicalOr",
    call=("x", "y"),
)
_define(
    "logical_xor",
    _logical(torch.logical_xor),
    "Whether just one is true, nonzero counting as true",
    prim="LogicalXor",
)
_define("bitwise_and", arithmetic.bitwise_and, "The bits that both have", prim="BitwiseAnd")
_define("bitwise_or", arithmetic.bitwise_or, "The bits that one has", prim="BitwiseOr")
_define("bitwise_xor", arithmetic.bitwise_xor, "The bits that just one has", prim="BitwiseXor")
_define(
    "bitwise_left_shift",
    _shift("bitwise_left_shift", _binary("LeftShift", torch.bitwise_left_shift)),
    "The bits moved up",
    prim="LeftShift",
    call=("x1", "x2"),
    mint=None,
)
_define(
    "bitwise_right_shift",
    _shift("bitwise_right_shift", _binary("RightShift", torch.bitwise_right_shift)),
    "The bits moved down",
    prim="RightShift",
    call=("input_x", "input_y"),
    mint=None,
    tensor=None,
)


@method(name="bitwise_right_shift")
def _right_shift_method(input, other):
    """The bits moved down by ``other``, which becomes of this Tensor's dtype."""
    return OPS["bitwise_right_shift"].kernel(
        input, other.to(input.dtype) if isinstance(other, torch.Tensor) else other)


_define(
    "gcd",
    _tensors(_of_integers(torch.gcd, "Gcd"), "Gcd"),
    "The greatest common divisor",
    prim="Gcd",
    mint=None,
)
_define(
    "lcm",
    _tensors(_of_integers(torch.lcm, "Lcm"), "Lcm"),
    "The least common multiple",
    prim="Lcm",
    mint=None,
)
_define("xlogy", _xlogy, "input * log(other), and 0 where input is 0", prim="Xlogy")
_define(
    "xdivy",
    _tensors(_or_zero(torch.true_divide, 0), "Xdivy"),
    "x / y, and 0 where x is 0",
    prim="Xdivy",
    mint=None,
    arguments="x y",
)
_define("logaddexp", _tensors(torch.logaddexp, "Maximum"), "log(exp(input) + exp(other))")
_define("logaddexp2", _tensors(torch.logaddexp2, "Maximum"), "log2(2**input + 2**other)")
_define("copysign", _copysign, "The first with the sign of the second", arguments="x other", mint=None)
_define(
    "nextafter",
    _tensors(_next_after, "NextAfter"),
    "The next number from input towards other",
    prim="NextAfter",
    mint=None,
)
_define(
    "ldexp",
    lambda a, b: arithmetic.product(a, arithmetic.pow(2.0, b)),
    "x * 2**other",
    arguments="x other",
    mint=None,
)
_define(
    "igamma",
    _tensors(_gamma.igamma, "Igamma"),
    "The regularised lower incomplete gamma function",
    prim="Igamma",
    mint=None,
)
_define(
    "igammac",
    _tensors(_gamma.igammac, "Igammac"),
    "The regularised upper incomplete gamma function",
    prim="Igammac",
    mint=None,
)
_define(
    "zeta",
    _tensors(_gamma.zeta, "Zeta"),
    "The Hurwitz zeta function",
    prim="Zeta",
    mint=None,
    tensor=None,
)
