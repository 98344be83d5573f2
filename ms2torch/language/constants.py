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
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.mutable import is_mutable
from ms2torch.common.parameter import Parameter
from ms2torch.language import names
from ms2torch.language.builtin_functions import abstract_text
from ms2torch.language.trees import placed

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
_NOTHING: frozenset = frozenset()
# Stands among the arguments for what the source does not tell.
_UNSURE = "?"


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
            return _NOTHING.union(*(self._of(n)[0] for n in nodes))
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
        return _NOTHING.union(*(self._of(n)[0] for n in parts)), None

    def _Constant(self, node):
        return _NOTHING, None

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
        hangs, kind = (frozenset({name}) if name in self.arguments else _NOTHING), None
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
            return _NOTHING, "one" if value.size == 1 else "many"
        return _NOTHING, None

    def _Attribute(self, node):
        if node.attr in _DESCRIBED:
            return _NOTHING, None
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
            getattr(value, "__module__", None) or "").startswith("ms2torch")
        if isinstance(value, Primitive):
            name = type(value).__name__
        elif isinstance(func, ast.Call):                    # ops.Add()(x, y)
            inner = self._meaning(func.func)
            if isinstance(inner, type) and issubclass(inner, Primitive):
                ours, name = True, inner.__name__
        of_tensor = value is None and isinstance(func, ast.Attribute)
        if name in _DESCRIBING and (ours or of_tensor or hasattr(builtins, name)):
            return _NOTHING, None
        hangs, kinds = _NOTHING, []
        for part in (*([func.value] if of_tensor else []), *given):
            found, kind = self._of(part)
            hangs |= found
            kinds.append(kind)
        if ours or (of_tensor and hasattr(Tensor, name) and kinds[0] is not None):
            if name not in _FOLDED:
                raise Varies
            return hangs, "one" if name in _REDUCING else _wider(kinds) or "many"
        if not (ours or hasattr(Tensor if of_tensor else builtins, name or "")):
            hangs |= {_UNSURE}                      # a function of the program may give a shape
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
            return _NOTHING, None
        parts = [self._of(n) for n in (node.left, *node.comparators)]
        kinds = [kind for _, kind in parts]
        for op, kind, second in zip(node.ops, kinds, kinds[1:], strict=False):
            if not isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
                kind = _folded(op, kind, second)
        return _NOTHING.union(*(found for found, _ in parts)), _wider(kinds)

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
                return _NOTHING.union(*map(self._length, self._bound[node.id]))
            finally:
                self._asked.discard(node.id)
        if isinstance(node, ast.Name) and node.id in self.arguments:
            return frozenset({node.id})
        return _NOTHING

    def _length_of_call(self, node):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name == "mutable":
            more = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords), None)
            if isinstance(more, ast.Constant) and more.value is True:
                raise Varies
            return _NOTHING
        if name == "range":
            return self._all(node.args)[0]
        return _NOTHING.union(*map(self._length, node.args)) if name in ("list", "tuple") else _NOTHING


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


# ---- while a graph runs ------------------------------------------------------------------------------------


def is_variable(value) -> bool:
    """Whether what a function is called with is no constant: a Tensor or something `mutable`, or what holds
    some, but for the tuples, lists and dicts that a graph is given."""
    if isinstance(value, Tensor):
        return not value.const_arg
    if is_mutable(value):
        return True
    if isinstance(value, (tuple, list, dict)):
        call = graph_streams.here.call
        if call is not None and call.was_given(value):
            return False
        return any(map(is_variable, value.values() if isinstance(value, dict) else value))
    return False


def of_instance(kind: str, number: int, name: str | None, value, is_known: bool):
    """``value``, with which an instance of a ``jit_class`` is made; TypeError where it is no constant."""
    if is_known or callable(value) or not is_variable(value):
        return value
    text = abstract_text(value) if isinstance(value, Tensor) else (
        f"{abstract_text(value).partition(', Value')[0]}, Value: ValueAny, Shape: NoShape)")
    text = text if name is None else f"AbstractKeywordArg(key: {name}, value: {text})"
    raise TypeError(f"When creating an instance of '{kind}', all arguments are required to be constants, but "
                    f"input {number} is a variable, which is {text}.")


def known(*given) -> bool:
    """Whether what hangs on the arguments ``given`` is a constant."""
    return not any(map(is_variable, given))


def of_one_length(*given) -> bool:
    """Whether the length of a sequence that hangs on the arguments ``given`` is fixed."""
    return not any(getattr(v, "__ms_dynamic_len__", False) or (
        not isinstance(v, (tuple, list)) and is_variable(v)) for v in given)


_ASKS = {"value": "IsShapeUnKnown", "length": "IsDimUnKnown", "element": "IsElementUnknown"}


def told_of(asked: str, sequence, is_known: bool) -> bool:
    """Whether something is a constant, or whether the values or the length of a sequence are unknown to the
    compiler, or its elements' type."""
    if asked == "constant":
        return is_known
    if not isinstance(sequence, (tuple, list)):
        raise TypeError(
            f"The input of {_ASKS[asked]} should be tuple or list but got {abstract_text(sequence)}.")
    if asked == "element" and is_known:
        raise TypeError(f"The input of {_ASKS[asked]} should be variable length sequence.")
    return not is_known and (asked != "element" or not sequence)


