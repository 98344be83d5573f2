"""The statements of a ``construct``: one call or operator each, and what they are."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass, field
from types import FunctionType

from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.container import CellList, SequentialCell
from ms2torch.ops.primitive import Primitive

from .api.node_type import NodeType
from .common.namespace import _subtree_black_list

_OURS = ("ms2torch.", "mindspore.")


@dataclass(eq=False)
class Statement:
    """A statement (``code``), or an argument of the function (``parameter``), with its name in the tree."""

    kind: NodeType
    name: str
    code: ast.stmt | None = None
    parameter: str = ""
    instance: object = None                                # the Cell, Primitive or function that it calls
    tree: Parsed | None = None
    inner: Parsed | None = None                            # of a network inside
    bodies: list[list[Statement]] = field(default_factory=list)
    test: ast.expr | None = None                           # of an ``if``, as the program wrote it
    attributes: dict = field(default_factory=dict)

    def slots(self) -> list[tuple]:
        """Where its arguments are: (owner, attribute or index)."""
        code = self.code
        if isinstance(code, ast.Return):
            return [(code, "value")] if code.value is not None else []
        if isinstance(code, (ast.If, ast.While)):
            return [(code, "test")]
        if isinstance(code, ast.For):
            return [(code, "iter")]
        return _slots(code, code.value) if isinstance(code, ast.Assign) else []

    def keywords(self) -> dict[str, ast.keyword]:
        """Its arguments by keyword."""
        call = self.code.value if isinstance(self.code, ast.Assign) else None
        given = call.keywords if isinstance(call, ast.Call) else ()
        return {one.arg: one for one in given if one.arg}

    def targets(self) -> list[ast.expr]:
        """What it assigns to."""
        if self.parameter:
            return [ast.Name(self.parameter)]
        target = self.code.targets[0] if isinstance(self.code, ast.Assign) else None
        return list(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target] if target else []


def read(slot: tuple) -> ast.expr:
    """The expression of a slot."""
    owner, at = slot
    return owner[at] if isinstance(owner, list) else getattr(owner, at)


def write(slot: tuple, code: ast.expr) -> None:
    """Put an expression into a slot."""
    owner, at = slot
    if isinstance(owner, list):
        owner[at] = code
    else:
        setattr(owner, at, code)


def _slots(owner, value: ast.expr) -> list[tuple]:
    match value:
        case ast.Call():
            return [(value.args, i) for i in range(len(value.args))]
        case ast.BinOp():
            return [(value, "left"), (value, "right")]
        case ast.UnaryOp():
            return [(value, "operand")]
        case ast.Compare():
            return [(value, "left"), *((value.comparators, i) for i in range(len(value.comparators)))]
        case ast.Tuple() | ast.List():
            return [(value.elts, i) for i in range(len(value.elts))]
        case ast.Subscript():
            return [(value, "value")]
        case ast.Name() | ast.Attribute() | ast.Constant():
            return [(owner, "value")]
    return []


def _is_plain(value: ast.expr) -> bool:
    """Whether an argument stays as it is: a name, an attribute of one, a constant; or what has its own order
    of evaluation."""
    if isinstance(value, ast.Attribute):
        return _is_plain(value.value) and not isinstance(value.value, ast.Constant)
    return not isinstance(value, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple, ast.List,
                                  ast.Subscript))


class Parsed:
    """A network and the statements of its ``construct``."""

    def __init__(self, network: Cell) -> None:
        self.network, self.cls = network, type(network)
        construct = inspect.unwrap(self.cls.construct)
        source = textwrap.dedent(inspect.getsource(construct))
        self.function: ast.FunctionDef = _OwnSuper(self.cls.__name__).visit(ast.parse(source).body[0])
        self.function.decorator_list = []
        known = inspect.getclosurevars(construct).nonlocals
        self.namespace = {**construct.__globals__, **known, self.cls.__name__: self.cls}
        self.functions: dict[str, object] = {}             # that were inserted
        self.cells: list[str] = []                         # attributes that were inserted
        self.names: set[str] = set()                       # of nodes
        self.variables = {n.id for n in ast.walk(self.function) if isinstance(n, ast.Name)}
        given = self.function.args
        self.statements = [self.parameter(one.arg) for one in (*given.posonlyargs, *given.args)[1:]]
        self.variables.update(one.parameter for one in self.statements)
        body = self.function.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        self.statements += self._several(body)

    # ---- names -----------------------------------------------------------------------------------------

    def node_name(self, wanted: str) -> str:
        """``wanted``, with a number where a node has that name."""
        name = _numbered(wanted, self.names)
        self.names.add(name)
        return name

    def variable(self, wanted: str) -> str:
        """``wanted``, with a number where a variable has that name."""
        name = _numbered(wanted, self.variables)
        self.variables.add(name)
        return name

    # ---- reading ---------------------------------------------------------------------------------------

    def parameter(self, name: str) -> Statement:
        """The statement of an argument."""
        return Statement(NodeType.Input, self.node_name(f"input_{name}"), parameter=name, tree=self)

    def _several(self, codes: list[ast.stmt]) -> list[Statement]:
        found: list[Statement] = []
        for code in codes:
            found += self._single(code)
        return found

    def _single(self, code: ast.stmt) -> list[Statement]:
        before: list[Statement] = []
        if isinstance(code, ast.Assign) and len(code.targets) == 1:
            self._simplify(code, code.value, before)
            return [*before, self.statement(code)]
        if isinstance(code, ast.Return):
            if code.value is not None and not _is_plain(code.value):
                code.value = self._named(code.value, before)
            name = self.node_name("return")
            return [*before, Statement(NodeType.Output, name, code, tree=self)]
        if isinstance(code, (ast.If, ast.For, ast.While)):
            test = code.test if isinstance(code, ast.If) else None
            if isinstance(code, ast.If) and not _is_plain(test):
                code.test = self._named(test, before)
            name = self.node_name(f"{type(code).__name__.lower()}_node")
            made = Statement(NodeType.ControlFlow, name, code, tree=self, test=test)
            made.bodies = [self._several(code.body), self._several(code.orelse)]
            return [*before, made]
        return [Statement(NodeType.Python, self.node_name(type(code).__name__), code, tree=self)]

    def _simplify(self, owner, value: ast.expr, before: list[Statement]) -> None:
        """Compute the arguments of an operation in statements of their own, in Python's order."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not _is_plain(
                value.func.value):
            value.func.value = self._named(value.func.value, before)
        slots = _slots(owner, value)
        if isinstance(value, ast.Compare) and len(value.comparators) > 1:
            slots = []                                     # later ones may not be evaluated
        if isinstance(value, ast.Call):
            slots += [(one, "value") for one in value.keywords]
        for slot in slots:
            if not _is_plain(read(slot)):
                write(slot, self._named(read(slot), before))

    def _named(self, value: ast.expr, before: list[Statement]) -> ast.Name:
        """A name for an expression's value, assigned in a statement before."""
        self._simplify(None, value, before)
        target = self.variable(f"{_word(value)}_var")
        code = ast.Assign([ast.Name(target, ast.Store())], value, lineno=0)
        before.append(self.statement(code))
        return ast.Name(target, ast.Load())

    def statement(self, code: ast.Assign) -> Statement:
        """The statement of an assignment, by what it computes."""
        kind, name, instance = self._kind(code.value)
        made = Statement(kind, self.node_name(name), code, instance=instance, tree=self)
        if kind is NodeType.Tree:
            try:
                made.inner = Parsed(instance)
            except (OSError, TypeError, SyntaxError):      # its source can not be read
                made.kind = NodeType.CallCell
        elif kind is NodeType.CellContainer and isinstance(instance, SequentialCell):
            made.bodies = [[Statement(NodeType.CallCell, self.node_name(type(cell).__name__), code,
                                      instance=cell, tree=self) for cell in instance]]
        return made

    def _kind(self, value: ast.expr) -> tuple[NodeType, str, object]:
        match value:
            case ast.Call():
                return self._call(value)
            case ast.BinOp() | ast.UnaryOp() | ast.BoolOp():
                return NodeType.MathOps, f"{type(value).__name__.lower()}_{_word(value)}", None
            case ast.Compare():
                return NodeType.MathOps, f"compare_{type(value.ops[0]).__name__.lower()}", None
            case ast.Tuple() | ast.List() | ast.Dict():
                return NodeType.CallMethod, _word(value), None
            case ast.Subscript():
                return NodeType.CallMethod, "subscript_var", None
            case ast.Name() | ast.Attribute() | ast.Constant():
                return NodeType.CallMethod, f"{type(value).__name__.lower()}_assign", None
        return NodeType.Python, "Assign", None

    def _call(self, call: ast.Call) -> tuple[NodeType, str, object]:
        name, called = _word(call), self.value_of(call.func)
        if isinstance(called, (SequentialCell, CellList)):
            return NodeType.CellContainer, name, called
        if isinstance(called, Cell):
            readable = self._is_readable(call.func, called)
            return NodeType.Tree if readable else NodeType.CallCell, name, called
        if isinstance(called, Primitive):
            return NodeType.CallPrimitive, name, called
        local = isinstance(call.func, ast.Attribute) and not callable(called)
        if local or (isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "self"):
            return NodeType.CallMethod, name, None
        return NodeType.CallFunction, name, called

    def _is_readable(self, func: ast.expr, cell: Cell) -> bool:
        """Whether a Cell is a network of the program's own that one attribute holds."""
        if isinstance(cell, tuple(_subtree_black_list)) or not isinstance(func, ast.Attribute):
            return False
        if type(cell).__module__.startswith(_OURS) or not isinstance(func.value, ast.Name):
            return False
        return isinstance(inspect.unwrap(type(cell).construct), FunctionType)

    def value_of(self, code: ast.expr):
        """What an expression of ``self`` and globals stands for; None where that is not known beforehand."""
        names = {n.id for n in ast.walk(code) if isinstance(n, ast.Name)}
        if any(isinstance(n, ast.Call) for n in ast.walk(code)):
            return None
        if "self" not in names and not names <= self.namespace.keys():
            return None
        try:
            return eval(compile(ast.Expression(code), "<rewrite>", "eval"), self.namespace,
                        {"self": self.network})
        except Exception:
            return None


class _OwnSuper(ast.NodeTransformer):
    """``super()`` as it is said in a subclass of the class that says it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Call(self, node: ast.Call):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.Name(self.name, ast.Load()), ast.Name("self", ast.Load())]
        return node


def _word(value: ast.expr) -> str:
    """The word by which an expression's node and variable are called."""
    if isinstance(value, ast.Call):
        func = value.func
        return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "call")
    if isinstance(value, (ast.BinOp, ast.UnaryOp, ast.BoolOp)):
        return type(value.op).__name__.lower()
    return type(value).__name__.lower()


def _numbered(wanted: str, taken) -> str:
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name
