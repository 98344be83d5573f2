"""``mindspore.rewrite.node``: the statements behind `mindspore.rewrite.Node`."""

from .call_function import CallFunction
from .cell_container import CellContainer
from .control_flow import ControlFlow
from .node import LocalPrim, Node, TreeNode
from .node_manager import NodeManager

__all__ = ["CallFunction", "CellContainer", "ControlFlow", "LocalPrim", "Node", "NodeManager", "TreeNode"]
