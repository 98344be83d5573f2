"""A Cell starts in evaluation mode and a Module in training mode: which classes does that concern?"""

from __future__ import annotations

import ast

from .inferred import Class, Function, Ref
from .reading import Reading

_WORDS = ("BatchNorm", "Dropout", "dropout")


def depends_on_mode(reading: Reading, cls: Class) -> bool:
    """Whether a class, or what it descends from, has layers that compute something else while training."""
    if cls.differs is not None:
        return cls.differs
    inherits = isinstance(cls.base, Class) and depends_on_mode(reading, cls.base)
    return inherits or within(reading, cls.node, set())


def within(reading: Reading, tree: ast.AST, seen: set[int]) -> bool:
    """Whether a part of a file makes such a layer, or a class that has one."""
    if id(tree) in seen:
        return False
    seen.add(id(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        inferred = reading.inferred(node.func)
        if isinstance(inferred, Ref) and any(word in inferred.rpartition(".")[2] for word in _WORDS):
            return True
        if not isinstance(inferred, (Class, Function)):
            continue
        if inferred.differs is not None:
            if inferred.differs:
                return True
        elif within(reading, inferred.node, seen):
            return True
    return False
