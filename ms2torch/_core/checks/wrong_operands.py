"""What MindSpore says where beside a Tensor stands what Python's operators don't take.

Some operators are overloaded methods, whose errors name the method; the others, and most reflections, are
Primitives, which name both operands. Read after an operator has failed, so that good ones pay nothing.
"""

from __future__ import annotations

from ms2torch._core.checks.calls import describe, failed_call, no_matching_form

# The operators whose error is an overloaded method's, by the Primitive behind them: for any operand ...
_METHODS = {"Div": "div", "FloorMod": "__mod__", "Pow": "pow",
            "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor"}
# ... or for None alone.
_METHODS_OF_NONE = {"Add": "add", "Sub": "sub", "Mul": "mul"}
# A reflected operator that is computed as another, from the Tensor on.
_REFLECTED = {"Add": "Add", "Mul": "Mul", "Div": "Mul"}


def of_operator(primitive: str, t, other, swapped: bool, method: str = "") -> TypeError:
    """The error of ``t ? other``, or ``other ? t`` if ``swapped``, where ``primitive`` is behind ``?``, or
    the Tensor's ``method``."""
    if method and (method != "sub_" or other is None):
        return no_matching_form(method, other)
    if swapped and primitive == "FloorMod":
        return TypeError("rmod(): missing 1 required positional argument: input." if other is None else
                         f"rmod(): argument 'input' (position 1) must be Number, not {type(other).__name__}.")
    if swapped and primitive not in _REFLECTED:
        return of_primitive(primitive, other, t)
    if swapped:
        primitive = _REFLECTED[primitive]
    method = _METHODS.get(primitive) or (other is None and _METHODS_OF_NONE.get(primitive))
    if method:
        return no_matching_form(method, other)
    if primitive == "Less":
        return no_matching_form("less", t, other)
    return of_primitive(primitive, t, other)


def of_primitive(name: str, a, b) -> TypeError:
    """The error of the Primitive ``name`` over operands of which one is neither tensor nor number."""
    second = "exponent" if name == "Pow" else "other"
    valid = "<Tensor>" if name == "MatMulExt" else "<Number, Tensor>"
    return failed_call(f"{name}()(input={describe(a)}, {second}={describe(b)})",
                       f"{name}()(input={valid}, {second}={valid})")
