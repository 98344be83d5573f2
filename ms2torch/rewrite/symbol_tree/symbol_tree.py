"""A network's statements, and how they change."""

from __future__ import annotations

import ast
import os

from torch.nn import Module

from ..api.node_type import NodeType
from ..api.scoped_value import ScopedValue
from ..ast_helpers.ast_flattener import numbered
from ..node import CallFunction, CellContainer, ControlFlow, Node, NodeManager, TreeNode
from ..node.node import named
from .network_code import network_code

__all__ = ["Position", "SymbolTree"]

_FOLDER = "rewritten_network"


class Position:
    """A place in a block of statements: before or behind a node."""

    def __init__(self, symbol_tree, node, before_node) -> None:
        self.symbol_tree, self.node, self.before_node = symbol_tree, node, before_node


class SymbolTree(NodeManager):
    """The statements of one network; ``root`` is the tree of the outermost one.

    ``first`` is what the new network does when it is made, to its containers and the networks inside.
    """

    written = 0                                            # networks made from code by this process

    def __init__(self, origin_network, module_ast=None, root=None) -> None:
        super().__init__()
        self.network, self._module_ast, self.root = origin_network, module_ast, root or self
        self.cls = type(origin_network)
        self._class_ast = self._init_func_ast = self._root_ast = None
        self.first: list = []                              # texts, and (attribute, TreeNode)
        self.added: list[str] = []                         # attributes that were inserted
        self.names: set[str] = set()                       # of nodes
        self.variables: set[str] = set()
        self.world: dict = {}                              # what construct sees
        self.functions: set[str] = set() if root is None else root.functions
        self.modified, self.decorators = False, []
        self._file = "./network_define.py"
        self.set_manager_name(self.cls.__name__)

    # ---- the code --------------------------------------------------------------------------------------

    def set_class_ast(self, ast_node) -> None:
        """Say which class it is."""
        self._class_ast = ast_node

    def set_init_func_ast(self, ast_node) -> None:
        """Say which is its ``__init__``."""
        self._init_func_ast = ast_node

    def set_ast_root(self, ast_node) -> None:
        """Say which is its ``construct``."""
        self._root_ast, self._body = ast_node, ast_node.body

    def get_ast_root(self):
        """Its ``construct``."""
        return self._root_ast

    def get_class_ast(self):
        """Its class."""
        return self._class_ast

    def get_module_ast(self):
        """The module that it was read from."""
        return self._module_ast

    def get_origin_network(self):
        """The network that was read."""
        return self.network

    def get_ori_cls_name(self) -> str:
        """The class of the network that was read."""
        return self.cls.__name__

    def get_opt_cls_name(self) -> str:
        """The class of the network that is made."""
        return f"{self.cls.__name__}Opt"

    def is_modified(self) -> bool:
        """Whether its statements were changed."""
        return self.modified

    # ---- names -----------------------------------------------------------------------------------------

    def node_name(self, wanted: str) -> str:
        """``wanted``, with a number where a node has that name."""
        name = numbered(wanted, self.names)
        self.names.add(name)
        return name

    def unique_name(self, name: str) -> str:
        """``name``, with a number where a variable has it."""
        name = numbered(name, self.variables)
        self.variables.add(name)
        return name

    def unique_func_name(self, name: str) -> str:
        """``name``, with a number where a function of the new code has it."""
        name = numbered(name, self.functions)
        self.functions.add(name)
        return name

    # ---- building --------------------------------------------------------------------------------------

    def add(self, node, block=None, to_code=False):
        """A further node at the end of a block, by default of ``construct``, with a name of its own."""
        node.set_name(self.node_name(node.get_name()))
        node.set_belong_symbol_tree(self)
        (block or self).append(node, to_code)
        return node

    def append_origin_field(self, node, node_manager=None):
        """Add a node whose code is in the function already."""
        return self.add(node, node_manager)

    def append_node(self, node, node_manager=None, append_to_ast=True):
        """Add a node and its code."""
        return self.add(node, node_manager, append_to_ast)

    def append_input_node(self, ast_node, param_name, default=None, node_manager=None):
        """Add an argument of the function."""
        return self.add(Node.create_input_node(ast_node, param_name, default), node_manager)

    def append_python_node(self, ast_scope, ast_node, node_manager=None):
        """Add a statement that is no call and no operator."""
        return self.add(Node.create_python_node(ast_node, type(ast_node).__name__), node_manager)

    # ---- nodes -----------------------------------------------------------------------------------------

    def get_node_from_name(self, node_name):
        """The node of a name."""
        return self.get_node(node_name)

    def own(self, node):
        """A node, or that of a name. RuntimeError for one of another tree."""
        found = self.get_node(node) if isinstance(node, str) else node
        tree = None if found is None else found.get_belong_symbol_tree()
        if tree is None or tree.root is not self.root or found.get_node_manager() is None:
            raise RuntimeError("Node is not belong to current SymbolTree: ", node)
        return found

    def get_node_inputs(self, node_or_name) -> list:
        """The nodes whose values a node takes."""
        return self.own(node_or_name).get_inputs()

    def get_node_users(self, node_or_name) -> list:
        """Who takes a node's values, with the place of the argument."""
        return [user for users in self.own(node_or_name).get_target_users().values() for user in users]

    def before(self, node_or_name) -> Position:
        """The place before a node."""
        node = self.own(node_or_name)
        return Position(node.get_belong_symbol_tree(), node, True)

    def after(self, node_or_name) -> Position:
        """The place behind a node."""
        node = self.own(node_or_name)
        return Position(node.get_belong_symbol_tree(), node, False)

    # ---- changing --------------------------------------------------------------------------------------

    def change(self, block=None) -> None:
        """Note that statements of a block change."""
        self.modified = True
        while block is not None and block is not self:
            if isinstance(block, CallFunction):
                block.modified = True
            block = getattr(block, "_node_manager", None)

    def insert_node(self, new_node, base_node, before_node, node_manager=None, insert_to_ast=True):
        """Put a node before or behind another.

        RuntimeError for a place among the arguments, TypeError for a Cell in a function that has no ``self``.
        """
        block = base_node.get_node_manager()
        if new_node.get_belong_symbol_tree() is self and new_node.get_node_manager() is not None:
            raise ValueError("Node in the SymbolTree cannot be inserted into SymbolTree again: "
                             f"{new_node.get_name()}")
        following, kinds = base_node.get_next(), (NodeType.Input,)
        among = following is not None and following.get_node_type() in kinds and (
            new_node.get_node_type() not in kinds)
        if base_node.get_node_type() in kinds and (before_node or among):
            raise RuntimeError("Can not insert a node before or between parameters:", base_node.get_name())
        self._take_in(new_node, block)
        if block is self:
            super().insert_node(new_node, base_node, before_node)
        else:
            block.insert_node(new_node, base_node, before_node)
        self.change(block)
        return new_node

    def _take_in(self, node, block) -> None:
        """Give a new node its name, and the network or the function what it calls."""
        self.variables.update(str(one) for one in node.get_targets())
        kind, called, function = node.get_node_type(), node.get_instance(), self._function_of(block)
        if kind is NodeType.Input:
            given = (self._root_ast if function is None else function.function).args
            given.args.append(ast.arg(str(node.get_targets()[0])))
            given.defaults.append(ast.Constant(None))
        elif isinstance(node, CallFunction):
            wanted = str(node.get_func_name())
            world = self.world if function is None else function.world
            while world.get(wanted, called) is not called:
                wanted = self.unique_name(wanted)
            world[wanted] = called
            node.set_func_name(wanted)
        elif kind in (NodeType.CallCell, NodeType.CallPrimitive, NodeType.Tree):
            if function is not None and not function.is_method():
                raise TypeError(f"Cannot insert {kind} node '{node.get_name()}' into no-method function "
                                f"'{function.get_func_name()}'.")
            self._hold(node, called, isinstance(block, CellContainer))
        if kind is not NodeType.CallCell and kind is not NodeType.CallPrimitive and kind is not NodeType.Tree:
            node.set_name(self.node_name(node.get_name()))
        node.set_belong_symbol_tree(self)

    def _hold(self, node, called, in_container: bool) -> None:
        wanted = node.get_name() or type(called).__name__
        name = self.node_name(wanted)
        torch_s = hasattr(Module, name) and name not in self.network.__dict__  # no name of MindSpore's
        while not torch_s and getattr(self.network, name, called) is not called:
            name = self.node_name(wanted)
        node.set_name(name)
        setattr(self.network, name, called)
        node.set_func_name(f"self.{name}")
        if not in_container:
            self.added.append(name)
        if isinstance(node, TreeNode):
            from ..parsers.network_parser import read_network

            node.symbol_tree = read_network(called, self.root)
            self.first.append((f"self.{name}", node))

    @staticmethod
    def _function_of(block):
        while block is not None and not isinstance(block, (CallFunction, SymbolTree)):
            block = block.get_node_manager()
        return block if isinstance(block, CallFunction) else None

    def erase_node(self, node_or_name):
        """Take a node out; its targets keep the values that they had before."""
        node = self.own(node_or_name)
        block = node.get_node_manager()
        if isinstance(node, ControlFlow) and node.taken_out():
            block.node_list.remove(node)
            node.set_node_manager(None)
        elif block is self:
            super().erase_node(node)
        else:
            block.erase_node(node)
        self.names.discard(node.get_name())
        self.change(block)
        return node

    def replace(self, old_node, new_nodes):
        """Put several nodes in the place of one; the last of them. IndexError for none."""
        old, last = self.own(old_node), new_nodes[-1]
        place = old
        for one in new_nodes:
            self.insert_node(one, place, False)
            place = one
        self.erase_node(old)
        return last

    def set_node_arg(self, node, index, arg):
        """Give a node another argument."""
        self.change(self.own(node).get_node_manager())
        return self.own(node).set_arg(arg, index)

    def set_node_arg_by_node(self, dst_node, arg_idx, src_node, out_idx=None) -> None:
        """Give a node what another one gives."""
        self.change(self.own(dst_node).get_node_manager())
        self.own(dst_node).set_arg_by_node(arg_idx, self.own(src_node), out_idx)

    def set_node_target(self, node, index, target) -> None:
        """Let a node give another variable."""
        targets = [*self.own(node).get_targets()]
        targets[index] = named(target)
        self.own(node).set_targets(targets)
        self.change(self.own(node).get_node_manager())

    def set_output(self, return_value, arg_index, return_idx=0, node_manager=None):
        """Let the function return another variable at a place."""
        last = (node_manager or self).get_returns()[return_idx]
        last.set_arg(ScopedValue.create_naming_value(return_value), arg_index)
        self.change(node_manager)
        return last

    # ---- code ------------------------------------------------------------------------------------------

    def get_code(self) -> str:
        """The changed network as a module."""
        return network_code(self).text()

    def get_network(self):
        """The network of the changed code, over the Cells and Parameters of the first."""
        code = network_code(self)
        SymbolTree.written += 1
        path = os.path.join(_FOLDER, f"{code.name}_{os.getpid()}_{SymbolTree.written}.py")
        os.makedirs(_FOLDER, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(code.text())
        return code.run(os.path.abspath(path))[code.name](self.network)

    def get_saved_file_name(self) -> str:
        """Where `save_network_to_file` writes."""
        return self._file

    def set_saved_file_name(self, file_name) -> None:
        """Say where `save_network_to_file` writes."""
        self._file = file_name if file_name.endswith(".py") else f"{file_name}.py"

    def save_network_to_file(self) -> None:
        """Write the changed network's code."""
        with open(self._file, "w", encoding="utf-8") as file:
            file.write(self.get_code())
