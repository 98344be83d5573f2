"""Axes, for reductions and scans."""

from __future__ import annotations

import inspect

import torch

from ms2torch._core.checks.words import type_name
from ms2torch._core.errors import final


def unseen(*names):
    """Leave other releases' arguments out of ``inspect.signature``, by which packages tell releases apart."""

    def decorate(function):
        whole = inspect.signature(function)
        kept = [p for p in whole.parameters.values() if p.name not in names]
        function.__signature__ = whole.replace(parameters=kept)
        return function

    return decorate


def one_axis(axis, t: torch.Tensor, name: str) -> int:
    """``axis`` as an int in range; ValueError in MindSpore's words where it is not."""
    if axis.__class__ is not int:
        axis = _number(axis, name)
    n = t.ndim or 1
    if not -n <= axis < n:
        raise ValueError(f"For primitive[{name}], the axis must be in [{-n},{n}), but got {axis}.")
    return axis


def one_twice(many, ndim: int):
    """The first of axes that stands there twice, None where each stands once."""
    places = [a % (ndim or 1) for a in many]
    return next((a for a, n in zip(many, places, strict=True) if places.count(n) > 1), None)


def axes(axis, t: torch.Tensor, name: str):
    """An int or tuple of ints in range, or None for all axes (given as None, () or [])."""
    if axis is None:
        return None
    if axis.__class__ is not int:
        if isinstance(axis, torch.Tensor) and axis.ndim:
            axis = axis.tolist()
        if isinstance(axis, (tuple, list)):
            if not len(axis):
                return None
            many = tuple([_in_range(a if a.__class__ is int else _number(a, name), t, name) for a in axis])
            if (first := one_twice(many, t.ndim)) is not None:
                raise final(RuntimeError(f"dim={first} appears multiple times in the list of dims"))
            return many
        axis = _number(axis, name)
    return _in_range(axis, t, name)


def distinct(axis, t: torch.Tensor):
    """``axis``; ValueError where it names one twice, which what is in the manner of numpy asks first."""
    if isinstance(axis, (tuple, list)) and all(a.__class__ is int for a in axis):
        many = tuple(a % t.ndim if t.ndim and -t.ndim <= a < t.ndim else a for a in axis)
        if len(set(many)) < len(many):
            raise final(ValueError(f"The element of parameter 'axis' can not be duplicate, but got {many}."))
    return axis


def _in_range(axis: int, t: torch.Tensor, name: str) -> int:
    n = t.ndim or 1
    if -n <= axis < n:
        return axis
    raise ValueError(f"For primitive[{name}], the axis value must be in [{-n},{n}), but got {axis}.")


def _number(axis, name: str) -> int:
    if isinstance(axis, torch.Tensor) and not axis.is_floating_point() and axis.numel() == 1:
        return int(axis)
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise TypeError(
            f"For '{name}', the type of 'axis' should be 'int', but got type '{type_name(axis)}'."
        )
    return axis.__index__()


def every(axis, t: torch.Tensor) -> tuple[int, ...]:
    """What `axes` gave as a tuple of axes from 0 on."""
    if axis is None:
        return tuple(range(t.ndim))
    return tuple(a % (t.ndim or 1) for a in ((axis,) if axis.__class__ is int else axis)) if t.ndim else ()