def constant(value, is_known: bool):
    """What a function that takes constants gets: None for any other number, text or sequence."""
    return value if is_known or isinstance(value, Tensor) else None


# ---- rewriting ---------------------------------------------------------------------------------------------

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def left_under(statement) -> list:
    """The conditions that decide what follows a statement: of each branch MindSpore compiles it anew."""
    if isinstance(statement, ast.For):
        return [t for s in statement.body for t in left_under(s)] if _leaves(statement) else []
    if not isinstance(statement, (ast.If, ast.While)):
        return []
    return [statement.test, *(t for s in (*statement.body, *statement.orelse) for t in left_under(s))]


def _leaves(node) -> bool:
    return any(isinstance(n, _LEAVING) or (not isinstance(n, (ast.FunctionDef, ast.Lambda)) and _leaves(n))
               for n in ast.iter_child_nodes(node))


def asked_by(function):
    """What a function or a class asks of the constants: None for most."""
    if isinstance(function, type):
        return "instance" if hasattr(function, "__ms_class__") else None
    return getattr(function, "_of_constants", None)


class Knowing:
    """Part of `Rewriting`: where it matters whether something is a constant, the copy is told."""

    def _asks_for_constants(self, function) -> bool:
        return any(
            isinstance(n, (ast.Raise, ast.Assert))
            or (isinstance(n, ast.Call) and asked_by(self.api(n.func)))
            for n in ast.walk(function))

    def _constants(self) -> Constants:
        """The constants of the innermost function."""
        found = None
        for scope in self.scopes:
            if scope[1] is None:
                scope[1] = Constants(scope[0], self._member_or_value, self.api, self._decided, found)
            found = scope[1]
        return found

    def _decided(self, test):
        """The truth of a condition that is decided before anything runs; None for any other."""
        try:
            return names.decided(test, self.owner, self.self_name)
        except (names.Unknown, names.Unsure):
            return None

    def _member_or_value(self, node):
        """What a name or an attribute holds, the Cell's Parameters and Cells too."""
        value = self._value_of(node)
        if value is None and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (
                node.value.id == self.self_name):
            held = getattr(self.owner, "__dict__", {})
            return held.get("_parameters", {}).get(node.attr, held.get("_modules", {}).get(node.attr))
        return value

    def _told(self, hangs: frozenset | None, at, name="known", ask=None):
        """An expression for whether what hangs on arguments is a constant."""
        names_of = sorted((hangs or _NOTHING) - {_UNSURE})
        if not names_of:
            return placed(ast.Constant(hangs is not None), at)
        return self.call(name, ask or known, [ast.Name(n, ast.Load()) for n in names_of], at)

    def _may_vary(self, *nodes) -> list:
        """For each expression what it hangs on; nothing where the source does not tell all."""
        found = map(self._constants().of, nodes)
        return [_NOTHING if hangs and _UNSURE in hangs else hangs for hangs in found]

    def _running(self, *nodes):
        """An expression for whether the graph has to run before it comes to a place that needs ``nodes``."""
        at = nodes[0] if nodes else self.scopes[-1][0].body[0]
        told = self._told(self._constants().of(*filter(None, self.conditions), *nodes), at)
        return placed(ast.UnaryOp(ast.Not(), told), at)

    def _of_constants(self, node, asked: str):
        """A call of what asks whether its argument is a constant, or of what takes constants alone."""
        if asked == "instance":
            return self._made_of_constants(node)
        if asked == "constexpr":
            hangs = self._may_vary(*node.args)
            node = self.generic_visit(node)
            node.args = [a if found == _NOTHING or isinstance(a, ast.Starred) else self.call(
                "constant", constant, [a, self._told(found, a)], a) for a, found in zip(
                    node.args, hangs, strict=True)]
            return node
        if len(node.args) != 1 or node.keywords:
            return self.generic_visit(node)
        known_by = self._constants()
        if asked in ("constant", "value"):
            told = self._told(known_by.of(node.args[0]), node)
        else:
            told = self._told(known_by.length(node.args[0]), node, "of_one_length", of_one_length)
        args = [placed(ast.Constant(asked), node), self.visit(node.args[0]), told]
        return self.call("told", told_of, args, node)

    def _made_of_constants(self, node):
        """A call that makes an instance of a ``jit_class``."""
        kind = self.api(node.func).__name__
        hangs = self._may_vary(*node.args, *(k.value for k in node.keywords))
        node, made = self.generic_visit(node), []
        for number, (part, found) in enumerate(zip([*node.args, *node.keywords], hangs, strict=True)):
            keyword = isinstance(part, ast.keyword)
            if found != _NOTHING and not isinstance(part, ast.Starred) and not (keyword and part.arg is None):
                value = part.value if keyword else part
                told = [ast.Constant(kind), ast.Constant(number), ast.Constant(part.arg if keyword else None)]
                value = self.call("of_instance", of_instance, [*told, value, self._told(found, value)], value)
                part = placed(ast.keyword(part.arg, value), node) if keyword else value
            made.append(part)
        count = len(node.args)
        node.args, node.keywords = made[:count], made[count:]
        return node
