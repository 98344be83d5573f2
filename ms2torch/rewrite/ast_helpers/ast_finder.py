"""Finding nodes of a kind in a syntax tree."""

import ast

__all__ = ["AstFinder"]


class AstFinder(ast.NodeVisitor):
    """What a syntax tree holds of given classes."""

    def __init__(self, node) -> None:
        self._scope = node

    def find_all(self, ast_types) -> list:
        """All nodes below the tree's own that are of a class, or of one of several."""
        return [one for one in ast.walk(self._scope) if one is not self._scope and isinstance(one, ast_types)]
