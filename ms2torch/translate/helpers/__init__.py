"""Functions that a translated file gets at its head for what PyTorch lacks, each as it stands here.

Their modules are plain PyTorch: each function or class is copied as text, with those that it names.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

_LISTED = "layers losses gradients optimizers rates data processes steps loops callbacks"
_FILES = tuple(_LISTED.split())


@cache
def _all() -> dict[str, tuple[str, frozenset[str]]]:
    """Every helper's text, and the names in it."""
    found = {}
    for file in _FILES:
        text = Path(__file__).with_name(f"{file}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
                found[node.name] = ast.get_source_segment(text, node), names
    return found


def sources(names: set[str]) -> list[str]:
    """The texts of these helpers and of those that they need, in the order of the files."""
    wanted, every = set(names), _all()
    while missing := {n for name in wanted for n in every[name][1] & every.keys()} - wanted:
        wanted |= missing
    return [text for name, (text, _) in every.items() if name in wanted]
