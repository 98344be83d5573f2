"""A program's own names beside those of helpers and imports at its head: ``named`` is then ``named_``.

The program's names step aside while the file is rewritten, to others of the same length, for facts are by
place; then they come back, and the helpers get an underscore.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import string
import tokenize
from itertools import product

_AGAIN = re.compile(r"\b(\w+) as \1\b")


def bound(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The names that a file gives a meaning: in the module, and anywhere."""
    return _bound(tree, nested=False), _bound(tree, nested=True)


def _bound(tree: ast.AST, nested: bool, imports: bool = True) -> set[str]:
    found: set[str] = set()
    left = list(ast.iter_child_nodes(tree))
    while left:
        node = left.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
            if not nested:
                continue
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias) and imports:
            found.add(node.asname or node.name.partition(".")[0])
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "mindspore":
            continue  # these imports go
        if nested or not isinstance(node, ast.Lambda):
            left += ast.iter_child_nodes(node)
    return found


def assigned(tree: ast.Module) -> set[str]:
    """The names that a file gives a meaning anywhere otherwise than by importing it."""
    return _bound(tree, nested=True, imports=False)


def aside(source: str, names: set[str]) -> dict[str, str]:
    """For each of these names another of its length that the file does not use."""
    used = set(_names(source)) | set(keyword.kwlist) | set(dir(builtins))
    found: dict[str, str] = {}
    for name in sorted(names):
        ends = map("".join, product(string.ascii_letters, repeat=min(2, len(name))))
        found[name] = next(o for o in (name[:-2] + end for end in ends) if o not in used)
        used.add(found[name])
    return found


def _names(source: str):
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return (token.string for token in tokens if token.type == tokenize.NAME)


def renamed(source: str, names: dict[str, str], imported: frozenset[str] = frozenset()) -> str:
    """A file with other names, where they are names: not attributes, not arguments' keywords.

    What is ``imported`` keeps its name there: ``from torch import nn as nn_``.
    """
    keywords = {(k.lineno, k.col_offset) for k in ast.walk(ast.parse(source)) if isinstance(k, ast.keyword)}
    lines = source.splitlines(keepends=True)
    places, before, word = [], "", ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (line, column), text = token.start, token.string
        in_bytes = len(lines[line - 1][:column].encode()) if line <= len(lines) else 0
        is_name = token.type == tokenize.NAME and before != "." and (line, in_bytes) not in keywords
        if token.type == tokenize.NEWLINE or text == ";":
            word = ""
        elif text in ("from", "import") or not word:
            word = text or word
        if is_name and text in names and not (text in imported and word == "from"):
            new = names[text]
            if text in imported and word == "import" and before != "as":
                new = text if lines[line - 1][token.end[1] :].startswith(" as ") else f"{text} as {new}"
            places.append((line - 1, column, text, new))
        before = text
    for line, column, text, new in reversed(places):
        row = lines[line]
        lines[line] = row[:column] + new + row[column + len(text) :]
        if imported and row.startswith(("import ", "from ")):
            lines[line] = _AGAIN.sub(r"\1", lines[line])
    return "".join(lines)
