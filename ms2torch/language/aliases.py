"""Which local names hold an object that nothing else holds, so that writing into it needs no copy."""

from __future__ import annotations

import ast
from operator import itemgetter

_CHANGED = object()
# Calls that make a new Tensor or list.
# fmt: off
_MAKING = frozenset({
    "zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like", "copy", "clone",
    "list", "Tensor", "Zeros", "Ones", "Fill", "arange", "concat", "cat", "stack",
})
# fmt: on
_FRESH = (ast.List,
    ast.ListComp, ast.Dict, ast.DictComp, ast.BinOp)


class Aliases:
    """Reads of local names in one function, by whether they let another name see the object."""

    def __init__(self, function) -> None:
        self.bound: dict = {}
        self.lines: dict = {}           # by name: lines that bind it, and to which name, or that change it
        passing = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
        passing += [a for n in ast.walk(function) if isinstance(n, ast.Call) for a in n.args]
        self.passing = {id(n) for n in passing}  # sequences that only carry what is in them
        self.rearranged: dict = {}      # the lines where a method moves the items of a name's list
        self.written = {n.value.id for n in ast.walk(function) if isinstance(n, ast.Subscript)
                        and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name)}
        self.seen: set = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
        for node in ast.walk(function):
            self._note(node)
        self._inner(function)

    def alone(self, name: str) -> bool:
        """Whether ``name`` is bound only to new objects and never handed to another name."""
        values = self.bound.get(name, ())
        return name not in self.seen and bool(values) and all(_is_new(v, name) for v in values)

    def is_changed(self, name: str, line: int) -> bool:
        """Whether the Tensor that ``name`` means in a line was changed by ``+=`` under a name that led to
        it."""
        before = [found for found in self.lines.get(name, ()) if found[0] < line]
        if not before:
            return False
        at, other = max(before, key=itemgetter(0))
        return other is _CHANGED or (other is not None and self.is_changed(other, at))

    def lists(self, name: str) -> bool:
        """Whether ``name`` is bound to a list that this function makes."""
        return any(map(_is_list, self.bound.get(name, ())))

    def dicts(self, name: str) -> bool:
        """Whether ``name`` is bound to a dict that this function makes."""
        return any(isinstance(v, (ast.Dict, ast.DictComp)) for v in self.bound.get(name, ()))

    def is_dict(self, node, above=()) -> bool:
        """Whether an expression is a dict that this function makes, or several that it adds."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.is_dict(node.left, above)
        if isinstance(node, ast.Name):
            return node.id not in above and any(
                self.is_dict(value, (*above, node.id)) for value in self.bound.get(node.id, ()))
        return isinstance(node, (ast.Dict, ast.DictComp))

    def copies(self, name: str) -> bool:
        """Whether ``name`` is bound to the copy of a list or a dict, whose parts are another's too."""
        return any(_called(v) in ("copy", "list", "dict") for v in self.bound.get(name, ()))

    def is_written(self, name: str) -> bool:
        """Whether ``name`` is written by an index."""
        return name in self.written

    def own_dict(self, name: str, above=()) -> bool:
        """Whether ``name`` is bound to dicts that this function makes, and to other names of such, alone."""
        values = self.bound.get(name, ())
        return name not in above and bool(values) and all(
            isinstance(v, (ast.Dict, ast.DictComp))
            or (isinstance(v, ast.Name) and self.own_dict(v.id, (*above, name)))
            or (isinstance(v, ast.Subscript) and isinstance(v.value, ast.Name)
                and self.own_dict(v.value.id, (*above, name)))
            for v in values)

    def holds(self, name: str) -> bool:
        """Whether ``name`` is bound to a list or a dict that this function makes."""
        return self.lists(name) or self.dicts(name) or self.copies(name)

    def _note(self, node) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
            self._hand(node.value)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            if isinstance(node.target, ast.Name) and isinstance(node, ast.AugAssign):
                self.lines.setdefault(node.target.id, []).append((node.lineno, _CHANGED))
            if isinstance(node.target, ast.Name) and node.value is not None:
                self.bound.setdefault(node.target.id, []).append(
                    node.value if isinstance(node, ast.AnnAssign)
                    else ast.BinOp(node.target, node.op, node.value)
                )
                self._hand(node.value)
        elif isinstance(node, (ast.For, ast.comprehension)):
            self._bind(node.target, None)
            if isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and any(
                    isinstance(n, ast.Attribute) and getattr(n.value, "id", None) == node.iter.id
                    for n in ast.walk(node)):
                self._hand(node.iter)       # a loop goes over what it began with
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind(node.optional_vars, None)
        elif isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
            for element in node.elts if id(node) not in self.passing else ():
                self._hand(element)
        elif isinstance(node, ast.Dict):
            for value in node.values:
                self._hand(value)
        elif isinstance(node, ast.Call):
            self._given(node)

    def _given(self, call) -> None:
        """What a method takes it may keep: ``b.append(a)``."""
        if (isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
                and call.func.attr in ("insert", "extend", "reverse", "pop")):
            self.rearranged.setdefault(call.func.value.id, []).append(call.lineno)
        if isinstance(call.func, ast.Attribute) and call.func.attr in (
            "append",
            "insert",
            "extend",
            "update",
        ):
            for argument in call.args:
                self._hand(argument)

    def _bind(self, target, value) -> None:
        if isinstance(target, ast.Name):
            self.bound.setdefault(target.id, []).append(value)
            self.lines.setdefault(target.id, []).append((target.lineno, getattr(value, "id", None)))
        elif isinstance(target, (ast.Tuple, ast.List)):
            same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for number, element in enumerate(target.elts):
                self._bind(element, value.elts[number] if same else None)

    def _hand(self, value) -> None:
        """``value`` gets another holder: a bare name in it is no longer alone."""
        if isinstance(value, ast.IfExp):
            self._hand(value.body)
            self._hand(value.orelse)
        elif isinstance(value, ast.BoolOp):
            for operand in value.values:
                self._hand(operand)
        elif isinstance(value, ast.Subscript):
            self._hand(value.value)
        elif isinstance(value, ast.Name):
            self.seen.add(value.id)

    def _inner(self, function) -> None:
        """Names that functions inside use."""
        for node in ast.walk(function):
            if node is not function and isinstance(node, (ast.FunctionDef, ast.Lambda)):
                self.seen |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_list(value) -> bool:
    if isinstance(value, ast.BinOp) and hasattr(value, "left"):      # [0] * n
        return _is_list(value.left) or _is_list(value.right)
    return isinstance(value, (ast.List, ast.ListComp))


def _called(value) -> str | None:
    """The last part of the name of what is called."""
    func = value.func if isinstance(value, ast.Call) else None
    return func.id if isinstance(func, ast.Name) else getattr(func, "attr", None)


def _is_new(value, name: str) -> bool:
    if isinstance(value, ast.Call):
        return _called(value) in _MAKING
    return isinstance(value, _FRESH)
