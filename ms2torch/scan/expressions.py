"""The part of `Reader` that reads expressions: names, attributes, calls."""

from __future__ import annotations

import ast

from .answers import constant
from .evaluate import UNKNOWN, evaluate
from .members import PYTORCH_HABITS
from .nodes import children
from .uses import DEAD, GUARDED, LIVE, Call, Member, Of, Presumed, Ref, Use


class Expressions:
    """What `reading.Reader` does with the expressions of a statement."""

    def expression(self, node: ast.AST) -> None:
        """Read all that is in an expression."""
        handler = _EXPRESSIONS.get(type(node))
        if handler is not None:
            handler(self, node)
            return
        for child in children(node):
            self.expression(child)

    def _name(self, node: ast.Name) -> None:
        value = self.look(node.id)
        if isinstance(value, Ref) and isinstance(node.ctx, ast.Load):
            self.uses.append(Use(value, node.lineno, self.state))

    def _attribute(self, node: ast.Attribute) -> None:
        value = self.value(node.value)
        if isinstance(value, Ref):
            if isinstance(node.ctx, ast.Load):
                self.uses.append(Use(f"{value}.{node.attr}", node.lineno, self.state))
            elif isinstance(node.ctx, ast.Store):
                self._gives(value, node.attr)
            return
        if isinstance(node.ctx, ast.Store):
            self._gives(value, node.attr)
        if isinstance(value, Of) and isinstance(node.ctx, ast.Load):
            self.members.append(Member(value, node.attr, node.lineno, self.state))
        self.expression(node.value)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name) and function.id in ("getattr", "hasattr") and len(node.args) >= 2:
            self._by_name(node)
            return
        if isinstance(function, ast.Name) and function.id == "setattr" and len(node.args) == 3:
            name = evaluate(node.args[1], self.told)
            if isinstance(name, str):
                self._gives(self.value(node.args[0]), name)
        value = self.value(function)
        if isinstance(value, Ref):
            self.calls.append(Call(value, node, self.state, given=self._given(node)))
        elif isinstance(value, Of):
            self.calls.append(Call(f"{value}.__call__", node, self.state, True))
        elif isinstance(function, ast.Attribute):
            owner = self.value(function.value)
            if isinstance(owner, Of):
                self.calls.append(Call(f"{owner}.{function.attr}", node, self.state, True))
            elif isinstance(owner, Presumed) and function.attr in PYTORCH_HABITS:
                self.members.append(Member(owner.cls, function.attr, node.lineno, self.state))
            elif function.attr == "__init__" and is_super(function.value) and isinstance(self.base, Ref):
                self.calls.append(Call(self.base, node, self.state))
        self.expression(function)
        for argument in node.args:
            self.expression(argument)
        for keyword in node.keywords:
            self.expression(keyword.value)

    def _given(self, node: ast.Call) -> tuple[list, dict]:
        """The values of a call's arguments, UNKNOWN where they are not told; MindSpore's constants are."""
        def look(part):
            value = self.value(part) if isinstance(part, (ast.Name, ast.Attribute)) else None
            return constant(value) if isinstance(value, Ref) else self.told(part)

        def value(part):
            return UNKNOWN if isinstance(part, ast.Starred) else evaluate(part, look)

        return [value(a) for a in node.args], {k.arg: value(k.value) for k in node.keywords}

    def _gives(self, owner, name: str) -> None:
        """A program writes an attribute: of a MindSpore name, or of an object, which may be any."""
        self.written.add(f".{name}")
        if isinstance(owner, Ref):
            self.written.add(f"{owner}.{name}")

    def _by_name(self, node: ast.Call) -> None:
        """``getattr`` and ``hasattr``: without a default, a use; with one, a question."""
        got = self._got(node) if node.func.id == "getattr" else None
        if isinstance(got, Ref):
            self.uses.append(Use(got, node.lineno, self.state))
        for argument in node.args[1:]:
            self.expression(argument)
        if not isinstance(self.value(node.args[0]), Ref):
            self.expression(node.args[0])

    def _lambda(self, node: ast.Lambda) -> None:
        self._arguments(node.args)
        self._put_off(node)

    def _comprehension(self, node) -> None:
        self.scopes = [*self.scopes, {}]
        for part in node.generators:
            self.expression(part.iter)
            self.bind(part.target, None)
            for test in part.ifs:
                self.expression(test)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.expression(part)
        self.scopes = self.scopes[:-1]

    def _walrus(self, node: ast.NamedExpr) -> None:
        self.expression(node.value)
        self.bind(node.target, self.value(node.value))

    def _if_expression(self, node: ast.IfExp) -> None:
        self.expression(node.test)
        test = evaluate(node.test, self.told)
        outer = self.state
        states = (
            ((LIVE, DEAD) if test else (DEAD, LIVE))
            if test is not UNKNOWN
            else (GUARDED, GUARDED)
            if self._asks(node.test)
            else (LIVE, LIVE)
        )
        for state, part in zip(states, (node.body, node.orelse), strict=True):
            self.state = outer or state
            self.expression(part)
        self.state = outer

    def _of_many(self, node: ast.BoolOp) -> None:
        """``hasattr(ms, "x") and ms.x()``: what one operand settles makes the rest dead."""
        outer, decides = self.state, isinstance(node.op, ast.Or)
        for item in node.values:
            self.expression(item)
            value = evaluate(item, self.told)
            if value is not UNKNOWN and bool(value) is decides:
                self.state = self.state or DEAD
        self.state = outer


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    return [a for a in found if a is not None]


def is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


_EXPRESSIONS = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Call: Expressions._call,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.NamedExpr: Expressions._walrus,
    ast.IfExp: Expressions._if_expression,
    ast.BoolOp: Expressions._of_many,
}
