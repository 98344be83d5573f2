"""A program's syntax tree with eyes: every call and every attribute that it reads is shown as it happens.

``f(a, k=b)`` becomes ``seen(7, RESULT, seen(7, CALLEE, f)(seen(7, 0, a), k=seen(7, "k", b)))``, where
``seen`` gives back what it is given. So the order of evaluation, the frames (``super()``, ``locals()``) and
the lines and columns of tracebacks are the program's own.
"""

from __future__ import annotations

import ast
import builtins
from typing import NamedTuple

# Under this name the eye stands among the builtins.
EYE = "__ms2torch_seen__"
CALLEE, RECEIVER, RESULT, READ, STAR, STARS = "()", ".", "=", "?", "*", "**"


class Site(NamedTuple):
    """One site: its file, its place, and the last name of what is called or read."""

    path: str
    line: int
    column: int
    name: str


def place(node: ast.Call | ast.Attribute | ast.Name, lines: list[str]) -> tuple[int, int, str]:
    """Line, column in characters, and name by which a site is known (see `facts`)."""
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Attribute):
        line, column, name = function.end_lineno, function.end_col_offset, function.attr
        column -= len(name.encode())
    elif isinstance(function, ast.Name):
        line, column, name = function.lineno, function.col_offset, function.id
    else:
        line, column, name = function.end_lineno, function.end_col_offset, ""
    text = lines[line - 1] if line <= len(lines) else ""
    return line, len(text.encode()[:column].decode(errors="replace")), name


class Instrument(ast.NodeTransformer):
    """Puts the eye into a tree. ``sites`` is appended to: a site's number is its place there.

    ``only`` are the sites that there may be: a copy that graph mode makes of a function has calls of its own.
    """

    def __init__(
        self, path: str, source: str, sites: list[Site], only: frozenset[Site] | None = None
    ) -> None:
        self.path, self.lines, self.sites, self.only = path, source.split("\n"), sites, only
        self.foreign: frozenset[str] = frozenset()

    def whole(self, tree: ast.Module) -> ast.Module:
        """The tree of a file, changed."""
        stars = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(tree))
        if stars:
            self.foreign = _loaded(tree) - _bound(tree) - frozenset(vars(builtins))
        return ast.fix_missing_locations(self.visit(tree))

    # ---- what is shown

    def _eye(self, number: int, slot, node: ast.expr) -> ast.Call:
        new = ast.Call(ast.Name(EYE, ast.Load()), [ast.Constant(number), ast.Constant(slot), node], [])
        for part in (new, *new.args[:2], new.func):
            ast.copy_location(part, node)
        return new

    def _site(self, node) -> int | None:
        site = Site(self.path, *place(node, self.lines))
        if self.only is not None and site not in self.only:
            return None
        self.sites.append(site)
        return len(self.sites) - 1

    def visit_Call(self, node: ast.Call) -> ast.expr:
        number = self._site(node)
        if number is None:
            return self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Attribute):
            function.value = self._eye(number, RECEIVER, self.visit(function.value))
        elif not isinstance(function, ast.Name):
            function = self.visit(function)
        node.func = self._eye(number, CALLEE, function)
        node.args = [self._argument(number, i, arg) for i, arg in enumerate(node.args)]
        for keyword in node.keywords:
            slot = STARS if keyword.arg is None else keyword.arg
            keyword.value = self._eye(number, slot, self.visit(keyword.value))
        return self._eye(number, RESULT, node)

    def _argument(self, number: int, index: int, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Starred):
            node.value = self._eye(number, STAR, self.visit(node.value))
            return node
        return self._eye(number, index, self.visit(node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        number = self._site(node) if isinstance(node.ctx, ast.Load) and not own else None
        if number is None:
            return self.generic_visit(node)
        node.value = self._eye(number, RECEIVER, self.visit(node.value))
        return self._eye(number, READ, node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.foreign or not isinstance(node.ctx, ast.Load):
            return node
        number = self._site(node)
        return node if number is None else self._eye(number, READ, node)

    # ---- what is left alone: annotations, patterns

    def _function(self, node):
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.args = self._defaults(node.args)
        node.body = self._block(node.body)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        node.args = self._defaults(node.args)
        node.body = self.visit(node.body)
        return node

    def _defaults(self, arguments: ast.arguments) -> ast.arguments:
        arguments.defaults = [self.visit(d) for d in arguments.defaults]
        arguments.kw_defaults = [d and self.visit(d) for d in arguments.kw_defaults]
        return arguments

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [self.visit(statement) for statement in statements]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def visit_match_case(self, node):
        node.guard = node.guard and self.visit(node.guard)
        node.body = self._block(node.body)
        return node

    def visit_TypeAlias(self, node):
        return node


def _loaded(tree: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _bound(tree: ast.AST) -> frozenset[str]:
    """Every name that something in a file binds."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return frozenset(found)
