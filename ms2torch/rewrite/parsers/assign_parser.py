"""What a statement computes: the node of an assignment."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from functools import cache
from types import FunctionType

from ms2torch._core.operators.registry import OPS
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.container import CellList, SequentialCell
from ms2torch.ops.primitive import Primitive

from ..api.node_type import NodeType
from ..api.scoped_value import ScopedValue
from ..ast_helpers.ast_flattener import read, slots, word
from ..common.namespace import is_ms_function, is_subtree, is_third_party
from ..node import CallFunction, CellContainer, LocalPrim, Node, TreeNode

__all__ = ["AssignParser"]


class AssignParser:
    """Reads the assignments of one function: ``tree`` is the network's, ``world`` what the function sees."""

    types_for_cell_container = [SequentialCell]
    _function_parse_black_list: list = []
    _cached_trees: dict = {}
    _cached_functions: dict = {}
    _cached_cell_containers: dict = {}

    def __init__(self, tree, world: dict, read_function) -> None:
        self.tree, self.world, self.read_function = tree, world, read_function
        self.local_prims: dict[str, type] = {}

    def node(self, code: ast.Assign) -> Node:
        """The node of an assignment."""
        targets, value = _targets(code.targets[0]), code.value
        if isinstance(value, ast.Call):
            return self._call(code, targets, value)
        held = self.value_of(value) if isinstance(value, ast.Attribute) else None
        if is_container(held):
            name = ast.unparse(value)
            return self._container(CellContainer(code, targets, _name(name), [], None, name, held))
        args = [ScopedValue.of_code(read(slot)) for slot in slots(code, value)]
        match value:
            case ast.BinOp() | ast.UnaryOp() | ast.BoolOp():
                kind = type(value).__name__
                name = f"{kind.lower()}_{word(value)}"
                return Node(NodeType.MathOps, code, targets, _name(kind), args, None, name, None)
            case ast.Compare():
                name = "compare_" + "_".join(type(one).__name__.lower() for one in value.ops)
                return Node(NodeType.MathOps, code, targets, _name("Compare"), args, None, name, None)
            case ast.Tuple() | ast.List():
                name = word(value)
                return Node(NodeType.CallMethod, code, targets, _name(name), args, None, name, None)
            case ast.Dict() if all(isinstance(key, ast.Constant) for key in value.keys):
                given = {key.value: ScopedValue.of_code(one)
                         for key, one in zip(value.keys, value.values, strict=True)}
                return Node(NodeType.CallMethod, code, targets, _name("dict"), [], given, "dict", None)
            case ast.Subscript():
                return self._as_it_is(code, targets, [ScopedValue.of_code(value)], "subscript_var")
            case ast.Name() | ast.Attribute() | ast.Constant():
                return self._as_it_is(code, targets, args, f"{type(value).__name__.lower()}_assign")
        return Node.create_python_node(code, "Assign")

    @staticmethod
    def _as_it_is(code, targets, args, name: str) -> Node:
        return Node(NodeType.CallMethod, code, targets, _name("pass_through"), args, None, name, None)

    # ---- calls -----------------------------------------------------------------------------------------

    def _call(self, code: ast.Assign, targets, call: ast.Call) -> Node:
        args = [ScopedValue.of_code(one) for one in call.args]
        kwargs = {one.arg: ScopedValue.of_code(one.value) for one in call.keywords if one.arg}
        name, func, called = word(call), _name(ast.unparse(call.func)), self.value_of(call.func)
        if isinstance(call.func, ast.Name) and call.func.id in self.local_prims:
            called = LocalPrim(self.local_prims[call.func.id])
        if isinstance(called, (*self.types_for_cell_container, CellList)):
            return self._container(CellContainer(code, targets, func, args, kwargs, name, called))
        if isinstance(called, Cell):
            return self._cell(code, targets, func, args, kwargs, name, called, call.func)
        if isinstance(called, Primitive):
            return Node(NodeType.CallPrimitive, code, targets, func, args, kwargs, name, called)
        if inspect.isclass(called) and issubclass(called, Primitive):
            for one in targets:
                self.local_prims[str(one)] = called
        return self._function(code, targets, func, args, kwargs, name, called, call)

    def _cell(self, code, targets, func, args, kwargs, name, called, place) -> Node:
        if is_subtree(called) and isinstance(place, ast.Attribute) and isinstance(place.value, ast.Name):
            from .network_parser import read_network

            try:
                inner = read_network(called, self.tree.root)
            except (OSError, TypeError, SyntaxError):      # its source can not be read
                pass
            else:
                made = TreeNode(inner, code, targets, func, args, kwargs, name, called)
                self.tree.first.append((str(func), made))
                return made
        return Node(NodeType.CallCell, code, targets, func, args, kwargs, name, called)

    def _container(self, made: CellContainer) -> CellContainer:
        """A container's Cells as nodes."""
        from .network_parser import read_network

        for at, cell in enumerate(made.get_instance()):
            args = made.get_args()
            given = [made.get_ast(), made.get_targets(), made.get_func_name(), args, {}]
            given += [type(cell).__name__, cell]
            if isinstance(cell, (SequentialCell, CellList)):
                given[2] = _name(f"{made.get_func_name()}[{at}]")
                one = self._container(CellContainer(*given))
            elif isinstance(cell, Cell) and is_subtree(cell):
                try:
                    one = TreeNode(read_network(cell, self.tree.root), *given)
                    self.tree.first.append((f"{made.get_func_name()}[{at}]", one))
                except (OSError, TypeError, SyntaxError):
                    one = Node(NodeType.CallCell, *given)
            else:
                one = Node(NodeType.CallCell, *given)
            self.tree.add(one, made)
        return made

    def _function(self, code, targets, func, args, kwargs, name, called, call) -> CallFunction:
        leaf = CallFunction(targets, func, args, kwargs, name, code, instance=called)
        if self._own_method(call.func):
            method = inspect.getattr_static(self.tree.cls, name)
            if isinstance(method, FunctionType):
                made = self.read_function(method, self.tree, name)
                return CallFunction(targets, func, args, kwargs, name, code, *made, instance=called,
                                    method=True)
            return CallFunction(targets, func, args, kwargs, name, code)
        if inspect.isclass(called) or called is getattr(builtins, name, None):
            return CallFunction(targets, func, args, kwargs, name, code)
        if not isinstance(called, FunctionType) or is_third_party(called):
            return leaf
        if called in self.tree.root.reading:
            leaf.again = self.tree.root.reading[called]
            return leaf
        own = is_ms_function(called)
        source = operator_source(called) if own else self.read_function(called, self.tree)
        if source is None or called in self._function_parse_black_list:
            return leaf
        if not isinstance(call.func, ast.Name):
            name = f"{name}_opt"
        own = self.tree.unique_func_name(name)
        call.func = ast.Name(own, ast.Load())
        return CallFunction(targets, _name(own), args, kwargs, own, code, *source, instance=called)

    def _own_method(self, func: ast.expr) -> bool:
        if not isinstance(func, ast.Attribute) or ast.unparse(func.value) != "self":
            return False
        return hasattr(self.tree.cls, func.attr) and func.attr not in self.tree.network.__dict__

    def value_of(self, code: ast.expr):
        """What an expression of ``self`` and globals stands for; None where that is not known beforehand."""
        names = {n.id for n in ast.walk(code) if isinstance(n, ast.Name)}
        if any(isinstance(n, ast.Call) for n in ast.walk(code)):
            return None
        if not names <= {"self", *self.world, *dir(builtins)} - self.tree.locals:
            return None
        try:
            text = compile(ast.Expression(code), "<rewrite>", "eval")
            return eval(text, self.world, {"self": self.tree.network})
        except Exception:
            return None


