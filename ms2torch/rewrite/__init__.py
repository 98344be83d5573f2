"""Reading and rewriting networks as code (``mindspore.rewrite``).

`SymbolTree.create` reads the ``construct`` of a network as single statements, each a `Node`; nodes can be
inserted, erased and replaced, also by a `PatternEngine`, and ``get_network`` makes the network of the changed
code.
"""

from . import common, parsers
from .api.node import Node
from .api.node_type import NodeType
from .api.pattern_engine import PatternEngine, PatternNode, Replacement, VarNode
from .api.scoped_value import ScopedValue, ValueType
from .api.symbol_tree import SymbolTree

__all__ = ["Node", "NodeType", "PatternEngine", "PatternNode", "Replacement", "ScopedValue", "SymbolTree",
           "ValueType", "VarNode"]
