"""What MindSpore's compiler knows as a constant in a function, and what only the running graph tells.

Constants are literals, attributes and global values but Parameters, shapes and dtypes, and what is computed
of constants: in Python of anything, of Tensors by the operators that the compiler folds. Arguments are
constants unless they are Tensors or `mutable`, which a call alone tells: `Constants.of` gives the arguments
that an expression hangs on.
"""

from __future__ import annotations

import ast
import builtins

import torch

from ms2torch._core.operators.registry import Primitive
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.mutable import is_mutable
from ms2torch.common.parameter import Parameter

# Of a Tensor known beforehand whatever is in it.
_DESCRIBED = frozenset({"shape", "ndim", "dtype", "size", "itemsize", "nbytes", "strides"})
_DESCRIBING = frozenset({
    "shape", "rank", "dtype", "size", "numel", "dim", "nelement", "typeof", "is_tensor", "is_floating_point",
    "ones_like", "full_like", "OnesLike", "Shape", "DType", "Rank", "Size", "isconstant", "len", "isinstance",
    "hasattr", "callable", "keys",
})
# Operators of constants that the compiler computes, by their names as functions, methods and Primitives.
_FOLDED = frozenset({
    "abs", "neg", "sqrt", "log", "reciprocal", "softmax", "add", "sub", "mul", "div", "minimum", "equal",
    "gt", "not_equal", "less", "greater", "greater_equal", "less_equal", "select", "where", "reduce_sum",
    "sum", "reduce_max", "reduce_mean", "max", "min", "prod", "mean", "any", "concat", "cat", "stack",
    "reshape", "view", "flatten", "tile", "broadcast_to", "cast", "astype", "to", "int", "float", "bool",
    "zeros", "ones", "full", "fill", "arange", "range", "diag", "scalar_to_tensor", "scalar_cast",
    "tuple_to_array", "tensor", "Tensor", "copy", "identity", "stop_gradient", "depend", "array", "asnumpy",
    "tolist", "item",
    "ReduceSum", "Add", "Concat", "Cast", "Greater", "Fill", "TupleToArray", "ScalarToTensor", "Ones",
    "Zeros",
})
_REDUCING = frozenset({"sum", "mean", "max", "min", "prod", "any", "reduce_sum", "reduce_max", "reduce_mean"})
_NEVER_FOLDED = (ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.BitAnd, ast.BitOr, ast.BitXor)
# With a number beside it these are folded of a Tensor of one element alone.
_OF_ONE = (ast.Add, ast.Sub, ast.Gt, ast.GtE, ast.LtE, ast.NotEq)
NOTHING: frozenset = frozenset()
# The modules of what the package defines, some of which bear MindSpore's name.
_OURS = ("ms2torch", "mindspore.")
# Stands among the arguments for what the source does not tell.
UNSURE = "?"


class Varies(Exception):
    """An expression that is no constant, whatever the arguments are."""


