"""f-strings as MindSpore's compiler writes them: numbers as C++ does, texts without quotation marks."""

from __future__ import annotations

import ast

import numpy as np

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter

_FEW = 29           # of more elements than this a constant shows none


def is_spelled_out(node) -> bool:
    """Whether a tuple or a list is written out of constants, which Python makes the text of."""
    return isinstance(node, (ast.Tuple, ast.List)) and all(
        isinstance(n, ast.Constant) or is_spelled_out(n) for n in node.elts)


def text(literals: tuple, spelled: tuple, varying: tuple, *values) -> str:
    """The text of an f-string: ``literals`` with None for each value; Python writes one with a Tensor that
    follows from an argument (``varying``), or None."""
    if any(v is None or ((varies or isinstance(v, Parameter)) and _holds_tensor(v))
           for v, varies in zip(values, varying, strict=True)):
        made = map(str, values)
    else:
        made = (str(v) if plain else written(v) for v, plain in zip(values, spelled, strict=True))
    return "".join([next(made) if part is None else part for part in literals])


def written(value) -> str:
    """One value: numbers of six digits, a tuple of one without its comma."""
    kind = value.__class__
    if isinstance(value, Tensor):
        return constant(value)
    if isinstance(value, np.ndarray):
        return f"PythonObject(type: {kind}, value: {value})"
    if kind is float:
        return f"{value:g}"
    if kind is bool:
        return str(value).lower()
    if kind is tuple:
        return f"({', '.join(map(written, value))})"
    if kind is list:
        return f"[{', '.join(map(written, value))}]"
    if kind is dict:
        return "{" + ", ".join(f"{k!r}: {written(v)}" for k, v in value.items()) + "}"
    return str(value)


def constant(value: Tensor) -> str:
    """A Tensor that is a constant of a graph."""
    t = value._t
    shape = ", ".join(map(str, t.shape))
    if not t.ndim:
        shown = f"{t.item():g}" if t.is_floating_point() else str(t.item())
    elif t.numel() > _FEW:
        shown = "[...]"
    else:
        shown = repr(value).partition("value=")[2][:-1].replace(",", "").removeprefix(" ")
    return f"Tensor(shape=[{shape}], dtype={value.dtype}, value={shown})"


def _holds_tensor(value) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, Tensor) or (isinstance(value, (tuple, list)) and any(map(_holds_tensor, value)))
