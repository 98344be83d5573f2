"""Where a function computes with Python numbers alone: there the copy has a graph's `arithmetic`.

What may be a Tensor is left as it is. A number is what is written out, an attribute or a global name that
holds one, a name that nothing but numbers is bound to, and what is computed of these.
"""

from __future__ import annotations

import ast
import math
import types

from ms2torch.language import arithmetic
from ms2torch.language.trees import loaded, placed

_OF_NUMBERS = frozenset({"float", "int", "round", "abs", "max", "min", "pow", "sum"})
_COMPUTED = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


class KnownNumbers:
    """The numbers of one function; ``value_of`` tells what an outer name or an attribute holds, None if
    unknown."""

    def __init__(self, function, value_of) -> None:
        self._value_of = value_of
        bound: dict[str, list] = {}
        elsewhere = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        for node in ast.walk(function):
            target, value = getattr(node, "target", None), getattr(node, "value", None)
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
            elif isinstance(node, ast.For):
                value = node.iter
            elif isinstance(node, ast.AugAssign) and isinstance(target, ast.Name):
                value = placed(ast.BinOp(loaded(target), node.op, value), node)
            if isinstance(target, ast.Name) and value is not None:
                bound.setdefault(target.id, []).append(value)
        stored = [n.id for n in ast.walk(function)
                  if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        stored += [n.name for n in ast.walk(function) if isinstance(n, ast.FunctionDef) and n is not function]
        self._local = set(stored) | elsewhere
        self._names = {name for name, values in bound.items()
                       if name not in elsewhere and stored.count(name) == len(values)}
        while unsure := {n for n in self._names if not all(map(self._gives, bound[n]))}:
            self._names -= unsure

    def _gives(self, value) -> bool:
        """Whether a name that is bound to ``value``, or to the items of a range, is a number."""
        if isinstance(value, ast.Call) and getattr(value.func, "id", None) == "range":
            return True
        return self.holds(value)

    def holds(self, node) -> bool:
        """Whether the value of an expression is a number."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (int, float))
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, (ast.USub, ast.UAdd)) and self.holds(node.operand)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, _COMPUTED) and self.holds(node.left) and self.holds(node.right)
        if isinstance(node, ast.IfExp):
            return self.holds(node.body) and self.holds(node.orelse)
        if isinstance(node, ast.Call):
            given = node.args
            if given and getattr(node.func, "id", None) == "sum":
                given = [*getattr(given[0], "elts", given[:1]), *given[1:]]
            return self._computes(node.func) and not node.keywords and all(map(self.holds, given))
        if isinstance(node, ast.Name) and node.id in self._local:
            return node.id in self._names
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._value_of(node).__class__ in (bool, int, float)
        return False

    def _computes(self, function) -> bool:
        """Whether a function gives a number for numbers."""
        if isinstance(function, ast.Name):
            return function.id in _OF_NUMBERS and function.id not in self._local
        return self.is_of_math(function)

    def is_of_math(self, function) -> bool:
        """Whether a name or an attribute is a function of Python's ``math``."""
        if not isinstance(function, (ast.Name, ast.Attribute)):
            return False
        value = self._value_of(function)
        return isinstance(value, types.BuiltinFunctionType) and value.__module__ == math.__name__


class Computing:
    """Part of `Rewriting`: numbers are computed as a graph computes them."""

    def _value_of(self, node):
        """What a name outside of the function, or an attribute of ``self`` or of a module, holds."""
        if (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                and node.value.id == self.self_name):
            own = getattr(self.owner, "__dict__", {})
            return own.get(node.attr, vars(type(self.owner)).get(node.attr))
        return self.meaning(node)

    def _computed(self, node):
        """A BinOp of numbers as a call; None where it may be another's."""
        numbers = self.numbers.holds(node)
        if not numbers and not (isinstance(node.op, ast.Pow) and _may_be_negative(node.right)):
            return None
        name = type(node.op).__name__
        operands = [self.visit(node.left), self.visit(node.right)]
        return self.call(f"number_{name}", arithmetic.OPERATIONS[name], operands, node)

    def compared(self, node):
        """Numbers that are compared, sequences of them too, are of 32 bits, where one is computed or written
        with more."""
        operands = [node.left, *node.comparators]
        searched = any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops)
        rounded = not searched and all(map(self._of_numbers, operands)) and any(map(_inexact, operands))
        node = self.generic_visit(node)
        if rounded:
            node.left, *node.comparators = [
                self.call("single", arithmetic.single, [n], n) for n in (node.left, *node.comparators)]
        return node

    def _of_numbers(self, node) -> bool:
        if isinstance(node, (ast.Tuple, ast.List)):
            return all(map(self._of_numbers, node.elts))
        return self.numbers.holds(node)


def _may_be_negative(exponent) -> bool:
    return not isinstance(exponent, ast.Constant)


def _inexact(node) -> bool:
    """Whether an expression computes, or holds a float that float32 does not have."""
    return any(isinstance(n, ast.BinOp) or (isinstance(n, ast.Constant) and isinstance(n.value, float)
                                            and arithmetic.single(n.value) != n.value)
               for n in ast.walk(node))
