"""Elementwise functions of one tensor.

Integers go in as float32 and come out so (``exp``, ``sqrt`` ...), or stay as they are (``floor``,
``square`` ...); MindSpore's CPU kernels refuse some of these dtypes that its other devices take, ms2torch
takes them everywhere.
"""

from __future__ import annotations

import torch

from ms2torch._core.checks.refusals import final
from ms2torch._core.gradient.integers import without_bprop
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.registry import OPS, method, mint_form, op, primitive
from ms2torch._core.operators.spelling import declared
from ms2torch._core.tensor.dtype import from_torch

from . import _bessel

__all__: list[str] = []


def _define(
    name, compute, text, prim=None, mint=True, tensor=True, alias=(), argument="input", torch_name=None
):
    """One operation from one torch function. ``argument`` is what MindSpore calls the tensor."""
    if argument == "x":

        def kernel(x):
            return compute(x)
    else:

        def kernel(input):
            return compute(input)

    kernel.__name__ = kernel.__qualname__ = name
    kernel.__module__ = __name__
    kernel.__doc__ = f"{text} (``mindspore.ops.{name}``, elementwise; torch: ``{torch_name or name}``)."
    op(
        kernel,
        primitive=prim,
        valid=f"{prim or name}()({argument}=<Tensor>)",
        method=(name, *alias) if tensor is True else tensor or None,
        mint=(name, *alias) if mint is True else mint or None,
        alias=alias,
    )
    for form in (name, *(declared(text)[0] for text in alias)):
        globals()[form] = OPS[form].functional
        __all__.append(form)


# ---- kernels that are not one torch function for every dtype -----------------------------------------------


def _stays_integer(compute):
    return lambda t: compute(t) if t.is_floating_point() or t.is_complex() else t.clone()


def _inverse(t):
    r = torch.reciprocal(t)
    return r if r.dtype is t.dtype else r.to(t.dtype)


def _imaginary(t):
    return torch.imag(t) if t.is_complex() else torch.zeros_like(t)


def _angle(t):
    return torch.angle(t)


_WITHOUT_ORDER = frozenset((torch.bool, torch.complex64, torch.complex128))


def _abs(t):
    if t.dtype in _WITHOUT_ORDER:
        return t.clone() if t.dtype is torch.bool else torch.abs(t).to(t.dtype)    # complex stays complex
    return torch.abs(t)


_define("abs", _abs, "The absolute value", prim="Abs", alias=("absolute",), mint="abs")
_define("neg", arithmetic.negative, "The value with its sign turned", prim="Neg", alias=("negative",))

def _exp(t):
    if not t.is_floating_point() and t.dtype in _NO_EXP:
        raise TypeError("For primitive[Exp], the input argument[input] must be a type of {BFloat16, Bool, "
                        "Complex128, Complex64, Float16, Float32, Float64, Int64}, but got "
                        f"{from_torch(t.dtype)}.")
    return torch.exp(t)


_NO_EXP = frozenset((torch.int8, torch.int16, torch.int32,
                     torch.uint8, torch.uint16, torch.uint32, torch.uint64))
_define("exp", _exp, "e to the power of each element", prim="Exp", alias=("tensor_exp",), mint="exp")
_define(
    "exp2",
    lambda t: torch.exp2(t.float() if t.dtype is torch.bfloat16 else t),
    "2 to the power of each element; of bfloat16 float32",
)
_define("expm1", torch.expm1, "e to the power of each element, less 1", prim="Expm1")
_define("log", torch.log, "The natural logarithm", prim="Log")
_define("log1p", torch.log1p, "The natural logarithm of 1 + each element", prim="Log1p")
_define("log2", torch.log2, "The logarithm to base 2")
_define("log10", torch.log10, "The logarithm to base 10")
_define("sqrt", torch.sqrt, "The square root", prim="Sqrt", argument="x", mint="sqrt(input)")
_define("rsqrt", torch.rsqrt, "1 over the square root", prim="Rsqrt")
_define("square", torch.square, "Each element times itself", prim="Square")
_define("reciprocal", torch.reciprocal, "1 over each element", prim="Reciprocal")
_define("inv", _inverse, "1 over each element; integers stay integers", prim="Inv", argument="x", mint=None)
_define("sign", lambda t: torch.sgn(t) if t.is_complex() else torch.sign(t),
        "-1, 0 or 1 as each element's sign says; of complex numbers the unit vector", prim="Sign")
# torch.sgn's gradient of real numbers is a tensor without memory, which asnumpy cannot give.
_define(
    "sgn",
    lambda t: torch.sgn(t) if t.is_complex() else torch.sign(t),
    "The sign; of complex numbers the unit vector",
    mint=None,
)


def _whole(t):
    """The dtype of a difference of ``t``, which of bools is Int64."""
    return torch.int64 if t.dtype is torch.bool else t.dtype


