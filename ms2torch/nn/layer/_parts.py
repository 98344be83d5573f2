"""Operators that MindSpore's layers keep as attributes and subclasses use: ``self.matmul``, ``self.conv2d``.
"""

from __future__ import annotations


class Part:
    """An attribute made on first use: ``matmul = Part(lambda cell: ops.MatMul(transpose_b=True))``.

    The layers here compute in one torch call and need no operators; subclasses of MindSpore's layers call
    those of their parent. Whatever is assigned to the name wins.
    """

    def __init__(self, make) -> None:
        self._make = make

    def __set_name__(self, owner, name: str) -> None:
        self._name = name

    def __get__(self, cell, owner=None):
        if cell is None:
            return self
        own = cell.__dict__
        if self._name in own["_modules"]:
            return own["_modules"][self._name]
        part = own[self._name] = self._make(cell)
        return part


def primitive(name: str, *names: str, all: str | None = None, **fixed) -> Part:
    """The Primitive ``ops.name``, made of the cell's attributes ``names``, of the dict that its attribute
    ``all``
    holds, and of ``fixed`` arguments."""
    def make(cell):
        from ms2torch import ops

        given = getattr(cell, all) if all else {}
        return getattr(ops, name)(**{n: getattr(cell, n) for n in names}, **given, **fixed)

    return Part(make)
