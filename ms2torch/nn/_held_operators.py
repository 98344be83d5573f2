"""Operators and settings that MindSpore's Cells keep as attributes, which programs' subclasses read.

Our Cells compute without them; the table ``_naming/data/held_operators.tsv`` says, for each class, what to
make when one is asked for.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_TABLE = Path(__file__).resolve().parents[1] / "_naming" / "data" / "held_operators.tsv"
_OWN = ("mindspore.", "ms2torch.")      # the modules that the table's classes are in


@cache
def _table() -> dict[str, dict[str, str]]:
    """For each attribute: the classes that have it, and the expression that makes it."""
    found: dict[str, dict[str, str]] = {}
    for line in _TABLE.read_text().splitlines():
        owner, made = line.split("\t")
        for attribute, _, expression in (entry.partition("=") for entry in made.split(" ")):
            found.setdefault(attribute, {})[owner] = expression
    return found


class _Operators(dict):
    """The names in an expression: operators by their own, the Cell itself as ``self``."""

    def __missing__(self, name: str):
        from ms2torch.ops import operations

        return getattr(operations, name)


def held(cell, name: str):
    """What MindSpore's class of ``cell`` has as the attribute ``name``; AttributeError where it has none."""
    owners = _table().get(name)
    if owners is not None:
        for cls in type(cell).__mro__:
            if cls.__name__ in owners and cls.__module__.startswith(_OWN):
                return eval(owners[cls.__name__], {}, _Operators(self=cell))
    raise AttributeError(f"The '{type(cell).__name__}' object has no attribute '{name}'.")
