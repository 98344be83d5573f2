"""Sums, means, extremes and their kin over axes (part of ``mindspore.numpy.math_ops``)."""

from __future__ import annotations

from math import nan

import numpy as np
import torch

from ms2torch._core.checks.calls import class_text, no_matching_form
from ms2torch._core.checks.words import renderings
from ms2torch._core.errors import asked
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import OPS
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, lift, wrap
from ms2torch.ops.function import math_func  # noqa: F401  (registers the definitions)
from ms2torch.ops.function._math_axis import distinct

from .utils import (
    arrays,
    as_array,
    as_given,
    as_tensor,
    axis_in_range,
    cast,
    floating,
    refusal,
    sorted_axes,
    valid_axes,
)

__all__ = [
    "amax", "amin", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum", "max", "mean",
    "min", "nancumsum", "nanmax", "nanmean", "nanmin", "nanstd", "nansum", "nanvar", "ptp", "std", "sum",
    "var",
]


def _kernel(name):
    return OPS[name].kernel


def sum_(a, axis=None, dtype=None, keepdims=False, initial=None):
    """The sum over all or some axes; integers give Int64 (``mindspore.numpy.sum``)."""
    if isinstance(initial, Tensor) and initial.ndim == 0:
        initial = initial.item()
    if initial is not None and not isinstance(initial, (bool, int, float)):
        raise refusal(TypeError, "sum(): argument 'initial' (position 4) must be Number, not "
                      f"{type(initial).__name__}.")
    total = as_tensor(a).sum(axis, dtype, keepdims)
    return total if initial is None else total + initial


sum = sum_


@arrays(1)
def mean(a, axis=None, keepdims=False, dtype=None):
    """The mean over all or some axes; of integers an integer (``mindspore.numpy.mean``)."""
    return cast(_kernel("mean")(a, valid_axes(axis, a.ndim), keepdims), dtype)


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
        if type(a).__name__ in ("COOTensor", "CSRTensor"):
            raise refusal(TypeError, "the input x must be Tensor!")
        if not isinstance(a, torch.Tensor):
            raise refusal(TypeError, "For primitive[Shape], the input argument must be Tensor, but got "
                          f"{class_text(a)}.")
        _ask_axes(axis, a.ndim)
        return _kernel(of)(a, distinct(_whole(axis), a), keepdims, initial=initial, where=_mask(where, a))

    call.__name__ = name
    call.__doc__ = f"The {bound} element over all or some axes, without indices (``mindspore.numpy.{name}``)."
    return arrays(0)(call)


def _ask_axes(axis, ndim: int) -> None:
    """MindSpore's errors for axes that are no ints, beyond the ends or given twice."""
    axes = axis if isinstance(axis, (tuple, list)) else () if axis is None else (axis,)
    for one in axes:
        if not isinstance(one, int):
            raise refusal(TypeError, f"The axes must be integers, but got {class_text(lift(one))}")
    for one in axes if axis is axes else ():
        if not -(ndim or 1) <= one < (ndim or 1):
            raise refusal(ValueError, f"The 'axis' must be in the range of [{-ndim}, {ndim}), but got {one}.")
    if axis is axes and len({one % (ndim or 1) for one in axes}) < len(axes):
        raise refusal(ValueError, "The element of parameter 'axis' can not be duplicate, but got "
                      f"{tuple(int(one) % (ndim or 1) for one in axes)}.")


def _mask(where, a):
    """A Tensor, or None where every element counts."""
    if isinstance(where, (bool, int, float, type(None))):
        return torch.tensor(False, device=a.device) if where is not None and not where else None
    return as_array(where)


max, amax = _extreme("max", "amax", "largest"), _extreme("amax", "amax", "largest")
min, amin = _extreme("min", "amin", "smallest"), _extreme("amin", "amin", "smallest")


@arrays(1)
def ptp(x, axis=None, keepdims=False):
    """Largest less smallest element (``mindspore.numpy.ptp``)."""
    for one in axis if isinstance(axis, tuple) else ():
        if not isinstance(one, int):
            raise refusal(TypeError, f"For Tensor.ptp, each axis must be integer, but got "
                          f"{class_text(lift(one))} in {lift(axis)}.")
    _ask_axes(axis if isinstance(axis, tuple) else None, x.ndim)
    axis = distinct(_whole(axis), x)
    return _kernel("amax")(x, axis, keepdims) - _kernel("amin")(x, axis, keepdims)


