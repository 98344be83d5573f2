"""Where a Cell's ``construct`` uses an argument of ``__init__`` that was not kept on ``self``."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator

from .nodes import walk

# What may bind a name that is not seen.
_AROUND = ("import *", "globals()", "exec(", "builtins")


def unkept(tree: ast.Module, source: bytes | str) -> Iterator[tuple[int, str, str]]:
    """(line, name, text) of each use in a file."""
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    if "construct" not in text or any(words in text for words in _AROUND):
        return
    table = symtable.symtable(source, "program", "exec")
    scopes = [*_within(table)]
    bound = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    bound |= {s.get_name() for scope in scopes for s in scope.get_symbols() if s.is_declared_global()}
    functions = {n.lineno: n for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
    for cls in (scope for scope in scopes if scope.get_type() == "class"):
        methods = {m.get_name(): m for m in cls.get_children()}
        construct, init = methods.get("construct"), methods.get("__init__")
        if isinstance(construct, symtable.Function) and isinstance(init, symtable.Function):
            lost = _globals_of(construct) & set(init.get_parameters()) - bound - set(dir(builtins))
            for node in walk(functions[construct.get_lineno()]) if lost else ():
                if isinstance(node, ast.Name) and node.id in lost:
                    yield node.lineno, node.id, (f"is an argument of {cls.get_name()}.__init__, which "
                                                 f"construct does not see: keep it as self.{node.id}.")


def _globals_of(function: symtable.SymbolTable) -> set[str]:
    """The globals that a function reads itself."""
    return {s.get_name() for s in function.get_symbols() if s.is_referenced() and s.is_global()}


def _within(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _within(child)
