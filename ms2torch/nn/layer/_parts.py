"""Operators that MindSpore's layers keep as attributes and subclasses use: ``self.matmul``, ``self.conv2d``.
"""

from __future__ import annotations

import torch

from ms2torch._core.checks.calls import failed_call


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


def bias_of(cell, made: bool = True) -> torch.Tensor:
    """What a layer with ``has_bias`` adds; TypeError where there is no ``bias``, AttributeError where none
    was ``made`` with the layer."""
    if not made:
        raise AttributeError(f"The '{cell.cls_name}' object has no attribute 'bias_add'.")
    if cell.bias is None:
        raise failed_call("BiasAdd(data_format=string)(input_x=Tensor, bias=None)",
                          "BiasAdd()(input_x=<Tensor>, bias=<Tensor>)")
    return cell.bias._t


def primitive(name: str, *names: str, all: str | None = None, **fixed) -> Part:
    """The Primitive ``ops.name``, made of the cell's attributes ``names`` (``_axis`` is the argument
    ``axis``), of the dict that its attribute ``all`` holds, and of ``fixed`` arguments."""
    def make(cell):
        from ms2torch import ops

        given = getattr(cell, all) if all else {}
        return getattr(ops, name)(**{n.lstrip("_"): getattr(cell, n) for n in names}, **given, **fixed)

    return Part(make)
