"""PyTorch forms as text with places for arguments: ``torch.cat({tensors}, dim={axis?})``.

``{axis?}`` goes, with its keyword, where the program left the argument out; ``{shape*}`` is a tuple's parts
one by one. What is put in keeps its own formatting and gets brackets where it needs them.
"""

from __future__ import annotations

import re
from functools import cache

import libcst as cst

_PLACE = re.compile(r"\{(\w+)([?*])?\}")
# What a layer's call may be put into.
_AROUND = ("initialised", "Activated")
# What binds as tightly as a name.
_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.Integer,
    cst.Float,
    cst.SimpleString,
    cst.List,
    cst.Dict,
    cst.Set,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.FormattedString,
    cst.Ellipsis,
)
_BINDS = {
    cst.Power: 14,
    cst.Multiply: 12,
    cst.Divide: 12,
    cst.FloorDivide: 12,
    cst.Modulo: 12,
    cst.MatrixMultiply: 12,
    cst.Add: 11,
    cst.Subtract: 11,
    cst.LeftShift: 10,
    cst.RightShift: 10,
    cst.BitAnd: 9,
    cst.BitXor: 8,
    cst.BitOr: 7,
}


@cache
def _parsed(text: str) -> tuple[cst.BaseExpression, dict[str, tuple[str, str]]]:
    names = {}

    def named(match) -> str:
        mark = f"_{len(names)}_{match[1]}_"
        names[mark] = match[1], match[2] or ""
        return mark

    return cst.parse_expression(_PLACE.sub(named, text)), names


def fill(text: str, values: dict[str, cst.BaseExpression]) -> cst.BaseExpression:
    """The expression of a template with these arguments; KeyError names one that is needed and absent."""
    tree, marks = _parsed(text)
    if isinstance(tree, cst.Name) and tree.value in marks:
        return values[marks[tree.value][0]]
    return tree.deep_clone().visit(_Filler(marks, values))


class _Filler(cst.CSTTransformer):
    def __init__(self, marks, values) -> None:
        super().__init__()
        self.marks, self.values = marks, values

    def leave_Name(self, original_node, updated_node):
        mark = self.marks.get(original_node.value)
        if mark is None:
            return updated_node
        name, kind = mark
        if name not in self.values and kind == "?":
            return cst.Name("_absent_")
        if isinstance(self.values[name], list) or (kind == "*" and isinstance(self.values[name], cst.Tuple)):
            return updated_node
        return self.values[name]

    def leave_Call(self, original_node, updated_node):
        args = [
            arg
            for arg in updated_node.args
            if not (isinstance(arg.value, cst.Name) and arg.value.value == "_absent_")
        ]
        args = [part for arg in args for part in self._parts(arg)]
        if args and args[-1] is not updated_node.args[-1]:
            args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(args=args)

    def _parts(self, arg: cst.Arg) -> list[cst.Arg]:
        """An argument, or the several that stand for a tuple's parts."""
        mark = self.marks.get(arg.value.value) if isinstance(arg.value, cst.Name) else None
        if mark is None:
            return [arg]
        value = self.values[mark[0]]
        if isinstance(value, list):
            return value
        return [
            cst.Arg(e.value, star="*" if isinstance(e, cst.StarredElement) else "") for e in value.elements
        ]


def keep_line_breaks(original: cst.Call, made: cst.BaseExpression) -> cst.BaseExpression:
    """A new call on the lines of the old one: its arguments' line breaks stay where they were."""
    if isinstance(made, cst.Call) and code(made.func) in _AROUND and isinstance(made.args[0].value, cst.Call):
        inner = made.args[0].with_changes(value=keep_line_breaks(original, made.args[0].value))
        return made.with_changes(args=[inner, *made.args[1:]])
    if not isinstance(made, cst.Call) or not original.args or len(made.args) < 1:
        return made
    breaks = [arg.comma for arg in original.args]
    if not any(isinstance(comma, cst.Comma) and _is_broken(comma) for comma in breaks) and not _is_break(
        original.whitespace_before_args
    ):
        return made
    last, args = len(made.args) - 1, []
    end = original.args[-1]
    for i, arg in enumerate(made.args):
        if i < last:
            old = breaks[i] if i < len(original.args) - 1 else breaks[0]
            arg = arg.with_changes(
                comma=old
                if isinstance(old, cst.Comma)
                else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            )
        else:
            arg = arg.with_changes(comma=end.comma, whitespace_after_arg=end.whitespace_after_arg)
        args.append(arg)
    return made.with_changes(args=args, whitespace_before_args=original.whitespace_before_args)


