"""f-strings as MindSpore's compiler writes them: numbers as C++ does, texts without quotation marks."""

from __future__ import annotations

import ast

from ms2torch._core.tensor.tensor import Tensor


def is_spelled_out(node) -> bool:
    """Whether a tuple or a list is written out of constants, which Python makes the text of."""
    return isinstance(node, (ast.Tuple, ast.List)) and all(
        isinstance(n, ast.Constant) or is_spelled_out(n) for n in node.elts)


def text(literals: tuple, spelled: tuple, *values) -> str:
    """The text of an f-string: ``literals`` with None for each value; Python writes one with a Tensor."""
    if any(_holds_tensor(v) for v in values):
        made = map(str, values)
    else:
        made = (str(v) if plain else written(v) for v, plain in zip(values, spelled, strict=True))
    return "".join([next(made) if part is None else part for part in literals])


def written(value) -> str:
    """One value: numbers of six digits, a tuple of one without its comma."""
    kind = value.__class__
    if kind is float:
        return f"{value:g}"
    if kind is tuple:
        return f"({', '.join(map(written, value))})"
    if kind is list:
        return f"[{', '.join(map(written, value))}]"
    if kind is dict:
        return "{" + ", ".join(f"{k!r}: {written(v)}" for k, v in value.items()) + "}"
    return str(value)


def _holds_tensor(value) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, Tensor) or (isinstance(value, (tuple, list)) and any(map(_holds_tensor, value)))
