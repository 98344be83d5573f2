"""``<<`` and ``>>`` of numbers in a graph, which are C++'s of 64 bits; ``&``, ``|`` and ``^``, where a number
may stand before a Tensor, of two bools a number comes out, and dicts are refused."""

from __future__ import annotations

import operator

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.language import operand_kinds

_BITS = {operator.and_: "bit_and", operator.or_: "bit_or"}
_KINDS = {int: "Int64Imm", float: "FP32Imm", bool: "BoolImm"}


def left(value, count):
    return _shifted(operator.lshift, "BitLeftShift", value, count)


def right(value, count):
    return _shifted(operator.rshift, "BitRightShift", value, count)


def _commuting(operation, name: str):
    def apply(one, other):
        if one.__class__ in (bool, int) and isinstance(other, Tensor):
            one, other = other, one
        wrong = operand_kinds.refused(name, one, other)
        if wrong is not None:
            raise wrong
        kinds = one.__class__, other.__class__
        if operation is operator.xor:
            if bool in kinds or float in kinds:
                _need_integers("BitXor", one, other)
        elif float in kinds and {*kinds} <= _KINDS.keys():
            wrong = "x" if kinds[0] is float else "y"
            raise TypeError(f"For primitive[{_BITS[operation]}], the input argument[{wrong}_dtype] must be a "
                            "type of {Bool, Int32, Int64}, but got Float32.")
        made = operation(one, other)
        return int(made) if made.__class__ is bool else made

    return apply


BitAnd = _commuting(operator.and_, "bitwise_and")
BitOr = _commuting(operator.or_, "bitwise_or")
BitXor = _commuting(operator.xor, "bitwise_xor")


def _shifted(shift, name: str, value, count):
    if not _need_integers(name, value, count):
        return shift(value, count)
    if count < 0:
        raise ValueError("For shift operator, shift count must be a non-negative integer.")
    if shift is operator.rshift:
        return value >> count
    if not value or -(2**63) <= value << min(count, 64) < 2**63:
        return value << count if value else 0
    raise RuntimeError("Arithmetic left shift causes int64 integer overflow.")


def _need_integers(name: str, *values) -> bool:
    """TypeError for numbers that are no integers; whether all are numbers."""
    kinds = [_KINDS.get(value.__class__) for value in values]
    if None in kinds:
        return False
    if kinds != ["Int64Imm", "Int64Imm"]:
        shown = (f"type of {n}:{kind}, value of {n}:{_text(v)}"
                 for n, kind, v in zip("xy", kinds, values, strict=True))
        raise TypeError(f"Unsupported input type. For {name}, only integer types are supported, but got "
                        f"{', '.join(shown)}")
    return True


def _text(value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower()
