"""Conditions that a comment states, which a graph does not compute: ``if x == 2:  # @jit.cond: True``."""

from __future__ import annotations

import ast
import re

_STATED = re.compile(r"#\s*@jit.cond:\s*(True|False)$")


def stated(tree: ast.Module, lines) -> ast.Module:
    """``tree`` with a constant for the test of every `if` that has such a comment. MindSpore reads the last
    one from the line above to the statement's end, what is nested in it and its `elif` included."""
    if not any("@jit.cond" in line for line in lines):
        return tree
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        for node in ast.walk(function):
            said = _said(node, lines) if isinstance(node, ast.If) else None
            if said is not None:
                node.test = ast.copy_location(ast.Constant(said), node.test)
            function.is_stated = said is not None or getattr(function, "is_stated", False)
    return tree


def _said(node: ast.If, lines) -> bool | None:
    here = lines[node.lineno - 1 : node.end_lineno]
    if node.lineno > 1 and (above := lines[node.lineno - 2].lstrip()).startswith("#"):
        here = (above, *here)
    for line in reversed(here):
        if found := _STATED.search(line.rstrip("\n")):
            return found[1] == "True"
    return None
