"""Arithmetic, reductions and linear algebra (``mindspore.numpy.math_ops``), from the definitions in
``ops``.
"""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.registry import OPS, lowered
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import lower, wrap
from ms2torch.ops.function import math_func  # noqa: F401  (registers the definitions)
from ms2torch.ops.function._math_binary import numpy_fmod

from .utils import arrays, as_array, cast, named_dtype, number_or_array, signature

__all__ = ["inf", "nan", "pi"]

pi, inf, nan = 3.141592653589793, float("inf"), float("nan")
PINF, NINF = inf, -inf


def _floating(t):
    return t if t.is_floating_point() or t.is_complex() else t.to(torch.float32)


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
_unary("cbrt", lambda t: torch.sign(t) * torch.pow(torch.abs(_floating(t)), 1 / 3))

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
_binary("float_power", lambda a, b: torch.pow(_floating(as_array(a)), b))


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


# ---- reductions --------------------------------------------------------------------------------------------


def _kernel(name):
    return OPS[name].kernel


@arrays(1)
def sum(a, axis=None, dtype=None, keepdims=False, initial=None):
    """The sum over all or some axes; integers give Int64 (``mindspore.numpy.sum``)."""
    total = _kernel("sum")(cast(a, dtype), axis, keepdims, dtype=dtype)
    return total if initial is None else total + initial


@arrays(1)
def mean(a, axis=None, keepdims=False, dtype=None):
    """The mean over all or some axes; of integers an integer (``mindspore.numpy.mean``)."""
    given = () if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in given:
        if not isinstance(one, int):
            raise TypeError(f"axes should be integers, not {type(one)}")
        if not -a.ndim <= one < a.ndim:
            raise ValueError(f"axis {one} is out of bounds for array of dimension {a.ndim}")
    if len({one % a.ndim for one in given}) < len(given):
        raise ValueError('duplicate value in "axis"')
    return _kernel("mean")(cast(a, dtype), axis, keepdims)


@arrays(1)
def std(x, axis=None, ddof=0, keepdims=False):
    """The standard deviation with divisor N - ddof (``mindspore.numpy.std``)."""
    return _kernel("std")(_floating(x), axis, ddof, keepdims)


@arrays(1)
def var(x, axis=None, ddof=0, keepdims=False):
    """The variance with divisor N - ddof (``mindspore.numpy.var``)."""
    return _kernel("var")(_floating(x), axis, ddof, keepdims)


def _extreme(name, of, bound):
    def call(a, axis=None, keepdims=False, initial=None, where=True):
        return _kernel(of)(a, axis, keepdims, initial=initial, where=None if where is True else where)

    call.__name__ = name
    call.__doc__ = f"The {bound} element over all or some axes, without indices (``mindspore.numpy.{name}``)."
    return arrays(1)(call)


max, amax = _extreme("max", "amax", "largest"), _extreme("amax", "amax", "largest")
min, amin = _extreme("min", "amin", "smallest"), _extreme("amin", "amin", "smallest")


@arrays(1)
def ptp(x, axis=None, keepdims=False):
    """Largest less smallest element (``mindspore.numpy.ptp``)."""
    return _kernel("amax")(x, axis, keepdims) - _kernel("amin")(x, axis, keepdims)


@arrays(1)
def argmax(a, axis=None):
    """The index of the largest element, as Int64 (``mindspore.numpy.argmax``)."""
    return _kernel("argmax")(a, axis)


@arrays(1)
def argmin(a, axis=None):
    """The index of the smallest element, as Int32 (``mindspore.numpy.argmin``)."""
    return _kernel("argmin")(a, axis)


@arrays(1)
def count_nonzero(x, axis=None, keepdims=False):
    """How many elements are not zero, as Int32 (``mindspore.numpy.count_nonzero``)."""
    return _kernel("count_nonzero")(x, () if axis is None else axis, keepdims)


@arrays(1)
def average(x, axis=None, weights=None, returned=False):
    """The weighted mean, with the sum of the weights if ``returned`` (``mindspore.numpy.average``)."""
    x = _floating(x)
    weights = torch.ones_like(x) if weights is None else as_array(weights).to(x.dtype)
    if weights.shape != x.shape and axis is not None:
        shape = [1] * x.ndim
        shape[axis] = -1
        weights = weights.reshape(shape).expand(x.shape)
    dims = tuple(range(x.ndim)) if axis is None else axis
    total = torch.sum(weights, dims)
    result = torch.sum(x * weights, dims) / total
    return (result, total) if returned else result


