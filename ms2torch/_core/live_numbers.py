"""Python numbers that note how a program computes with them, while its step is traced.

What is computed of a `Live` number is one too, and knows its formula. What a program asks of one (``if
step > 100``) is noted with the answer: the graph holds where the answers are the same.
"""

from __future__ import annotations

import contextlib
import math
import operator


class NumberTrace:
    """What a program did with its numbers in one trace."""

    def __init__(self) -> None:
        self.elsewhere: list = []   # other values, to tell two ways of computing apart
        self.made: list = []        # Live numbers, in the order of the program
        self.guards: list = []      # (what is asked, of the arguments' values; the answer)

    def live_number(self, value, of):
        """``value`` as a Live number, computed by ``of(values)``."""
        live = Live(value)
        live.trace, live.of = self, of
        self.made.append(live)
        return live

    def guard(self, value, of):
        """``value`` is what a program reads of a number: it holds where ``of`` gives it again."""
        self.guards.append((of, value))
        return value


def formula(value):
    """How a number is computed from the arguments' values."""
    return value.of if isinstance(value, Live) else lambda values: value


def plain(value):
    """A number itself."""
    return float.__float__(value) if isinstance(value, Live) else value


def _binary(compute, swapped: bool = False):
    def method(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        one, two = (other, self) if swapped else (self, other)
        first, second = formula(one), formula(two)
        value = compute(plain(one), plain(two))
        if not isinstance(value, (int, float)):
            return self.trace.guard(value, lambda values: compute(first(values), second(values)))
        return self.trace.live_number(value, lambda values: compute(first(values), second(values)))

    return method


def _unary(compute):
    def method(self):
        of = self.of
        return self.trace.live_number(compute(plain(self)), lambda values: compute(of(values)))

    return method


def _compared(compute):
    def method(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        first, second = self.of, formula(other)
        return self.trace.guard(compute(plain(self), plain(other)),
                             lambda values: compute(first(values), second(values)))

    return method


def _read(compute):
    def method(self, *more):
        of = self.of
        return self.trace.guard(compute(plain(self), *more), lambda values: compute(of(values), *more))

    return method


def _by_ufunc(self, ufunc, method, *inputs, **kwargs):
    """numpy's functions want the number itself."""
    for value in inputs:
        if isinstance(value, Live):
            value.trace.guard(plain(value), value.of)
    return getattr(ufunc, method)(*map(plain, inputs), **kwargs)


_METHODS = {f"__{name}__": _binary(getattr(operator, name))
            for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")}
_METHODS |= {f"__r{name}__": _binary(getattr(operator, name), True)
             for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")}
_METHODS |= {f"__{name}__": _unary(getattr(operator, name)) for name in ("neg", "pos", "abs")}
_METHODS |= {f"__{name}__": _compared(getattr(operator, name))
             for name in ("eq", "ne", "lt", "le", "gt", "ge")}
_METHODS |= {f"__{name}__": _read(read) for name, read in {
    "bool": bool, "int": int, "float": float, "index": int, "hash": hash, "str": str, "repr": repr,
    "format": format, "round": round, "trunc": int, "divmod": divmod, "floor": lambda v: int(v // 1),
    "ceil": lambda v: -int(-v // 1)}.items()}
_METHODS |= {"__array_ufunc__": _by_ufunc, "is_integer": _read(lambda v: float(v).is_integer())}

# (Ints too: `0.9 ** step` tells no int of it, and what can only be an int, a shape or a range, asks.)
Live = type("Live", (float,), _METHODS)


def is_number(value) -> bool:
    """Whether a value is a Python int or float, no bool and no instance of a subclass."""
    return value.__class__ is int or value.__class__ is float


# ---- Python's math -----------------------------------------------------------------------------------------

_IN_MATH = {of.__name__: of for of in (
    math.exp, math.expm1, math.log, math.log2, math.log10, math.log1p, math.sqrt, math.pow, math.sin,
    math.cos, math.tan, math.sinh, math.cosh, math.tanh, math.asin, math.acos, math.atan, math.atan2)}


def applied(compute, *numbers):
    """``compute(*numbers)``, of which one is Live: a Live number."""
    trace = next(x.trace for x in numbers if isinstance(x, Live))
    formulas = [formula(x) for x in numbers]
    return trace.live_number(compute(*map(plain, numbers)),
                       lambda values: compute(*[of(values) for of in formulas]))


def _followed(compute):
    def function(*numbers):
        live = any(isinstance(x, Live) for x in numbers)
        return applied(compute, *numbers) if live else compute(*numbers)

    return function


@contextlib.contextmanager
def through_math():
    """A block in which what ``math.cos`` and its like give of a Live number is one."""
    for name, compute in _IN_MATH.items():
        setattr(math, name, _followed(compute))
    try:
        yield
    finally:
        for name, compute in _IN_MATH.items():
            setattr(math, name, compute)
