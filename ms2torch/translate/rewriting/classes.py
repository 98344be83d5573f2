"""Classes and functions: ``nn.Cell`` is ``nn.Module``, ``construct`` is ``forward``."""

from __future__ import annotations

import ast

import libcst as cst

from ..rules.cells import BASES
from ..translation import site_of
from .worth import Class, Ref, is_cell

_RENAMED = {"construct": "forward"}


def is_base(rewriter, node: ast.expr) -> bool:
    """Whether a name stands among a class's bases."""
    return id(node) in {id(b) for cls in rewriter.reading.classes for b in cls.bases}


def rewritten(rewriter, cls: Class | None, original: cst.ClassDef, updated: cst.ClassDef):
    """A class whose bases are PyTorch's."""
    if cls is None:
        return updated
    bases = []
    for new, node in zip(updated.bases, cls.node.bases, strict=True):
        worth = rewriter.reading.worth(node)
        if isinstance(worth, Ref):
            made = BASES.get(worth)
            if made is None:
                rewriter.keep_site(site_of(node), worth, "a class descends from it")
                made = worth.replace("mindspore.", "ms2torch.", 1)
            else:
                rewriter.settle(site_of(node), worth, worth)
            new = new.with_changes(value=cst.parse_expression(made)) if made else None
        if new is not None:
            bases.append(new)
    if bases:
        bases[-1] = bases[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated.with_changes(bases=bases)
    return updated.with_changes(bases=[], lpar=cst.MaybeSentinel.DEFAULT, rpar=cst.MaybeSentinel.DEFAULT)


def function(rewriter, original: cst.FunctionDef, updated: cst.FunctionDef):
    """``construct`` of a Cell is ``forward``; decorators that PyTorch has no need of go."""
    cls = rewriter.classes[-1] if rewriter.classes else None
    if cls is not None and updated.name.value in _RENAMED and (cls.is_cell or cls.root() in BASES):
        name = _RENAMED[updated.name.value]
        if not is_cell(cls.root()):
            name = "__call__"
        updated = updated.with_changes(name=cst.Name(name))
    kept = [
        d
        for d in updated.decorators
        if not (isinstance(d.decorator, cst.Name) and d.decorator.value == "_gone_")
    ]
    if len(kept) != len(updated.decorators):
        lines = updated.decorators[0].leading_lines
        updated = updated.with_changes(decorators=kept)
        if kept:
            kept[0] = kept[0].with_changes(leading_lines=lines)
        elif lines:
            updated = updated.with_changes(leading_lines=lines)
    return updated
