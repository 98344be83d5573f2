"""``<<`` and ``>>`` of numbers in a graph, which are C++'s of 64 bits; ``&``, ``|`` and ``^``, where a number
may stand before a Tensor."""

from __future__ import annotations

import operator

from ms2torch._core.tensor.tensor import Tensor

_KINDS = {int: "Int64Imm", float: "FP32Imm", bool: "BoolImm"}


def left(value, count):
    return _shifted(operator.lshift, "BitLeftShift", value, count)


def right(value, count):
    return _shifted(operator.rshift, "BitRightShift", value, count)


def _commuting(operation):
    def apply(one, other):
        if one.__class__ in (bool, int) and isinstance(other, Tensor):
            one, other = other, one
        return operation(one, other)

    return apply


BitAnd, BitOr, BitXor = map(_commuting, (operator.and_, operator.or_, operator.xor))


def _shifted(shift, name: str, value, count):
    kinds = _KINDS.get(value.__class__), _KINDS.get(count.__class__)
    if None in kinds:
        return shift(value, count)
    if kinds != ("Int64Imm", "Int64Imm"):
        shown = (f"type of {n}:{kind}, value of {n}:{_text(v)}"
                 for n, kind, v in zip("xy", kinds, (value, count), strict=True))
        raise TypeError(f"Unsupported input type. For {name}, only integer types are supported, but got "
                        f"{', '.join(shown)}")
    if count < 0:
        raise ValueError("For shift operator, shift count must be a non-negative integer.")
    if shift is operator.rshift:
        return value >> count
    if not value or -(2**63) <= value << min(count, 64) < 2**63:
        return value << count if value else 0
    raise RuntimeError("Arithmetic left shift causes int64 integer overflow.")


def _text(value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower()