def _is_broken(comma: cst.Comma) -> bool:
    return _is_break(comma.whitespace_after)


def _is_break(whitespace) -> bool:
    return isinstance(whitespace, cst.ParenthesizedWhitespace)


def code(node: cst.CSTNode) -> str:
    """A node's text."""
    return cst.Module([]).code_for_node(node)


def in_brackets(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=[cst.LeftParen(), *node.lpar], rpar=[*node.rpar, cst.RightParen()])


class Brackets(cst.CSTTransformer):
    """Puts brackets where what was put in binds less tightly than what stands around it."""

    def _tight(self, node):
        loose = not isinstance(node, _ATOMS) and not getattr(node, "lpar", ())
        number = isinstance(node, cst.Integer) and not node.lpar
        return in_brackets(node) if loose or number else node

    def leave_Attribute(self, original_node, updated_node):
        return updated_node.with_changes(value=self._tight(updated_node.value))

    def leave_Call(self, original_node, updated_node):
        args = updated_node.args
        if len(args) > 1:  # a generator has its own brackets, unless it is a call's only argument
            args = [
                arg.with_changes(value=in_brackets(arg.value))
                if isinstance(arg.value, cst.GeneratorExp) and not arg.value.lpar
                else arg
                for arg in args
            ]
        return updated_node.with_changes(func=self._tight(updated_node.func), args=args)

    def leave_Subscript(self, original_node, updated_node):
        return updated_node.with_changes(value=self._tight(updated_node.value))

    def leave_UnaryOperation(self, original_node, updated_node):
        inner = updated_node.expression
        not_ = isinstance(updated_node.operator, cst.Not)
        loose = isinstance(inner, (cst.BooleanOperation, cst.Comparison, cst.IfExp, cst.Lambda))
        loose |= not not_ and isinstance(inner, cst.BinaryOperation)
        if (
            loose
            and not inner.lpar
            and not (isinstance(inner, cst.BinaryOperation) and isinstance(inner.operator, cst.Power))
        ):
            return updated_node.with_changes(expression=in_brackets(inner))
        return updated_node

    def leave_BinaryOperation(self, original_node, updated_node):
        own = _BINDS[type(updated_node.operator)]
        power = isinstance(updated_node.operator, cst.Power)
        left = self._operand(updated_node.left, own + power, power)
        right = self._operand(updated_node.right, own + (not power), False)
        return updated_node.with_changes(left=left, right=right)

    def _operand(self, node, least: int, power_base: bool):
        if getattr(node, "lpar", ()):
            return node
        if isinstance(node, cst.BinaryOperation):
            return in_brackets(node) if _BINDS[type(node.operator)] < least else node
        if isinstance(node, (cst.Comparison, cst.BooleanOperation, cst.IfExp, cst.Lambda)):
            return in_brackets(node)
        if isinstance(node, cst.UnaryOperation):
            not_ = isinstance(node.operator, cst.Not)
            return in_brackets(node) if not_ or power_base else node
        return node

    def leave_Comparison(self, original_node, updated_node):
        def tight(node):
            loose = isinstance(node, (cst.Comparison, cst.BooleanOperation, cst.IfExp, cst.Lambda))
            loose |= isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not)
            return in_brackets(node) if loose and not node.lpar else node

        return updated_node.with_changes(
            left=tight(updated_node.left),
            comparisons=[c.with_changes(comparator=tight(c.comparator)) for c in updated_node.comparisons],
        )

    def leave_BooleanOperation(self, original_node, updated_node):
        either = isinstance(updated_node.operator, cst.Or)

        def tight(node):
            loose = isinstance(node, (cst.IfExp, cst.Lambda))
            if isinstance(node, cst.BooleanOperation):
                loose = isinstance(node.operator, cst.Or) and not either
            return in_brackets(node) if loose and not node.lpar else node

        return updated_node.with_changes(left=tight(updated_node.left), right=tight(updated_node.right))

    def leave_IfExp(self, original_node, updated_node):
        body, test = _unless_alternative(updated_node.body), _unless_alternative(updated_node.test)
        return updated_node.with_changes(body=body, test=test)

    def leave_CompFor(self, original_node, updated_node):
        return updated_node.with_changes(iter=_unless_alternative(updated_node.iter))


def _unless_alternative(node: cst.BaseExpression) -> cst.BaseExpression:
    """A part that can be anything but ``a if b else c`` or a lambda."""
    return in_brackets(node) if isinstance(node, (cst.IfExp, cst.Lambda)) and not node.lpar else node