def _scan(name):
    def kernel(a, axis=None, dtype=None):
        if axis is None:
            a, axis = a.reshape(-1), 0
        into_bool = dtype is not None and _dtype.to_torch(dtype) is torch.bool
        if into_bool and (a.dtype is not torch.bool or name == "cumprod"):
            return getattr(torch, name)(a.bool().int(), axis).bool()
        a = cast(a, dtype)
        if (dtype is None or into_bool) and a.dtype in (torch.bool, torch.int8, torch.int16, torch.uint8):
            a = a.to(torch.int32)
        return getattr(torch, name)(a, axis, dtype=a.dtype)

    kernel.__name__ = name
    kernel.__doc__ = (
        f"``numpy.{name}``, over the flattened array without ``axis`` (``mindspore.numpy.{name}``)."
    )
    return kernel


_sums = _scan("cumsum")
cumsum, cumprod = arrays(1)(_sums), arrays(1)(_scan("cumprod"))


def _without_nan(name, function):
    def call(a, axis=None, dtype=None, keepdims=False):
        a = cast(a, dtype)
        return function(a, tuple(range(a.ndim)) if axis is None else axis, keepdims)

    call.__name__ = name
    call.__doc__ = f"``numpy.{name}`` (``mindspore.numpy.{name}``)."
    return arrays(1)(call)


nansum, nanmean = _without_nan("nansum", torch.nansum), _without_nan("nanmean", torch.nanmean)
nanmax = _without_nan(
    "nanmax", lambda t, d, k: torch.amax(torch.nan_to_num(t, nan=-inf, posinf=inf, neginf=-inf), d, k)
)
nanmin = _without_nan(
    "nanmin", lambda t, d, k: torch.amin(torch.nan_to_num(t, nan=inf, posinf=inf, neginf=-inf), d, k)
)


@arrays(1)
def nancumsum(a, axis=None, dtype=None):
    """Running sums that count nan as 0 (``mindspore.numpy.nancumsum``)."""
    return _sums(torch.nan_to_num(cast(a, dtype), nan=0.0, posinf=inf, neginf=-inf), axis, dtype)


@arrays(1)
def nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The variance without nans (``mindspore.numpy.nanvar``); ``ddof`` comes off the count."""
    a = _floating(cast(a, dtype))
    dims = tuple(range(a.ndim)) if axis is None else axis
    count = (~a.isnan()).sum(dims, keepdim=keepdims) - ddof
    return ((a - a.nanmean(dims, keepdim=True)) ** 2).nansum(dims, keepdim=keepdims) / count


@arrays(1)
def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The standard deviation without nans (``mindspore.numpy.nanstd``); ``ddof`` comes off the count."""
    return lower(nanvar(wrap(a), axis, dtype, ddof, keepdims)).sqrt()


# ---- linear algebra ----------------------------------------------------------------------------------------


