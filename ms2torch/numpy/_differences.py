"""Differences, correlations, interpolation, shared dtypes (part of ``mindspore.numpy.math_ops``)."""

from __future__ import annotations

from math import pi

import torch

from ms2torch._core.checks.calls import class_text, is_tensor_class
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import lift
from ms2torch.ops.function import math_func  # noqa: F401  (registers the definitions)

from .utils import (
    UNKNOWN,
    arrays,
    as_array,
    as_constant,
    ask_factor,
    ask_float,
    axis_in_range,
    broadcast,
    broadcasts,
    cast,
    checked_dtype,
    floating,
    named_dtype,
    refusal,
    shared,
    shared_dtype,
    sorted_axes,
)

__all__ = [
    "bincount", "convolve", "corrcoef", "correlate", "cov", "diff", "ediff1d", "gradient", "interp",
    "promote_types", "result_type", "trapz", "unwrap",
]


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
    whole = torch.cat(shared(*(t for t in (ends[0], a, ends[1]) if t is not None)), axis)
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
    axis = axis_in_range(axis, y.ndim)
    y = _single(y)
    widths = as_array(dx)
    if x is not None:
        x = as_array(x)
        axis_in_range(-1, x.ndim)
        if x.shape[-1] < 2:
            raise refusal(ValueError, "n is bigger then the specified dimension, this will result in an "
                                      "empty tensor.")
        widths = (x.to(torch.int64) if x.dtype in _dtype.UNSIGNED else x).diff(dim=-1)
    if widths.ndim == 1:
        widths = widths.reshape([-1 if d == axis else 1 for d in range(y.ndim)])
    pairs = y.narrow(axis, 1, y.shape[axis] - 1) + y.narrow(axis, 0, y.shape[axis] - 1)
    if not broadcasts(widths.shape, pairs.shape):
        raise refusal(ValueError, "For 'Mul', input1.shape and input2.shape need to broadcast.")
    return (_single(widths) * pairs).sum(axis) * 0.5


def _single(t):
    """``t`` in Float16 where it is that, else in Float32; of complex numbers the real part."""
    return t if t.dtype is torch.float16 else (t.real if t.is_complex() else t).float()


@arrays(1)
def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences inside, one-sided ones at the ends (``mindspore.numpy.gradient``)."""
    dims = tuple(range(f.ndim)) if axis is None else sorted_axes(axis, f.ndim, lists=True)
    if not dims and axis is not None:
        raise refusal(IndexError, "tuple index out of range")
    if f.ndim and any(isinstance(v, torch.Tensor) and v.ndim for v in varargs):
        raise refusal(NotImplementedError, "Non-constant spacing not implemented")
    spacing = [float(v) for v in varargs] or [1.0]
    if len(spacing) == 1:
        spacing = spacing * len(dims)
    found = list(torch.gradient(floating(f), spacing=spacing, dim=dims, edge_order=edge_order))
    return found[0] if len(found) == 1 else found


@lowered
def convolve(a, v, mode="full"):
    """The discrete convolution of two vectors, in the dtype they share (``mindspore.numpy.convolve``)."""
    a, v = shared(as_constant(a), as_constant(v))
    return _convolved(a, v, mode).to(a.dtype)


def _convolved(a, v, mode, name="convolve"):
    if not a.numel() or not v.numel():
        if name == "correlate":
            sizes = [", ".join(map(str, t.shape)) for t in (a, v)]
            raise refusal(ValueError, f"all inputs of 'Correlate' cannot be empty , got a at ( {sizes[0]}) "
                                      f"and got v at ({sizes[1]})")
        raise refusal(ValueError, "Inputs cannot be empty.")
    a, v = torch.atleast_1d(a, v)
    if a.ndim != 1 or v.ndim != 1:
        raise refusal(ValueError, "a and v must be 1-D tensor.")
    if mode not in ("full", "same", "valid"):
        raise refusal(ValueError, "mode must be one of ['full', 'same', 'valid']")
    a, v = (a, v) if len(a) >= len(v) else (v, a)
    whole = torch.nn.functional.conv1d(
        floating(a)[None, None], floating(v).flip(0)[None, None], padding=len(v) - 1
    )[0, 0]
    if mode == "full":
        return whole
    keep = len(a) if mode == "same" else len(a) - len(v) + 1
    start = (len(whole) - keep) // 2
    return whole[start : start + keep]


# What MindSpore's numbers of the modes are called too, in other operators.
_PAD_MODES = {"mean": "same", "reflect": "same", "none": "valid"}


def _listed(x):
    """Lists with numbers of numpy's or Tensors in them are Float32 here."""
    plain = not isinstance(x, (list, tuple)) or all(isinstance(v, (int, list, tuple)) for v in x)
    return as_array(x) if plain else as_array(x, torch.float32)


@lowered
def correlate(a, v, mode="valid"):
    """Sums of the products of two vectors at every shift of ``v`` (``mindspore.numpy.correlate``).

    ``mode``: "full", "same" or "valid", the shifts where both overlap in full.
    """
    a, v = _listed(a), _listed(v)
    if isinstance(mode, str):
        mode = _PAD_MODES.get(mode.lower(), mode.lower())
    if not isinstance(mode, str):
        raise refusal(TypeError, "For 'Correlate', the input 'pad_mode' should be a str, but got "
                      f"{class_text(lift(mode))}.")
    if a.ndim != 1 or v.ndim != 1:
        raise refusal(ValueError, "'Correlate' only support 1-dimensional inputs , but got a at "
                      f"{a.ndim}-dimensional and got v at {v.ndim}-dimensional")
    if mode not in ("full", "same", "valid"):
        raise ValueError("mode must be one of ['full', 'same', 'valid']")
    if a.dtype is not v.dtype:
        raise refusal(TypeError, "For 'Correlate' the type of a and v must be same, but got type of a is "
                                 "different from that of v!")
    if a.dtype is torch.int64:
        a, v = a.double(), v.double()
    return _convolved(a, v.flip(0), mode, "correlate")