class Constants:
    """The constants of one function. ``value_of`` tells what an outer name or an attribute holds, ``api``
    what a name or an attribute of any module means, ``decided`` the truth of a condition, None if unknown;
    ``outer``: those of the function around."""

    def __init__(self, function, value_of, api, decided, outer: Constants | None = None) -> None:
        self._value_of, self._api, self._decided, self._outer = value_of, api, decided, outer
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs,
                 *filter(None, (arguments.vararg, arguments.kwarg))]
        self.arguments = {a.arg for a in every}
        self._bound: dict[str, list] = {}
        body = function.body if isinstance(function.body, list) else [function.body]
        self._walk(body, ())
        self._asked: set = set()

    # ---- what names are bound to

    def _walk(self, nodes, tests: tuple) -> None:
        """Note what each name is bound to, and the conditions under which."""
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                self._bound.setdefault(getattr(node, "name", ""), [])
                continue
            if isinstance(node, ast.While):         # (what follows an `if` is compiled for either branch)
                self._walk([node.test], tests)
                self._walk([*node.body, *node.orelse], (*tests, node.test))
                continue
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, (node.value, *tests))
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                self._bind(node.target, (node.value, *tests))
            elif isinstance(node, (ast.For, ast.comprehension)):
                self._bind(node.target, (node.iter, *tests))
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(
                    node.value.func, ast.Attribute):        # l.append(x)
                self._bind(node.value.func.value, (*node.value.args, *tests))
            self._walk(ast.iter_child_nodes(node), tests)

    def _bind(self, target, sources: tuple) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            value = sources[0]
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) and not any(
                    isinstance(n, ast.Starred) for n in (*value.elts, *target.elts)):
                for element, part in zip(target.elts, value.elts, strict=True):
                    self._bind(element, (part, *sources[1:]))
                return
            for element in target.elts:
                self._bind(element, sources)
        elif isinstance(target, (ast.Starred, ast.Subscript)):
            more = (target.slice,) if isinstance(target, ast.Subscript) else ()
            self._bind(target.value, (*sources, *more))
        elif isinstance(target, ast.Name):
            self._bound.setdefault(target.id, []).extend(sources)

    # ---- what is asked

    def of(self, *nodes) -> frozenset | None:
        """The arguments that decide whether all of some expressions are constants; None: one never is."""
        try:
            return NOTHING.union(*(self._of(n)[0] for n in nodes))
        except Varies:
            return None

    def length(self, node) -> frozenset | None:
        """The same for whether the length of a sequence is fixed."""
        try:
            return self._length(node)
        except Varies:
            return None

    def _of(self, node) -> tuple:
        """(The arguments that an expression hangs on, "one" or "many" elements where it is a Tensor)."""
        told = getattr(self, f"_{type(node).__name__}", None)
        return told(node) if told is not None else self._all(ast.iter_child_nodes(node))

    def _all(self, nodes) -> tuple:
        parts = [n for n in nodes if isinstance(n, (ast.expr, ast.keyword, ast.comprehension))]
        return NOTHING.union(*(self._of(n)[0] for n in parts)), None

    def _Constant(self, node):
        return NOTHING, None

    def _Lambda(self, node):
        raise Varies

    def _Name(self, node):
        name, scope = node.id, self
        while scope is not None and name not in scope.arguments and name not in scope._bound:
            scope = scope._outer
        if scope is None:
            return self._held(self._value_of(node))
        return scope._local(name)

    def _local(self, name: str) -> tuple:
        hangs, kind = (frozenset({name}) if name in self.arguments else NOTHING), None
        if name not in self._asked:
            self._asked.add(name)
            try:
                for source in self._bound.get(name, ()):
                    found, kind = self._of(source)
                    hangs |= found
            finally:
                self._asked.discard(name)
        return hangs, kind

    def _held(self, value) -> tuple:
        """What an attribute or a global name holds."""
        if isinstance(value, (Parameter, torch.nn.Parameter)) or is_mutable(value):
            raise Varies
        if isinstance(value, Tensor):
            return NOTHING, "one" if value.size == 1 else "many"
        return NOTHING, None

    def _Attribute(self, node):
        if node.attr in _DESCRIBED:
            return NOTHING, None
        value = self._value_of(node)
        if value is not None:
            return self._held(value)
        return self._of(node.value)[0], None

    def _Call(self, node):
        func = node.func
        name = getattr(func, "attr", getattr(func, "id", None))
        given = [*node.args, *(k.value for k in node.keywords)]
        value = self._meaning(func)
        if name == "mutable" or isinstance(value, torch.nn.Module):
            raise Varies
        ours = isinstance(value, Primitive) or (
            getattr(value, "__module__", None) or "").startswith(_OURS)
        if isinstance(value, Primitive):
            name = type(value).__name__
        elif isinstance(func, ast.Call):                    # ops.Add()(x, y)
            inner = self._meaning(func.func)
            if isinstance(inner, type) and issubclass(inner, Primitive):
                ours, name = True, inner.__name__
        of_tensor = value is None and isinstance(func, ast.Attribute)
        if name in _DESCRIBING and (ours or of_tensor or hasattr(builtins, name)):
            return NOTHING, None
        hangs, kinds = NOTHING, []
        for part in (*([func.value] if of_tensor else []), *given):
            found, kind = self._of(part)
            hangs |= found
            kinds.append(kind)
        if ours or (of_tensor and hasattr(Tensor, name) and kinds[0] is not None):
            if name not in _FOLDED:
                raise Varies
            return hangs, "one" if name in _REDUCING else _wider(kinds) or "many"
        known = (Tensor, dict) if of_tensor else (builtins,)
        if not (ours or any(hasattr(where, name or "") for where in known)):
            hangs |= {UNSURE}                      # a function of the program may give a shape
        return hangs, None

    def _meaning(self, func):
        if isinstance(func, ast.Name) and (func.id in self.arguments or func.id in self._bound):
            return None
        value = self._api(func) if isinstance(func, (ast.Name, ast.Attribute)) else None
        return self._value_of(func) if value is None and isinstance(func, ast.Attribute) else value

    def _BinOp(self, node):
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and (
                node.left.value.__class__ is str and any(isinstance(n, ast.Attribute) and n.attr in _DESCRIBED
                                                         for n in ast.walk(node.right))):
            raise Varies                            # (Python makes such a text)
        (one, kind), (other, second) = self._of(node.left), self._of(node.right)
        return one | other, _folded(node.op, kind, second)

    def _UnaryOp(self, node):
        hangs, kind = self._of(node.operand)
        if kind is not None and isinstance(node.op, ast.Invert):
            raise Varies
        return hangs, kind

    def _Compare(self, node):
        if all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            return NOTHING, None
        parts = [self._of(n) for n in (node.left, *node.comparators)]
        kinds = [kind for _, kind in parts]
        for op, kind, second in zip(node.ops, kinds, kinds[1:], strict=False):
            if not isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
                kind = _folded(op, kind, second)
        return NOTHING.union(*(found for found, _ in parts)), _wider(kinds)

    def _BoolOp(self, node):
        values = []
        for value in node.values:
            values.append(value)
            if self._decided(value) is isinstance(node.op, ast.Or):
                break
        return self._all(values)[0], None

    def _Subscript(self, node):
        value, index = node.value, node.slice
        if isinstance(value, ast.Name) and value.id not in self.arguments:
            display = self._bound.get(value.id, ())
            if len(display) == 1 and isinstance(display[0], (ast.Tuple, ast.List, ast.Dict)):
                value = display[0]
        if isinstance(index, ast.Constant):         # (1, x)[0]
            if isinstance(value, (ast.Tuple, ast.List)) and index.value.__class__ is int and (
                    -len(value.elts) <= index.value < len(value.elts)):
                return self._of(value.elts[index.value])
            if isinstance(value, ast.Dict):
                for key, item in zip(value.keys, value.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == index.value:
                        return self._of(item)
        hangs, kind = self._of(value)
        if kind is not None:
            raise Varies
        return hangs | self._of(index)[0], None

    # ---- lengths

    def _length(self, node) -> frozenset:
        if isinstance(node, ast.Call):
            return self._length_of_call(node)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Mult):       # a sequence by a number
                pair = (node.right, node.left) if isinstance(node.left, ast.Constant) else (
                    node.left, node.right)
                return self._length(pair[0]) | self._of(pair[1])[0]
            return self._length(node.left) | self._length(node.right)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._length(node.value) | self._all(ast.iter_child_nodes(node.slice))[0]
        if isinstance(node, ast.Name) and node.id in self._bound and node.id not in self._asked:
            self._asked.add(node.id)
            try:
                return NOTHING.union(*map(self._length, self._bound[node.id]))
            finally:
                self._asked.discard(node.id)
        if isinstance(node, ast.Name) and node.id in self.arguments:
            return frozenset({node.id})
        return NOTHING

    def _length_of_call(self, node):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name == "mutable":
            more = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords), None)
            if isinstance(more, ast.Constant) and more.value is True:
                raise Varies
            return NOTHING
        if name == "range":
            return self._all(node.args)[0]
        return NOTHING.union(*map(self._length, node.args)) if name in ("list", "tuple") else NOTHING


def _wider(kinds):
    return "many" if "many" in kinds else "one" if "one" in kinds else None


def _folded(op, kind, second):
    """What becomes of two operands of which one may be a Tensor; Varies where the compiler computes none."""
    if kind is None and second is None:
        return None
    if isinstance(op, _NEVER_FOLDED) or (
            isinstance(op, _OF_ONE) and None in (kind, second) and "many" in (kind, second)):
        raise Varies
    return _wider((kind, second))
