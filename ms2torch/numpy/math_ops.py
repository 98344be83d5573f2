"""``mindspore.numpy.math_ops``: arithmetic by element, from the definitions in ``ops``, and what the files
beside it define (reductions, linear algebra, differences)."""

from __future__ import annotations

import math

import torch

from ms2torch._core.checks.calls import wrong_inputs
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import OPS
from ms2torch._core.tensor.dtype import UNSIGNED, bool_, common, from_torch
from ms2torch.ops.function import math_func  # noqa: F401  (registers the definitions)
from ms2torch.ops.function._math_binary import numpy_fmod

from . import _differences, _linear_algebra, _reductions
from ._differences import *  # noqa: F403
from ._linear_algebra import *  # noqa: F403
from ._reductions import *  # noqa: F403
from .utils import (
    UNKNOWN,
    as_array,
    as_constant,
    as_given,
    ask_known,
    broadcasts,
    cast,
    cast_result,
    floating,
    number_or_array,
    refusal,
    shared,
    shared_dtype,
    signature,
)

__all__ = ["NINF", "PINF", "around", "clip", "divmod", "inf", "nan", "pi", "round",
           *_differences.__all__, *_linear_algebra.__all__, *_reductions.__all__]

pi, inf, nan = math.pi, math.inf, math.nan
PINF, NINF = inf, -inf


# Their number beside an array has no dtype of its own.
_BESIDE = frozenset(("arctan2", "maximum", "minimum"))
# Those that ask their argument for its dtype.
_OF_TENSORS = frozenset(("abs", "absolute", "fabs", "log10", "log2"))
# What MindSpore calls the argument where it is not x.
_FIRST = {"arccos": "input", "negative": "a", "positive": "a"}


def _unary(name, kernel):
    """``kernel`` of one array."""
    first = _FIRST.get(name, "x")

    def call(*args, **kwargs):
        bound = call.__signature__.bind(*args, **kwargs).arguments
        of, dtype = bound[first], bound.get("dtype")
        if name in _OF_TENSORS and not isinstance(of, torch.Tensor):
            raise refusal(AttributeError, f"'{type(of).__name__}' object has no attribute 'dtype'")
        if name == "signbit" and dtype not in (None, bool_):
            raise refusal(TypeError, "Casting was not allowed for signbit.")
        return cast_result(kernel(as_array(of)), dtype)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``numpy.{name}`` elementwise (``mindspore.numpy.{name}``); ``dtype`` casts the result."
    call.__signature__ = signature(first, dtype=name != "fix")
    globals()[name] = lowered(call, name)
    __all__.append(name)


def _binary(name, kernel):
    """``kernel`` of two arrays; a number is one too (Int32 or Float32), but for the functions of _BESIDE."""
    beside = name in _BESIDE

    def call(x1, x2, dtype=None):
        if name in ("maximum", "minimum"):
            x1, x2 = (as_constant(x) if isinstance(x, (list, tuple)) else x for x in (x1, x2))
        a, b = (number_or_array(x1), number_or_array(x2)) if beside else (as_array(x1), as_array(x2))
        if not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor):
            a = as_array(a)
        return cast_result(kernel(a, b), dtype)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``numpy.{name}`` elementwise with broadcasting (``mindspore.numpy.{name}``)."
    globals()[name] = lowered(call, name)
    __all__.append(name)


_HALVES = (torch.float16, torch.float32)


def _of_numbers(kernel, of_floats):
    """``kernel``, which torch has for integers alone, and ``of_floats``, which has it for the others."""
    def call(a, b):
        a, b = shared(a, b)
        if a.dtype is torch.bool:
            return kernel(a.int(), b.int()).bool()
        return of_floats(a, b) if a.is_floating_point() or a.is_complex() else kernel(a, b)

    return call


