"""Where a program changes, between two calls, what MindSpore's graph mode keeps from the first one.

MindSpore compiles a Cell or a marked function at its first call: `set_train`, attributes, `requires_grad` and
global numbers count as they were then. Here they count as they are. A program in which that makes a
difference calls, changes and calls again; statements are followed in their order, a loop's body twice.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from .nodes import walk

_GRAPHS = frozenset(("GRAPH_MODE", "jit", "ms_function"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_KEPT = "MindSpore's graphs keep what the first call found; here the new value counts"


def captures(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """(line, what is changed, what is to know) of each such change in a file that uses graphs."""
    nodes = walk(tree)
    if not any(getattr(n, "attr", getattr(n, "id", None)) in _GRAPHS for n in nodes):
        return
    reads = {n.name: _globals_of(n) for n in tree.body if isinstance(n, _FUNCTIONS) and _is_marked(n)}
    others = _not_compiled(nodes)
    bodies = [tree.body, *[n.body for n in nodes if isinstance(n, _FUNCTIONS)]]
    found: dict = {}
    for body in bodies:
        for line, what in _Following(reads, others).follow(body):
            found.setdefault(line, what)
    for line, what in found.items():
        yield line, what, f"{_KEPT}."


def _is_marked(function) -> bool:
    names = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return any(getattr(n, "attr", getattr(n, "id", None)) in ("jit", "ms_function") for n in names)


def _not_compiled(nodes: list[ast.AST]) -> set:
    """What a file calls by name that is no Cell and no marked function."""
    found = set(dir(builtins))
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ClassDef) or (isinstance(node, _FUNCTIONS) and not _is_marked(node)):
            found.add(node.name)
    return found


def _globals_of(function) -> set:
    names = [n for n in walk(function) if isinstance(n, ast.Name)]
    own = {n.id for n in names if isinstance(n.ctx, ast.Store)} | {
        a.arg for a in walk(function.args) if isinstance(a, ast.arg)}
    return {n.id for n in names} - own


class _Following:
    """One body, in the order in which it runs."""

    def __init__(self, reads: dict, others: set) -> None:
        self.reads, self.others = reads, others
        self.now: dict = {}         # by name and attribute: what was last written there, and the line
        self.first: dict = {}       # by name: what stood there at its first call
        self.calls: dict = {}       # by statement: the calls in it

    def follow(self, body: list) -> Iterator[tuple[int, str]]:
        """(line, what) of what was changed after a first call and before another."""
        for statement in body:
            if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
                continue
            inner = [getattr(statement, part) for part in ("body", "orelse", "finalbody")
                     if getattr(statement, part, None)]
            if not inner:
                yield from self._simple(statement)
                continue
            for expression in ast.iter_child_nodes(statement):
                if isinstance(expression, ast.expr):
                    yield from self._simple(expression)
            for _ in range(2 if isinstance(statement, (ast.For, ast.While)) else 1):
                for part in inner:
                    yield from self.follow(part)

    def _simple(self, node) -> Iterator[tuple[int, str]]:
        calls = self.calls.get(node)
        if calls is None:
            calls = self.calls[node] = [n for n in walk(node) if n.__class__ is ast.Call]
        for call in calls:
            if isinstance(call.func, ast.Name):
                yield from self._called(call.func.id)
            elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
                self._method(call)
                if call.func.attr == "train" and call.args:
                    yield from self._called(call.func.value.id)
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._written(target, node)

    def _method(self, call) -> None:
        """``net.set_train(mode)``"""
        if call.func.attr == "set_train":
            given = [*call.args, *[k.value for k in call.keywords]]
            name = call.func.value.id
            mode = ast.unparse(given[0]) if given else "True"
            self.now.setdefault(name, {})["set_train()"] = mode, call.lineno

    def _written(self, target, node) -> None:
        if isinstance(target, ast.Name):
            # A new object has no first call behind it; a number that marked functions read is another number.
            self.first.pop(target.id, None)
            self.now.pop(target.id, None)
            for function, names in self.reads.items():
                if target.id in names:
                    self.now.setdefault(function, {})[target.id] = node, node.lineno
        elif isinstance(target, ast.Attribute):
            if target.attr == "requires_grad":
                for name in self.first:
                    self.now.setdefault(name, {})["requires_grad"] = node, node.lineno
            elif isinstance(target.value, ast.Name):
                self.now.setdefault(target.value.id, {})[target.attr] = node, node.lineno

    def _called(self, name: str) -> Iterator[tuple[int, str]]:
        if name in self.others:
            return
        here = self.now.get(name, {})
        before = self.first.setdefault(name, dict(here))
        for what, (value, line) in here.items():
            default = "False" if what == "set_train()" else None
            if not _is_same(value, before.get(what, (default, 0))[0]):
                yield line, what if name in self.reads else f"{name}.{what}"


def _is_same(a: object, b: object) -> bool:
    """Whether two statements, or what is known of two modes, say the same."""
    if isinstance(a, ast.AST) and isinstance(b, ast.AST):
        return a is b or ast.dump(a) == ast.dump(b)
    return a == b
