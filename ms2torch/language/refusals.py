"""Statements and expressions that graph mode's language does not have, in MindSpore's words."""

from __future__ import annotations

import ast

_MORE = "More details please refer to syntax support at https://www.mindspore.cn"
_STATEMENTS = (
    ast.Try,
    ast.Nonlocal,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Delete,
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
    *(getattr(ast, name) for name in ("Match", "TryStar") if hasattr(ast, name)),
)
_EXPRESSIONS = (ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Set, ast.SetComp, ast.Await)
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.DictComp)


def check(function) -> None:
    """Raise what MindSpore's parser says of the first refused construct in the body of ``function``."""
    body = function.body if isinstance(function.body, list) else [function.body]
    for node in body:
        _check(node)


def _check(node) -> None:
    """Statements before what is in them, in the order of the source."""
    if isinstance(node, _STATEMENTS):
        raise RuntimeError(f"Unsupported statement '{type(node).__name__}'.\n{_MORE}")
    if isinstance(node, _EXPRESSIONS):
        raise RuntimeError(f"Unsupported expression '{type(node).__name__}'.\n{_MORE}")
    if isinstance(node, (ast.For, ast.While)) and node.orelse:
        kind = "for" if isinstance(node, ast.For) else "while"
        raise RuntimeError(f"The '{kind}...else...' statement is not supported now.")
    if isinstance(node, _COMPREHENSIONS) and len(node.generators) != 1:
        kind = "DictComp" if isinstance(node, ast.DictComp) else "ListComp"
        raise TypeError(
            f"The 'generators' supports 1 'comprehension' in {kind}/GeneratorExp, "
            f"but got {len(node.generators)} comprehensions."
        )
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 2**63:
        raise RuntimeError("Unable to cast Python instance of type <class 'int'> to C++ type 'long'")
    if isinstance(node, ast.Constant) and isinstance(node.value, complex):
        raise TypeError(f"Unsupported Constant type : {node.value}")
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(
            node.value, ast.Subscript):
        raise RuntimeError("In graph mode, only attribute and name of class members can be assigned. But got "
                           "Subscript.")
    for child in ast.iter_child_nodes(node):
        _check(child)
