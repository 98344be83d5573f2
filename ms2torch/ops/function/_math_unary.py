"""Elementwise functions of one tensor.

Integers go in as float32 and come out so (``exp``, ``sqrt`` ...), or stay as they are (``floor``, ``square`` ...); MindSpore's CPU
kernels refuse some of these dtypes that its other devices take, ms2torch takes them everywhere.
"""

from __future__ import annotations

import torch

from ms2torch._core.registry import method, op

__all__: list[str] = []


def _define(name, compute, text, primitive=None, mint=True, tensor=True, alias=(), argument="input", torch_name=None):
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
    globals()[name] = op(kernel, primitive=primitive, method=(name, *alias) if tensor else None,
                         mint=(name, *alias) if mint is True else mint or None, alias=alias)
    __all__.extend((name, *alias))
    globals().update(dict.fromkeys(alias, globals()[name]))


# ---- kernels that are not one torch function for every dtype --------------------------------------------------


def _stays_bool(compute):
    return lambda t: t.clone() if t.dtype is torch.bool else compute(t)


def _stays_integer(compute):
    return lambda t: compute(t) if t.is_floating_point() or t.is_complex() else t.clone()


def _inverse(t):
    r = torch.reciprocal(t)
    return r if r.dtype is t.dtype else r.to(t.dtype)


def _imaginary(t):
    return torch.imag(t) if t.is_complex() else torch.zeros_like(t)


def _angle(t):
    return torch.angle(t)


def _abs(t):
    if t.is_complex():          # MindSpore keeps the complex dtype
        return torch.abs(t).to(t.dtype)
    return t.clone() if t.dtype is torch.bool else torch.abs(t)


