"""Pieces of syntax trees: what they are, and new ones in the place of old ones."""

from __future__ import annotations

import ast

# Of the names that a copy has beside the program's.
PREFIX = "_graph_"


def is_pop(node) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "pop"


def parts_of_text(node) -> list:
    """What a text is made of, as (list or node, index or field); [None] where Python makes it in any case."""
    if isinstance(node, ast.JoinedStr):
        return [(v, "value") for v in node.values if isinstance(v, ast.FormattedValue)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return [None] if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str) else []
    func = getattr(node, "func", None)
    if (isinstance(func, ast.Attribute) and func.attr == "format") or (
        isinstance(func, ast.Name) and func.id == "str"
    ):
        return [(node.args, n) for n, a in enumerate(node.args) if not isinstance(a, ast.Starred)]
    return []


def is_truth(node) -> bool:
    """Whether an expression gives True or False (or a Tensor), never another object."""
    if isinstance(node, ast.BoolOp):
        return all(map(is_truth, node.values))
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", None) in ("isinstance", "hasattr", "callable", "bool", "all", "any")
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def is_view(node) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and not node.args
        and not node.keywords
        and node.func.attr in ("keys", "values", "items")
    )


def root_of(node):
    """The Name under a chain of subscripts; None under anything else."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def base_of(node):
    """What stands under a chain of subscripts."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def is_of_a_slice(node) -> bool:
    """Whether this is a part of a slice: ``x[1:][0]``."""
    while isinstance(node, ast.Subscript):
        node = node.value
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return True
    return False


def loaded(node):
    """The same expression, read instead of written."""
    node = ast.fix_missing_locations(ast.copy_location(copied(node), node))
    node.ctx = ast.Load()
    return node


def copied(node):
    if isinstance(node, ast.AST):
        made = type(node)(**{name: copied(value) for name, value in ast.iter_fields(node)})
        return ast.copy_location(made, node)
    return [copied(n) for n in node] if isinstance(node, list) else node


def placed(new, old):
    """``new`` and what is in it without a place, in the place of ``old``."""
    ast.copy_location(new, old)
    for child in ast.walk(new):
        if isinstance(child, (ast.expr, ast.stmt, ast.keyword)) and not hasattr(child, "lineno"):
            ast.copy_location(child, old)
    return new
