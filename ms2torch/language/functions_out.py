"""Functions, Cells and operators are part of a graph: none can hand them out."""

from __future__ import annotations

import ast
import functools
import inspect
import types

import torch

from ms2torch._core.operators.primitive import Primitive
from ms2torch.language import places, reading

_COMPILED = (functools.partial, types.MethodType, types.BuiltinFunctionType, torch.nn.Module, Primitive)
_OURS = __name__.partition(".")[0]


def refuse(value, function) -> None:
    """RuntimeError where ``value``, which the graph of ``function`` hands out, holds a function."""
    if _holds_function(value):
        raise RuntimeError(f"Function in output is not supported. Please check your code. {_place(function)}")


def _holds_function(value) -> bool:
    """Whether something that a graph would compile, and no Python object, is handed out."""
    if isinstance(value, (tuple, list, dict)):
        return any(map(_holds_function, value.values() if isinstance(value, dict) else value))
    if isinstance(value, types.FunctionType):
        module = (value.__module__ or "").partition(".")[0]
        return module == _OURS or module not in reading.FOREIGN
    return isinstance(value, _COMPILED) or type(value).__module__.startswith(f"{_OURS}.ops.composite")


def _place(function) -> str:
    """Where ``function`` returns, as the compiler shows it; nothing where it has several returns."""
    code = getattr(inspect.unwrap(getattr(function, "_graph_source", function)), "__code__", None)
    tree = reading.definition(code) if code is not None else None
    found = list(_returns(tree)) if tree is not None else []
    if len(found) != 1:
        return ""
    node = found[0].value if isinstance(found[0].value, (ast.Tuple, ast.List)) else found[0]
    return places.shown(code.co_filename, node)


def _returns(node):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield from _returns(child)
