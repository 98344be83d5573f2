"""A branch or a loop, and the statements inside."""

from __future__ import annotations

import ast

from ..api.node_type import NodeType
from ..api.scoped_value import ScopedValue
from .node import Node
from .node_manager import NodeManager

__all__ = ["ControlFlow"]


class ControlFlow(Node, NodeManager):
    """One half of an ``if``, ``for`` or ``while``; ``other`` is the other one."""

    def __init__(self, node_name, ast_node, is_orelse, args=None, stree=None) -> None:
        NodeManager.__init__(self)
        kind = ScopedValue.create_naming_value("else_node" if is_orelse else node_name)
        Node.__init__(self, NodeType.ControlFlow, ast_node, [], kind, args, None, node_name, None)
        self.is_orelse, self.other = is_orelse, None
        self._body = ast_node.orelse if is_orelse else ast_node.body

    def taken_out(self) -> bool:
        """Take its statements out of the code, a ``pass`` for a lost body; whether the other half stays."""
        code = self._ast_node
        if self.is_orelse:
            code.orelse = []
        else:
            code.body = [ast.Pass()]
        other, self.other = self.other, None
        if other is not None:
            other.other = None
        return other is not None
