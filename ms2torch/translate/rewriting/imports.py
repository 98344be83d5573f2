"""The head of the file: imports in order, and the functions that stand in for what PyTorch lacks."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from functools import cache

import libcst as cst

from .. import helpers
from .templates import code, fill

# Names that translations may use, and what imports them.
NEEDED = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "np": "import numpy as np",
    "ms2torch": "import ms2torch",
    "copy": "import copy",
    "math": "import math",
    "re": "import re",
    "partial": "from functools import partial",
    "SimpleNamespace": "from types import SimpleNamespace",
    "DataLoader": "from torch.utils.data import DataLoader",
    "DistributedSampler": "from torch.utils.data import DistributedSampler",
    "groupby": "from itertools import groupby",
    "os": "import os",
    "distributed": "from torch import distributed",
    "distributed_functions": "from torch.distributed.nn import functional as distributed_functions",
    "cache": "from functools import cache",
    "Path": "from pathlib import Path",
    "islice": "from itertools import islice",
    "lr_scheduler": "from torch.optim import lr_scheduler",
}


def plain(original: cst.Import, updated: cst.Import):
    """``import mindspore as ms`` goes."""
    kept = [n for n in updated.names if _root(n.name) != "mindspore"]
    if not kept:
        return cst.RemoveFromParent()
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return updated.with_changes(names=kept)


def of_names(original: cst.ImportFrom, updated: cst.ImportFrom):
    gone = updated.module is not None and not updated.relative and _root(updated.module) == "mindspore"
    return cst.RemoveFromParent() if gone else updated


def _root(name) -> str:
    return code(name).partition(".")[0]


def as_function(rule, form) -> str | None:
    """A rule's form as a function to be handed on: ``torch.relu`` for ``torch.relu({input})``."""
    if form is None:
        return None
    names = [n for n in form.order if n not in form.defaults]
    try:
        value = fill(rule.form, {n: cst.Name(n) for n in names})
    except KeyError:
        return None
    from .primitives import as_lambda

    return code(as_lambda(names, value))


def tidy(module: cst.Module, rewriter) -> cst.Module:
    """The module with the imports that it uses, in order, and its helpers below them."""
    program = "\n".join((*rewriter.texts, module.code))
    if rewriter.mentions("SGD") and not rewriter.mentions("Momentum", "experimental"):
        program += "\nstate_of_sgd"  # both are torch.optim.SGD, and their checkpoints have other names
    texts = helpers.sources(rewriter.helpers, rewriter.takes_classes, program)
    body, head = list(module.body), []
    start = next((i for i, s in enumerate(body) if not _is_docstring(s)), len(body))
    defined = {statement.name for text in texts for statement in ast.parse(text).body}
    first, last, below = _places(body, start, defined)
    head = [s for s in body[first:last] if _is_import(s)]
    between = [s for s in body[first:last] if not _is_import(s)]
    above, rest = body[:first], [*between, *body[last:]]
    below += len(between) - last
    used = names(ast.parse(module.code)) | {n for text in texts for n in names(ast.parse(text))}
    have = {name for s in [*above[start:], *head] if _is_import(s) for name in _bound(s)}
    have |= _in_time(texts, rest)
    missing = [line for name, line in NEEDED.items() if name in used and name not in have]
    bound = _assigned(ast.parse(module.code))
    missing = [line for line in missing if not {n for n, at in NEEDED.items() if at == line} & bound]
    head = [s for s in head if not _unused(s, used)]
    lines = _ordered(_merged(head, missing), _joins_its_own(rewriter.tree))
    made = [cst.parse_statement(text) for text in texts]
    made = [s.with_changes(leading_lines=[cst.EmptyLine(), cst.EmptyLine()]) for s in made]
    above += lines
    if rest and (lines or made):
        apart = (made and not below) or isinstance(rest[0], (cst.ClassDef, cst.FunctionDef))
        rest[0] = _spaced(rest[0], 2 if apart else 1)
    if made and 0 < below < len(rest):
        rest[below] = _spaced(rest[below], 2)
    if lines and first:
        above[first] = _spaced(above[first], 1, body[first])
    return module.with_changes(body=[*above, *rest[:below], *made, *rest[below:]])


_CELL = "# ms2torch: cell"  # where a notebook's cell begins
_BETWEEN = 6  # statements between two imports that may make ready for the second


def _places(body: list, start: int, defined: set[str]) -> tuple[int, int, int]:
    """Where the imports lie that new ones join, from and to, and where the helpers, which are ``defined``,
    come: below the last import of the head, which may have lines between its imports (``os.environ``)."""
    groups, at, waited = [(start, start)], start, 0
    while at < len(body) and waited < _BETWEEN:
        end = _end_of_imports(body, at)
        if end > at:
            groups.append((at, end))
        elif not _prepares(body[at]):
            break
        at, waited = max(end, at + 1), waited + 1 if end == at else 0

    def in_time(group: tuple[int, int], needed: set[str]) -> bool:
        before = body[start : group[0]]
        bound = {name for s in before if _is_import(s) for name in _bound(s)}
        return not any((needed - bound) & _reads(s) for s in before)

    may = [g for g in groups if in_time(g, {*NEEDED, *defined})]
    first, last = next((g for g in may if any(map(_is_installed, body[slice(*g)]))), may[-1])
    below = max(g[1] for g in groups if in_time(g, defined))
    return first, last, max(last, below)


def _end_of_imports(body: list, at: int) -> int:
    """Where the imports that begin at a place end, those that may fail among them."""
    end = at
    for i in range(at, len(body)):
        if _is_import(body[i]):
            end = i + 1
        elif not isinstance(body[i], cst.Try):
            break
    return end


