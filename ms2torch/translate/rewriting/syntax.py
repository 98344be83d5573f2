"""Where things stand in a file: Python's own syntax tree beside libcst's."""

from __future__ import annotations

import ast

import libcst as cst
from libcst.metadata import PositionProvider

from .joining import annotations_of, span_of


class Syntax:
    """The part of `Rewriter` that finds a node of Python's tree, its statement and what is around it."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, source: str, tree: ast.Module) -> None:
        super().__init__()
        self.source, self.tree, self.lines = source, tree, source.splitlines()
        self.nodes = {span_of(n): n for n in ast.walk(tree) if isinstance(n, ast.expr)}
        self.tuples = {
            (n.elts[0].lineno, n.elts[0].col_offset): n
            for n in self.nodes.values()
            if isinstance(n, ast.Tuple) and n.elts
        }
        self.parents = {
            id(child): parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)
        }
        self.starts = {
            (n.lineno, n.col_offset): n for n in reversed(list(ast.walk(tree))) if isinstance(n, ast.stmt)
        }
        self.hints = {id(n) for hint in _hints(tree) for n in ast.walk(hint)}

    def node(self, original: cst.CSTNode):
        """The syntax tree's node for one of libcst's."""
        at = self.get_metadata(PositionProvider, original, None)
        if at is None:
            return None
        if (
            isinstance(original, cst.Tuple) and original.lpar
        ):  # brackets belong to Python's tuples, not to libcst's
            return self.tuples.get((at.start.line, self._bytes(at.start)))
        return self.nodes.get((at.start.line, self._bytes(at.start), at.end.line, self._bytes(at.end)))

    def statement(self, original: cst.CSTNode) -> ast.stmt | None:
        """The syntax tree's statement for one of libcst's: a line, a class."""
        at = self.get_metadata(PositionProvider, original).start
        return self.starts.get((at.line, self._bytes(at)))

    def is_statement(self, node: ast.expr) -> bool:
        """Whether nothing is done with an expression's value."""
        return isinstance(self.parents.get(id(node)), ast.Expr)

    def is_followed(self, node: ast.expr) -> bool:
        """Whether another statement follows on the line of one that is an expression."""
        starts = [column for line, column in self.starts if line == node.end_lineno]
        return any(column > node.end_col_offset for column in starts)

    def target_of(self, node: ast.expr) -> str | None:
        """The name or attribute that an expression is assigned to."""
        parent = self.parents.get(id(node))
        if isinstance(parent, ast.Tuple):
            pair = self.parents.get(id(parent))
            if (
                isinstance(pair, ast.Assign)
                and pair.value is parent
                and isinstance(pair.targets[0], ast.Tuple)
                and len(pair.targets[0].elts) == len(parent.elts)
            ):
                return ast.unparse(pair.targets[0].elts[parent.elts.index(node)])
            return None
        if (
            isinstance(parent, ast.Assign)
            and parent.value is node
            and len(parent.targets) == 1
            and isinstance(parent.targets[0], (ast.Name, ast.Attribute))
        ):
            return ast.unparse(parent.targets[0])
        return None

    def block_of(self, node: ast.AST) -> tuple[list[ast.stmt], int]:
        """The statements among which a node stands, and its place there."""
        while not isinstance(node, ast.stmt):
            node = self.parents[id(node)]
        parent = self.parents[id(node)]
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(parent, name, None)
            if isinstance(statements, list) and node in statements:
                return statements, statements.index(node)
        return [node], 0

    def _bytes(self, at) -> int:
        line = self.lines[at.line - 1] if at.line <= len(self.lines) else ""
        return at.column if line.isascii() else len(line[: at.column].encode())


def _hints(tree: ast.Module):
    """The annotations of a file."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from annotations_of(node)
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation
