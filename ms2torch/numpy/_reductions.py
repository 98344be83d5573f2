"""Sums, means, extremes and their kin over axes (part of ``mindspore.numpy.math_ops``)."""

from __future__ import annotations

from math import inf

import torch

from ms2torch._core.operators.registry import OPS
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import lower, wrap
from ms2torch.ops.function import math_func  # noqa: F401  (registers the definitions)

from .utils import arrays, as_array, cast, floating

__all__ = [
    "amax", "amin", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum", "max", "mean",
    "min", "nancumsum", "nanmax", "nanmean", "nanmin", "nanstd", "nansum", "nanvar", "ptp", "std", "sum",
    "var",
]


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
    axis = _whole(axis)
    given = () if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in given:
        if not isinstance(one, int):
            raise TypeError(f"axes should be integers, not {type(one)}")
        if not -a.ndim <= one < a.ndim:
            raise ValueError(f"axis {one} is out of bounds for array of dimension {a.ndim}")
    if len({one % a.ndim for one in given}) < len(given):
        raise ValueError('duplicate value in "axis"')
    return _kernel("mean")(cast(a, dtype), axis, keepdims)


def _whole(axis):
    """An axis that may be a bool, of which mindspore.numpy thinks as a number."""
    return int(axis) if isinstance(axis, bool) else axis


@arrays(1)
def std(x, axis=None, ddof=0, keepdims=False):
    """The standard deviation with divisor N - ddof (``mindspore.numpy.std``)."""
    return torch.sqrt(_of_integers(x, axis, ddof, keepdims)) if _is_integral(x) else \
        _kernel("std")(floating(x), axis, ddof, keepdims)


@arrays(1)
def var(x, axis=None, ddof=0, keepdims=False):
    """The variance with divisor N - ddof; of integers around an integer mean (``mindspore.numpy.var``)."""
    return _of_integers(x, axis, ddof, keepdims) if _is_integral(x) else \
        _kernel("var")(floating(x), axis, ddof, keepdims)


def _is_integral(x) -> bool:
    return not x.is_floating_point() and not x.is_complex() and x.dtype is not torch.bool


def _of_integers(x, axis, ddof, keepdims):
    """The variance of whole numbers, whose mean and deviations MindSpore keeps in their dtype."""
    deviations = x - _kernel("mean")(x, axis, True)
    squares = (deviations * deviations).float()
    axes = tuple(range(x.ndim)) if axis is None else axis
    total = torch.sum(squares, axes, keepdims)
    return total / (x.numel() / (total.numel() or 1) - ddof)


def _extreme(name, of, bound):
    def call(a, axis=None, keepdims=False, initial=None, where=True):
        return _kernel(of)(a, _whole(axis), keepdims, initial=initial, where=None if where is True else where)

    call.__name__ = name
    call.__doc__ = f"The {bound} element over all or some axes, without indices (``mindspore.numpy.{name}``)."
    return arrays(1)(call)


max, amax = _extreme("max", "amax", "largest"), _extreme("amax", "amax", "largest")
min, amin = _extreme("min", "amin", "smallest"), _extreme("amin", "amin", "smallest")


@arrays(1)
def ptp(x, axis=None, keepdims=False):
    """Largest less smallest element (``mindspore.numpy.ptp``)."""
    axis = _whole(axis)
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
    """The weighted mean, with the sum of the weights if ``returned`` (``mindspore.numpy.average``).

    Of integers an integer, rounded towards zero.
    """
    axis = _whole(axis)
    whole = x.dtype if _is_integral(x) else None
    if whole is not None and weights is not None and as_array(weights).is_floating_point():
        whole = None
    x = floating(x)
    weights = torch.ones_like(x) if weights is None else as_array(weights).to(x.dtype)
    if weights.shape != x.shape and axis is not None:
        shape = [1] * x.ndim
        shape[axis] = -1
        weights = weights.reshape(shape).expand(x.shape)
    dims = tuple(range(x.ndim)) if axis is None else axis
    total = torch.sum(weights, dims)
    result = torch.sum(x * weights, dims) / total
    if whole is not None:
        result, total = result.to(whole), total.to(whole)
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


def _axis_of(axis):
    """Python's True is 1."""
    return int(axis) if axis.__class__ is bool else axis


def _without_nan(name, function):
    def call(a, axis=None, dtype=None, keepdims=False):
        a = cast(a, dtype)
        return function(a, tuple(range(a.ndim)) if axis is None else _axis_of(axis), keepdims)

    call.__name__ = name
    call.__doc__ = f"``numpy.{name}`` (``mindspore.numpy.{name}``)."
    return arrays(1)(call)


nansum = _without_nan("nansum", torch.nansum)
nanmean = _without_nan("nanmean", lambda t, d, k: torch.nanmean(floating(t), d, k))
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
    a = floating(cast(a, dtype))
    dims = tuple(range(a.ndim)) if axis is None else _axis_of(axis)
    count = (~a.isnan()).sum(dims, keepdim=keepdims) - ddof
    return ((a - a.nanmean(dims, keepdim=True)) ** 2).nansum(dims, keepdim=keepdims) / count


@arrays(1)
def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The standard deviation without nans (``mindspore.numpy.nanstd``); ``ddof`` comes off the count."""
    return lower(nanvar(wrap(a), axis, dtype, ddof, keepdims)).sqrt()
