"""What the value of an expression is, as far as that is told without running anything.

Enough for tests of versions (``version.parse(ms.__version__) >= version.parse("2.0")``) and for the
tests by which ms2torch itself refuses an argument.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable


class _Unknown:
    """Stands for a value that is not told."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("an unknown value is neither true nor false")


UNKNOWN = _Unknown()


class Version(tuple):
    """A release as packages compare it: ``2.3.0rc1`` is (2, 3, 0)."""

    def __new__(cls, text: str) -> Version:
        numbers = [int(n) for n in re.findall(r"\d+", re.split(r"[a-z+-]", str(text).lower().strip("rv"))[0])]
        while numbers and numbers[-1] == 0:
            numbers.pop()
        return super().__new__(cls, numbers)

    major = property(lambda self: (*self, 0)[0])
    minor = property(lambda self: (*self, 0, 0)[1])
    micro = property(lambda self: (*self, 0, 0, 0)[2])
    release = property(lambda self: (*self, 0, 0, 0)[:3])
    version = property(list)


_COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_UNARY = {ast.Not: operator.not_, ast.USub: operator.neg, ast.UAdd: operator.pos}
_MAKERS = {
    "parse": Version,
    "Version": Version,
    "LooseVersion": Version,
    "StrictVersion": Version,
    "parse_version": Version,
    "V": Version,
}
_FUNCTIONS = {
    "int": int,
    "float": float,
    "str": str,
    "tuple": tuple,
    "list": list,
    "set": set,
    "len": len,
    "bool": bool,
    "map": lambda f, *xs: list(map(f, *xs)),
    "isinstance": isinstance,
}
_METHODS_NAMES = """
split startswith endswith strip lower upper replace partition removeprefix rstrip lstrip rpartition
get
"""
_METHODS = frozenset(_METHODS_NAMES.split())
# The names of all functions and methods whose calls may have a value that is told.
CALLED = _METHODS | {*_MAKERS, *_FUNCTIONS}
_PLAIN = (str, int, float, tuple, list, dict, set, frozenset, bytes, type(None))


def evaluate(node: ast.AST, look: Callable[[ast.AST], object]):
    """The value of an expression, or UNKNOWN; ``look`` gives those of names and attributes."""
    try:
        return _value(node, look)
    except Exception:
        return UNKNOWN  # an expression that would raise settles nothing


def _value(node, look):
    match node:
        case ast.Constant():
            return node.value
        case ast.Name() | ast.Attribute():
            return _named(node, look)
        case ast.Tuple() | ast.List() | ast.Set():
            values = [_value(item, look) for item in node.elts]
            known = all(v is not UNKNOWN for v in values)
            return {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)](values) if known else UNKNOWN
        case ast.Dict():
            parts = [_value(part, look) if part else UNKNOWN for part in (*node.keys, *node.values)]
            known = all(v is not UNKNOWN for v in parts)
            return dict(zip(parts, parts[len(node.keys):], strict=False)) if known else UNKNOWN
        case ast.BoolOp():
            return _of_many(node, look)
        case ast.UnaryOp():
            value = _value(node.operand, look)
            return UNKNOWN if value is UNKNOWN else _UNARY[type(node.op)](value)
        case ast.BinOp():
            left, right = _value(node.left, look), _value(node.right, look)
            return UNKNOWN if UNKNOWN in (left, right) else _BINARY[type(node.op)](left, right)
        case ast.Compare():
            return _compared(node, look)
        case ast.Subscript():
            base = _value(node.value, look)
            return UNKNOWN if base is UNKNOWN else base[_index(node.slice, look)]
        case ast.Call():
            return _called(node, look)
        case ast.JoinedStr():
            return "".join(str(_value(part, look)) for part in node.values)
        case ast.FormattedValue():
            value = _value(node.value, look)
            if value is UNKNOWN:
                raise ValueError
            return repr(value) if node.conversion == ord("r") else value
        case ast.IfExp():
            test = _value(node.test, look)
            return UNKNOWN if test is UNKNOWN else _value(node.body if test else node.orelse, look)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            values = _made(node, look)
            return set(values) if isinstance(node, ast.SetComp) else values
    return look(node)


def _made(node, look) -> list:
    """What a comprehension over one sequence makes: ``tuple(int(n) for n in version.split("."))``."""
    (part,) = node.generators
    values = []
    for item in _argument(part.iter, look):
        here = _within(part.target, item, look)
        if all(_argument(test, here) for test in part.ifs):
            values.append(_argument(node.elt, here))
    return values


def _within(target, item, look):
    """``look``, with a comprehension's variables."""
    targets, items = ([target], [item]) if isinstance(target, ast.Name) else (target.elts, item)
    names = {name.id: value for name, value in zip(targets, items, strict=True)}
    return lambda node: names[node.id] if isinstance(node, ast.Name) and node.id in names else look(node)


def _named(node, look):
    found = look(node)
    if found is UNKNOWN and isinstance(node, ast.Attribute):
        base = _value(node.value, look)
        if isinstance(base, Version) and hasattr(base, node.attr):
            return getattr(base, node.attr)
    return found


def _of_many(node: ast.BoolOp, look):
    """``and`` and ``or``: one known operand may settle it, whatever the others are."""
    decides = isinstance(node.op, ast.Or)
    values = [_value(item, look) for item in node.values]
    for value in values:
        if value is not UNKNOWN and bool(value) is decides:
            return value
    return UNKNOWN if any(v is UNKNOWN for v in values) else values[-1]


def _compared(node: ast.Compare, look):
    values = [_value(item, look) for item in (node.left, *node.comparators)]
    if any(v is UNKNOWN for v in values):
        return UNKNOWN
    return all(_COMPARE[type(op)](a, b) for op, a, b in zip(node.ops, values, values[1:], strict=False))


def _index(node, look):
    if isinstance(node, ast.Slice):
        return slice(*[part and _value(part, look) for part in (node.lower, node.upper, node.step)])
    return _value(node, look)


def _called(node: ast.Call, look):
    found = look(node)
    if found is not UNKNOWN:
        return found
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if isinstance(node.func, ast.Attribute) and name in _METHODS:
        base = _value(node.func.value, look)
        if isinstance(base, (str, dict)):
            return getattr(base, name)(*[_argument(a, look) for a in node.args])
        return UNKNOWN
    if name in _MAKERS:
        return _MAKERS[name](_argument(node.args[0], look))
    if isinstance(node.func, ast.Name) and name in _FUNCTIONS and look(node.func) is UNKNOWN:
        return _FUNCTIONS[name](*[_argument(a, look) for a in node.args])
    return UNKNOWN


def _argument(node, look):
    if isinstance(node, ast.Name) and node.id in ("int", "float", "str", "tuple", "list", "dict", "bool"):
        return {"dict": dict, **_FUNCTIONS}[node.id]
    value = _value(node, look)
    if not isinstance(value, _PLAIN):
        raise ValueError
    return value
