"""Renaming in a syntax tree."""

import ast

__all__ = ["AstReplacer"]


class AstReplacer(ast.NodeTransformer):
    """Names and classes of one name get another, until it is undone."""

    def __init__(self, node) -> None:
        self._scope, self._changed = node, []

    def replace_all(self, src, dst) -> None:
        """Give all names and classes that are called ``src`` the name ``dst``."""
        for one in ast.walk(self._scope):
            field = {ast.Name: "id", ast.ClassDef: "name"}.get(type(one))
            if field and getattr(one, field) == src:
                setattr(one, field, dst)
                self._changed.append((one, field, src))

    def undo_all(self) -> None:
        """Give all of them the names that they had."""
        for one, field, name in reversed(self._changed):
            setattr(one, field, name)
        self._changed.clear()