_define("floor", _stays_integer(torch.floor), "The largest whole number that is not above", prim="Floor")
_define("ceil", _stays_integer(torch.ceil), "The smallest whole number that is not below", prim="Ceil")
_define(
    "trunc", _stays_integer(torch.trunc), "The whole part, towards zero", prim="Trunc", mint=("trunc", "fix")
)
_define(
    "frac",
    lambda t: t - torch.trunc(t) if t.is_floating_point() else torch.zeros_like(t, dtype=_whole(t)),
    "The part behind the point",
    argument="x",
    mint="frac(input)",
)
_define("sin", torch.sin, "The sine", prim="Sin")
_define("cos", torch.cos, "The cosine", prim="Cos")
_define("tan", torch.tan, "The tangent", prim="Tan")
_define("asin", torch.asin, "The arc sine", prim="Asin", alias=("arcsin(x)",))
_define("acos", torch.acos, "The arc cosine", prim="ACos", alias=("arccos",))
_define("atan", torch.atan, "The arc tangent", prim="Atan", alias=("arctan",))
_define("sinh", torch.sinh, "The hyperbolic sine", prim="Sinh")
_define("cosh", torch.cosh, "The hyperbolic cosine", prim="Cosh")
_define("tanh", torch.tanh, "The hyperbolic tangent", prim="Tanh")
_define("asinh", torch.asinh, "The inverse hyperbolic sine", prim="Asinh", alias=("arcsinh",))

def _acosh(t):
    if t.requires_grad:
        t = torch.where(t < 0, t * 0, t)         # the derivative that torch has below -1 is of no value
    return torch.acosh(t)


_define("acosh", _acosh, "The inverse hyperbolic cosine", prim="Acosh", alias=("arccosh",))
_define("atanh", torch.atanh, "The inverse hyperbolic tangent", prim="Atanh", alias=("arctanh",))
_define("erf", torch.erf, "The error function", prim="Erf")
_define("erfc", torch.erfc, "1 less the error function", prim="Erfc")
_define("erfinv", torch.erfinv, "The inverse of the error function", prim="Erfinv")
_define(
    "lgamma",
    torch.lgamma,
    "The logarithm of the absolute value of the gamma function",
    prim="Lgamma",
    mint=None,
)
_define("digamma", torch.digamma, "The derivative of lgamma", prim="Digamma", mint=None)
_define("sinc", torch.sinc, "sin(pi x) / (pi x), and 1 at 0", prim="Sinc")
_define("deg2rad", torch.deg2rad, "Degrees as radians", mint=None, argument="x")
_define("rad2deg", torch.rad2deg, "Radians as degrees", mint=None, argument="x")
_define(
    "isnan",
    torch.isnan,
    "Whether each element is not a number",
    prim="IsNan",
    tensor="isnan",
    mint=None,
)


@op(mint="isnan(tensor)", named="IsNan")
def isnan_ext(tensor):
    """Whether each element is not a number; of a number too (``mindspore.ops.isnan_ext``)."""
    return torch.isnan(torch.tensor(tensor) if isinstance(tensor, (int, float)) else tensor)


_define("isinf", torch.isinf, "Whether each element is infinite", prim="IsInf")
_define("isfinite", torch.isfinite, "Whether each element is neither infinite nor NaN", prim="IsFinite")
_define("isneginf", torch.isneginf, "Whether each element is minus infinity")
_define("isposinf", torch.isposinf, "Whether each element is plus infinity", mint=None)
_define("isreal", torch.isreal, "Whether each element has no imaginary part", mint=None)
_define("signbit", lambda t: t < 0, "Whether each element is below 0; unlike torch's, -0 is not", mint=None)
_define("logical_not", torch.logical_not, "Whether each element is zero or False", prim="LogicalNot")
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def _turned(t):
    signed = _SIGNED.get(t.dtype)       # torch has no kernels for the unsigned ones
    turned = torch.bitwise_not(t) if signed is None else torch.bitwise_not(t.view(signed)).view(t.dtype)
    return without_bprop("Invert", turned, t)


