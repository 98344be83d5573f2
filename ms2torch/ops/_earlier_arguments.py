"""Names of arguments that releases before 2.10 had: taken where such a release was chosen (``--api 2.0``),
with its products and quotients.

Each row was read off the signatures of 2.0.0; the meaning of the argument is that of the later name. Without
a release such a call is the TypeError that 2.10 raises.
"""

from __future__ import annotations

import functools

from ms2torch._core.operators import arithmetic
from ms2torch._core.tensor.tensor import Tensor, divide
from ms2torch._naming import generation, generations

from . import function, functional

_X = {"x": "input"}
_XY = {"x": "input", "y": "other"}
_VALUE = {"value": "other"}
_UNIQUE = {"return_idx": "return_inverse", "axis": "dim"}

FUNCTIONS = {
    **dict.fromkeys(("addmv", "asinh", "atanh", "clip", "combinations", "cummin", "hardshrink", "hardswish",
                     "isfinite", "isnan", "prelu", "reverse", "silu", "softmax", "softshrink"), _X),
    **dict.fromkeys(("ge", "gt", "kron", "le", "less", "maximum", "minimum", "ne"), _XY),
    "dstack": {"inputs": "tensors"},
    "gelu": {"input_x": "input"},
    "isclose": {"x1": "input"},
    "matmul": {"x1": "input", "x2": "other"},
    "select": {"cond": "condition", "x": "input", "y": "other"},
    "unique_consecutive": _UNIQUE,
}
METHODS = {
    **dict.fromkeys(("div", "divide", "mul", "true_divide"), _VALUE),
    "ge": {"x": "other"},
    "gt": {"x": "other"},
    "masked_scatter": {"tensor": "source"},
    "prod": {"keep_dims": "keepdims"},
    "tile": {"multiples": "reps"},
    "unique_consecutive": _UNIQUE,
    "xlogy": {"y": "other"},
}


def _taking(function, names: dict[str, str]):
    """``function``, which takes arguments by the earlier ``names`` too."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if not names.keys().isdisjoint(kwargs):
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
        return function(*args, **kwargs)

    call.also = {**getattr(function, "also", {}), **names}
    call.as_of_2_10 = function
    return call


def follow_the_generation() -> None:
    """Take the earlier names, or leave them, and multiply and divide, as the chosen release says."""
    from ms2torch import ops

    arithmetic.rank_0_counts = generations.has_old_meaning("mindspore.ops.mul")
    divide(whole=generations.has_old_meaning("mindspore.ops.div"))

    takes_them = generation.api() < generation.LATEST
    for place, table in ((ops, FUNCTIONS), (functional, FUNCTIONS), (function, FUNCTIONS), (Tensor, METHODS)):
        for name in table.keys() & vars(place).keys():
            found = vars(place)[name]
            plain = getattr(found, "as_of_2_10", found)
            setattr(place, name, _taking(plain, table[name]) if takes_them else plain)
