"""Networks and functions read as nodes."""

from __future__ import annotations

import ast
import inspect
import textwrap

from ..api.scoped_value import ScopedValue
from ..ast_helpers.ast_flattener import AstFlattener, names_in
from ..node import CallFunction, ControlFlow, Node
from ..symbol_tree import SymbolTree
from .assign_parser import AssignParser, function_source, is_container
from .class_def_parser import ClassDefParser

__all__ = ["read_network"]


def read_network(network, root=None) -> SymbolTree:
    """The tree of a network. OSError where its source is not there."""
    cls = type(network)
    construct = inspect.unwrap(cls.construct)
    home = next(one for one in cls.__mro__ if "construct" in vars(one))
    tree = SymbolTree(network, root=root)
    if root is None:
        tree.reading = {}
    tree.world = _world(construct, home)
    own = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    tree.set_class_ast(_Own(cls.__name__).visit(own.body[0]))
    tree._module_ast = own
    methods = {one.name: one for one in own.body[0].body if isinstance(one, ast.FunctionDef)}
    function = methods.get("construct")
    if function is None:
        function = _Own(home.__name__).visit(function_source(construct))
    tree.set_init_func_ast(methods.get("__init__"))
    marks = methods["__init__"].decorator_list if "__init__" in methods else []
    denied = ClassDefParser.denied_function_decorator_list
    tree.decorators = [one for one in marks if not any(f"{name}" in ast.unparse(one) for name in denied)]
    tree.set_ast_root(function)
    tree.locals = set()
    inside, stored = list(ast.walk(function)), ast.Store
    tree.settable = {one.arg for one in inside if isinstance(one, ast.arg)} - {"self"}
    tree.settable |= {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, stored)}
    tree.variables |= names_in(own)
    _read_body(tree, function, tree.world, tree)
    return tree


def _world(function, home=None) -> dict:
    known = inspect.getclosurevars(function).nonlocals
    world = {**function.__globals__, **known}
    return world if home is None else {**world, home.__name__: home}


def _read_function(called, tree, method=""):
    """The code of a function, or of the method of a name, and what it sees.

    Nothing where another function is made inside, or there is no source.
    """
    try:
        function = function_source(called)
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None if not method else ()
    inside = [one for one in ast.walk(function) if one is not function]
    if any(isinstance(one, (ast.FunctionDef, ast.Lambda)) for one in inside):
        return None if not method else ()
    if method:
        home = next(one for one in tree.cls.__mro__ if method in vars(one))
        function = _Own(home.__name__).visit(function)
        return function, _world(called, home)
    return function, _world(called)


def _read_body(tree, function: ast.FunctionDef, world: dict, block) -> None:
    """The nodes of a function, its arguments first."""
    parser = AssignParser(tree, world, _read_function)
    tree.variables |= names_in(function)
    held = lambda code: isinstance(code, ast.Attribute) and is_container(parser.value_of(code))  # noqa: E731
    AstFlattener().function(function, tree.variables, held)
    given = function.args
    skip = 1 if block is tree or block.is_method() else 0
    for one in [*given.posonlyargs, *given.args][skip:]:
        tree.append_input_node(one, one.arg, node_manager=block)
    if given.vararg:
        tree.add(Node.create_python_node(given.vararg, "arg"), block)
    if block is tree and given.kwonlyargs:
        tree.add(Node.create_python_node(given.kwonlyargs, "list"), block)
    if given.kwarg:
        tree.add(Node.create_python_node(given.kwarg, "arg"), block)
    body = function.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        del body[0]
    _Body(tree, parser).read(body, block)


class _Body:
    """Reads the statements of a function and its blocks."""

    def __init__(self, tree, parser: AssignParser) -> None:
        self.tree, self.parser = tree, parser

    def read(self, body: list[ast.stmt], block) -> None:
        """Add the nodes of a block."""
        for code in body:
            self._one(code, block)

    def _one(self, code: ast.stmt, block) -> None:
        tree = self.tree
        if isinstance(code, ast.Assign):
            node = self.parser.node(code)
            tree.add(node, block)
            if isinstance(node, CallFunction) and node.function is not None:
                self._inside(node)
        elif isinstance(code, ast.Return):
            given = [] if code.value is None else [ScopedValue.of_code(code.value)]
            tree.add(Node.create_output_node(code, given), block)
        elif isinstance(code, (ast.If, ast.For, ast.While)):
            self._flow(code, block)
        else:
            tree.append_python_node(None, code, block)

    def _inside(self, node: CallFunction) -> None:
        called, reading = node.get_instance(), self.tree.root.reading
        if node.is_method():
            called = (id(self.tree.network), called.__name__)
        if called in reading:                              # it calls itself
            node.function = node._body = None
            return
        reading[called] = node.function
        _read_body(self.tree, node.function, node.world, node)
        del reading[called]

    def _flow(self, code, block) -> None:
        kind = type(code).__name__.lower()
        given = ScopedValue.of_code(code.iter if isinstance(code, ast.For) else code.test)
        names = [f"{kind}_node", "else_node" if kind == "if" else f"{kind}_else_node"]
        halves = []
        for orelse in (False, True):
            body = code.orelse if orelse else code.body
            if not body:
                continue
            node = ControlFlow(names[orelse], code, orelse, [given], self.tree)
            self.tree.add(node, block)
            self.read(body, node)
            halves.append(node)
        if len(halves) == 2:
            halves[0].other, halves[1].other = halves[1], halves[0]


class _Own(ast.NodeTransformer):
    """What a class says of itself, as its subclass says it: ``super()``, and names with two underscores."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Call(self, node: ast.Call):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.Name(self.name, ast.Load()), ast.Name("self", ast.Load())]
        return node

    def _hidden(self, name: str) -> str:
        hidden = name.startswith("__") and not name.endswith("__")
        return f"_{self.name.lstrip('_')}{name}" if hidden else name

    def visit_FunctionDef(self, node: ast.FunctionDef):
        self.generic_visit(node)
        node.name = self._hidden(node.name)
        return node

    def visit_Attribute(self, node: ast.Attribute):
        self.generic_visit(node)
        node.attr = self._hidden(node.attr)
        return node