def _greatest_divisor(a, b):
    """By Euclid's algorithm, with remainders that are no whole numbers; float64 is computed as Float32, of
    complex numbers the real part."""
    kind = a.dtype
    if a.is_complex():
        return _greatest_divisor(a.real, b.real).to(kind)
    a, b = (t.float() if kind is torch.float64 else t for t in torch.broadcast_tensors(a, b))
    a, b = torch.maximum(a.abs(), b.abs()), torch.minimum(a.abs(), b.abs())
    b = torch.where(b == 0, a, b)
    rest = a - b * torch.floor(a / b)
    while rest.sum() > 0:
        done = rest == 0
        a, b = torch.where(done, a, b), torch.where(done, b, rest)
        rest = a - b * torch.floor(a / b)
    return b.to(kind)


def _least_multiple(a, b):
    kind, divisor = a.dtype, _greatest_divisor(a, b).float()
    a, b = a.float(), b.float()
    product = a / divisor * (b / divisor) * divisor
    return torch.where(a * b == 0, 0.0, product).abs().to(kind)


def _multiple_of(kernel):
    """``kernel`` where MindSpore converts the dtype that two have in common to a float and to Int32."""
    def call(a, b):
        kind = shared_dtype(a.dtype, b.dtype)
        common(torch.float32, kind)
        shared_dtype(torch.int32, kind if kind.is_complex else torch.int32)
        return kernel(a, b)

    return call


def _of_kinds(kernel, *kept):
    """``kernel`` of a tensor of one of the dtypes ``kept``, of any other as Float32."""
    return lambda t: kernel(t if t.dtype in kept else (t.real if t.is_complex() else t).float())


def _trigonometric(kernel):
    """``kernel`` of floats: whole numbers of 8 bits and bools are Float16, others Float32, numpy's rule."""
    def call(*operands):
        for t in map(as_array, operands):
            if t.dtype in UNKNOWN:
                raise refusal(TypeError, f"input dtype: {from_torch(t.dtype)} is not a mindspore datatype.")
        return kernel(*[t.half() if t.dtype in _NARROW else floating(t) if isinstance(t, torch.Tensor) else t
                        for t in map(as_array, operands)])

    return call


def _limit(kernel):
    """What has no axes is compared in the dtype of the array beside it."""
    def call(a, b):
        a, b = as_array(a), as_array(b)
        if a.ndim and not b.ndim:
            b = b.to(a)
        elif b.ndim and not a.ndim:
            a = a.to(b)
        return kernel(a, b)

    return call


def _quotient(a, b):
    """Float32, of complex numbers the real part, unless one operand is a float of 16 or 32 bits."""
    if a.dtype not in _HALVES and b.dtype not in _HALVES:
        a, b = ((t.real if t.is_complex() else t).float() for t in (a, b))
    return arithmetic.true_div(*_of_one_dtype(a, b))


def _of_one_dtype(a, b):
    """Both as they are, or in their common dtype: 0-d arrays count in full here."""
    both = isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
    return arithmetic.promote_operands(a, b) if both and a.dtype is not b.dtype else (a, b)


def _product(a, b):
    if UNSIGNED.intersection((a.dtype, b.dtype)) and a.dtype is not b.dtype:
        raise refusal(TypeError, "For Op[Mul], the promote output type is invalid")
    return arithmetic.mul(*_of_one_dtype(a, b))


def _bits(name, kernel):
    """``kernel`` of whole numbers; others are refused in the dtype that both have in common."""
    kinds = ", ".join(f"Tensor[{k}]" for k in ("Bool", "Int16", "Int32", "Int64", "Int8", "UInt16", "UInt32",
                                               "UInt64", "UInt8"))

    def call(a, b):
        kind = arithmetic.promote_operands(a, b)[0].dtype
        if kind.is_floating_point or kind.is_complex:
            raise refusal(TypeError, f"For primitive[{name}], the input argument[x] must be a type of "
                          f"{{{kinds}}}, but got Tensor[{from_torch(kind)}].")
        return kernel(a, b)

    return call


