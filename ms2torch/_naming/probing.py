"""Whether an import that will fail stands in a ``try`` that expects it to.

Packages that serve several releases of MindSpore write

    try:
        from mindspore.nn.transformer.layers import _Linear
    except ImportError:
        from mindformers.modules.layers import Linear as _Linear

For a name that ms2torch lacks, such a statement has to fail as it does on a release without the name; a
stand-in that raises when it is used would keep the program from its own other way.
"""

from __future__ import annotations

import ast
import linecache
from functools import cache
from opcode import opmap
from types import FrameType

_IMPORT_FROM = opmap["IMPORT_FROM"]
_CATCH = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def caught_errors(frame: FrameType) -> frozenset[str]:
    """The names of the import errors that the ``from ... import`` which ``frame`` is executing catches."""
    if frame.f_code.co_code[frame.f_lasti] != _IMPORT_FROM:
        return frozenset()
    found = set()
    for first, last, names in _tries(frame.f_code.co_filename):
        if first <= frame.f_lineno <= last:
            found |= names
    return frozenset(found)


@cache
def _tries(filename: str) -> tuple[tuple[int, int, frozenset[str]], ...]:
    """Each ``try`` of a file that catches import errors: first and last line of the body, what it catches."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            names = frozenset(name for handler in node.handlers for name in _names(handler.type))
            if names:
                found.append((node.body[0].lineno, node.body[-1].end_lineno, names))
    return tuple(found)


def _names(handler: ast.expr | None) -> set[str]:
    if handler is None:
        return {"BaseException"}
    kinds = handler.elts if isinstance(handler, ast.Tuple) else [handler]
    return {kind.id for kind in kinds if isinstance(kind, ast.Name)} & _CATCH
