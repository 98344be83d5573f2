"""The statements of a network, to be read and changed (``mindspore.rewrite.SymbolTree``)."""

from __future__ import annotations

import ast
import os
import textwrap
from types import SimpleNamespace

from ms2torch._checkparam import check_value_type
from ms2torch._core.errors import unsupported
from ms2torch.nn.cell import Cell

from .._statements import Parsed, Statement
from .node import Node
from .node_type import NodeType
from .scoped_value import ScopedValue

__all__ = ["SymbolTree"]

_FOLDER = "rewritten_network"
_files = 0


class Position(SimpleNamespace):
    """A place in a block of statements: ``tree``, the statement ``at`` it, and whether it is ``after``."""


class SymbolTree:
    """The statements of a network's ``construct`` (``mindspore.rewrite.SymbolTree``); made by `create`.

    Each statement is a `Node` of one call or operator. Inserting, erasing and replacing them changes the
    code, from which `get_network` makes a network over the same Cells and Parameters. Inside of functions,
    and of loops' conditions, nothing is read.
    """

    def __init__(self, handler) -> None:
        check_value_type("handler", handler, [Parsed], "SymbolTree")
        self._symbol_tree = handler

    @classmethod
    def create(cls, network) -> SymbolTree:
        """Read a network. TypeError unless it is a Cell; OSError where its source is not there."""
        check_value_type("network", network, [Cell], "SymbolTree")
        return cls(Parsed(network))

    def get_handler(self):
        """What was read."""
        return self._symbol_tree

    def get_origin_network(self) -> Cell:
        """The network that was read."""
        return self._symbol_tree.network

    # ---- nodes -----------------------------------------------------------------------------------------

    def nodes(self, all_nodes=False):
        """The nodes in order; with ``all_nodes`` also those inside of ``if``, loops, containers, networks."""
        check_value_type("all_nodes", all_nodes, [bool], "nodes")
        found = _inside(self._symbol_tree.statements, True) if all_nodes else self._symbol_tree.statements
        yield from map(Node, list(found))

    def all_nodes(self, subtree_nodes=True):
        """The nodes in order with those inside of ``if``, loops and containers; of networks if asked to."""
        check_value_type("subtree_nodes", subtree_nodes, [bool], "all_nodes")
        yield from map(Node, list(_inside(self._symbol_tree.statements, subtree_nodes)))

    def get_node(self, node_name) -> Node | None:
        """The node of a name, None where there is none."""
        check_value_type("node_name", node_name, [str], "SymbolTree")
        found = _inside(self._symbol_tree.statements, False)
        return next((Node(one) for one in found if one.name == node_name), None)

    def get_inputs(self) -> list[Node]:
        """The arguments of ``construct``."""
        return [Node(one) for one in self._symbol_tree.statements if one.kind is NodeType.Input]

    def _own(self, node) -> Statement:
        check_value_type("node", node, [Node, str], "SymbolTree")
        found = self.get_node(node) if isinstance(node, str) else node
        mine = _inside(self._symbol_tree.statements, False)
        if found is None or not any(one is found._node for one in mine):
            raise RuntimeError("Node is not belong to current SymbolTree: ", node)
        return found._node

    def unique_name(self, name="output") -> str:
        """A name that no variable has, ``name`` with a number if need be."""
        check_value_type("name", name, [str], "SymbolTree")
        return self._symbol_tree.variable(name)

    # ---- changing --------------------------------------------------------------------------------------

    def before(self, node) -> Position:
        """The place before a node, or the node of a name."""
        return Position(tree=self._symbol_tree, at=self._own(node), after=False)

    def after(self, node) -> Position:
        """The place behind a node, or the node of a name."""
        return Position(tree=self._symbol_tree, at=self._own(node), after=True)

    def insert(self, position, node) -> Node:
        """Put a node at a place that `before` or `after` gave. ValueError for one of another tree."""
        check_value_type("position", position, [Position], "SymbolTree")
        check_value_type("node", node, [Node], "SymbolTree")
        tree, one = self._symbol_tree, node._node
        if position.tree is not tree:
            raise ValueError("Position is not in current SymbolTree.", position)
        self._take_in(one)
        block = _block(tree.statements, position.at)
        block.insert(block.index(position.at) + position.after, one)
        return node

    def _take_in(self, one: Statement) -> None:
        """Give a new statement its name, and the network what it calls."""
        tree, one.tree = self._symbol_tree, self._symbol_tree
        tree.variables.update(str(ScopedValue.of_code(target)) for target in one.targets())
        if one.kind is NodeType.Input:
            tree.names.add(one.name)
            given = tree.function.args
            given.args.append(ast.arg(one.parameter))
            if one.test is not None:
                given.defaults.append(one.test)
            return
        if one.instance is None or one.kind is NodeType.CallMethod:
            one.name = tree.node_name(one.name)
        elif one.kind is NodeType.CallFunction:
            one.name = tree.node_name(one.name)
            called = one.code.value.func
            if tree.namespace.get(called.id, one.instance) is not one.instance:
                called.id = tree.variable(called.id)
            tree.functions[called.id] = tree.namespace[called.id] = one.instance
        else:
            wanted = one.name or type(one.instance).__name__
            taken = hasattr(tree.network, wanted) and getattr(tree.network, wanted) is not one.instance
            one.name = tree.node_name(wanted)
            while taken and hasattr(tree.network, one.name):
                one.name = tree.node_name(wanted)
            one.code.value.func = ast.Attribute(ast.Name("self", ast.Load()), one.name, ast.Load())
            setattr(tree.network, one.name, one.instance)
            tree.cells.append(one.name)
            if one.kind is NodeType.Tree:
                one.inner = Parsed(one.instance)

    def erase(self, node) -> Node:
        """Take a node out; its targets keep the values that they had before."""
        one = self._own(node)
        _block(self._symbol_tree.statements, one).remove(one)
        if one.kind is NodeType.Input:
            given = self._symbol_tree.function.args
            given.args = [arg for arg in given.args if arg.arg != one.parameter]
        return Node(one)

    def replace(self, old_node, new_nodes) -> Node:
        """Put several nodes in the place of one; the last of them."""
        check_value_type("old_node", old_node, [Node], "SymbolTree")
        check_value_type("new_nodes", new_nodes, [list, tuple], "SymbolTree")
        for one in new_nodes:
            check_value_type("new_nodes", one, [Node], "SymbolTree")
        place = self.after(old_node)
        for one in new_nodes:
            place = self.after(self.insert(place, one))
        self.erase(old_node)
        return new_nodes[-1]

    def set_output(self, index, return_value) -> Node:
        """Let ``construct`` return another variable, or another one at a place of what it returns."""
        check_value_type("index", index, [int], "SymbolTree")
        check_value_type("return_value", return_value, [str], "SymbolTree")
        last = Node([one for one in self._symbol_tree.statements if one.kind is NodeType.Output][-1])
        provider = last.get_arg_providers().get(0)
        one = provider[0] if provider and isinstance(provider[0]._node.code.value, ast.Tuple) else last
        one.set_arg(index, return_value)
        return last

    def flatten_static_if_control_flow(self) -> None:
        """Put the branch that is taken in the place of each ``if`` over the network's own attributes."""
        _settle(self._symbol_tree, self._symbol_tree.statements)

    def flatten_nodes(self, node, erase_nodes_after_return=False):
        """Not supported: what functions do is not read."""
        raise unsupported("mindspore.rewrite.SymbolTree.flatten_nodes", "functions are not read.",
                          "flatten_static_if_control_flow(), or write the statements in construct.")

    # ---- code ------------------------------------------------------------------------------------------

    def get_code(self) -> str:
        """The changed network as a module."""
        tree = self._symbol_tree
        lines = ["import sys", "from mindspore import nn", ""]
        lines += [_fetched(name, one) for name, one in tree.functions.items()]
        classes: list[str] = []
        _write_class(tree, classes, set())
        for cls in dict.fromkeys(one.cls for one in _networks(tree)):
            lines.append(_fetched(cls.__name__, cls))
        return "\n".join([*lines, *classes]) + "\n"

    def get_network(self) -> Cell:
        """The network of the changed code, over the Cells and Parameters of the first.

        That one is not to be used any more. The code is kept in a file of the folder ``rewritten_network``.
        """
        global _files

        classes: list[str] = []
        name = _write_class(self._symbol_tree, classes, set())
        _files += 1
        path = os.path.join(_FOLDER, f"{name}_{os.getpid()}_{_files}.py")
        os.makedirs(_FOLDER, exist_ok=True)
        text = "\n".join(classes) + "\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        from ms2torch import nn

        namespace = {}
        for one in reversed(_networks(self._symbol_tree)):
            namespace.update(one.namespace)
        namespace.update(nn=nn)
        exec(compile(text, os.path.abspath(path), "exec"), namespace)
        return namespace[name](self._symbol_tree.network)

    def get_saved_file_name(self) -> str:
        """Where `save_network_to_file` writes."""
        return getattr(self._symbol_tree, "file", "./network_define.py")

    def set_saved_file_name(self, file_name) -> None:
        """Say where `save_network_to_file` writes."""
        check_value_type("file_name", file_name, [str], "SymbolTree")
        self._symbol_tree.file = file_name if file_name.endswith(".py") else f"{file_name}.py"

    def save_network_to_file(self) -> None:
        """Write the changed network's code."""
        with open(self.get_saved_file_name(), "w", encoding="utf-8") as file:
            file.write(self.get_code())

    def dump(self) -> None:
        """Print the nodes: type, name, arguments and targets."""
        self.print_node_tabulate()

    def print_node_tabulate(self, all_nodes=False) -> None:
        """Print a table of the nodes: type, name, code, who gives arguments, who takes targets."""
        check_value_type("all_nodes", all_nodes, [bool], "print_node_tabulate")
        rows = [("node type", "name", "codes", "arg providers", "target users")]
        for node in self.nodes(all_nodes):
            one = node._node
            code = ast.unparse(one.code).splitlines()[0] if one.code else one.parameter
            given = {place: (other.get_name(), at) for place, (other, at) in node.get_arg_providers().items()}
            users = {at: [(other.get_name(), place) for other, place in found]
                     for at, found in node.get_target_users().items()}
            rows.append((str(one.kind), one.name, code, str(given), str(users)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def _inside(block: list[Statement], networks: bool):
    """The statements of a block and of all blocks in it; of networks that it calls if asked to."""
    yield from block
    for one in block:
        for body in one.bodies:
            yield from _inside(body, networks)
        if networks and one.inner is not None:
            yield from _inside(one.inner.statements, True)


def _block(block: list[Statement], wanted: Statement) -> list[Statement] | None:
    """The block that a statement is in."""
    if wanted in block:
        return block
    return next((found for one in block for body in one.bodies if (found := _block(body, wanted))), None)


def _settle(tree: Parsed, block: list[Statement]) -> None:
    place = 0
    while place < len(block):
        one = block[place]
        if one.test is not None and isinstance(one.code, ast.If):
            names = {n.id for n in ast.walk(one.test) if isinstance(n, ast.Name)}
            taken = tree.value_of(one.test)
            if names <= {"self"} and taken is not None:
                block[place : place + 1] = one.bodies[0 if taken else 1]
                continue
        for body in one.bodies if one.kind is NodeType.ControlFlow else ():
            _settle(tree, body)
        if one.kind is NodeType.Output:
            del block[place + 1 :]
        place += 1


def _networks(tree: Parsed) -> list[Parsed]:
    """A network and those that it calls."""
    inner = (one.inner for one in _inside(tree.statements, False) if one.inner is not None)
    return [tree, *(found for one in inner for found in _networks(one))]


def _fetched(name: str, one) -> str:
    return f"{name} = getattr(sys.modules['{one.__module__}'], '{one.__name__}')"


def _codes(block: list[Statement]) -> list[ast.stmt]:
    for one in block:
        if isinstance(one.code, (ast.If, ast.For, ast.While)):
            one.code.body = _codes(one.bodies[0]) or [ast.Pass()]
            one.code.orelse = _codes(one.bodies[1])
    return [one.code for one in block if one.code is not None]


def _write_class(tree: Parsed, classes: list[str], taken: set[str]) -> str:
    """Add the class of a network to ``classes``, after those of the networks inside; its name."""
    made = {}
    for one in _inside(tree.statements, False):
        if one.inner is not None:
            made[ast.unparse(one.code.value.func)] = _write_class(one.inner, classes, taken)
    name, number = f"{tree.cls.__name__}Opt", 0
    while name in taken:
        number += 1
        name = f"{tree.cls.__name__}Opt_{number}"
    taken.add(name)
    tree.function.body = _codes(tree.statements) or [ast.Pass()]
    inside = "".join(f"\n        {place} = {kind}({place})" for place, kind in made.items())
    code = textwrap.indent(ast.unparse(ast.fix_missing_locations(tree.function)), "    ")
    classes.append(f"\n\nclass {name}({tree.cls.__name__}, nn.Cell):\n\n    def __init__(self, obj):\n"
                   "        nn.Cell.__init__(self)\n        self.__dict__.update(obj.__dict__)"
                   f"{inside}\n\n{code}")
    return name
