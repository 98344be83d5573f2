"""The call of a function, with its statements where they are read."""

from __future__ import annotations

from ..api.node_type import NodeType
from .node import Node
from .node_manager import NodeManager

__all__ = ["CallFunction"]


class CallFunction(Node, NodeManager):
    """``function`` is its code, ``world`` the names that it sees; None where they are not read."""

    def __init__(self, targets, func_name, args, kwargs, node_name, ast_node, function=None, world=None,
                 instance=None, method=False) -> None:
        NodeManager.__init__(self)
        Node.__init__(self, NodeType.CallFunction, ast_node, targets, func_name, args, kwargs, node_name,
                      instance)
        self.function, self.world, self._method = function, world, method
        self._body = None if function is None else function.body
        self.modified, self.again = False, None            # the code of the function that it is inside of

    def is_method(self) -> bool:
        """Whether it is a method of the network, whose statements see ``self``."""
        return self._method
