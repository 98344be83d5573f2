"""Calls of builtin functions and of methods, and what they walk over."""

from __future__ import annotations

import ast
import types

import torch

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.language import (
    builtin_functions,
    calling,
    containers,
    forbidden,
    knowing,
    printing,
    results,
    searching,
    strictness,
)
from ms2torch.language.trees import PREFIX, is_view, loaded, parts_of_text, placed

# Calls that walk over their argument at once: what it is made of cannot be seen.
_WALKING = frozenset(
    {"list", "tuple", "sum", "max", "min", "all", "any", "sorted", "set", "dict", "enumerate", "zip"}
)


def _may_be_no_integer(node) -> bool:
    """Whether an expression ends in a method's call or a division."""
    method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return method or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))


class Calls:
    """Part of `Rewriting`: calls that a graph understands otherwise."""

    def visit_Call(self, node):
        name = self.builtin(node.func)
        if name in builtin_functions.WITHOUT_KEYWORDS and node.keywords and node.keywords[0].arg:
            told = [placed(ast.Constant(node.keywords[0].arg), node)]
            return self.call("unexpected", builtin_functions.unexpected, told, node)
        if name in builtin_functions.FUNCTIONS:
            if name == "print":
                return self._print(node)
            value = builtin_functions.FUNCTIONS[name]
            constant = node.args and not self.branches.varies(node.args[0])
            if constant and name in builtin_functions.OF_CONSTANTS:
                name, value = f"{name}_of_constant", builtin_functions.OF_CONSTANTS[name]
            node = self.generic_visit(node)
            node.func = placed(ast.Name(self.need(name, value), ast.Load()), node.func)
            return node
        one = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
        if name == "sum":
            node.func = placed(ast.Name(self.need(name, builtin_functions.sum_), ast.Load()), node.func)
        if name in ("sum", "max", "min") and one and self._rearranged(node.args[0], node):
            made = placed(ast.Call(node.func, [self.visit(node.args[0])], node.keywords), node)
            return self.call("found", containers.found, [self.visit(node.args[0]), made], node)
        if name in ("max", "min") and one:
            node.args = [self.call("comparable", builtin_functions.comparable,
                                   [self._walked(node.args[0]), ast.Constant(name)], node.args[0])]
            node.keywords = [self.visit(k) for k in node.keywords]
            return node
        if name in _WALKING:
            node.args = [self._walked(a) for a in node.args]
            node.keywords = [self.visit(k) for k in node.keywords]
            return node
        if self.numbers.is_of_math(node.func):
            return self.call("of_python", results.of_python, [self.generic_visit(node)], node)
        value = self.api(node.func)
        if forbidden.is_forbidden(value):
            return self.call("function", forbidden.function, [node.func], node)
        if self.scopes and (asked := knowing.asked_by(value)):
            return self._of_constants(node, asked)
        if isinstance(node.func, ast.Attribute):
            method = self._method(node)
            if method is not None:
                return method
        return self.generic_visit(node)

    def _print(self, node):
        """``print``, with what its texts are made of."""
        made_of = []
        for text in node.args:
            made_of += parts_of_text(text)
        if not made_of:
            told = [self._told_of_shown(text) for text in node.args]
            node = self.generic_visit(node)
            node.args = [self._shown(text, *of) for text, of in zip(node.args, told, strict=True)]
            node.func = placed(ast.Name(self.need("print", printing.print_), ast.Load()), node.func)
            return node
        if None in made_of:
            parts = ast.Name(self.need("always", printing.ALWAYS), ast.Load())
        else:
            parts = ast.Tuple([self._kept(holder, field) for holder, field in made_of], ast.Load())
        node = self.generic_visit(node)
        node.func = placed(ast.Name(self.need("print_text", printing.print_text), ast.Load()), node.func)
        node.keywords.append(placed(ast.keyword("_made_of", parts), node))
        return node

    def _kept(self, holder, place):
        """An expression that keeps its value under a name; the name, read."""
        self.count += 1
        name = f"{PREFIX}part_{self.count}"
        items, key = (holder, place) if isinstance(holder, list) else (vars(holder), place)
        old = items[key]
        items[key] = placed(ast.NamedExpr(ast.Name(name, ast.Store()), old), old)
        return ast.Name(name, ast.Load())

    def _walked(self, node):
        """An expression whose value is only walked over: Python's lazy things do."""
        if isinstance(node, ast.Call) and self.builtin(node.func) in ("zip", "enumerate", "range"):
            if self._may_be_refused(node):
                name = f"walked_{node.func.id}"
                name = self.need(name, getattr(builtin_functions, name))
                node.func = placed(ast.Name(name, ast.Load()), node.func)
            node.args = [self._walked(a) for a in node.args]
            return node
        if isinstance(node, ast.GeneratorExp):
            return self._comprehension(node)
        if is_view(node):
            return self.generic_visit(node)
        return self.visit(node)

    def _may_be_refused(self, node) -> bool:
        """Whether a graph may refuse what ``zip``, ``enumerate`` or ``range`` is called with."""
        if node.func.id == "range":
            return any(self.branches.is_given(a) or _may_be_no_integer(a) for a in node.args)
        return len(node.args) + len(node.keywords) != 1 if node.func.id == "enumerate" else not node.args

    def _method(self, node):
        """The call of a method, changed; None where it means what it means in Python."""
        func, args = node.func, node.args
        if (method := self._method_of_a_cell(node)) is not None:
            return method
        if func.attr == "has_key" and len(args) == 1:
            return self.call(
                "has_key", containers.has_key, [self.visit(func.value), self.visit(args[0])], node
            )
        if func.attr == "setdefault" and args:
            return self.call(
                "setdefault", containers.setdefault, [self.visit(func.value), *map(self.visit, args)], node
            )
        if func.attr.endswith("_") and not func.attr.endswith("__"):        # x.add_(y)
            node = self.generic_visit(node)
            node.func.value = self.call("own", containers.own, [node.func.value], node.func.value)
            return node
        if func.attr in strictness.TO_PYTHON and not args:
            node = self.generic_visit(node)
            told = [node.func.value, placed(ast.Constant(func.attr), node)]
            node.func.value = self.call("on_host", strictness.on_host, told, node.func.value)
            return node
        if func.attr == "register_hook" and len(args) == 1 and not node.keywords:
            return self.call("hooked", containers.hooked, [self.visit(func.value), self.visit(args[0])], node)
        if func.attr in forbidden.METHODS:
            node = self.generic_visit(node)
            told = [node.func.value, placed(ast.Constant(func.attr), node)]
            node.func = self.call("method", forbidden.method, told, node.func)
            return node
        if func.attr in ("pop", "popitem") and not node.keywords and not (
                isinstance(func.value, ast.Name) and self.aliases.lists(func.value.id)):
            told = [self.visit(func.value), placed(ast.Constant(func.attr), node), *map(self.visit, args)]
            return self.call("looked_up", containers.looked_up, told, node)
        if func.attr in ("index", "count") and args and not node.keywords:
            return self._search(node)
        if is_view(node):
            return self.call("view", builtin_functions.view_, [self.generic_visit(node)], node)
        if self.self_name and isinstance(func.value, ast.Name) and func.value.id == self.self_name:
            return self._own_method(node)
        return None

    def _search(self, node):
        """``x.index(y)``, ``x.count(y)``."""
        holder, name = node.func.value, node.func.attr
        varies = ast.Constant(any(map(self.branches.varies, [holder, node.args[0]])))
        moved = self._rearranged(holder, node)
        told = [self.visit(holder), self.visit(node.args[0]), varies, *map(self.visit, node.args[1:])]
        made = self.call(name, getattr(searching, name), told, node)
        return self.call("found", containers.found, [loaded(holder), made], node) if moved else made

    def _rearranged(self, holder, at) -> bool:
        """Whether this is a name whose list was changed before so that what is found in it is variable."""
        return isinstance(holder, ast.Name) and any(
            line < at.lineno for line in self.aliases.rearranged.get(holder.id, ()))

    def _own_method(self, node):
        """``self.method(...)``: a method of the class, or a function that is an attribute."""
        name = node.func.attr
        try:
            value = getattr(self.owner, name)
        except Exception:       # a property of the program may raise anything: its call tells
            return None
        if isinstance(value, types.MethodType) and value.__self__ is self.owner:
            differs, _ = self.forward(value.__func__, self.owner)
        elif isinstance(value, types.FunctionType):
            # Another instance of the class may have another function.
            differs = name in vars(self.owner) or self.forward(value)[0]
        else:
            return None
        return self._in_the_language(node) if differs else None

    def _method_of_a_cell(self, node):
        """``self.actor.act(...)``, ``actor.act(...)``: a method of this Cell or another one, kept under
        whatever name (``self.act = actor.act``)."""
        value = self._kept_in(node.func)
        if not (isinstance(value, types.MethodType) and isinstance(value.__self__, torch.nn.Module)
                and isinstance(value.__func__, types.FunctionType)):
            return None
        return self._in_the_language(node) if self.forward(value.__func__, value.__self__)[0] else None

    def _kept_in(self, node):
        """What a chain of attributes of ``self``, or of a name outside, holds when the graph is made; None
        if unknown."""
        if isinstance(node, ast.Attribute):
            holder = self._kept_in(node.value)
            try:
                return None if isinstance(holder, Tensor) else getattr(holder, node.attr, None)
            except Exception:   # as in `_own_method`
                return None
        if isinstance(node, ast.Name):
            return self.owner if self.self_name and node.id == self.self_name else self.meaning(node)
        return None

    def _in_the_language(self, node):
        node = self.generic_visit(node)
        node.func = self.call("called", calling.called, [node.func], node.func)
        return node
