"""Attributes that nobody has, read in a branch on a Tensor, which MindSpore compiles although it is not
reached."""

from __future__ import annotations

import ast
import inspect
import types

from ms2torch._core.tensor.tensor import Tensor

# What may leave out a part of a branch, so that it is not compiled.
_OPTIONAL = (ast.If, ast.IfExp, ast.BoolOp, ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.ListComp,
             ast.GeneratorExp, ast.DictComp)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_ASKING = ("hasattr", "getattr")


def asked(condition, *reads):
    """``condition``; AttributeError where it is a Tensor, for an (owner, name) of ``reads`` without the
    attribute."""
    if isinstance(condition, Tensor):
        for owner, name in reads:
            if not _has(owner, name):
                raise of_module(owner.__name__, name) if isinstance(owner, types.ModuleType) else of_object(
                    type(owner), name)
    return condition


def of_object(kind: type, name: str) -> AttributeError:
    """What a graph says of a Cell, or another object, without the attribute."""
    return AttributeError(f"ClassMember: 'Namespace:{kind.__module__}..<{kind.__name__}::{id(kind)}>' object "
                          f"has no attribute '{name}'")


def of_module(module: str, name: str) -> AttributeError:
    """What a graph says of a module without the name."""
    return AttributeError(f"Module: 'Namespace:{module.replace('ms2torch', 'mindspore', 1)}' object has no "
                          f"attribute '{name}'")


def reads_in(branches: list, function, owner_of) -> list:
    """The reads in ``branches`` (lists of statements, or expressions) of attributes that their owners lack
    now: (the owner's expression, the name). ``owner_of`` tells the object or module of an expression."""
    guarded = {n.args[1].value for n in ast.walk(function) if _asks(n)}
    guarded |= {n.attr for n in ast.walk(function)
                if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    found = []
    for branch in branches:
        for node in _compiled(branch):
            if isinstance(node, ast.Attribute) and node.attr not in guarded:
                owner = owner_of(node.value)
                if owner is not None and not _has(owner, node.attr):
                    found.append((node.value, node.attr))
    return found


def _compiled(branch):
    """The nodes of a branch that are compiled with it."""
    for statement in branch if isinstance(branch, list) else [branch]:
        if isinstance(statement, _OPTIONAL):
            if isinstance(statement, (ast.If, ast.For, ast.While)):
                continue
            return
        yield statement
        for child in ast.iter_child_nodes(statement):
            yield from _compiled(child)
        if isinstance(statement, _LEAVING):
            return


def _asks(node) -> bool:
    return (isinstance(node, ast.Call) and getattr(node.func, "id", None) in _ASKING and len(node.args) > 1
            and isinstance(node.args[1], ast.Constant))


def _has(owner, name: str) -> bool:
    if inspect.getattr_static(type(owner), name, None) is not None:      # (a property of the program's)
        return True
    try:
        getattr(owner, name)
    except AttributeError:
        return False
    except Exception:       # (a name of MindSpore that is not supported is one of its names)
        return True
    return True