@arrays(1)
def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors (one axis) or matrices (two), or of all elements (``mindspore.numpy.norm``)."""
    return torch.linalg.norm(_floating(x), ord, axis, keepdims)


@lowered
def matmul(x1, x2, dtype=None):
    """The matrix product (``mindspore.numpy.matmul``)."""
    return cast(OPS["matmul"].kernel(as_array(x1), as_array(x2)), dtype)


def _product(name, function, text):
    def call(a, b):
        return function(*_dtype.promote(a, b))

    call.__name__ = name
    call.__doc__ = f"{text} (``mindspore.numpy.{name}``)."
    return arrays(2)(call)


def _dot(a, b):
    if not a.ndim or not b.ndim:
        return a * b
    return torch.tensordot(a, b, dims=([-1], [-2 if b.ndim > 1 else 0]))


dot = _product("dot", _dot, "Sums over the last axis of a and the last but one of b")
inner = _product("inner", torch.inner, "Sums over the last axes")
outer = _product(
    "outer", lambda a, b: torch.outer(a.reshape(-1), b.reshape(-1)), "All products of two elements"
)
kron = _product("kron", torch.kron, "The Kronecker product")


@arrays(2)
def tensordot(a, b, axes=2):
    """Sums over ``axes`` (``mindspore.numpy.tensordot``)."""
    return OPS["tensor_dot"].kernel(a, b, axes)


@arrays(2)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product of vectors of length 3 or 2, whose third component is 0; of two of length 2 that
    third component alone (``mindspore.numpy.cross``)."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _dtype.promote(a.movedim(axisa, -1), b.movedim(axisb, -1))
    sizes = a.shape[-1], b.shape[-1]
    if not {2, 3}.issuperset(sizes):
        raise ValueError("incompatible dimensions for cross product (dimension must be 2 or 3)")
    a, b = (torch.nn.functional.pad(x, (0, 3 - x.shape[-1])) for x in (a, b))
    product = torch.linalg.cross(*torch.broadcast_tensors(a, b))
    return product[..., 2] if sizes == (2, 2) else product.movedim(-1, axisc)


@lowered
def multi_dot(arrays):
    """The product of many matrices (``mindspore.numpy.multi_dot``)."""
    return torch.linalg.multi_dot([as_array(a) for a in arrays])


@arrays(1)
def matrix_power(a, n):
    """The n-th power of square matrices (``mindspore.numpy.matrix_power``)."""
    return torch.linalg.matrix_power(a, n)


# ---- differences, statistics -------------------------------------------------------------------------------


@arrays(1)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours, taken n times (``mindspore.numpy.diff``); what stands before and after is a
    number, or a Tensor as long as the other axes."""
    if not isinstance(n, int):
        raise TypeError(f"Input n should be int, but got {type(n)}")
    if n < 0:
        raise ValueError("Input n must > 0.")
    if not -a.ndim <= axis < a.ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {a.ndim}")
    if n == 0:
        return a
    ends = []
    for name, end in (("prepend", prepend), ("append", append)):
        if isinstance(end, (list, tuple)):
            raise TypeError(f"{name} must be scalar or Tensor, but got {type(end)}")
        end = None if end is None else as_array(end)
        if end is not None and end.ndim < a.ndim:
            shape = [1 if d == axis % a.ndim else size for d, size in enumerate(a.shape)]
            end = end.expand(shape)
        ends.append(end)
    kinds = [t for t in (ends[0], a, ends[1]) if t is not None]
    for t in kinds[1:]:
        kinds[0], _ = _dtype.promote(kinds[0], t)
    whole = torch.cat([t.to(kinds[0].dtype) for t in (ends[0], a, ends[1]) if t is not None], axis)
    if n >= whole.shape[axis]:
        raise ValueError("n is bigger then the specified dimension, this will result in an empty tensor.")
    return torch.diff(whole, n, axis)


