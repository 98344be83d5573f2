"""Where a program changes, between two calls, what MindSpore's graph mode keeps from the first one.

MindSpore compiles a Cell or a marked function at its first call: `set_train`, attributes, those of classes
too, `requires_grad`, numbers and items of lists in globals and closures count as they were then. Here they
count as they are. A program in which that makes a difference calls, changes and calls again; statements are
followed in their order, a loop's body twice.
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
    functions = [n for n in nodes if isinstance(n, _FUNCTIONS)]
    reads = {n.name: _globals_of(n) for n in functions if _is_marked(n)}
    others, shared = _not_compiled(nodes), _read_by_cells(nodes)
    uses = {n.name: _globals_of(n) for n in functions}
    bodies = [(tree.body, shared), *[(n.body, _seen_in(n, shared)) for n in functions]]
    found: dict = {}
    for body, seen in bodies:
        for line, what in _Following(reads, others, seen, shared, uses).follow(body):
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


def _read_by_cells(nodes: list[ast.AST]) -> set:
    """The globals, and the attributes of their classes as ``Net.rate``, that Cells of a file read."""
    found = set()
    for cls in nodes:
        for method in cls.body if isinstance(cls, ast.ClassDef) else ():
            if isinstance(method, _FUNCTIONS) and method.name == "construct":
                names = _globals_of(method)
                found |= names | {f"{cls.name}.{n.attr}" for n in walk(method) if isinstance(n, ast.Attribute)
                                  and getattr(n.value, "id", None) in ("self", cls.name)}
    return found


def _seen_in(function, shared: set) -> set:
    """What of ``shared`` a function may write: attributes, and the names that it declares global."""
    declared = {name for n in walk(function) if isinstance(n, ast.Global) for name in n.names}
    return {name for name in shared if "." in name or name in declared}


class _Following:
    """One body, in the order in which it runs."""

    def __init__(self, reads: dict, others: set, shared: set, of_cells: set, uses: dict) -> None:
        self.reads, self.others, self.shared = reads, others, shared
        self.attributes = {name.partition(".")[2] for name in of_cells}     # what any Cell reads of itself
        self.uses = dict(uses)      # by name of a function or an object: the names that it is made of
        self.now: dict = {}         # by name and attribute: what was last written there, and the line
        self.first: dict = {}       # by name: what stood there at its first call
        self.inner: dict = {}       # by name: what stood in the objects then that it may be made of
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
            self.inner.pop(target.id, None)
            if self.now.pop(target.id, None):
                for objects in self.inner.values():
                    objects.pop(target.id, None)
            self._made(target.id, node.value)
            self._shared(target.id, node)
            self._read(target.id, node)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self._shared(target.value.id, node)
            self._read(target.value.id, node)
        elif isinstance(target, ast.Attribute):
            if target.attr == "requires_grad":
                for name in self.first:
                    self.now.setdefault(name, {})["requires_grad"] = node, node.lineno
            elif isinstance(target.value, ast.Name):
                self.now.setdefault(target.value.id, {})[target.attr] = node, node.lineno
                self._shared(f"{target.value.id}.{target.attr}", node)

    def _made(self, name: str, value) -> None:
        """``name`` is what a call gives: a Cell around others, a gradient function, a `Model`."""
        self.uses.pop(name, None)
        if isinstance(value, ast.Call):
            given = [*value.args, *[k.value for k in value.keywords]]
            self.uses[name] = {n.id for a in given for n in walk(a) if isinstance(n, ast.Name)} - {name}

    def _read(self, name: str, node) -> None:
        """``name``, or an item of it, is written, which marked functions may read."""
        for function, names in self.reads.items():
            if name in names:
                self.now.setdefault(function, {})[name] = node, node.lineno

    def _shared(self, what: str, node) -> None:
        """``what``, which Cells read, is written."""
        for name in self.first if what in self.shared else ():
            self.now.setdefault(name, {})[what] = node, node.lineno

    def _called(self, name: str) -> Iterator[tuple[int, str]]:
        if name not in self.others:
            here = self.now.get(name, {})
            yield from self._changed(name, here, self.first.setdefault(name, dict(here)))
        # What it is made of counts too: a network in a train cell, in the loss of a gradient function.
        inner = {part: kept for part, written in self.now.items()
                 if (kept := {w: written[w] for w in self.attributes & written.keys()})}
        before = self.inner.setdefault(name, inner)
        if inner and before is not inner:
            for part in sorted(inner.keys() & self._parts(name)):
                yield from self._changed(part, inner[part], before.get(part, {}))

    def _parts(self, name: str) -> set:
        """The names that what is called is made of, and those that they are made of."""
        found, reached = set(), [name]
        while reached:
            new = self.uses.get(reached.pop(), set()) - found - {name}
            found |= new
            reached += new
        return found

    def _changed(self, name: str, here: dict, before: dict) -> Iterator[tuple[int, str]]:
        """What of ``here``, written last to ``name``, is not what the first call found."""
        for what, (value, line) in here.items():
            default = "False" if what == "set_train()" else None
            if not _is_same(value, before.get(what, (default, 0))[0]):
                yield line, what if name in self.reads or what in self.shared else f"{name}.{what}"


def _is_same(a: object, b: object) -> bool:
    """Whether two statements, or what is known of two modes, say the same."""
    if isinstance(a, ast.AST) and isinstance(b, ast.AST):
        return a is b or ast.dump(a) == ast.dump(b)
    return a == b
