"""Arithmetic of Python numbers in a graph: floats are C++'s of 32 bits, integers of 64."""

from __future__ import annotations

import ctypes
import math
import operator

from ms2torch._core.live_numbers import Live, applied

_NUMBERS = frozenset({bool, int, float})
_LEAST, _MOST = -(2**63), 2**63 - 1


def single(value):
    """A float as float32 has it, in a sequence too; anything else as it is."""
    if value.__class__ in (tuple, list):
        return value.__class__(map(single, value))
    return ctypes.c_float(value).value if value.__class__ is float else value


def _operation(compute, of_floats, of_ints):
    """``compute`` for anything; of two numbers ``of_floats``, in float32, or ``of_ints``."""

    def of_numbers(a, b):
        if of_ints is not None and a.__class__ is not float and b.__class__ is not float:
            return of_ints(a, b)
        return single(of_floats(single(a), single(b)))

    def operation(a, b):
        if a.__class__ in _NUMBERS and b.__class__ in _NUMBERS:
            return of_numbers(a, b)
        if isinstance(a, Live) or isinstance(b, Live):
            return applied(of_numbers, a, b)
        return compute(a, b)

    return operation


def _within_64_bits(compute, name: str, what: str):
    def of_ints(a, b):
        value = compute(a, b)
        if not _LEAST <= value <= _MOST:
            raise ValueError(f"For prim '{name}' Overflow of the {what} of two signed number x: {a}, y: {b}.")
        return value

    return of_ints


def _floor_divided(a, b):
    return float(math.floor(single(a / b)))


def _remainder(a, b):
    return a - single(_floor_divided(a, b) * b)


def _power(a, b):
    """A power of floats: nan or infinity where Python has a complex number or an error."""
    try:
        value = a**b
    except OverflowError:
        return math.inf
    except ZeroDivisionError:
        return math.inf
    return math.nan if isinstance(value, complex) else value


def _whole_power(a, b):
    """A power of integers, an integer: what is less than one is 0, what has no 64 bits the least."""
    if b >= 0:
        value = a**b
    elif a in (0, 1, -1):
        value = (_LEAST, 1, -1 if b % 2 else 1)[a]
    else:
        value = 0
    return value if _LEAST <= value <= _MOST else _LEAST


def negated(value):
    """``-value``, of which the least integer has none in 64 bits, and a truth has none at all."""
    if value.__class__ is bool:
        raise TypeError("For 'ScalarUsub, [bool] is not a valid input dtype.")
    return value if value.__class__ is int and value == _LEAST else -value


# By the names of Python's syntax trees.
OPERATIONS = {
    "Add": _operation(operator.add, operator.add, _within_64_bits(operator.add, "ScalarAdd", "sum")),
    "Sub": _operation(operator.sub, operator.sub, _within_64_bits(operator.sub, "ScalarSub", "sub")),
    "Mult": _operation(operator.mul, operator.mul, _within_64_bits(operator.mul, "ScalarMul", "mul")),
    "Div": _operation(operator.truediv, operator.truediv, None),
    "FloorDiv": _operation(operator.floordiv, _floor_divided, operator.floordiv),
    "Mod": _operation(operator.mod, _remainder, operator.mod),
    "Pow": _operation(operator.pow, _power, _whole_power),
}
