"""The statements of a network, to be read and changed (``mindspore.rewrite.SymbolTree``)."""

from __future__ import annotations

from ms2torch._checkparam import INC_LEFT, check_int_range, check_value_type
from ms2torch._core.errors import unsupported
from ms2torch.nn.cell import Cell

from ..parsers.network_parser import read_network
from ..symbol_tree import Position
from ..symbol_tree import SymbolTree as Tree
from ..symbol_tree.static_branches import settle
from .node import Node

__all__ = ["SymbolTree"]


class SymbolTree:
    """The statements of a network's ``construct`` (``mindspore.rewrite.SymbolTree``); made by `create`.

    Each statement is a `Node` of one call or operator. Inserting, erasing and replacing them changes the
    code, from which `get_network` makes a network over the same Cells and Parameters.
    """

    def __init__(self, handler) -> None:
        check_value_type("handler", handler, [Tree], "SymbolTree")
        self._symbol_tree = handler

    @classmethod
    def create(cls, network) -> SymbolTree:
        """Read a network. TypeError unless it is a Cell; OSError where its source is not there."""
        check_value_type("network", network, [Cell], "SymbolTree")
        return cls(read_network(network))

    def get_handler(self):
        """What was read."""
        return self._symbol_tree

    def get_origin_network(self) -> Cell:
        """The network that was read."""
        return self._symbol_tree.get_origin_network()

    # ---- nodes -----------------------------------------------------------------------------------------

    def nodes(self, all_nodes=False):
        """The nodes in order; with ``all_nodes`` also those in functions, blocks, containers, networks."""
        check_value_type("all_nodes", all_nodes, [bool], "nodes")
        tree = self._symbol_tree
        yield from map(Node, list(tree.all_nodes() if all_nodes else tree.nodes()))

    def all_nodes(self, subtree_nodes=True):
        """The nodes in order with those in functions, blocks and containers; of networks if asked to."""
        check_value_type("subtree_nodes", subtree_nodes, [bool], "all_nodes")
        yield from map(Node, list(self._symbol_tree.all_nodes(subtree_nodes)))

    def get_node(self, node_name) -> Node | None:
        """The node of a name, None where there is none."""
        check_value_type("node_name", node_name, [str], "SymbolTree")
        found = self._symbol_tree.get_node(node_name)
        return None if found is None else Node(found)

    def get_inputs(self) -> list[Node]:
        """The arguments of ``construct``."""
        return list(map(Node, self._symbol_tree.get_input_nodes()))

    @staticmethod
    def _handler(node):
        check_value_type("node", node, [Node, str], "SymbolTree")
        return node if isinstance(node, str) else node._node

    def unique_name(self, name="output") -> str:
        """A name that no variable has, ``name`` with a number if need be."""
        check_value_type("name", name, [str], "SymbolTree")
        return self._symbol_tree.unique_name(name)

    # ---- changing --------------------------------------------------------------------------------------

    def before(self, node) -> Position:
        """The place before a node, or the node of a name."""
        return self._symbol_tree.before(self._handler(node))

    def after(self, node) -> Position:
        """The place behind a node, or the node of a name."""
        return self._symbol_tree.after(self._handler(node))

    def insert(self, position, node) -> Node:
        """Put a node at a place that `before` or `after` gave. ValueError for one of another tree."""
        check_value_type("position", position, [Position], "SymbolTree")
        check_value_type("node", node, [Node], "SymbolTree")
        if position.symbol_tree is not self._symbol_tree:
            raise ValueError("Position is not in current SymbolTree.", position)
        return Node(self._symbol_tree.insert_node(node._node, position.node, position.before_node))

    def erase(self, node) -> Node:
        """Take a node out; its targets keep the values that they had before."""
        return Node(self._symbol_tree.erase_node(self._handler(node)))

    def replace(self, old_node, new_nodes) -> Node:
        """Put several nodes in the place of one; the last of them."""
        check_value_type("old_node", old_node, [Node], "SymbolTree")
        check_value_type("new_nodes", new_nodes, [list, tuple], "SymbolTree")
        for one in new_nodes:
            check_value_type("new_nodes", one, [Node], "SymbolTree")
        return Node(self._symbol_tree.replace(old_node._node, [one._node for one in new_nodes]))

    def set_output(self, index, return_value) -> Node:
        """Let ``construct`` return another variable. ValueError unless ``index`` is 0."""
        check_value_type("index", index, [int], "SymbolTree")
        check_value_type("return_value", return_value, [str], "SymbolTree")
        check_int_range(index, 0, len(self._symbol_tree.get_returns()[0].get_args()), INC_LEFT, "index")
        return Node(self._symbol_tree.set_output(return_value, index))

    def flatten_static_if_control_flow(self) -> None:
        """Put the branch that is taken in the place of each ``if`` whose condition is known beforehand."""
        settle(self._symbol_tree)

    def flatten_nodes(self, node, erase_nodes_after_return=False):
        """Not supported: a function's statements stay in the function."""
        raise unsupported("mindspore.rewrite.SymbolTree.flatten_nodes", "a function's statements stay in it.",
                          "flatten_static_if_control_flow(), or write the statements in construct.")

    # ---- code ------------------------------------------------------------------------------------------

    def get_code(self) -> str:
        """The changed network as a module."""
        return self._symbol_tree.get_code()

    def get_network(self) -> Cell:
        """The network of the changed code, over the Cells and Parameters of the first.

        That one is not to be used any more. The code is kept in a file of the folder ``rewritten_network``.
        """
        return self._symbol_tree.get_network()

    def get_saved_file_name(self) -> str:
        """Where `save_network_to_file` writes."""
        return self._symbol_tree.get_saved_file_name()

    def set_saved_file_name(self, file_name) -> None:
        """Say where `save_network_to_file` writes."""
        check_value_type("file_name", file_name, [str], "SymbolTree")
        self._symbol_tree.set_saved_file_name(file_name)

    def save_network_to_file(self) -> None:
        """Write the changed network's code."""
        self._symbol_tree.save_network_to_file()

    def dump(self) -> None:
        """Print the nodes: type, name, arguments and targets."""
        self.print_node_tabulate()

    def print_node_tabulate(self, all_nodes=False) -> None:
        """Print a table of the nodes: type, name, code, who gives arguments, who takes targets."""
        check_value_type("all_nodes", all_nodes, [bool], "print_node_tabulate")
        rows = [("node type", "name", "codes", "arg providers", "target users")]
        for node in self.nodes(all_nodes):
            one = node._node
            code = one.get_source_code()
            given = [[place, (other.get_name(), at)]
                     for place, (other, at) in one.get_arg_providers().items()]
            users = [[at, [(other.get_name(), place) for other, place in found]]
                     for at, found in one.get_target_users().items()]
            kind, code = str(one.get_node_type()), code.splitlines()[0] if code else ""
            rows.append((kind, one.get_name(), code, str(given), str(users)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
