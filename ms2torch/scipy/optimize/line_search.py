"""How far to go in a direction (``mindspore.scipy.optimize.line_search``)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch

from ms2torch._core.checks.calls import compiled_name, describe, object_name
from ms2torch._core.checks.causes import broadcastable
from ms2torch._core.checks.refusals import cannot_broadcast, one_dtype
from ms2torch._core.errors import final
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.ops.function.grad_func import grad

__all__ = ["line_search"]

_ZOOMS = 10


class _LineSearchResults(NamedTuple):
    """A step ``a_k``, the value ``f_k`` and gradient ``g_k`` there, and what it took to find it.

    ``status``: 0 where it was found, 1 where narrowing failed, 3 after too many steps.
    """

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: float
    f_k: float
    g_k: Tensor
    status: int


class _Point(NamedTuple):
    """A step, and value, slope and gradient there."""

    step: float
    value: float
    slope: float
    gradient: torch.Tensor | None


class _Line:
    """A function along a direction; counts its calls. ``c1`` and ``c2`` are Wolfe's constants."""

    def __init__(self, f, jac, xk: torch.Tensor, pk: torch.Tensor, c1: float, c2: float) -> None:
        self.f, self.jac, self.xk, self.pk, self.c1, self.c2 = f, jac, xk, pk, c1, c2
        self.calls = 0
        self.start: _Point

    def at(self, step: float) -> _Point:
        """The point after a step."""
        self.calls += 1
        x = wrap(self.xk + step * self.pk)
        gradient = self.jac(x)._t
        return _Point(step, float(self.f(x)), slope(gradient, self.pk), gradient)

    def is_low(self, point: _Point) -> bool:
        """Whether the value falls enough (Wolfe's first condition)."""
        bound = self.start.value + self.c1 * point.step * self.start.slope
        return point.value <= torch.tensor(bound, dtype=self.xk.dtype).item()       # as exact as the values

    def is_flat(self, point: _Point) -> bool:
        """Whether the slope is gentle enough (his second one, the strong form)."""
        return abs(point.slope) <= -self.c2 * self.start.slope


def slope(gradient: torch.Tensor, direction: torch.Tensor) -> float:
    """How steep the function is along a direction."""
    if not gradient.is_floating_point():
        gradient = gradient.to(torch.float32)
    gradient, direction = one_dtype("MatMul", gradient, direction)
    if not gradient.ndim == direction.ndim == 1:
        raise ValueError(f"The tensor should have only one element, but got {gradient.numel()}, more than "
                         "one element is ambiguous.")
    return float(gradient @ direction)


def _check(xk, pk) -> None:
    """What MindSpore says of a start or a direction that is none."""
    if not isinstance(xk, Tensor):
        raise AttributeError(f"{object_name(xk)} has no attribute 'dtype'")
    if isinstance(pk, (int, float)):
        raise TypeError("the input x must be Tensor!")
    if not isinstance(pk, Tensor):
        raise TypeError('Failed calling mul with "mul(None)".' if pk is None else
                        f'Failed calling Mul with "Mul()(input=Tensor, other={describe(pk)})".')
    if not broadcastable(xk._t, pk._t):
        raise cannot_broadcast("AddExt", tuple(xk.shape), tuple(pk.shape))


def _cubic(a: _Point, b: _Point, c: _Point) -> float:
    """The minimum of the cubic through three points with the slope of the first; nan where there is none."""
    db, dc = b.step - a.step, c.step - a.step
    scale = (db * dc) ** 2 * (db - dc)
    if not scale:
        return math.nan
    rest_b, rest_c = b.value - a.value - a.slope * db, c.value - a.value - a.slope * dc
    third = (dc**2 * rest_b - db**2 * rest_c) / scale
    second = (-(dc**3) * rest_b + db**3 * rest_c) / scale
    inner = second**2 - 3 * third * a.slope
    return a.step + (-second + math.sqrt(inner)) / (3 * third) if inner >= 0 and third else math.nan


def _square(a: _Point, b: _Point) -> float:
    """The minimum of the parabola through two points with the slope of the first; nan where there is none."""
    width = b.step - a.step
    bend = (b.value - a.value - a.slope * width) / width**2 if width else 0
    return a.step - a.slope / (2 * bend) if bend else math.nan


def _zoom(line: _Line, low: _Point, high: _Point) -> tuple[_Point, bool]:
    """A point between two that satisfies both conditions, and True; ``low`` where none was found."""
    third, given = None, low
    for _ in range(_ZOOMS):
        width = abs(high.step - low.step)
        first, last = sorted((low.step, high.step))
        if width <= 1e-10:
            break
        step = _cubic(low, high, third) if third else math.nan
        if not first + 0.2 * width < step < last - 0.2 * width:
            step = _square(low, high)
            if not first + 0.1 * width < step < last - 0.1 * width:
                step = low.step + 0.5 * (high.step - low.step)
        point = line.at(step)
        if not line.is_low(point) or point.value >= low.value:
            third, high = high, point
            continue
        if line.is_flat(point):
            return point, True
        if point.slope * (high.step - low.step) >= 0:
            high = low
        third, low = low, point
    return given, False


def search(f, jac, xk: torch.Tensor, pk: torch.Tensor, value=None, gradient=None, c1=1e-4, c2=0.9,
           maxiter=20, value_before=None) -> _LineSearchResults:
    """`line_search` over torch tensors; ``value_before``, the value a step ago, tells how far to go first."""
    line = _Line(f, jac, xk, pk, c1, c2)
    if value is None or gradient is None:
        line.start = line.at(0.0)
    else:
        line.start = _Point(0.0, value, slope(gradient, pk), gradient)
    before, best, done, status = line.start, line.start, False, 3
    step, rounds = 1.0, 0
    if value_before is not None and line.start.slope:
        step = min(1.0, 1.01 * 2 * (line.start.value - value_before) / line.start.slope)
    while rounds < maxiter:
        rounds += 1
        point = line.at(step)
        if not line.is_low(point) or (rounds > 1 and point.value >= before.value):
            best, done = _zoom(line, before, point)
        elif line.is_flat(point):
            best, done = point, True
        elif point.slope >= 0:
            best, done = _zoom(line, point, before)
        else:
            before, step = point, 2 * step
            continue
        status = 0 if done else 1
        break
    # MindSpore's answers where it fails: the start, or the lower end of what it searched, with the length 1.
    length = 1.0 if status == 1 else best.step
    return _LineSearchResults(not done, rounds, line.calls, line.calls, rounds + 1, length, best.value,
                              wrap(best.gradient), status)


def line_search(f: Callable, xk, pk, jac=None, gfk=None, old_fval=None, old_old_fval=None, c1=1e-4, c2=0.9,
                maxiter=20) -> _LineSearchResults:
    """A step from ``xk`` along ``pk`` that satisfies Wolfe's strong conditions
    (``mindspore.scipy.optimize.line_search``; Nocedal and Wright, Numerical Optimization, algorithm 3.5).

    ``jac``: the gradient function, made of ``f`` without one; ``gfk`` and ``old_fval``: gradient and value at
    ``xk`` where they are known; ``old_old_fval``: the value a step before, which says how far to go first.
    """
    _check(xk, pk)
    if not callable(f):
        raise final(TypeError(f"{compiled_name(f)} object is not callable"))
    value = None if old_fval is None else float(old_fval)
    gradient = None if gfk is None else gfk._t
    before = None if old_old_fval is None else float(old_old_fval)
    return search(f, grad(f) if jac is None else jac, xk._t, pk._t, value, gradient, c1, c2, maxiter, before)
