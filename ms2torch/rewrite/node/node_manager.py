"""A block of statements: a function's, a branch's, or the Cells of a container."""

from __future__ import annotations

import ast

__all__ = ["NodeManager"]


class NodeManager:
    """Nodes in the order of their code; ``body`` is that code."""

    def __init__(self) -> None:
        self._members: list = []
        self._body: list | None = None
        self._manager_name = ""

    @property
    def node_list(self) -> list:
        """The nodes, in order."""
        return self._members

    @property
    def _nodes(self) -> dict:
        return {one.get_name(): one for one in self._members}

    def nodes(self) -> list:
        """The nodes, in order."""
        return list(self._members)

    def all_nodes(self, subtree_nodes=True):
        """The nodes in order, each before those inside of it; those of networks that it calls if asked to."""
        for one in list(self._members):
            yield one
            if isinstance(one, NodeManager):
                yield from one.all_nodes(subtree_nodes)
            tree = getattr(one, "symbol_tree", None)
            if subtree_nodes and tree is not None:
                yield from tree.all_nodes(True)

    def get_node(self, node_name):
        """The node of a name, here or in a block inside; None where there is none."""
        return next((one for one in self.all_nodes(False) if one.get_name() == node_name), None)

    def get_head(self):
        """The first node."""
        return self._members[0] if self._members else None

    def get_tail(self):
        """The last node."""
        return self._members[-1] if self._members else None

    def get_input_nodes(self) -> list:
        """The arguments of the function."""
        return [one for one in self._members if one.get_node_type().name == "Input"]

    def get_returns(self) -> list:
        """The statements that return."""
        return [one for one in self._members if one.get_node_type().name == "Output"]

    def get_tree_nodes(self) -> list:
        """The nodes that call networks."""
        return [one for one in self._members if one.get_node_type().name == "Tree"]

    def get_manager_name(self) -> str:
        """What the block is called."""
        return self._manager_name

    def set_manager_name(self, name) -> None:
        """Say what the block is called."""
        self._manager_name = name

    def get_manager_ast(self):
        """The block's code."""
        return self._body

    def get_top_manager(self) -> NodeManager:
        """The function that the block is in."""
        above = getattr(self, "_node_manager", None)
        is_top = above is None or getattr(self, "function", None) is not None
        return self if is_top else above.get_top_manager()

    # ---- changing, the code with the nodes -------------------------------------------------------------

    def append(self, node, to_code=False) -> None:
        """A further node at the end; its code is there already unless it goes ``to_code``."""
        node.set_node_manager(self)
        self._members.append(node)
        if to_code and self._body is not None and node.get_ast() is not None:
            self._body.append(node.get_ast())

    def insert_node(self, new_node, base_node, before_node) -> None:
        """Put a node before or behind another, and its code before or behind that one's."""
        at = self._members.index(base_node)
        code, base = new_node.get_ast(), base_node.get_ast()
        self._members.insert(at if before_node else at + 1, new_node)
        new_node.set_node_manager(self)
        if self._body is None or not isinstance(code, ast.stmt):
            return
        place = next((k for k, one in enumerate(self._body) if one is base), -1)
        self._body.insert(place if before_node and place >= 0 else place + 1, code)

    def erase_node(self, node) -> None:
        """Take a node out, and its code. RuntimeError where there is no such code."""
        code = node.get_ast()
        place = next((k for k, one in enumerate(self._body) if one is code), None)
        if place is None:
            raise RuntimeError(f"erase node failed, node {node.get_name()} not in function ast tree.")
        del self._body[place]
        self._members.remove(node)
        node.set_node_manager(None)
