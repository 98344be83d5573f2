"""The call of a SequentialCell, or the Cells of a list that a loop goes over."""

from __future__ import annotations

from ms2torch.nn.layer.container import SequentialCell

from ..api.node_type import NodeType
from .node import Node
from .node_manager import NodeManager

__all__ = ["CellContainer"]


class CellContainer(Node, NodeManager):
    """Its nodes are its Cells; the ``__init__`` of the new network changes the list as they change."""

    def __init__(self, ast_node, targets, func_name, args, kwargs, name, instance) -> None:
        NodeManager.__init__(self)
        kind = NodeType.CellContainer
        Node.__init__(self, kind, ast_node, targets, func_name, args, kwargs, name, instance)

    def insert_node(self, new_node, base_node, before_node) -> None:
        """Put a Cell before or behind another."""
        at = self._members.index(base_node) + (not before_node)
        self._members.insert(at, new_node)
        new_node.set_node_manager(self)
        insert = "_insert" if isinstance(self._instance, SequentialCell) else "insert"
        self._belong_tree.first.append(f"{self._func_name}.{insert}({at}, self.{new_node.get_name()})")

    def erase_node(self, node) -> None:
        """Take a Cell out."""
        at = self._members.index(node)
        del self._members[at]
        node.set_node_manager(None)
        self._belong_tree.first.append(f"del {self._func_name}[{at}]")