def is_container(value) -> bool:
    """Whether a loop over a value goes over Cells."""
    if isinstance(value, (CellList, SequentialCell)):
        return True
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, Cell) for one in value)


def operator_source(called):
    """What a function of MindSpore does, where it is the call of one Primitive: (code, what it sees)."""
    name = called.__name__
    known = OPS.get(name)
    if known is None or known.functional is not called or known.primitive is None or known.primitive._init:
        return None
    given = ", ".join(inspect.signature(called).parameters)
    text = f"def {name}({given}):\n    {name}_op_var = {name}_op({given})\n    return {name}_op_var\n"
    return ast.parse(text).body[0], {"__name__": called.__module__, f"{name}_op": _made(known.primitive)}


@cache
def _made(primitive: type) -> Primitive:
    return primitive()


def function_source(called: FunctionType) -> ast.FunctionDef:
    """The code of a function. OSError where there is none."""
    found = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(called)))).body[0]
    if not isinstance(found, ast.FunctionDef):
        raise OSError("no function")
    return found


def _name(text: str) -> ScopedValue:
    scope, _, name = text.rpartition(".")
    return ScopedValue.create_naming_value(name, scope)


def _targets(target: ast.expr) -> list[ScopedValue]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [one for inner in target.elts for one in _targets(inner)]
    return [ScopedValue.of_code(target)]