for _row in (
    # name, compute, text, then what differs from the usual
    ("abs", _abs, "The absolute value", dict(primitive="Abs", alias=("absolute",), mint="abs")),
    ("neg", torch.neg, "The value with its sign turned", dict(primitive="Neg", alias=("negative",))),
    ("exp", torch.exp, "e to the power of each element", dict(primitive="Exp", alias=("tensor_exp",), mint="exp")),
    ("exp2", torch.exp2, "2 to the power of each element", {}),
    ("expm1", torch.expm1, "e to the power of each element, less 1", dict(primitive="Expm1")),
    ("log", torch.log, "The natural logarithm", dict(primitive="Log")),
    ("log1p", torch.log1p, "The natural logarithm of 1 + each element", dict(primitive="Log1p")),
    ("log2", torch.log2, "The logarithm to base 2", {}),
    ("log10", torch.log10, "The logarithm to base 10", {}),
    ("sqrt", torch.sqrt, "The square root", dict(primitive="Sqrt", argument="x")),
    ("rsqrt", torch.rsqrt, "1 over the square root", dict(primitive="Rsqrt")),
    ("square", torch.square, "Each element times itself", dict(primitive="Square")),
    ("reciprocal", torch.reciprocal, "1 over each element", dict(primitive="Reciprocal")),
    ("inv", _inverse, "1 over each element; integers stay integers", dict(primitive="Inv", argument="x", mint=None)),
    ("sign", torch.sign, "-1, 0 or 1 as each element's sign says", dict(primitive="Sign")),
    ("sgn", torch.sgn, "The sign; of complex numbers the unit vector", dict(mint=None)),
    ("floor", _stays_integer(torch.floor), "The largest whole number that is not above", dict(primitive="Floor")),
    ("ceil", _stays_integer(torch.ceil), "The smallest whole number that is not below", dict(primitive="Ceil")),
    ("trunc", _stays_integer(torch.trunc), "The whole part, towards zero",
     dict(primitive="Trunc", mint=("trunc", "fix"))),
    ("frac", lambda t: t - torch.trunc(t) if t.is_floating_point() else torch.zeros_like(t),
     "The part behind the point", dict(argument="x")),
    ("sin", torch.sin, "The sine", dict(primitive="Sin")),
    ("cos", torch.cos, "The cosine", dict(primitive="Cos")),
    ("tan", torch.tan, "The tangent", dict(primitive="Tan")),
    ("asin", torch.asin, "The arc sine", dict(primitive="Asin", alias=("arcsin",))),
    ("acos", torch.acos, "The arc cosine", dict(primitive="ACos", alias=("arccos",))),
    ("atan", torch.atan, "The arc tangent", dict(primitive="Atan", alias=("arctan",))),
    ("sinh", torch.sinh, "The hyperbolic sine", dict(primitive="Sinh")),
    ("cosh", torch.cosh, "The hyperbolic cosine", dict(primitive="Cosh")),
    ("tanh", torch.tanh, "The hyperbolic tangent", dict(primitive="Tanh")),
    ("asinh", torch.asinh, "The inverse hyperbolic sine", dict(primitive="Asinh", alias=("arcsinh",))),
    ("acosh", torch.acosh, "The inverse hyperbolic cosine", dict(primitive="Acosh", alias=("arccosh",))),
    ("atanh", torch.atanh, "The inverse hyperbolic tangent", dict(primitive="Atanh", alias=("arctanh",))),
    ("erf", torch.erf, "The error function", dict(primitive="Erf")),
    ("erfc", torch.erfc, "1 less the error function", dict(primitive="Erfc")),
    ("erfinv", torch.erfinv, "The inverse of the error function", dict(primitive="Erfinv")),
    ("lgamma", torch.lgamma, "The logarithm of the absolute value of the gamma function",
     dict(primitive="Lgamma", mint=None)),
    ("digamma", torch.digamma, "The derivative of lgamma", dict(primitive="Digamma", mint=None)),
    ("sinc", torch.sinc, "sin(pi x) / (pi x), and 1 at 0", dict(primitive="Sinc")),
    ("deg2rad", torch.deg2rad, "Degrees as radians", dict(mint=None, argument="x")),
    ("rad2deg", torch.rad2deg, "Radians as degrees", dict(mint=None, argument="x")),
    ("isnan", torch.isnan, "Whether each element is not a number", dict(primitive="IsNan")),
    ("isinf", torch.isinf, "Whether each element is infinite", dict(primitive="IsInf")),
    ("isfinite", torch.isfinite, "Whether each element is neither infinite nor NaN", dict(primitive="IsFinite")),
    ("isneginf", torch.isneginf, "Whether each element is minus infinity", {}),
    ("isposinf", torch.isposinf, "Whether each element is plus infinity", dict(mint=None)),
    ("isreal", torch.isreal, "Whether each element has no imaginary part", dict(mint=None)),
    ("signbit", torch.signbit, "Whether each element's sign bit is set", dict(mint=None)),
    ("logical_not", torch.logical_not, "Whether each element is zero or False", dict(primitive="LogicalNot")),
    ("invert", torch.bitwise_not, "The bits turned", dict(primitive="Invert", argument="x", mint=None)),
    ("real", torch.real, "The real part", dict(primitive="Real")),
    ("imag", _imaginary, "The imaginary part, zeros for real numbers", dict(primitive="Imag")),
    ("conj", lambda t: torch.conj(t).resolve_conj(), "The complex conjugate", dict(primitive="Conj", mint=None)),
    ("angle", _angle, "The angle in the complex plane, in radians", dict(primitive="Angle", mint=None)),
    ("i0", torch.special.i0, "The modified Bessel function of order 0", dict(mint=None)),
    ("bessel_i0", torch.special.i0, "The modified Bessel function of the first kind, order 0",
     dict(primitive="BesselI0", argument="x", mint=None, tensor=False)),
    ("bessel_i0e", torch.special.i0e, "bessel_i0, scaled by exp(-|x|)",
     dict(primitive="BesselI0e", argument="x", mint=None, tensor=False)),
    ("bessel_i1", torch.special.i1, "The modified Bessel function of the first kind, order 1",
     dict(primitive="BesselI1", argument="x", mint=None, tensor=False)),
    ("bessel_i1e", torch.special.i1e, "bessel_i1, scaled by exp(-|x|)",
     dict(primitive="BesselI1e", argument="x", mint=None, tensor=False)),
    ("bessel_j0", torch.special.bessel_j0, "The Bessel function of the first kind, order 0",
     dict(primitive="BesselJ0", argument="x", mint=None, tensor=False)),
    ("bessel_j1", torch.special.bessel_j1, "The Bessel function of the first kind, order 1",
     dict(primitive="BesselJ1", argument="x", mint=None, tensor=False)),
    ("bessel_y0", torch.special.bessel_y0, "The Bessel function of the second kind, order 0",
     dict(primitive="BesselY0", argument="x", mint=None, tensor=False)),
    ("bessel_y1", torch.special.bessel_y1, "The Bessel function of the second kind, order 1",
     dict(primitive="BesselY1", argument="x", mint=None, tensor=False)),
    ("bessel_k0", torch.special.modified_bessel_k0, "The modified Bessel function of the second kind, order 0",
     dict(primitive="BesselK0", argument="x", mint=None, tensor=False)),
    ("bessel_k0e", torch.special.scaled_modified_bessel_k0, "bessel_k0, scaled by exp(x)",
     dict(primitive="BesselK0e", argument="x", mint=None, tensor=False)),
    ("bessel_k1", torch.special.modified_bessel_k1, "The modified Bessel function of the second kind, order 1",
     dict(primitive="BesselK1", argument="x", mint=None, tensor=False)),
    ("bessel_k1e", torch.special.scaled_modified_bessel_k1, "bessel_k1, scaled by exp(x)",
     dict(primitive="BesselK1e", argument="x", mint=None, tensor=False)),
):
    _name, _compute, _text, _extra = _row
    _define(_name, _compute, _text, **_extra)