@arrays(1)
def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours of the flattened array, between two ends (``mindspore.numpy.ediff1d``)."""
    ends = [as_array(x).reshape(-1).to(ary.dtype) for x in (to_begin, to_end) if x is not None]
    middle = [torch.diff(ary.reshape(-1))]
    parts = ends[:1] + middle + ends[1:] if to_begin is not None else middle + ends
    return torch.cat(parts)


@arrays(1)
def trapz(y, x=None, dx=1.0, axis=-1):
    """The integral by the trapezoidal rule (``mindspore.numpy.trapz``)."""
    y = _floating(y)
    return torch.trapezoid(y, dx=dx, dim=axis) if x is None else torch.trapezoid(y, as_array(x), dim=axis)


@arrays(1)
def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences inside, one-sided ones at the ends (``mindspore.numpy.gradient``)."""
    dims = tuple(range(f.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    spacing = [float(v) for v in varargs] or [1.0]
    if len(spacing) == 1:
        spacing = spacing * len(dims)
    found = list(torch.gradient(_floating(f), spacing=spacing, dim=dims, edge_order=edge_order))
    return found[0] if len(found) == 1 else found


@arrays(2)
def convolve(a, v, mode="full"):
    """The discrete convolution of two vectors (``mindspore.numpy.convolve``)."""
    a, v = (a, v) if len(a) >= len(v) else (v, a)
    whole = torch.nn.functional.conv1d(
        _floating(a)[None, None], _floating(v).flip(0)[None, None], padding=len(v) - 1
    )[0, 0]
    if mode == "full":
        return whole
    keep = len(a) if mode == "same" else len(a) - len(v) + 1
    start = (len(whole) - keep) // 2
    return whole[start : start + keep]


@arrays(2)
def correlate(a, v, mode="valid"):
    """Sums of the products of two vectors at every shift of ``v`` (``mindspore.numpy.correlate``).

    ``mode``: "full", "same" or "valid", the shifts where both overlap in full.
    """
    if mode not in ("full", "same", "valid"):
        raise ValueError("mode must be one of ['full', 'same', 'valid']")
    return convolve.kernel(a, v.flip(0), mode)


@arrays(1)
def unwrap(p, discont=pi, axis=-1):
    """Angles without jumps above ``discont``: multiples of 2 pi are added (``mindspore.numpy.unwrap``)."""
    p = _floating(p)
    steps = p.diff(dim=axis)
    fitted = (steps + pi) % (2 * pi) - pi
    fitted = torch.where((fitted == -pi) & (steps > 0), pi, fitted)
    added = torch.where(steps.abs() < discont, 0.0, fitted - steps).cumsum(axis)
    first = torch.zeros_like(p.narrow(axis, 0, 1))
    return p + torch.cat([first, added], axis)


@arrays(1)
def bincount(x, weights=None, minlength=0, length=None):
    """How often each number from 0 on occurs, as Float32 (``mindspore.numpy.bincount``)."""
    weights = None if weights is None else as_array(weights)
    counts = torch.bincount(x.to(torch.int64), weights, length or minlength).to(torch.float32)
    return counts if length is None else counts[:length]


@arrays(1)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """The covariances of the rows (``mindspore.numpy.cov``)."""
    m = _floating(torch.atleast_2d(m))
    if not rowvar and m.shape[0] != 1:
        m = m.mT
    if y is not None:
        other = _floating(torch.atleast_2d(as_array(y)))
        m = torch.cat((m, other if rowvar else other.mT))
    correction = ddof if ddof is not None else 0 if bias else 1
    counts, weights = (None if w is None else as_array(w) for w in (fweights, aweights))
    if counts is not None and counts.is_floating_point():
        raise TypeError("weights must be integer")
    weights = None if weights is None else _floating(weights)
    return cast(torch.cov(m, correction=correction, fweights=counts, aweights=weights), dtype)


@arrays(1)
def corrcoef(x, y=None, rowvar=True, dtype=None):
    """The correlations of the rows (``mindspore.numpy.corrcoef``)."""
    x = _floating(torch.atleast_2d(x))
    x = x if rowvar else x.mT
    if y is not None:
        other = _floating(torch.atleast_2d(as_array(y)))
        x = torch.cat((x, other if rowvar else other.mT))
    return cast(torch.corrcoef(x), dtype)


@lowered
def interp(x, xp, fp, left=None, right=None):
    """Linear interpolation between the points (xp, fp) (``mindspore.numpy.interp``)."""
    x, xp, fp = (_floating(as_array(v)) for v in (x, xp, fp))
    i = torch.searchsorted(xp, x).clamp(1, len(xp) - 1)
    slope = (fp[i] - fp[i - 1]) / (xp[i] - xp[i - 1])
    inside = fp[i - 1] + slope * (x - xp[i - 1])
    low = fp[0] if left is None else torch.as_tensor(left, dtype=fp.dtype)
    high = fp[-1] if right is None else torch.as_tensor(right, dtype=fp.dtype)
    return torch.where(x < xp[0], low, torch.where(x > xp[-1], high, inside))


def promote_types(type1, type2):
    """The dtype that two dtypes share (``mindspore.numpy.promote_types``)."""
    return _dtype.from_torch(_shared(named_dtype(type1), named_dtype(type2)))


def _shared(a: torch.dtype, b: torch.dtype) -> torch.dtype:
    """numpy's dtype for two kinds of integers; a float beside an integer stays as it is."""
    if a is torch.bool or b is torch.bool or a.is_floating_point or b.is_floating_point:
        return b if a is torch.bool else a if b is torch.bool else torch.promote_types(a, b)
    return _dtype.to_torch(np.promote_types(*(_dtype.from_torch(t).numpy for t in (a, b))))


def result_type(*arrays_and_dtypes):
    """The dtype that Tensors, numbers and dtypes share (``mindspore.numpy.result_type``)."""
    found = None
    for x in arrays_and_dtypes:
        if isinstance(x, (bool, int, float)):
            kind = as_array(x).dtype
        elif isinstance(x, (str, _dtype.Type)):
            kind = named_dtype(x, letters=True)
        elif hasattr(x, "_t"):
            kind = x._t.dtype
        else:
            raise TypeError("data type not understood")
        found = kind if found is None else _shared(found, kind)
    return _dtype.from_torch(found)


__all__ += [
    "NINF",
    "PINF",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "around",
    "average",
    "bincount",
    "clip",
    "convolve",
    "corrcoef",
    "correlate",
    "count_nonzero",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "diff",
    "divmod",
    "dot",
    "ediff1d",
    "gradient",
    "inner",
    "interp",
    "kron",
    "matmul",
    "matrix_power",
    "max",
    "mean",
    "min",
    "multi_dot",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanstd",
    "nansum",
    "nanvar",
    "norm",
    "outer",
    "promote_types",
    "ptp",
    "result_type",
    "round",
    "std",
    "sum",
    "tensordot",
    "trapz",
    "unwrap",
    "var",
]
