"""One statement of a network (``mindspore.rewrite.Node``)."""

from __future__ import annotations

import ast
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

from .._statements import Statement, read, write
from .node_type import NodeType
from .scoped_value import ScopedValue, ValueType

__all__ = ["Node"]


def _assignment(func: str, targets, args, kwargs) -> ast.Assign:
    """``targets = func(*args, **kwargs)``."""
    check_element_type_of_iterable("targets", targets, [ScopedValue, str], "Node")
    if args is not None:
        check_element_type_of_iterable("args", args, [ScopedValue], "Node")
    if kwargs is not None:
        check_element_type_of_dict("kwargs", kwargs, [str], [ScopedValue], "Node")
    given = [one.to_code() for one in args or ()]
    named = [ast.keyword(key, one.to_code()) for key, one in (kwargs or {}).items()]
    call = ast.Call(ast.parse(func, mode="eval").body, given, named)
    return ast.parse(f"{', '.join(map(str, targets))} = {ast.unparse(call)}").body[0]


class Node:
    """A statement of a network, or an argument of its ``construct`` (``mindspore.rewrite.Node``).

    Trees make nodes of what they read; programs make new ones by the ``create_`` methods. What a node takes
    and gives are `ScopedValue`.
    """

    def __init__(self, node) -> None:
        check_value_type("node", node, [Statement], "Node")
        self._node = node

    @staticmethod
    def create_call_cell(cell, targets, args=None, kwargs=None, name="", is_sub_net=False) -> Node:
        """``targets = self.name(*args, **kwargs)``, of a Cell or a Primitive.

        The tree into which the node is inserted makes the name its own. TypeError for arguments of other
        kinds.
        """
        check_value_type("cell", cell, [Cell, Primitive], "Node")
        check_value_type("targets", targets, [list, tuple], "Node")
        check_value_type("name", name, [str], "Node")
        check_value_type("is_sub_net", is_sub_net, [bool], "Node")
        kind = NodeType.CallCell if isinstance(cell, Cell) else NodeType.CallPrimitive
        kind = NodeType.Tree if is_sub_net and kind is NodeType.CallCell else kind
        code = _assignment("self.cell", targets, args, kwargs)
        return Node(Statement(kind, name, code, instance=cell))

    @staticmethod
    def create_call_function(function, targets, args=None, kwargs=None) -> Node:
        """``targets = function(*args, **kwargs)``. TypeError for arguments of other kinds."""
        kinds = [FunctionType, type, BuiltinFunctionType]
        check_value_type("function", function, kinds, "create_call_function")
        check_value_type("targets", targets, [list, tuple], "Node")
        name = function.__name__
        return Node(Statement(NodeType.CallFunction, name, _assignment(name, targets, args, kwargs),
                              instance=function))

    @staticmethod
    def create_input(param_name, default=None) -> Node:
        """A further argument of ``construct``."""
        check_value_type("param_name", param_name, [str], "Node")
        check_value_type("default", default, [ScopedValue, type(None)], "Node")
        made = Statement(NodeType.Input, f"input_{param_name}", parameter=param_name)
        made.test = None if default is None else default.to_code()
        return Node(made)

    def get_handler(self):
        """The statement itself."""
        return self._node

    # ---- what it is ------------------------------------------------------------------------------------

    def get_name(self) -> str:
        """Its name, which no other node of the tree has."""
        return self._node.name

    def get_node_type(self) -> NodeType:
        """What kind of statement it is."""
        return self._node.kind

    def get_instance(self):
        """The Cell or Primitive that it calls, None for other statements."""
        return self._node.instance if isinstance(self._node.instance, (Cell, Primitive)) else None

    def get_instance_type(self) -> type:
        """The class of what it calls; of a function itself; NoneType for other statements."""
        called = self._node.instance
        return called if self._node.kind is NodeType.CallFunction and called is not None else type(called)

    def get_symbol_tree(self):
        """The tree that it belongs to; None before it is inserted."""
        from .symbol_tree import SymbolTree

        return None if self._node.tree is None else SymbolTree(self._node.tree)

    def get_sub_tree(self):
        """The tree of the network that it calls. TypeError unless the node is of type Tree."""
        from .symbol_tree import SymbolTree

        if self._node.kind is not NodeType.Tree:
            raise TypeError(f"For get_sub_tree, the type of node should be 'NodeType.Tree', but got "
                            f"{self._node.kind}")
        if self._node.inner is None:
            raise AttributeError(f"For get_sub_tree, no symbol tree is stored in {self._node.name}.")
        return SymbolTree(self._node.inner)

    def get_attributes(self) -> dict:
        """The attributes of what it calls, and those that `set_attribute` set."""
        return {**getattr(self._node.instance, "__dict__", {}), **self._node.attributes}

    def get_attribute(self, key):
        """One of `get_attributes`; None where there is none."""
        check_value_type("key", key, [str], "Node attribute")
        own = self._node.attributes
        return own[key] if key in own else getattr(self._node.instance, key, None)

    def set_attribute(self, key, value) -> None:
        """Keep a value with the node; what it calls stays as it is."""
        check_value_type("key", key, [str], "Node attribute")
        self._node.attributes[key] = value

    # ---- what it takes and gives -----------------------------------------------------------------------

    def get_args(self) -> list[ScopedValue]:
        """What it takes by position."""
        return [ScopedValue.of_code(read(slot)) for slot in self._node.slots()]

    def get_kwargs(self) -> dict[str, ScopedValue]:
        """What it takes by keyword."""
        return {key: ScopedValue.of_code(one.value) for key, one in self._node.keywords().items()}

    def get_targets(self) -> list[ScopedValue]:
        """What it gives."""
        return [ScopedValue.of_code(one) for one in self._node.targets()]

    def _taken(self) -> list[ScopedValue]:
        return [*self.get_args(), *self.get_kwargs().values()]

    def set_arg(self, index, arg) -> None:
        """Give it another argument: a value, or a variable's name. ValueError for an index out of range."""
        check_value_type("index", index, [int], "Node")
        check_value_type("arg", arg, [ScopedValue, str], "Node")
        slots = [*self._node.slots(), *((one, "value") for one in self._node.keywords().values())]
        check_int_range(index, 0, len(slots), INC_LEFT, "index")
        value = ScopedValue.create_naming_value(arg) if isinstance(arg, str) else arg
        write(slots[index], value.to_code())

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

    def get_arg_providers(self) -> dict:
        """For each argument: the node that gives it, and at which place."""
        return {place: (Node(found), at) for place, found, at in self._providers()}

    def _providers(self):
        beside = _beside(self._node)
        before = beside[: beside.index(self._node)] if self._node in beside else []
        for place, value in enumerate(self._taken()):
            if value.type is not ValueType.NamingValue:
                continue
            for other in reversed(before):
                given = Node(other).get_targets()
                if value in given:
                    yield place, other, given.index(value)
                    break

    def get_inputs(self) -> list[Node]:
        """The nodes whose values it takes."""
        return [Node(one) for one in dict.fromkeys(found for _, found, _ in self._providers())]

    def get_target_users(self, index=-1):
        """Who takes what it gives, as (node, place of the argument): of one value, or of each in a dict."""
        check_value_type("index", index, [int], "Node")
        users: dict[int, list] = {}
        for other in _beside(self._node):
            for place, found, at in Node(other)._providers():
                if found is self._node:
                    users.setdefault(at, []).append((Node(other), place))
        return users if index == -1 else users.get(index, [])

    def get_users(self) -> list[Node]:
        """The nodes that take its values."""
        return [Node(one) for one in dict.fromkeys(
            user._node for users in self.get_target_users().values() for user, _ in users)]

    def __eq__(self, other) -> bool:
        return isinstance(other, Node) and self._node is other._node

    def __hash__(self) -> int:
        return id(self._node)


def _beside(statement: Statement) -> list[Statement]:
    """The statements of the same block: those inside an ``if`` know nothing of those outside."""
    if statement.tree is None:
        return []

    def search(block):
        if statement in block:
            return block
        return next((found for one in block for body in one.bodies if (found := search(body))), None)

    return search(statement.tree.statements) or []
