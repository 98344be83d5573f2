"""Statements of one operation each.

MindSpore reads the statements of a function from the last to the first: what is an operation among the
arguments of another gets a statement before it, the last argument's first. The blocks inside come after the
whole function.
"""

from __future__ import annotations

import ast

__all__ = ["AstFlattener"]

_OPERATIONS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Tuple, ast.List, ast.Dict,
               ast.Subscript, ast.IfExp)


def is_plain(value: ast.expr) -> bool:
    """Whether an argument stays as it is: no operation, or what may not be computed."""
    if isinstance(value, ast.Attribute):
        return is_plain(value.value) or isinstance(value.value, ast.Subscript)
    return not isinstance(value, _OPERATIONS)


def slots(owner, value: ast.expr) -> list[tuple]:
    """Where the positional arguments of an expression are: (owner, attribute or index)."""
    match value:
        case ast.Call():
            return [(value.args, i) for i in range(len(value.args))]
        case ast.BinOp():
            return [(value, "left"), (value, "right")]
        case ast.BoolOp():
            return [(value.values, i) for i in range(len(value.values))]
        case ast.UnaryOp():
            return [(value, "operand")]
        case ast.Compare():
            return [(value, "left"), *((value.comparators, i) for i in range(len(value.comparators)))]
        case ast.Tuple() | ast.List():
            return [(value.elts, i) for i in range(len(value.elts))]
        case ast.Name() | ast.Attribute() | ast.Constant() | ast.Subscript():
            return [(owner, "value")]
    return []


def read(slot: tuple) -> ast.expr:
    """The expression of a slot."""
    owner, at = slot
    return owner[at] if isinstance(owner, list) else getattr(owner, at)


def write(slot: tuple, code: ast.expr) -> None:
    """Put an expression into a slot."""
    owner, at = slot
    if isinstance(owner, list):
        owner[at] = code
    else:
        setattr(owner, at, code)


def word(value: ast.expr) -> str:
    """The word by which an expression's node and variable are called."""
    if isinstance(value, ast.Call):
        func = value.func
        return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "function")
    if isinstance(value, (ast.BinOp, ast.UnaryOp, ast.BoolOp)):
        return type(value.op).__name__.lower()
    return type(value).__name__.lower()


def numbered(wanted: str, taken) -> str:
    """``wanted``, with a number where it is taken."""
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def names_in(code: ast.AST) -> set[str]:
    """All names of a syntax tree, its arguments included."""
    return {one.id if isinstance(one, ast.Name) else one.arg for one in ast.walk(code)
            if isinstance(one, (ast.Name, ast.arg))}


class AstFlattener(ast.NodeTransformer):
    """Makes each operation in a function a statement of its own."""

    def transform(self, ast_root, transform_functions=None, stree=None):
        """Flatten the functions of a tree: ``construct``, or those that are named."""
        wanted = transform_functions or ["construct"]
        for one in ast.walk(ast_root):
            if isinstance(one, ast.FunctionDef) and one.name in wanted:
                self.function(one, names_in(one))
        return ast_root

    def function(self, function: ast.FunctionDef, names: set[str], held=lambda code: False) -> None:
        """Flatten one function; ``names`` are those that variables have, in all of their class.

        A loop over what is ``held`` by the network gets a variable for it.
        """
        self._names, self._held = names, held
        waiting = [function.body]
        while waiting:
            self._block(waiting.pop(0), waiting)

    def _block(self, body: list[ast.stmt], waiting: list) -> None:
        place, inner = len(body) - 1, []
        while place >= 0:
            code = body[place]
            if isinstance(code, ast.Assign) and len(code.targets) > 1:
                last = code.targets.pop()
                body.insert(place, ast.Assign([last], code.value, lineno=0))
                code.value = ast.parse(ast.unparse(last), mode="eval").body
                place += 1
                continue
            new = self._hoisted(code)
            body[place:place] = reversed(new)
            place += len(new)                              # the new ones come next, from the last on
            if isinstance(code, (ast.If, ast.For, ast.While)):
                inner[:0] = [one for one in (code.body, code.orelse) if one]
            place -= 1
        waiting += inner

    def _hoisted(self, code: ast.stmt) -> list[ast.stmt]:
        """The statements for what is inside of one, that of the first argument first."""
        taken: list[tuple] = []
        if isinstance(code, (ast.Assign, ast.Expr)):
            taken = self._inside(code, code.value) if not isinstance(code, ast.Expr) or isinstance(
                code.value, ast.Call) else []
        elif isinstance(code, ast.Return) and code.value is not None:
            taken = [(code, "value")]
        elif isinstance(code, ast.If):
            taken = [(code, "test")]
        elif isinstance(code, ast.For):
            if self._held(code.iter):
                return [self._named((code, "iter"), ast.unparse(code.iter).replace(".", "_"))]
            taken = [(code, "iter")]
        return [self._named(slot) for slot in taken if not is_plain(read(slot))]

    def _inside(self, owner, value: ast.expr) -> list[tuple]:
        found = []
        if isinstance(value, ast.Call):
            if isinstance(value.func, ast.Attribute):
                found = [(value.func, "value")]
                if isinstance(value.func.value, ast.Subscript):
                    found = []
            elif not isinstance(value.func, ast.Name):
                found = [(value, "func")]
        inside = slots(owner, value)
        if isinstance(value, ast.BoolOp):
            inside = inside[:1]                            # later ones may not be evaluated
        elif isinstance(value, ast.Subscript) or len(getattr(value, "comparators", ())) > 1:
            inside = []
        elif isinstance(value, ast.Dict):
            inside = [(value.values, i) for i in range(len(value.values))]
        found += inside
        if isinstance(value, ast.Call):
            found += [(one, "value") for one in value.keywords]
        return found

    def _named(self, slot: tuple, wanted: str = "") -> ast.Assign:
        """A variable for an expression, and the statement that sets it."""
        value = read(slot)
        name = numbered(wanted or f"{word(value)}_var", self._names)
        self._names.add(name)
        write(slot, ast.Name(name, ast.Load()))
        return ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)