@op(method=True)
def positive(input):
    """The tensor itself (``mindspore.ops.positive``)."""
    return input


@op(method=True)
def is_complex(input):
    """Whether the elements are complex numbers, as a bool (``mindspore.ops.is_complex``)."""
    return input.is_complex()


@op(method=True)
def is_floating_point(input):
    """Whether the elements are floating-point numbers, as a bool (``mindspore.ops.is_floating_point``)."""
    return input.is_floating_point()


@op(primitive="Round", method=True, mint=True)
def round(input, *, decimals=0):
    """Each element rounded to ``decimals`` places, halves to the even neighbour (``mindspore.ops.round``)."""
    if not decimals:
        return _stays_integer(torch.round)(input)
    return torch.round(input, decimals=decimals)


@op(primitive="NanToNum", init=("nan", "posinf", "neginf"), method=True, mint=True)
def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """NaN and the infinities replaced by numbers: by default 0 and the dtype's ends (``mindspore.ops.nan_to_num``)."""
    return torch.nan_to_num(input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@op(primitive="Logit", init={"eps": -1.0}, method=True, mint=True)
def logit(input, eps=None):
    """log(x / (1 - x)), with x first clamped to [eps, 1 - eps] where ``eps`` is given (``mindspore.ops.logit``)."""
    return torch.logit(input, None if eps is None or eps < 0 else eps)


@op(primitive="Polygamma", method=True)
def polygamma(n, input):
    """The n-th derivative of the digamma function (``mindspore.ops.polygamma``)."""
    return torch.polygamma(int(n), input)


@op(primitive="Mvlgamma", init=("p",), method=True)
def mvlgamma(input, p):
    """The multivariate log-gamma function of dimension ``p`` (``mindspore.ops.mvlgamma``)."""
    return torch.mvlgamma(input, p)


@method(name="bitwise_not")
def _bitwise_not(self):
    return torch.bitwise_not(self)


__all__ += ["is_complex", "is_floating_point", "logit", "mvlgamma", "nan_to_num", "polygamma", "positive", "round"]
