"""``mindspore.rewrite.symbol_tree``: the tree behind `mindspore.rewrite.SymbolTree`."""

from .symbol_tree import Position, SymbolTree

__all__ = ["Position", "SymbolTree"]
