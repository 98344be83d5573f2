"""The table of rules: what a MindSpore name becomes in PyTorch, in what the two differ, how that is known."""

from __future__ import annotations

from functools import cache

from .table import CALLS, INSTANCES, VALUES, Rule, call_rule, full_name

__all__ = ["Rule", "load", "rule_of"]

_FILES = (
    "operators",
    "numpys",
    "methods",
    "creation",
    "dtypes",
    "layers",
    "initialisers",
    "losses",
    "optimizers",
    "training",
    "models",
    "cells",
    "data",
    "context",
    "saving",
    "shapes",
    "pooling",
    "windows",
    "containers",
    "composites",
    "functional",
    "mathematics",
    "drawing",
    "processes",
)


@cache
def load() -> None:
    """Read the table's files, once."""
    import importlib

    for name in _FILES:
        importlib.import_module(f"{__name__}.{name}")


def rule_of(name: str) -> Rule | None:
    """The rule for a dotted MindSpore name; None where there is none."""
    load()
    from ..rewriting.binding import form_of
    from ..rewriting.inferred import shortest_name

    path = shortest_name(full_name(name))
    form = form_of(path)
    found = next((where[path] for where in (CALLS, VALUES, INSTANCES) if path in where), None)
    return found or call_rule(path, form.kernel if form else None)