def _prepares(statement) -> bool:
    """Whether it is a line that may stand between imports, not the first of a notebook's cell."""
    marked = any(line.comment and line.comment.value.startswith(_CELL) for line in statement.leading_lines)
    small = isinstance(statement, cst.SimpleStatementLine) and statement.body[:1]
    return bool(small) and not marked and isinstance(small[0], (cst.Expr, cst.Assign, cst.Pass))


def _is_installed(statement) -> bool:
    """Whether it imports a package of others."""
    if not _is_import(statement):
        return False
    node = ast.parse(code(statement).strip()).body[0]
    return not getattr(node, "level", 0) and _section(_module(node), False) == 2


def _reads(statement) -> set[str]:
    return names(ast.parse(code(statement.with_changes(leading_lines=[])).strip()))


def _blank(statement):
    return [line for line in statement.leading_lines if line.comment is None]


def _spaced(statement, count: int, like=None):
    """A statement below ``count`` blank lines; its comments stay."""
    if like is not None:
        count = min(len(_blank(like)), 1)
    comments = [line for line in statement.leading_lines if line.comment is not None]
    return statement.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * count, *comments])


def _is_docstring(statement) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, (cst.SimpleString, cst.ConcatenatedString))
    )


def _is_import(statement) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and len(statement.body) == 1
        and isinstance(statement.body[0], (cst.Import, cst.ImportFrom))
    )


def _bound(statement) -> set[str]:
    node = ast.parse(code(statement).strip()).body[0]
    return {a.asname or a.name.partition(".")[0] for a in node.names}


def _in_time(texts: list[str], rest: list) -> set[str]:
    """What the imports below the head bind before anything reads it."""
    read = {name for text in texts for name in _read_now(ast.parse(text))}
    bound: set[str] = set()
    for statement in rest:
        if _is_import(statement):
            bound |= _bound(statement) - read
        read |= _read_now(ast.parse(code(statement.with_changes(leading_lines=[])).strip()))
    return bound


def _read_now(node: ast.AST) -> set[str]:
    """The names that a statement reads as it runs, which those in functions that it defines are not."""
    if isinstance(node, ast.Name):
        return {node.id}
    later = node.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
    return {n for child in ast.iter_child_nodes(node) if child not in later for n in _read_now(child)}


def _unused(statement, used: set[str]) -> bool:
    """Whether an import of numpy, or of something that went, is used no more."""
    bound = _bound(statement)
    return bound <= {"np", "partial", "numpy"} and not bound & used


def names(tree: ast.Module) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _assigned(tree: ast.Module) -> set[str]:
    """Names that the module itself gives a meaning."""
    return {
        n.id
        for s in tree.body
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and isinstance(s, ast.Assign)
    } | {s.name for s in tree.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))}


@cache
def _section(module: str, relative: bool) -> int:
    if relative:
        return 3
    root = module.partition(".")[0]
    if root == "__future__":
        return 0
    if root in sys.stdlib_module_names:
        return 1
    if root in (
        "mindspore",
        "numpy",
        "torch",
        "ms2torch",
        "scipy",
        "sklearn",
        "PIL",
        "cv2",
        "matplotlib",
        "pandas",
        "tqdm",
    ):
        return 2
    try:
        spec = importlib.util.find_spec(root)
    except (ImportError, ValueError):
        spec = None
    return 2 if spec is not None and "site-packages" in (spec.origin or "") else 3


def _merged(head: list, missing: list[str]) -> list:
    """The imports of a file and those that it lacks; names of one module are imported by one line."""
    own = {code(s).strip(): s for s in head}
    by_module: dict[str, list[str]] = {}
    for line in [*own, *missing]:
        words = _FROM.fullmatch(line)
        if words:
            by_module.setdefault(words[1], []).append(line)
    gone: set[str] = set()
    for module, lines in by_module.items():
        if len(lines) > 1 and not set(lines) <= own.keys():
            names = {name.strip() for line in lines for name in _FROM.fullmatch(line)[2].split(",")}
            gone |= set(lines)
            missing = [*missing, f"from {module} import {', '.join(sorted(names, key=_by_type))}"]
    kept = [s for line, s in own.items() if line not in gone]
    return kept + [cst.parse_statement(line) for line in missing if line not in gone]


_FROM = re.compile(r"from ([\w.]+) import ((?:\w+(?:, )?)+)")


def _by_type(name: str) -> tuple[bool, bool, str]:
    """Constants, then classes, then the rest, as import sorters have them."""
    return not name.isupper(), not name[:1].isupper(), name.lower()


def _module(node: ast.Import | ast.ImportFrom) -> str:
    return (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name


def _joins_its_own(tree: ast.Module) -> bool:
    """Whether a program's own modules stand among the packages that are installed, as a sorter has them that
    does not know where they are."""
    found = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    own = [not getattr(n, "level", 0) and _section(_module(n), False) == 3 for n in found]
    return any(
        is_own and not other and not getattr(above, "level", 0) and below.lineno == above.end_lineno + 1
        for above, below, other, is_own in zip(found, found[1:], own, own[1:], strict=False)
    )


def _ordered(statements, joined: bool) -> list:
    """Imports by section, ``import`` before ``from``, by name; ``joined``: sections 2 and 3 are one."""
    keyed = []
    for statement in statements:
        node = ast.parse(code(statement).strip()).body[0]
        is_from = isinstance(node, ast.ImportFrom)
        name, relative = _module(node), bool(is_from and node.level)
        section = 2 if joined and not relative and _section(name, False) == 3 else _section(name, relative)
        keyed.append(((section, is_from, name.lower()), statement))
    keyed.sort(key=lambda pair: pair[0])
    made, before = [], None
    for key, statement in keyed:
        gap = before is not None and key[0] != before
        made.append(_spaced(statement, int(gap)))
        before = key[0]
    return made
