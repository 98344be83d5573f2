"""Functions that a translated file gets at its head for what PyTorch lacks, each as it stands here.

Their modules are plain PyTorch: each function or class is copied as text, with those that it names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from symtable import SymbolTable, symtable

_LISTED = "layers losses gradients optimizers rates drawing data processes steps loops callbacks metrics"
_FILES = tuple(_LISTED.split())


@cache
def _all() -> dict[str, tuple[str, frozenset[str]]]:
    """Every helper's text, and the names in it."""
    found = {}
    for file in _FILES:
        text = Path(__file__).with_name(f"{file}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                own = _with_decorators(text, node)
                found[node.name] = own, frozenset(_global_names(symtable(own, file, "exec")))
    return found


def _with_decorators(text: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    first = min((d.lineno for d in node.decorator_list), default=node.lineno)
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def _global_names(scope: SymbolTable) -> Iterator[str]:
    """The names of the module that a text refers to, which those of its functions' own are not."""
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (symbol.is_global() or scope.get_type() == "module"):
            yield symbol.get_name()
    for inner in scope.get_children():
        yield from _global_names(inner)


def named_by(names: set[str]) -> set[str]:
    """These helpers and those that they need."""
    wanted, every = set(names), _all()
    while missing := {n for name in wanted for n in every[name][1] & every.keys()} - wanted:
        wanted |= missing
    return wanted


_AS_CLASSES = re.compile(r"\bclasses\(self\.\w+, (\w+)\)")


def sources(names: set[str], takes_classes: bool = True) -> list[str]:
    """The texts of these helpers and of those that they need, in the order of the files; where no loss takes
    classes they hand labels on as they are."""
    wanted, texts = named_by(names), {name: text for name, (text, _) in _all().items()}
    if not takes_classes:
        wanted -= {"classes"} - names
        texts = {name: _AS_CLASSES.sub(r"\1", text) for name, text in texts.items()}
    return [text for name, text in texts.items() if name in wanted]