def _one_axis(name: str, axis):
    """An axis as the parser of methods takes it, an int or None."""
    whole = isinstance(axis, (int, np.integer)) and not isinstance(axis, bool)
    if axis is None or whole or isinstance(axis, torch.Tensor):
        return axis
    raise asked(no_matching_form(name, axis))


@arrays(1)
def argmax(a, axis=None):
    """The index of the largest element, as Int64 (``mindspore.numpy.argmax``)."""
    return _kernel("argmax")(a, _one_axis("argmax", axis))


@arrays(1)
def argmin(a, axis=None):
    """The index of the smallest element, as Int32 (``mindspore.numpy.argmin``)."""
    return _kernel("argmin")(a, _one_axis("argmin", axis))


@arrays(1)
def count_nonzero(x, axis=None, keepdims=False):
    """How many elements are not zero, as Int32; of none a 0 without axes (``mindspore.numpy.count_nonzero``).
    """
    if not x.numel():
        return torch.zeros((), dtype=torch.int32, device=x.device)
    if not isinstance(keepdims, bool):
        raise refusal(TypeError, "For 'count_nonzero', the type of 'keep_dims' should be 'bool', but got "
                                 f"type '{type(keepdims).__name__}'.")
    return _kernel("count_nonzero")(x, () if axis is None else axis, keepdims)


@arrays(1)
def average(x, axis=None, weights=None, returned=False):
    """The weighted mean, with the sum of the weights if ``returned`` (``mindspore.numpy.average``).

    Of integers an integer, rounded towards zero.
    """
    axes = tuple(range(x.ndim)) if axis is None else sorted_axes(_whole(axis), x.ndim)
    if not axes and x.ndim:
        raise refusal(IndexError, "tuple index out of range")
    if weights is None:
        result = _kernel("mean")(x, axes, False)
        count = x.numel() // (result.numel() or 1)
        return (result, torch.full_like(result, count)) if returned else result
    if not isinstance(weights, torch.Tensor):
        raise refusal(TypeError, f"expect Tensor, but got {renderings(weights)['typed']}")
    if weights.shape != x.shape:
        if weights.ndim != 1:
            raise TypeError("Weights should be None, 1-D or the same shape as input x.")
        if axis is None or len(axes) > 1:
            raise refusal(TypeError, "Axis must be specified when shapes of x and weights differ.")
        weights = weights.reshape([-1 if d == axes[0] else 1 for d in range(x.ndim)])
    total = _total(weights, axes)
    result = _quotient(_total(arithmetic.mul(x, weights), axes), total)
    return (result, total.expand(result.shape).clone()) if returned else result


def _quotient(a, b):
    """a / b; of whole numbers a whole one, towards zero."""
    if a.is_floating_point() or b.is_floating_point() or a.is_complex():
        return arithmetic.true_div(a, b)
    a, b = arithmetic.promote_operands(a, b)
    return torch.div(a.int() if a.dtype is torch.bool else a, b, rounding_mode="trunc")


def _total(t, axes, keepdims=False):
    """The sum in the dtype of the numbers: of bools, whether one is true."""
    axes = axes or tuple(range(t.ndim))
    if t.dtype is torch.bool:
        return t.any(axes, keepdims)
    return t.sum(axes, keepdims, dtype=t.dtype)


@lowered
def cumprod(a, axis=None, dtype=None):
    """``numpy.cumprod``, over the flattened array without ``axis`` (``mindspore.numpy.cumprod``); whole
    numbers in lists are Int64."""
    a = as_given(a)
    if axis is not None and not isinstance(axis, int):
        raise refusal(TypeError, f"integer axis is expected, but got{type(axis)}")
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = axis_in_range(axis, a.ndim)
    kind = _WIDER.get(a.dtype, a.dtype)
    wide = torch.int64 if kind in _dtype.UNSIGNED else kind        # torch has no products of the unsigned
    return cast(torch.cumprod(a.to(wide), axis, dtype=wide).to(kind), dtype)


_WIDER = {torch.int8: torch.int32, torch.int16: torch.int32, torch.bool: torch.int32,
          torch.uint8: torch.uint32, torch.uint16: torch.uint32}


def _sums(a, axis, dtype):
    if dtype is None and not (axis is None or axis.__class__ is int):
        raise refusal(TypeError, f'Failed calling cumsum with "cumsum({renderings(axis)["call"]}, None)".')
    return wrap(a).cumsum(axis, dtype)._t


