"""Where a program changes, between two calls, what MindSpore's graph mode keeps from the first one.

MindSpore compiles a Cell or a marked function at its first call: `set_train`, attributes, `requires_grad` and
global numbers count as they were then. Here they count as they are. A program in which that makes a
difference calls, changes and calls again; statements are followed in their order, a loop's body twice.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

_GRAPHS = frozenset(("GRAPH_MODE", "jit", "ms_function"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_KEPT = "MindSpore's graphs keep what the first call found; here the new value counts"


def captures(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """(line, what is changed, what is to know) of each such change in a file that uses graphs."""
    if not any(getattr(n, "attr", getattr(n, "id", None)) in _GRAPHS for n in ast.walk(tree)):
        return
    reads = {n.name: _globals_of(n) for n in tree.body if isinstance(n, _FUNCTIONS) and _is_marked(n)}
    others = _not_compiled(tree)
    bodies = [tree.body, *[n.body for n in ast.walk(tree) if isinstance(n, _FUNCTIONS)]]
    found: dict = {}
    for body in bodies:
        for line, what in _Following(reads, others).follow(body):
            found.setdefault(line, what)
    for line, what in found.items():
        yield line, what, f"{_KEPT}."


def _is_marked(function) -> bool:
    names = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return any(getattr(n, "attr", getattr(n, "id", None)) in ("jit", "ms_function") for n in names)


def _not_compiled(tree: ast.Module) -> set:
    """What a file calls by name that is no Cell and no marked function."""
    found = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ClassDef) or (isinstance(node, _FUNCTIONS) and not _is_marked(node)):
            found.add(node.name)
    return found


def _globals_of(function) -> set:
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    own = {n.id for n in names if isinstance(n.ctx, ast.Store)} | {
        a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    return {n.id for n in names} - own


class _Following:
    """One body, in the order in which it runs."""

    def __init__(self, reads: dict, others: set) -> None:
        self.reads, self.others = reads, others
        self.now: dict = {}         # by (name, attribute): what was last written there, and the line
        self.first: dict = {}       # by name: what stood there at its first call

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
        for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
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
            self.now[name, "set_train()"] = ast.unparse(given[0]) if given else "True", call.lineno

    def _written(self, target, node) -> None:
        value = ast.dump(node)
        if isinstance(target, ast.Name):
            # A new object has no first call behind it; a number that marked functions read is another number.
            self.first.pop(target.id, None)
            for key in [k for k in self.now if k[0] == target.id]:
                del self.now[key]
            for function, names in self.reads.items():
                if target.id in names:
                    self.now[function, target.id] = value, node.lineno
        elif isinstance(target, ast.Attribute):
            if target.attr == "requires_grad":
                for name in [n for n, called in self.first.items() if called is not None]:
                    self.now[name, "requires_grad"] = value, node.lineno
            elif isinstance(target.value, ast.Name):
                self.now[target.value.id, target.attr] = value, node.lineno

    def _called(self, name: str) -> Iterator[tuple[int, str]]:
        if name in self.others:
            return
        here = {key[1]: found for key, found in self.now.items() if key[0] == name}
        before = self.first.setdefault(name, here)
        for what, (value, line) in here.items():
            default = "False" if what == "set_train()" else None
            if value != before.get(what, (default, 0))[0]:
                yield line, what if name in self.reads else f"{name}.{what}"
