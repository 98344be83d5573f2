"""``a, b = values``: a graph takes the items one by one, and leaves what is behind them."""

from __future__ import annotations

import ast

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.language.printing import constant_text

# Calls whose items are pairs.
_PAIRS = frozenset({"enumerate", "items", "cells_and_names", "parameters_and_names", "name_cells"})


def spec_of(target) -> tuple | None:
    """The shape of a target: for each part None, or the shape of a target in it; None for other targets."""
    if not isinstance(target, (ast.Tuple, ast.List)) or any(isinstance(n, ast.Starred) for n in target.elts):
        return None
    return tuple(spec_of(n) for n in target.elts)


def writes_parts(target) -> bool:
    """Whether a target takes values apart into places that are no names."""
    return any(isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, ast.Store)
               for n in ast.walk(target))


def is_display(value, count: int) -> bool:
    """Whether ``value`` is written out with ``count`` items."""
    return isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == count and not any(
        isinstance(n, (ast.Starred, ast.Tuple, ast.List)) for n in value.elts)


def gives(iterated, count: int) -> bool:
    """Whether the items of a loop are known to be of ``count`` parts."""
    if not isinstance(iterated, ast.Call):
        return False
    name = getattr(iterated.func, "id", None) or getattr(iterated.func, "attr", None)
    if name == "zip":
        return len(iterated.args) == count and not any(isinstance(a, ast.Starred) for a in iterated.args)
    return name in _PAIRS and count == 2


def taken(spec: tuple, value):
    """The first items of ``value``, as many as ``spec`` has, taken apart where it says so."""
    count = len(spec)
    if not (value.__class__ in (tuple, list) and len(value) == count):
        value = _first(value, count)
    if any(spec):
        return [v if inner is None else taken(inner, v) for inner, v in zip(spec, value, strict=False)]
    return value


def each_taken(spec: tuple, values):
    """What a comprehension walks over, each item `taken` apart."""
    return (taken(spec, value) for value in values)


def _first(value, count: int):
    if isinstance(value, (tuple, list)):
        if len(value) < count:
            who = "list_getitem" if isinstance(value, list) else "TupleGetItem"
            size = len(value)
            raise IndexError(f"{who} evaluator index should be in range[-{size}, {size}), but got {size}.")
        return value[:count]
    if isinstance(value, Tensor):
        if not value.ndim:
            raise TypeError("For 'StridedSlice', input can not be a scalar.")
        if value.shape[0] < count:
            raise IndexError(strided(0, value.shape[0], value.shape[0]))
        return [value[k] for k in range(count)]
    if isinstance(value, dict):
        missing = next((k for k in range(count) if k not in value), None)
        if missing is not None:
            raise ValueError(f"The key {missing} does not exist in the dict:{constant_text(value)}")
        return [value[k] for k in range(count)]
    if isinstance(value, str) and len(value) >= count:
        return value[:count]
    if value is None or isinstance(value, (int, float)):
        raise TypeError(f"'{type(value).__name__}' object is not subscriptable")
    return value


def strided(axis: int, size: int, index: int) -> str:
    """What a graph says of an index that is too far."""
    begin = f"begin[{axis}]"
    return (f"For 'StridedSlice', the 'strides[{axis}]' cannot be negative number and '{begin}' must be in "
            f"[-{size}, {size}) when 'shrink_axis_mask' is greater than 0, but got 'strides[{axis}]': 1, "
            f"'{begin}': {index}.")