@arrays(1)
def unwrap(p, discont=pi, axis=-1):
    """Angles without jumps above ``discont``: multiples of 2 pi are added (``mindspore.numpy.unwrap``)."""
    if not isinstance(discont, (int, float)):
        raise refusal(TypeError, "discont should be a float")
    axis = axis_in_range(axis, p.ndim)
    if p.shape[axis] < 2:
        raise refusal(ValueError, "n is bigger then the specified dimension, this will result in an "
                      "empty tensor.")
    p = floating(p)
    steps = p.diff(dim=axis)
    fitted = (steps + pi) % (2 * pi) - pi
    fitted = torch.where((fitted == -pi) & (steps > 0), pi, fitted)
    added = torch.where(steps.abs() < discont, 0.0, fitted - steps).cumsum(axis)
    first = torch.zeros_like(p.narrow(axis, 0, 1))
    return p + torch.cat([first, added], axis)


@arrays(1)
def bincount(x, weights=None, minlength=0, length=None):
    """How often each number from 0 on occurs, as Float32 (``mindspore.numpy.bincount``)."""
    if x.ndim != 1:
        raise refusal(ValueError, "`x` should be one-dimensional")
    if x.dtype is torch.bool or x.is_floating_point() or x.is_complex():
        raise refusal(TypeError, "`x` should be an array of ints")
    weights = None if weights is None else as_array(weights)
    if weights is not None:
        ask_factor(weights)
    counts = torch.bincount(x.to(torch.int64).clamp(min=0), weights, length or minlength).to(torch.float32)
    return counts if length is None else counts[:length]


@lowered
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """The covariances of the rows (``mindspore.numpy.cov``)."""
    m = floating(torch.atleast_2d(as_constant(m)))
    if not rowvar and m.shape[0] != 1:
        m = m.mT
    if y is not None:
        other = floating(torch.atleast_2d(as_constant(y)))
        m = torch.cat((m, other if rowvar else other.mT))
    correction = ddof if ddof is not None else 0 if bias else 1
    counts, weights = (None if w is None else as_constant(w) for w in (fweights, aweights))
    if counts is not None and counts.is_floating_point():
        raise TypeError("weights must be integer")
    weights = None if weights is None else floating(weights)
    return cast(torch.cov(m, correction=correction, fweights=counts, aweights=weights), dtype)


@lowered
def corrcoef(x, y=None, rowvar=True, dtype=None):
    """The correlations of the rows (``mindspore.numpy.corrcoef``)."""
    x = floating(torch.atleast_2d(as_constant(x)))
    x = x if rowvar else x.mT
    if y is not None:
        other = floating(torch.atleast_2d(as_constant(y)))
        x = torch.cat((x, other if rowvar else other.mT))
    found = torch.corrcoef(x).float()
    return cast(found, dtype) if found.ndim else found      # (of one row it is left as it is)


@lowered
def interp(x, xp, fp, left=None, right=None):
    """Linear interpolation between the points (xp, fp) (``mindspore.numpy.interp``)."""
    x, xp, fp = map(as_array, (x, xp, fp))
    ask_float(x)
    x, xp, fp = map(floating, (x, xp, fp))
    if xp.ndim != 1 or fp.ndim != 1:
        raise refusal(ValueError, "xp and fp must be 1-d sequences")
    if len(xp) != len(fp):
        raise refusal(ValueError, "the y-coordinates must have the same length as `xp`")
    i = torch.searchsorted(xp, x).clamp(1, len(xp) - 1)
    slope = (fp[i] - fp[i - 1]) / (xp[i] - xp[i - 1])
    inside = fp[i - 1] + slope * (x - xp[i - 1])
    low = fp[0] if left is None else _filling(left, x).to(fp.dtype)
    high = fp[-1] if right is None else _filling(right, x).to(fp.dtype)
    return torch.where(x < xp[0], low, torch.where(x > xp[-1], high, inside))


def _filling(value, x):
    """What stands outside the points that ``interp`` knows, in the shape of ``x``."""
    if not isinstance(value, (torch.Tensor, list, tuple, int, float)):
        raise refusal(TypeError, "fill value should be int, float, bool, list, tuple, Tensor, but got"
                      f"{class_text(value)}")
    return broadcast(as_constant(value), tuple(x.shape))


def promote_types(type1, type2):
    """The dtype that two dtypes share (``mindspore.numpy.promote_types``)."""
    for asked in (type1, type2):
        if is_tensor_class(asked):
            raise refusal(NotImplementedError,
                          f"The python type {asked} cannot be converted to MindSpore type.")
        if not isinstance(asked, (str, type, _dtype.Type, torch.dtype)):
            checked_dtype(asked)
    a, b = (checked_dtype(t) if named_dtype(t) in UNKNOWN else named_dtype(t) for t in (type1, type2))
    return _dtype.from_torch(shared_dtype(a, b))


def result_type(*arrays_and_dtypes):
    """The dtype that Tensors, numbers and dtypes share (``mindspore.numpy.result_type``)."""
    if not arrays_and_dtypes:
        raise IndexError("tuple index out of range")
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
        found = kind if found is None else shared_dtype(found, kind)
    return _dtype.from_torch(found)
