"""What a graph says of operands that Python refuses too: ``~"a"``, ``+None``, ``2 @ 3``, ``[1] * 1.5``."""

from __future__ import annotations

import ast

from ms2torch._core.checks.calls import type_description
from ms2torch._core.tensor.tensor import Tensor

# MindSpore's functions for numbers and for Tensors.
_INVERTED, _PLUS = ("_invert_scalar", "_invert_tensor"), ("_uadd_scala", "_uadd_scala")
_PLAIN = (bool, int, float, str, list, tuple, dict, type(None))
_NAMES = {type(None): "type_none", str: "string_", list: "list_", tuple: "tuple_"}


def refused(operator, operands) -> Exception | None:
    """The compiler's error for an operator of the syntax tree with these operands, or None."""
    kinds = [operand.__class__ for operand in operands]
    if isinstance(operator, ast.Invert):
        if kinds[0] is float:
            return TypeError("'bad operand type for unary ~: '<class 'float'>'")
        if kinds[0] is dict:
            return NotImplementedError(
                "The python type <class 'dict'> cannot be converted to MindSpore type.")
        return _no_match(_INVERTED, kinds[0])
    if isinstance(operator, ast.UAdd):
        return _no_match(_PLUS, kinds[0])
    if isinstance(operator, ast.MatMult):
        wrong = next((n for n, kind in enumerate(kinds) if not issubclass(kind, Tensor)), None)
        if wrong is None or kinds[wrong] not in _PLAIN:     # (what nobody could read is told by others)
            return None
        given = f"{('input', 'other')[wrong]}={type_description(operands[wrong])}"
        return TypeError(
            f'Failed calling MatMulExt with "{given}".\nThe valid calling should be: \n'
            '"input=<Tensor>, other=<Tensor>".\n')
    if isinstance(operator, ast.Mult) and float in kinds:
        if str in kinds:
            shown = " and ".join(v if isinstance(v, str) else f"{v:g}" for v in operands)
            return RuntimeError(
                f"string_mul requires the input to be a string and an integer, but got {shown}.")
        if list in kinds or tuple in kinds:
            return TypeError("'can't multiply sequence by non-int of type '<class 'float'>'.'")
    return None


def _no_match(functions: tuple, kind: type) -> ValueError | None:
    if kind not in _NAMES:
        return None
    forms = ", ".join(f"((mindspore.{of},), <function {name} at {id(name):#x}>)"
                      for of, name in zip(("number", "tensor"), functions, strict=True))
    return ValueError(f"For 'MultitypeFuncGraph', cannot find fn match given args. Got (sigs, fn): "
                      f"[{forms}], and (dtype, args): (mindspore.{_NAMES[kind]},).")
