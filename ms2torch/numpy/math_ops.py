"""``mindspore.numpy.math_ops``: arithmetic by element, from the definitions in ``ops``, and what the files
beside it define (reductions, linear algebra, differences)."""

from __future__ import annotations

import math

import torch

from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.registry import OPS, lowered
from ms2torch.ops.function import math_func  # noqa: F401  (registers the definitions)
from ms2torch.ops.function._math_binary import numpy_fmod

from . import _differences, _linear_algebra, _reductions
from ._differences import *  # noqa: F403
from ._linear_algebra import *  # noqa: F403
from ._reductions import *  # noqa: F403
from .utils import arrays, as_array, cast, floating, number_or_array, signature

__all__ = ["NINF", "PINF", "around", "clip", "divmod", "inf", "nan", "pi", "round",
           *_differences.__all__, *_linear_algebra.__all__, *_reductions.__all__]

pi, inf, nan = math.pi, math.inf, math.nan
PINF, NINF = inf, -inf


# What MindSpore calls the argument where it is not x.
_FIRST = {"arccos": "input", "negative": "a", "positive": "a"}


def _unary(name, kernel):
    first = _FIRST.get(name, "x")

    def call(*args, **kwargs):
        bound = call.__signature__.bind(*args, **kwargs).arguments
        return cast(kernel(as_array(bound[first])), bound.get("dtype"))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``numpy.{name}`` elementwise (``mindspore.numpy.{name}``); ``dtype`` casts the result."
    call.__signature__ = signature(first, dtype=name != "fix")
    globals()[name] = lowered(call, name)
    __all__.append(name)


def _binary(name, kernel):
    def call(x1, x2, dtype=None):
        a, b = number_or_array(x1), number_or_array(x2)
        if not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor):
            a = as_array(a)
        return cast(kernel(a, b), dtype)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``numpy.{name}`` elementwise with broadcasting (``mindspore.numpy.{name}``)."
    globals()[name] = lowered(call, name)
    __all__.append(name)


def _of_integers(kernel):
    """``kernel``, which torch has for integers alone, also for whole numbers in floats."""
    def call(a, b):
        a, b = arithmetic.promote_operands(a, b)
        a, b = (x if isinstance(x, torch.Tensor) else as_array(x) for x in (a, b))
        if not a.is_floating_point() and not b.is_floating_point():
            return kernel(a, b)
        return kernel(a.long(), b.long()).to(a.dtype if a.is_floating_point() else b.dtype)

    return call


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
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "fix": "trunc",
    "sign": "sign",
    "signbit": "signbit",
    "deg2rad": "deg2rad",
    "rad2deg": "rad2deg",
    "radians": "deg2rad",
    "reciprocal": "inv",
    "rint": "round",
}.items():
    _unary(_name, OPS[_of].kernel)
for _name in ("invert", "bitwise_not"):
    _unary(_name, OPS["invert"].kernel)
_unary("cbrt", lambda t: torch.sign(t) * torch.pow(torch.abs(floating(t)), 1 / 3))

for _name, _kernel in {
    "add": arithmetic.add,
    "subtract": arithmetic.sub,
    "multiply": arithmetic.mul,
    "divide": arithmetic.div,
    "true_divide": arithmetic.div,
    "floor_divide": arithmetic.floor_div,
    "mod": arithmetic.numpy_mod,
    "remainder": arithmetic.numpy_mod,
    "fmod": numpy_fmod,
    "power": arithmetic.pow,
    "bitwise_and": arithmetic.bitwise_and,
    "bitwise_or": arithmetic.bitwise_or,
    "bitwise_xor": arithmetic.bitwise_xor,
    **{
        name: OPS[of].kernel
        for name, of in (
            ("maximum", "maximum"),
            ("minimum", "minimum"),
            ("arctan2", "atan2"),
            ("hypot", "hypot"),
            ("logaddexp", "logaddexp"),
            ("logaddexp2", "logaddexp2"),
            ("heaviside", "heaviside"),
        )
    },
    "gcd": _of_integers(torch.gcd),
    "lcm": _of_integers(torch.lcm),
}.items():
    _binary(_name, _kernel)
_binary("copysign", lambda a, b: torch.copysign(a := as_array(a), as_array(b)).to(a.dtype))
_binary("float_power", lambda a, b: torch.pow(floating(as_array(a)), b))


def divmod(x1, x2, dtype=None):
    """Quotient rounded down and remainder (``mindspore.numpy.divmod``)."""
    return globals()["floor_divide"](x1, x2, dtype), globals()["mod"](x1, x2, dtype)


@arrays(1)
def round(a, decimals=0):
    """Rounded to ``decimals`` places, halves to the even neighbour.

    MindSpore: ``mindspore.numpy.round``, ``around``.
    """
    return torch.round(a, decimals=decimals) if a.is_floating_point() else a.clone()


around = round


@lowered
def clip(x, xmin, xmax, dtype=None):
    """Limited to [xmin, xmax], either of which may be None; the dtype stays (``mindspore.numpy.clip``)."""
    x = as_array(x)
    if xmin is None and xmax is None:
        raise ValueError("One of max or min must be given.")
    low, high = [None if v is None else as_array(v).to(x.dtype) for v in (xmin, xmax)]
    return cast(torch.clamp(x, low, high), dtype)