def _remainder(kernel):
    """``kernel`` in the dtype that the operands share; of complex numbers the real parts'."""
    def call(a, b):
        kind = shared_dtype(a.dtype, b.dtype)
        if kind in _HALVES:                              # neither is converted before
            arithmetic.promote_operands(a, b)
        if kind is torch.bool:
            return _of_bools(a, b)
        a, b = (t.real if t.is_complex() else t.to(kind) for t in (a, b))
        return kernel(a, b).to(kind)

    return call


def _of_bools(a, b):
    """A remainder of bools: 0 for 1, and nan, which is true, for 0."""
    return torch.logical_not(b).expand(torch.broadcast_shapes(a.shape, b.shape)).clone()


_modulo = _remainder(arithmetic.numpy_mod)


def _step(a, b):
    """0 below 0, 1 above, and ``b`` elsewhere, at nan too."""
    a, b = torch.broadcast_tensors(*shared(a, b))
    return torch.where(a < 0, 0, torch.where(a > 0, 1, b)).to(a.dtype)


def _inverse(t):
    """1 / t; of whole numbers a whole one, the largest there is for 0."""
    if t.is_floating_point() or t.is_complex():
        return OPS["inv"].kernel(t)
    t = t.to(torch.int64) if t.dtype is torch.bool else t
    units = torch.where(t.abs() == 1, t, 0) if t.dtype.is_signed else torch.where(t == 1, t, 0)
    return torch.where(t == 0, torch.iinfo(t.dtype).max, units)


def _root(t):
    """The cube root by way of its sign, t / |t|, which 0 and infinity do not have."""
    ask_known(t)
    size = torch.abs(t)
    return size / t * torch.pow(size, 1 / 3)


def _hypotenuse(a, b):
    a, b = arithmetic.promote_operands(a, b)
    if a.is_complex():
        return torch.sqrt(a * a + b * b)
    return torch.hypot(floating(a), floating(b))


def _log2_of_powers(a, b):
    return torch.log2(floating(arithmetic.add(_power_of_two(a), _power_of_two(b))))


def _power_of_two(t):
    if t.dtype in UNSIGNED:
        raise refusal(TypeError, f"Type implicit conversion between Tensor[{from_torch(t.dtype)}] and Int64 "
                                 "is not supported.")
    return arithmetic.pow(2, t)


def _sign(t):
    """By a complex number's real part, or where that is 0 by the other one."""
    if t.is_complex():
        return torch.sign(torch.where(t.real == 0, t.imag, t.real)).to(t.dtype)
    signs = torch.sign(floating(t))
    return torch.where(t.isinf(), torch.nan, signs + t * 0) if t.is_floating_point() else signs


def _to_whole(t):
    if t.dtype not in (torch.float16, torch.float32, torch.float64):
        # (Of a list of whole numbers, of which MindSpore makes Int64.)
        told = "Int64" if t.dtype is torch.int32 else from_torch(t.dtype)
        raise refusal(TypeError, "For primitive[Rint], the input argument[x] must be a type of "
                                 "{Tensor[Float16], Tensor[Float32], Tensor[Float64]}, but got "
                                 f"Tensor[{told}].")
    return OPS["round"].kernel(t)


def _log_of_powers(a, b):
    for t in (a, b):
        if t.dtype is torch.int32:
            raise refusal(TypeError, "For primitive[Exp], the input argument[input] must be a type of "
                                     "{BFloat16, Bool, Complex128, Complex64, Float16, Float32, Float64, "
                                     "Int64}, but got Int32.")
    return OPS["logaddexp"].kernel(a, b)


_NARROW = (torch.int8, torch.uint8, torch.bool)
# ours: the operator in ops
for _name, _of in {
    "abs": "abs",
    "absolute": "abs",
    "fabs": "abs",
    "negative": "neg",
    "positive": "positive",
    "sqrt": "sqrt",
    "square": "square",
    "exp": "exp",
    "expm1": "expm1",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "floor": "floor",
    "signbit": "signbit",
}.items():
    _unary(_name, OPS[_of].kernel)
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
    _unary(_name, _trigonometric(OPS[_name].kernel))
    _unary(f"arc{_name}", _trigonometric(OPS[f"a{_name}"].kernel))
