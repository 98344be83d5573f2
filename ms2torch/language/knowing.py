"""Where it matters whether something is a constant: what the rewritten copy of a function asks there.

`constants` tells of an expression which arguments it hangs on; a call tells whether those are constants.
"""

from __future__ import annotations

import ast

from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.mutable import is_mutable
from ms2torch.language import names, printing
from ms2torch.language.builtin_functions import abstract_text
from ms2torch.language.constants import NOTHING, UNSURE, Constants
from ms2torch.language.trees import placed

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
    if asked == "length" and hasattr(sequence, "__ms_dynamic_len__"):
        return True
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


def _items(display) -> list:
    """What a tuple, a list or a dict that is written out holds, as its node keeps it."""
    return display.values if isinstance(display, ast.Dict) else display.elts


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
            or (isinstance(n, ast.Call) and (self.builtin(n.func) == "print" or asked_by(self.api(n.func))))
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
        names_of = sorted((hangs or NOTHING) - {UNSURE})
        if not names_of:
            return placed(ast.Constant(hangs is not None), at)
        return self.call(name, ask or known, [ast.Name(n, ast.Load()) for n in names_of], at)

    def _may_vary(self, *nodes) -> list:
        """For each expression what it hangs on; nothing where the source does not tell all."""
        found = map(self._constants().of, nodes)
        return [NOTHING if hangs and UNSURE in hangs else hangs for hangs in found]

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
            node.args = [a if found == NOTHING or isinstance(a, ast.Starred) else self.call(
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

    # ---- what `print` is given: constant Tensors have a form of their own

    def _told_of_shown(self, node) -> tuple:
        """For an expression that is printed what tells whether it is a constant, or of its items; () where
        nothing does."""
        if isinstance(node, (ast.Tuple, ast.List, ast.Dict)):
            return tuple(map(self._told_of_shown, _items(node)))
        if isinstance(node, (ast.Constant, ast.JoinedStr, ast.Starred)) or self._turns(node):
            return ()
        hangs = self._constants().of(node)
        return () if hangs is None or UNSURE in hangs else (self._told(hangs, node),)

    def _turns(self, node) -> bool:
        """Whether an expression reads a name that a `while` binds: a graph that loops knows none of these."""
        stored = {n.id for loop in ast.walk(self.scopes[-1][0]) if isinstance(loop, ast.While)
                  for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return any(isinstance(n, ast.Name) and n.id in stored for n in ast.walk(node))

    def _shown(self, node, *told):
        """What ``print`` gets for an expression, visited, of which `_told_of_shown` told."""
        if isinstance(node, (ast.Tuple, ast.List, ast.Dict)):
            items = _items(node)
            items[:] = [self._shown(part, *of) for part, of in zip(items, told, strict=True)]
            return node
        return self.call("shown", printing.shown, [node, *told], node) if told else node

    def _made_of_constants(self, node):
        """A call that makes an instance of a ``jit_class``."""
        kind = self.api(node.func).__name__
        hangs = self._may_vary(*node.args, *(k.value for k in node.keywords))
        node, made = self.generic_visit(node), []
        for number, (part, found) in enumerate(zip([*node.args, *node.keywords], hangs, strict=True)):
            keyword = isinstance(part, ast.keyword)
            if found != NOTHING and not isinstance(part, ast.Starred) and not (keyword and part.arg is None):
                value = part.value if keyword else part
                told = [ast.Constant(kind), ast.Constant(number), ast.Constant(part.arg if keyword else None)]
                value = self.call("of_instance", of_instance, [*told, value, self._told(found, value)], value)
                part = placed(ast.keyword(part.arg, value), node) if keyword else value
            made.append(part)
        count = len(node.args)
        node.args, node.keywords = made[:count], made[count:]
        return node
