"""How the Cells of a program were made: what a minimal repro writes down."""

from __future__ import annotations

import inspect
import re
import sys

import numpy as np

from ms2torch._core.operators.registry import Primitive
from ms2torch._core.tensor.dtype import Type
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell

_MADE = "_made_with"
_SMALL = 64
# Where the functions are that the recorder calls mint.nn.linear and numpy.sum.
_WHERE = {"mint.nn": "mint.nn.functional.", "numpy": "ms.numpy."}
_SPELLED = re.compile(r"^(mint\.nn|numpy)\.(?!functional)")


def install() -> None:
    """From now on each new Cell and Primitive remembers its arguments."""
    def new(cls, *args, **kwargs):
        cell = object.__new__(cls)
        cell.__dict__[_MADE] = (args, kwargs)
        return cell

    Cell.__new__ = Primitive.__new__ = staticmethod(new)


def cell_expression(cell: Cell) -> dict:
    """What it takes to make the Cell again: an expression, or None; the source of a class of the user's."""
    kind = type(cell)
    found = {"class": kind.__name__, "code": expression(cell), "training": bool(cell.training),
             "parameters": [p.name for p in cell.get_parameters()]}
    if not kind.__module__.startswith("ms2torch"):
        found["source"], found["imports"] = _source(kind)
        if found["source"] is None:
            found["code"] = None
    return found


class Word(str):
    """A name in an expression: it stands there as it is."""

    __repr__ = str.__str__


def call_expression(name: str, args: tuple, kwargs: dict) -> str | None:
    """The call of an operator ("ops.softmax", "Tensor.__add__", or a Primitive's name) as an expression.
    Tensors are given as `Word`."""
    if args and isinstance(args[0], Primitive):
        function, args = _call(args[0]), args[1:]
    elif name.startswith("Tensor."):
        function, args = f"{args[0]}.{name.partition('.')[2]}", args[1:]
    else:
        function = _SPELLED.sub(lambda m: _WHERE[m[1]], name)
    parts = [expression(a) for a in args] + [(c := expression(v)) and f"{k}={c}" for k, v in kwargs.items()]
    return None if function is None or None in parts else f"{function}({', '.join(parts)})"


def expression(value) -> str | None:
    """An expression that makes ``value``; None where there is none."""
    if value is None or value is Ellipsis or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, slice):
        parts = [expression(x) for x in (value.start, value.stop, value.step)]
        return None if None in parts else f"slice({', '.join(parts)})"
    if isinstance(value, Type):
        return f"ms.{str(value).lower()}"
    if isinstance(value, Parameter):
        return None
    if isinstance(value, Tensor):
        array = value.asnumpy()
        small = array.size <= _SMALL
        return f"Tensor(np.array({array.tolist()!r}, np.{array.dtype.name}))" if small else None
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(x, Parameter) for x in value):
            return "parameters"
        parts = [expression(x) for x in value]
        if None in parts:
            return None
        inner = ", ".join(parts)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(parts) == 1 else ''})"
    if isinstance(value, dict):
        parts = [(expression(k), expression(v)) for k, v in value.items()]
        if any(None in pair for pair in parts):
            return None
        return "{" + ", ".join(f"{k}: {v}" for k, v in parts) + "}"
    if isinstance(value, (Cell, Primitive)) and _MADE in value.__dict__:
        return _call(value)
    return None


def _call(cell: Cell | Primitive) -> str | None:
    if _MADE not in cell.__dict__:
        return None
    args, kwargs = cell.__dict__[_MADE]
    parts = [expression(x) for x in args] + [(c := expression(v)) and f"{k}={c}" for k, v in kwargs.items()]
    if None in parts:
        return None
    kind = type(cell)
    own = kind.__module__.startswith(("ms2torch", "mindspore."))
    name = _public(kind) if own else kind.__name__
    return f"{name}({', '.join(parts)})"


def _public(kind: type) -> str:
    from ms2torch import nn, ops

    for module, name in ((nn, "nn"), (ops, "ops")):
        if getattr(module, kind.__name__, None) is kind:
            return f"{name}.{kind.__name__}"
    home = kind.__module__.replace("ms2torch", "mindspore", 1)
    return f"__import__('{home}', fromlist=['x']).{kind.__name__}"


def _source(kind: type) -> tuple[str | None, str]:
    """The text of a class and the imports of its file."""
    try:
        text = inspect.getsource(kind)
        whole = inspect.getsource(sys.modules[kind.__module__])
    except (OSError, TypeError, KeyError):
        return None, ""
    lines = [line for line in whole.splitlines() if line.startswith(("import ", "from ")) and "(" not in line]
    return inspect.cleandoc("\n" + text) if not text.startswith("class") else text, "\n".join(lines)


