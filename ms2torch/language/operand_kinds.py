"""The kinds that an operator of a graph takes, where one of its operands is a dict, which few take.

operand_kinds.tsv has what MindSpore's compiler lists for each operator, read off the real one. Other operands
that fit none are left to Python there, with Python's words.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.language import odd_operands

_NAMES = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "left_shift", ast.RShift: "right_shift", ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor", ast.Lt: "less", ast.LtE: "less_equal",
    ast.Gt: "greater", ast.GtE: "greater_equal", ast.USub: "negative", ast.UAdd: "uadd",
}
_IN_PLACE = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_KINDS = {bool: "Bool", int: "Number", float: "Float32", str: "String", type(None): "None", list: "List",
          tuple: "Tuple", dict: "Dictionary", Tensor: "Tensor"}


def merged(one, other):
    """``one + other``; two dicts are one, in which the second's values count."""
    return {**one, **other} if one.__class__ is other.__class__ is dict else one + other


def refused(name: str, *operands) -> RuntimeError | None:
    """The compiler's error for an operator with these operands; None where no dict is among them, or it is
    told otherwise."""
    kinds = [_KINDS.get(operand.__class__) for operand in operands]
    if "Dictionary" not in kinds or None in kinds or name not in _taken():
        return None
    if name == "add" and set(kinds) == {"Dictionary"}:      # (which MindSpore merges)
        return None
    first = "Number" if kinds[0] in ("Bool", "Float32") else kinds[0]
    listed = [kind for kind in _taken()[name] if kind.startswith(f"<{first},")]
    wrong = 1 if listed else 0
    when = f"When first argument is '{kinds[0]}', " if listed else ""
    return RuntimeError(
        f"For operation '{name}', current input arguments types are <{', '.join(kinds)}>. The {wrong + 1}-th "
        f"argument type '{kinds[wrong]}' is not supported now.\n{when}the support arguments types of "
        f"'{name}' operation as follows:\n" + "\n".join(listed or _taken()[name]))


def refused_in(place) -> Exception | None:
    """`refused` for the expression or the statement at which a graph stopped."""
    node = place.node
    if isinstance(node, ast.AugAssign):
        operator, operands = node.op, (node.target, node.value)
    elif isinstance(node, ast.BinOp):
        operator, operands = node.op, (node.left, node.right)
    elif isinstance(node, ast.UnaryOp):
        operator, operands = node.op, (node.operand,)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        operator, operands = node.ops[0], (node.left, node.comparators[0])
    else:
        return None
    name = _NAMES.get(type(operator))
    if isinstance(node, ast.AugAssign) and isinstance(operator, _IN_PLACE):
        name = f"augassign_{name}"
    operands = [*map(place.value, operands)]
    return refused(name, *operands) or odd_operands.refused(operator, operands)


@cache
def _taken() -> dict:
    rows = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()
    return {name: [f"<{kinds}>" for kinds in rest] for name, *rest in (row.split("\t") for row in rows)}
