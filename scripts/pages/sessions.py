"""The examples that are written by hand: ``sessions.txt`` has short programs, a blank line between two.

The last expression of each is what is printed. Which names a session shows is read off what it uses.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from scripts.pages import calls

TEXT = Path(__file__).with_name("sessions.txt")


def programs() -> list[str]:
    """All sessions."""
    return [block.strip("\n") for block in TEXT.read_text(encoding="utf-8").split("\n\n") if block.strip()]


def shown(session: str) -> list[str]:
    """The public functions, classes and methods that a session calls, as ms2torch has them here."""
    import ms2torch

    ms2torch.install()
    try:
        names: dict = {}
        exec(calls.HEADER, names)
        names.update(calls.ran(names, session) or {})
    finally:
        ms2torch.uninstall()
    found = {}
    for node in ast.walk(ast.parse(session)):
        if isinstance(node, (ast.Attribute, ast.Name)):
            found.update(dict.fromkeys(_public(node, names)))
        for base in getattr(node, "bases", ()):
            found.update(dict.fromkeys(_public(base, names)))
    return list(found)


def _public(node: ast.AST, names: dict) -> list[str]:
    """The public names of what a dotted name of a session is."""
    if isinstance(node, ast.Name):
        return _names().get(id(names.get(node.id)), [])
    owner = _value(node.value, names)
    if owner is None:
        return []
    kinds = type(owner).__mro__ if not isinstance(owner, type(ast)) else ()
    methods = [f"{name}.{node.attr}" for kind in kinds for name in _names().get(id(kind), ())]
    return _names().get(id(getattr(owner, node.attr, None)), []) + [m for m in methods if m in _theirs()]


def _value(node: ast.AST, names: dict):
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, names), node.attr, None)
    return None


@cache
def _theirs() -> frozenset[str]:
    from scripts import support_table
    from tests.signatures import find, theirs

    return frozenset(full for full in theirs() if support_table.status(full, find(full)) == "here")


@cache
def _names() -> dict[int, list[str]]:
    """Public names by the functions and classes that they are."""
    from tests.signatures import find

    found: dict[int, list[str]] = {}
    for full in _theirs():
        if not full.rpartition(".")[0].rpartition(".")[2][:1].isupper():
            found.setdefault(id(find(full)), []).append(full)
    return found
