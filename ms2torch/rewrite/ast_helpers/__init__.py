"""``mindspore.rewrite.ast_helpers``: finding, renaming and flattening in Python's syntax trees."""

from .ast_finder import AstFinder
from .ast_flattener import AstFlattener
from .ast_replacer import AstReplacer

__all__ = ["AstFinder", "AstFlattener", "AstReplacer"]
