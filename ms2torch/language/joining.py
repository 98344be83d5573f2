"""Branches on a Tensor: MindSpore compiles both, and what a name is after them must have one type.

Here one branch runs; what the other would have left is told by its source (`branches`), or not at all.
"""

from __future__ import annotations

import torch

from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.language.mapping import type_name

_SAYS = "Cannot join the return values of different branches, perhaps you need to make them equal.\n"
_MORE = "\nFor more details, please refer to https://www.mindspore.cn/search?inputValue=Type%20Join%20Failed"


# Stands for a value of which the source does not tell the type.
UNTOLD = object()


def of_dtype(dtype):
    """A Tensor of ``dtype``; of what is none of MindSpore's dtypes nothing is told."""
    known = isinstance(dtype, _dtype.Number)
    return wrap(torch.empty(0, dtype=_dtype.to_torch(dtype))) if known else UNTOLD


# ---- while a graph runs ------------------------------------------------------------------------------------


def joined(condition, *names) -> None:
    """After an `if` on ``condition``: of each name (its value, what either branch leaves by the source,
    whether it is returned)."""
    if isinstance(condition, Tensor):
        taken = bool(condition)
        for value, one, other, returned in names:
            _join(value if taken else one, other if taken else value, returned)


def chosen(value, condition, one, other, returned):
    """The value of ``one if condition else other``, or of a `return` in one of two branches."""
    joined(condition, (value, one, other, returned))
    return value


def either(value, first, other, is_or: bool):
    """``value``, which is ``first and rest`` or ``first or rest``; ``other`` is what the source tells of
    ``rest`` where it is not evaluated."""
    if isinstance(first, Tensor):
        rest = other if value is first else value
        if not isinstance(rest, (list, dict)):      # (which a graph leaves to Python)
            _join(*((first, rest) if is_or else (rest, first)), False)
    return value


def looped(condition, *names) -> None:
    """After a `while` on ``condition``: of each name (its value, what it was before by the source, whether it
    is returned)."""
    if isinstance(condition, Tensor):
        for value, before, returned in names:
            _join(value, before, returned)


def _join(one, other, returned: bool) -> None:
    """TypeError where MindSpore has no type for what is ``one`` or ``other``; two kinds of numbers may be
    computed with, but not returned."""
    a, b = _kind(one), _kind(other)
    if a is None or b is None:
        return
    if a == b == "Tensor" or (a == b == "Scalar" and returned):
        names = [_name(one), _name(other)]
        if names[0] != names[1]:
            _fail(f"dtype1 = {names[0]}, dtype2 = {names[1]}.")
    elif a == "Scalar":
        if b in ("Tensor", "Tuple"):
            _fail(f"dtype1 = {_name(one)}, dtype2 = Any.")
    elif a != b:
        if (a, b) != ("List", "Scalar"):
            _fail(f"Abstract type Abstract{a} cannot join with Abstract{b}.")
    elif a == "Tuple" or any(_kind(v) != "Scalar" for v in (*one, *other)):
        one, other = (list(v.values()) if isinstance(v, dict) else v for v in (one, other))
        if len(one) == len(other):
            for x, y in zip(one, other, strict=True):
                _join(x, y, True)
        elif len({(_kind(v), _name(v)) for v in (*one, *other)}) > 1:
            _fail(f"Abstract type Abstract{a} cannot join with Abstract{b}.")


def _fail(how: str):
    raise TypeError(f"{_SAYS}Type Join Failed: {how}{_MORE}")


_KINDS = {bool: "Scalar", int: "Scalar", float: "Scalar", str: "Scalar", tuple: "Tuple", list: "List",
          dict: "Tuple"}


def _kind(value) -> str | None:
    if isinstance(value, Tensor):
        return None if isinstance(value, Parameter) else "Tensor"
    return _KINDS.get(value.__class__)


def _name(value) -> str:
    return str(value.dtype) if isinstance(value, Tensor) else type_name(value)
