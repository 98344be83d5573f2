"""Comparisons and truth (``mindspore.numpy.logic_ops``)."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import OPS
from ms2torch._core.tensor.dtype import common, from_torch
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.ops.function import math_func  # noqa: F401  (registers the definitions)

from .utils import (
    arrays,
    as_array,
    as_constant,
    cast_result,
    number_or_array,
    refusal,
    signature,
    sorted_axes,
)

__all__: list[str] = []


def _comparison(name, kernel):
    def call(x1, x2, dtype=None):
        a, b = number_or_array(x1), number_or_array(x2)
        if not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor):
            a = as_array(a)
        return cast_result(kernel(a, b), dtype)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``numpy.{name}`` elementwise with broadcasting (``mindspore.numpy.{name}``)."
    globals()[name] = lowered(call, name)
    __all__.append(name)


def _of_one_dtype(kernel):
    """``kernel`` of what MindSpore converts into one dtype; a TypeError where it does not."""
    def call(a, b):
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
            common(a.dtype, b.dtype)
        # (A double of numpy's is a float.)
        return kernel(*[float(x) if isinstance(x, np.float64) else x for x in (a, b)])

    return call


def _test(name, kernel):
    first = "a" if name == "logical_not" else "x"

    def call(*args, **kwargs):
        bound = call.__signature__.bind(*args, **kwargs).arguments
        return cast_result(kernel(as_array(bound[first])), bound.get("dtype"))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``numpy.{name}`` elementwise (``mindspore.numpy.{name}``)."
    call.__signature__ = signature(first, dtype=name not in ("isneginf", "isposinf"))
    globals()[name] = lowered(call, name)
    __all__.append(name)


for _name, _kernel in {
    "equal": arithmetic.equal,
    "not_equal": arithmetic.not_equal,
    "less": arithmetic.less,
    "less_equal": arithmetic.less_equal,
    "greater": arithmetic.greater,
    "greater_equal": arithmetic.greater_equal,
    **{name: _of_one_dtype(OPS[name].kernel) for name in ("logical_and", "logical_or", "logical_xor")},
}.items():
    _comparison(_name, _kernel)

for _name in ("isnan", "isinf", "isfinite", "isneginf", "isposinf", "logical_not"):
    _test(_name, OPS[_name].kernel)


@lowered
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol * |b| (``mindspore.numpy.isclose``)."""
    a, b = as_array(a), as_array(b)
    if a.dtype is not b.dtype:
        said = "".join(f" name:[{n}]:Tensor[{from_torch(t.dtype)}]." for n, t in (("input", a), ("other", b)))
        raise refusal(TypeError, f"For primitive[IsClose], the input type must be same.{said}")
    return OPS["isclose"].kernel(a, b, rtol, atol, equal_nan)


@lowered
def isin(element, test_elements, invert=False):
    """Whether each element is among others (``mindspore.numpy.isin``)."""
    return _isin(as_array(element), as_array(test_elements), invert)


@lowered
def in1d(ar1, ar2, invert=False):
    """Whether each element of the flattened array is among others (``mindspore.numpy.in1d``)."""
    return _isin(as_array(ar1).reshape(-1), as_array(ar2), invert)


def _isin(elements, tests, invert):
    """torch's, which has no kernel for bools and complex numbers."""
    if elements.is_complex() or tests.is_complex():
        found = (elements.unsqueeze(-1) == tests.reshape(-1)).any(-1)
        return ~found if invert else found
    elements, tests = (t.to(torch.uint8) if t.dtype is torch.bool else t for t in (elements, tests))
    return torch.isin(elements, tests, invert=bool(invert))


@lowered
def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and elements are equal, as a Bool Tensor (``mindspore.numpy.array_equal``)."""
    a, b = as_constant(a1), as_constant(a2)
    if not isinstance(equal_nan, bool):
        raise refusal(TypeError, "equal_nan must be bool.")
    if a.shape != b.shape:
        return torch.tensor(False)
    same = a == b
    return (same | (torch.isnan(a) & torch.isnan(b)) if equal_nan else same).all()


@lowered
def array_equiv(a1, a2):
    """Whether the arrays are equal once broadcast, as a Bool Tensor (``mindspore.numpy.array_equiv``)."""
    a, b = as_constant(a1), as_constant(a2)
    try:
        return (a == b).all()
    except RuntimeError:
        return torch.tensor(False)


@arrays(1)
def sometrue(a, axis=None, keepdims=False):
    """Whether an element is true (``mindspore.numpy.sometrue``)."""
    if not isinstance(keepdims, int):
        raise refusal(TypeError, "integer argument expected, but got " +
                      ("" if keepdims is None else str(type(keepdims))))
    if a.dtype is torch.uint64:             # of a number beyond Int64
        raise refusal(TypeError,
                      "Type implicit conversion between Tensor[Int64] and UInt64 is not supported.")
    axes = None if axis is None else sorted_axes(axis, a.ndim)
    return OPS["any"].kernel(a != 0, axes, bool(keepdims))


def isscalar(element) -> bool:
    """Whether it is a number or a string, not an array, as a bool (``mindspore.numpy.isscalar``)."""
    kinds = int, float, bool, str, np.number, np.bool_
    return isinstance(element, kinds) and not isinstance(element, Tensor)


__all__ += ["array_equal", "array_equiv", "in1d", "isclose", "isin", "isscalar", "sometrue"]