@arrays(1)
def cumsum(a, axis=None, dtype=None):
    """``numpy.cumsum``, over the flattened array without ``axis`` (``mindspore.numpy.cumsum``)."""
    return _sums(a, axis, dtype)


def _without_nan(a, value):
    """``a`` with a number in the place of nans."""
    return torch.where(a.isnan(), value, a) if a.is_floating_point() else a


def _whether(keepdims) -> bool:
    if not isinstance(keepdims, int):
        said = "" if keepdims is None else type(keepdims)
        raise refusal(TypeError, f"integer argument expected, got{said}")
    return bool(keepdims)


def _bound(name, function, bound):
    """An extreme among numbers; where all are nan the bound takes part, the limit of 64 bits."""
    def call(a, axis=None, dtype=None, keepdims=False):
        keepdims = _whether(keepdims)
        axes = valid_axes(axis, a.ndim) or tuple(range(a.ndim))
        if not a.numel():
            return _of_nothing(a, axes, keepdims, dtype)
        if a.dtype is torch.bool:
            return cast(function(a.int(), axes, keepdims).bool(), dtype)
        return cast(function(_without_nan(a, bound), axes, keepdims), dtype)

    call.__name__ = name
    call.__doc__ = f"``numpy.{name}`` (``mindspore.numpy.{name}``)."
    return arrays(1)(call)


def _of_nothing(a, axes, keepdims, dtype):
    """What a reduction of an array without elements is: nan, as far as something is left."""
    shape = [1 if d in axes else n for d, n in enumerate(a.shape) if keepdims or d not in axes]
    return cast(torch.full(shape, nan, dtype=a.dtype, device=a.device), dtype)


nanmax = _bound("nanmax", torch.amax, -(2.0**63))
nanmin = _bound("nanmin", torch.amin, 2.0**63)


def _sum_of_numbers(a, axes, dtype, keepdims):
    if not a.numel():
        return _of_nothing(a, axes, keepdims, dtype)
    return cast(_total(_without_nan(a, 0.0), axes, keepdims), dtype)


def _count_of_numbers(a, axes, keepdims):
    """How many are numbers, in their dtype, which for bools is whether there are any."""
    return _total(a.isnan().logical_not().to(a.dtype), axes, keepdims)


@arrays(1)
def nansum(a, axis=None, dtype=None, keepdims=False):
    """``numpy.nansum``, in the dtype of the numbers (``mindspore.numpy.nansum``)."""
    return _sum_of_numbers(a, valid_axes(axis, a.ndim), dtype, bool(keepdims))


@arrays(1)
def nanmean(a, axis=None, dtype=None, keepdims=False):
    """``numpy.nanmean``, of a sum in ``dtype``, which is Float32 (``mindspore.numpy.nanmean``)."""
    return _mean_of_numbers(a, valid_axes(axis, a.ndim), dtype, bool(keepdims))


def _mean_of_numbers(a, axes, dtype, keepdims):
    summed = _sum_of_numbers(a, axes, torch.float32 if dtype is None else dtype, keepdims)
    return _quotient(summed, _count_of_numbers(a, axes, keepdims))


@arrays(1)
def nancumsum(a, axis=None, dtype=None):
    """Running sums that count nan as 0 (``mindspore.numpy.nancumsum``)."""
    return _sums(_without_nan(a, 0.0), axis, dtype)


@arrays(1)
def nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The variance without nans as Float32; ``ddof`` comes off the count (``mindspore.numpy.nanvar``)."""
    return cast(_variance_of_numbers(a, axis, ddof, keepdims), torch.float32 if dtype is None else dtype)


def _variance_of_numbers(a, axis, ddof, keepdims):
    axes = valid_axes(axis, a.ndim)
    apart = arithmetic.sub(a, _mean_of_numbers(a, axes, None, True))
    squares = _total(_without_nan(apart * apart, 0.0), axes, bool(keepdims))
    count = _count_of_numbers(a, axes, bool(keepdims))
    return squares / ((count.to(torch.int64) if count.dtype is torch.bool else count) - +ddof)


@arrays(1)
def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """The standard deviation without nans as Float32; ``ddof`` comes off the count
    (``mindspore.numpy.nanstd``)."""
    spread = _variance_of_numbers(a, axis, ddof, keepdims).sqrt()
    return cast(spread, torch.float32 if dtype is None else dtype)