for _name in ("invert", "bitwise_not"):
    _unary(_name, OPS["invert"].kernel)
_unary("ceil", _of_kinds(torch.ceil, torch.float32))
for _name in ("trunc", "fix"):
    _unary(_name, _of_kinds(torch.trunc, *_HALVES))
for _name in ("deg2rad", "radians"):
    _unary(_name, lambda t: floating(t) * pi / 180.0)
_unary("rint", _to_whole)
_unary("rad2deg", lambda t: floating(t) * 180.0 / pi)
_unary("reciprocal", _inverse)
_unary("sign", _sign)
_unary("exp2", _power_of_two)
_unary("cbrt", _of_kinds(_root, torch.float32, torch.float64, torch.bfloat16))

for _name, _kernel in {
    "add": arithmetic.add,
    "subtract": arithmetic.sub,
    "multiply": _product,
    "divide": _quotient,
    "true_divide": _quotient,
    "floor_divide": arithmetic.floor_div,
    "mod": _modulo,
    "remainder": _modulo,
    "fmod": _remainder(numpy_fmod),
    "power": arithmetic.pow,
    "bitwise_and": _bits("BitwiseAnd", arithmetic.bitwise_and),
    "bitwise_or": _bits("BitwiseOr", arithmetic.bitwise_or),
    "bitwise_xor": _bits("BitwiseXor", arithmetic.bitwise_xor),
    "logaddexp": _log_of_powers,
    "heaviside": _step,
    **{name: _limit(OPS[name].kernel) for name in ("maximum", "minimum")},
    "arctan2": _trigonometric(OPS["atan2"].kernel),
    "hypot": _hypotenuse,
    "logaddexp2": _log2_of_powers,
    "gcd": _of_numbers(torch.gcd, _greatest_divisor),
    "lcm": _multiple_of(_of_numbers(torch.lcm, _least_multiple)),
}.items():
    _binary(_name, _kernel)
_binary("copysign", lambda a, b: torch.copysign(a := as_array(a), as_array(b)).to(a.dtype))
_binary("float_power", lambda a, b: torch.pow(a.float(), b.float()))


@lowered
def divmod(x1, x2, dtype=None):
    """Quotient rounded down and remainder (``mindspore.numpy.divmod``); a number beside an array has no dtype
    in the quotient."""
    if isinstance(x1, tuple) or isinstance(x2, tuple):
        raise refusal(TypeError, str(wrong_inputs("FloorDiv", input=x1, other=x2)))
    a, b = number_or_array(x1), number_or_array(x2)
    if not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor):
        a = torch.as_tensor(a)
    return cast(arithmetic.floor_div(a, b), dtype), cast(_modulo(as_array(x1), as_array(x2)), dtype)


@lowered
def round(a, decimals=0):
    """Rounded to ``decimals`` places, halves to the even neighbour.

    MindSpore: ``mindspore.numpy.round``, ``around``.
    """
    a = as_given(a)
    if not isinstance(decimals, int):
        raise refusal(TypeError, "decimals must be an integer")
    if decimals < 0:
        raise refusal(ValueError, "decimals < 0 is not supported now.")
    if not a.is_floating_point():
        return a.to(torch.int64) if decimals and a.dtype is torch.bool else a.clone()
    return torch.round(a * 10**decimals) / 10**decimals if decimals else torch.round(a)


around = round


@lowered
def clip(x, xmin, xmax, dtype=None):
    """Limited to [xmin, xmax], either of which may be None; the dtype stays, whatever ``dtype`` says
    (``mindspore.numpy.clip``)."""
    if xmin is None and xmax is None:
        raise ValueError("One of max or min must be given.")
    x = as_constant(x)
    for name, bound in (("maximum", xmin), ("minimum", xmax)):
        if bound is not None:
            bound = as_constant(bound)
            if not broadcasts(x.shape, bound.shape):
                raise refusal(ValueError, "For 'LogicalOr', input1.shape and input2.shape need to broadcast.")
            x = globals()[name].kernel(x, bound)
    return x
