"""Arguments that are written in a branch or a loop on a Tensor, and that the caller keeps as they were.

MindSpore's ``x += y`` on an argument reaches the caller's Tensor where an operator of the graph's first block
reads it: what runs before the first `if` or `while` that a Tensor decides, and this condition. Where none
does, what is written is the graph's own.
"""

from __future__ import annotations

import ast
import functools

from ms2torch._core import mode
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.language import results

# What tells something of a Tensor without reading it.
_TELLING = frozenset({"shape", "dtype", "ndim", "size"})
_ASSIGNING = frozenset({"assign", "assign_add", "assign_sub"})


def withheld(condition, *arguments):
    """``condition``; where it is a Tensor, what is written to ``arguments`` is the graph's from here on."""
    if isinstance(condition, Tensor):
        for argument in arguments:
            if argument.__class__ is Tensor:
                _withhold(argument)
    return condition


def _withhold(argument) -> None:
    call = graph_streams.here.call
    if mode.differentiation is not None:
        mode.differentiation.withhold(argument)
    elif call is not None and call.was_given(argument) and id(argument) not in call.withheld:
        call.withheld.add(id(argument))
        results.come_apart(argument)
        call.leaving.append(functools.partial(_given_back, argument, argument._t))
        argument._t = argument._t.clone()


def _given_back(argument, content, result):
    argument._t = content
    return result


def places(function) -> dict:
    """By id of an `if` or a `while` of ``function``: the arguments that are withheld where a Tensor decides
    it."""
    found: dict = {}
    for name in (a.arg for a in (*function.args.posonlyargs, *function.args.args)):
        names = _names_of(name, function)
        if any(_writes(n, names) for n in ast.walk(function)):
            _look(function.body, names, lambda node, name=name: found.setdefault(id(node), []).append(name))
    return found


def _names_of(name: str, function) -> set:
    """``name`` and the names that are bound to what it means."""
    return {name, *(target.id for n in ast.walk(function) if isinstance(n, ast.Assign)
                    and isinstance(n.value, ast.Name) and n.value.id == name
                    for target in n.targets if isinstance(target, ast.Name))}


def _look(body: list, names: set, note) -> bool:
    """Note the statements of ``body`` that withhold ``names``; whether an operator reads them before its end.
    """
    for number, node in enumerate(body):
        if isinstance(node, (ast.If, ast.While)):
            if _reads(node.test, names):
                return True
            within = [node, *body[number + 1:]] if isinstance(node, ast.While) else [node]
            if any(_writes(n, names) for s in within for n in ast.walk(s)):
                note(node)
            read = [_look(part, names, note) for part in (node.body, node.orelse)]
            if any(read):
                return True
        elif isinstance(node, (ast.For, ast.With)):
            if _look(node.body, names, note):
                return True
        elif not isinstance(node, ast.FunctionDef) and _reads(node, names):
            return True
    return False


def _reads(node, names: set) -> bool:
    """Whether a statement or an expression has an operator read what one of ``names`` means, or write to it.
    """
    if isinstance(node, ast.Attribute) and node.attr in _TELLING:
        return False
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
        return False
    return (isinstance(node, ast.Name) and node.id in names) or any(
        _reads(child, names) for child in ast.iter_child_nodes(node))


def _writes(node, names: set) -> bool:
    """Whether a node writes in place to what one of ``names`` means."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id in names
    if not isinstance(node, ast.Call):
        return False
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if called in _ASSIGNING:
        written = node.args[0] if node.args else None
    else:
        written = node.func.value if isinstance(node.func, ast.Attribute) and called.endswith("_") else None
    return isinstance(written, ast.Name) and written.id in names