_define("invert", _turned, "The bits turned", prim="Invert", argument="x", mint=None)
_define("real", lambda t: torch.real(t).clone(), "The real part", prim="Real")
_define("imag", _imaginary, "The imaginary part, zeros for real numbers", prim="Imag")
_define("conj", lambda t: torch.conj(t).resolve_conj(), "The complex conjugate", prim="Conj", mint=None)
_define("angle", _angle, "The angle in the complex plane, in radians", prim="Angle", mint=None)
_define("i0", _bessel.i0, "The modified Bessel function of order 0", mint=None)
_define(
    "bessel_i0",
    _bessel.i0,
    "The modified Bessel function of the first kind, order 0",
    prim="BesselI0",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_i0e",
    _bessel.i0e,
    "bessel_i0, scaled by exp(-|x|)",
    prim="BesselI0e",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_i1",
    _bessel.i1,
    "The modified Bessel function of the first kind, order 1",
    prim="BesselI1",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_i1e",
    _bessel.i1e,
    "bessel_i1, scaled by exp(-|x|)",
    prim="BesselI1e",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_j0",
    _bessel.j0,
    "The Bessel function of the first kind, order 0",
    prim="BesselJ0",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_j1",
    _bessel.j1,
    "The Bessel function of the first kind, order 1",
    prim="BesselJ1",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_y0",
    _bessel.y0,
    "The Bessel function of the second kind, order 0",
    prim="BesselY0",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_y1",
    _bessel.y1,
    "The Bessel function of the second kind, order 1",
    prim="BesselY1",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_k0",
    _bessel.k0,
    "The modified Bessel function of the second kind, order 0",
    prim="BesselK0",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_k0e",
    _bessel.k0e,
    "bessel_k0, scaled by exp(x)",
    prim="BesselK0e",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_k1",
    _bessel.k1,
    "The modified Bessel function of the second kind, order 1",
    prim="BesselK1",
    argument="x",
    mint=None,
    tensor=False,
)
_define(
    "bessel_k1e",
    _bessel.k1e,
    "bessel_k1, scaled by exp(x)",
    prim="BesselK1e",
    argument="x",
    mint=None,
    tensor=False,
)


@primitive("Rint")
def _rint(input_x):
    """Each element rounded, halves to the even neighbour (``mindspore.ops.Rint``)."""
    return torch.round(input_x)


@primitive("Eps")
def _eps(x):
    """The distance from 1 to the next number of the dtype, for each element (``mindspore.ops.Eps``)."""
    return torch.full_like(x, torch.finfo(x.dtype).eps)


@op(primitive="Complex")
def complex(real, imag):
    """Complex numbers from their two parts (``mindspore.ops.Complex``)."""
    return torch.complex(real, imag)


@op(primitive="Polar", mint=True)
def polar(abs, angle):
    """Complex numbers from length and angle (``mindspore.ops.polar``)."""
    return torch.polar(abs, angle)


@op
def view_as_real(input):
    """Complex numbers as pairs of real ones in a new last axis (``mindspore.ops.view_as_real``)."""
    if not input.is_complex():
        raise TypeError("For view_as_real, the dtype of input Tensor must be complex.")
    return torch.view_as_real(input.resolve_conj())


@op(method=True)
def positive(input):
    """The tensor itself (``mindspore.ops.positive``)."""
    return input


@op(primitive="Round", method="round(input, decimals=0)", mint=True)
def round(input, *, decimals=0):
    """Each element rounded to ``decimals`` places, halves to the even neighbour (``mindspore.ops.round``)."""
    if not decimals:
        return _stays_integer(torch.round)(input)
    return torch.round(input, decimals=decimals)


@op(primitive="NanToNum", init=("nan", "posinf", "neginf"), method=True, mint=True)
def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """NaN and the infinities replaced by numbers: by default 0 and the dtype's ends.

    MindSpore: ``mindspore.ops.nan_to_num``.
    """
    if input.dtype is torch.float64:
        raise TypeError("For NanToNum, the dtype of 'input' must not be float64.")
    nan, posinf, neginf = [v.item() if isinstance(v, torch.Tensor) else v for v in (nan, posinf, neginf)]
    return torch.nan_to_num(input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@op(primitive="Logit", init={"eps": -1.0}, method=True, mint=True)
def logit(input, eps=None):
    """log(x / (1 - x)), with x first clamped to [eps, 1 - eps] where ``eps`` is given.

    MindSpore: ``mindspore.ops.logit``.
    """
    return torch.logit(input, None if eps is None or eps < 0 else eps)


@op(primitive="Polygamma", method=True)
def polygamma(n, input):
    """The n-th derivative of the digamma function (``mindspore.ops.polygamma``)."""
    return torch.polygamma(int(n), input)


@op(primitive="Mvlgamma", init=("p",), method=True)
def mvlgamma(input, p):
    """The multivariate log-gamma function of dimension ``p`` (``mindspore.ops.mvlgamma``)."""
    if bool((input <= (p - 1) / 2).any()):
        raise final(ValueError("For Mvlgamma, all elements of 'x' must be greater than (p-1)/2."))
    return torch.mvlgamma(input, p)


@mint_form(name="bitwise_not")
def _mint_bitwise_not(input):
    """The bits turned, bools too, which `invert` refuses (``mindspore.mint.bitwise_not``)."""
    return torch.bitwise_not(input)


method(_mint_bitwise_not.kernel, name="bitwise_not")


__all__ += [
    "complex",
    "logit",
    "mvlgamma",
    "nan_to_num",
    "polar",
    "polygamma",
    "positive",
    "round",
    "view_as_real",
]
