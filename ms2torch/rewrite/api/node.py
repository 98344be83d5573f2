"""One statement of a network (``mindspore.rewrite.Node``)."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType

from ms2torch._checkparam import (
    INC_LEFT,
    check_element_type_of_dict,
    check_element_type_of_iterable,
    check_int_range,
    check_value_type,
)
from ms2torch.nn.cell import Cell
from ms2torch.ops.primitive import Primitive

from .node_type import NodeType
from .scoped_value import ScopedValue

__all__ = ["Node"]


def _check(targets, args, kwargs) -> None:
    check_value_type("targets", targets, [list, tuple], "Node")
    check_element_type_of_iterable("targets", targets, [ScopedValue, str], "Node")
    if args is not None:
        check_element_type_of_iterable("args", args, [ScopedValue], "Node")
    if kwargs is not None:
        check_element_type_of_dict("kwargs", kwargs, [str], [ScopedValue], "Node")


class Node:
    """A statement of a network, or an argument of its ``construct`` (``mindspore.rewrite.Node``).

    Trees make nodes of what they read; programs make new ones by the ``create_`` methods. What a node takes
    and gives are `ScopedValue`.
    """

    def __init__(self, node) -> None:
        self._node = node

    @staticmethod
    def create_call_cell(cell, targets, args=None, kwargs=None, name="", is_sub_net=False) -> Node:
        """``targets = self.name(*args, **kwargs)``, of a Cell or a Primitive.

        The tree into which the node is inserted makes the name its own. TypeError for arguments of other
        kinds.
        """
        from ..node import Node as Made
        from ..node import TreeNode

        check_value_type("cell", cell, [Cell, Primitive], "Node")
        check_value_type("name", name, [str], "Node")
        check_value_type("is_sub_net", is_sub_net, [bool], "Node")
        _check(targets, args, kwargs)
        made = Made.create_call_buildin_op(cell, None, targets, "self.cell", args, kwargs, name)
        if is_sub_net and isinstance(cell, Cell):
            made = TreeNode(None, made.get_ast(), targets, made.get_func_name(), args, kwargs, name, cell)
        return Node(made)

    @staticmethod
    def create_call_function(function, targets, args=None, kwargs=None) -> Node:
        """``targets = function(*args, **kwargs)``. TypeError for arguments of other kinds."""
        from ..node import CallFunction
        from ..node.node import assignment, named

        kinds = [FunctionType, type, BuiltinFunctionType]
        check_value_type("function", function, kinds, "create_call_function")
        _check(targets, args, kwargs)
        name = function.__name__
        code = assignment(map(named, targets), name, args or (), kwargs or {})
        return Node(CallFunction(targets, named(name), args, kwargs, name, code, instance=function))

    @staticmethod
    def create_input(param_name, default=None) -> Node:
        """A further argument of ``construct``."""
        from ..node import Node as Made

        check_value_type("param_name", param_name, [str], "Node")
        check_value_type("default", default, [ScopedValue, type(None)], "Node")
        return Node(Made.create_input_node(None, param_name, default))

    def get_handler(self):
        """The statement itself."""
        return self._node

    # ---- what it is ------------------------------------------------------------------------------------

    def get_name(self) -> str:
        """Its name, which no other node of the tree has."""
        return self._node.get_name()

    def get_node_type(self) -> NodeType:
        """What kind of statement it is."""
        return self._node.get_node_type()

    def get_instance(self):
        """The Cell or Primitive that it calls, None for other statements."""
        called = self._node.get_instance()
        return called if isinstance(called, (Cell, Primitive)) else None

    def get_instance_type(self) -> type:
        """The class of what it calls; of a function itself; NoneType for other statements."""
        return self._node.get_instance_type()

    def get_symbol_tree(self):
        """The tree that it belongs to; None before it is inserted."""
        from .symbol_tree import SymbolTree

        found = self._node.get_belong_symbol_tree()
        return None if found is None else SymbolTree(found)

    def get_sub_tree(self):
        """The tree of the network that it calls. TypeError unless the node is of type Tree."""
        from .symbol_tree import SymbolTree

        if self._node.get_node_type() is not NodeType.Tree:
            raise TypeError(f"For get_sub_tree, the type of node should be 'NodeType.Tree', but got "
                            f"{self._node.get_node_type()}")
        if self._node.symbol_tree is None:
            raise AttributeError(f"For get_sub_tree, no symbol tree is stored in {self._node.get_name()}.")
        return SymbolTree(self._node.symbol_tree)

    def get_attributes(self) -> dict:
        """The attributes of what it calls, and those that `set_attribute` set."""
        return self._node.get_attributes()

    def get_attribute(self, key):
        """One of `get_attributes`; None where there is none."""
        check_value_type("key", key, [str], "Node attribute")
        return self._node.get_attribute(key)

    def set_attribute(self, key, value) -> None:
        """Keep a value with the node; what it calls stays as it is."""
        check_value_type("key", key, [str], "Node attribute")
        self._node.set_attribute(key, value)

    # ---- what it takes and gives -----------------------------------------------------------------------

    def get_args(self) -> list[ScopedValue]:
        """What it takes by position."""
        return self._node.get_args()

    def get_kwargs(self) -> dict[str, ScopedValue]:
        """What it takes by keyword."""
        return self._node.get_kwargs()

    def get_targets(self) -> list[ScopedValue]:
        """What it gives."""
        return self._node.get_targets()

    def set_arg(self, index, arg) -> None:
        """Give it another argument: a value, or a variable's name. ValueError for an index out of range."""
        check_value_type("index", index, [int], "Node")
        check_value_type("arg", arg, [ScopedValue, str], "Node")
        check_int_range(index, 0, len(self._node.get_normalized_args()), INC_LEFT, "index")
        self._changes()
        self._node.set_arg(arg, index)

    def set_arg_by_node(self, arg_idx, src_node, out_idx=None) -> None:
        """Give it what another node gives: its only value, or the one at ``out_idx``."""
        check_value_type("arg_idx", arg_idx, [int], "Node")
        check_value_type("src_node", src_node, [Node], "Node")
        given = src_node.get_targets()
        if out_idx is None:
            if len(given) != 1:
                raise ValueError("node should has one output when out_idx is not provided")
            out_idx = 0
        check_value_type("out_idx", out_idx, [int], "Node")
        check_int_range(out_idx, 0, len(given), INC_LEFT, "out_idx")
        self.set_arg(arg_idx, given[out_idx])

    def _changes(self) -> None:
        tree = self._node.get_belong_symbol_tree()
        if tree is not None:
            tree.change(self._node.get_node_manager())

    def get_arg_providers(self) -> dict:
        """For each argument: the node that gives it, and at which place."""
        return {place: (Node(found), at) for place, (found, at) in self._node.get_arg_providers().items()}

    def get_inputs(self) -> list[Node]:
        """The nodes whose values it takes, one for each argument."""
        return [Node(one) for one in self._node.get_inputs()]

    def get_target_users(self, index=-1):
        """Who takes what it gives, as (node, place of the argument): of one value, or of each in a dict."""
        check_value_type("index", index, [int], "Node")
        users = {at: [(Node(other), place) for other, place in found]
                 for at, found in self._node.get_target_users().items()}
        return users if index == -1 else users.get(index, [])

    def get_users(self) -> list[Node]:
        """The nodes that take its values."""
        return [Node(one) for one in self._node.get_users()]

    def __eq__(self, other) -> bool:
        return isinstance(other, Node) and self._node is other._node

    def __hash__(self) -> int:
        return id(self._node)
