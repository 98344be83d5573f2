"""Where something stands in a program's source, in the form in which MindSpore's compiler shows it."""

from __future__ import annotations

import ast
import linecache

RULE = "-" * 52


def shown(file: str, node) -> str:
    """The place of ``node``, its line, and a mark under it."""
    line = linecache.getline(file, node.lineno).rstrip("\n")
    begin, end = node.col_offset, node.end_col_offset if node.end_lineno == node.lineno else len(line)
    return f"In file {file}:{node.lineno}, {begin}~{end}\n{line}\n{' ' * begin}^{'~' * (end - begin - 1)}\n"


def trace(file: str, node) -> str:
    """What follows the words of an error that ``node`` is."""
    return f"\n{RULE}\n- The Traceback of Net Construct Code:\n{RULE}\n\n# {shown(file, node)}"


def read_of(name: str, tree, skipped=()):
    """The first read of ``name`` in ``tree`` that is not on the lines ``skipped``, pairs (first, last)."""
    reads = [
        n for n in ast.walk(tree)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        and not any(a <= n.lineno <= b for a, b in skipped)
    ]
    return min(reads, key=lambda n: (n.lineno, n.col_offset), default=None)
