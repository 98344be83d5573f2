"""Conditions and numbers of the table of refused calls: Python expressions over a call's arguments.

``rank(x) != 4``, ``dim(x, -1) != dim(weight, 0)``, ``num(axis) >= rank(x)``; in the words of an error
``{shape(x)}``, ``{rank(x) + 1}``. An argument goes by its name, by ``a0`` where an object is called, an
attribute of that object by ``own_axis``. What cannot be told of the arguments given is false.
"""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import zip_longest

import numpy as np
import torch

from ms2torch._core.checks.core_words import core
from ms2torch._core.checks.enum_words import listed
from ms2torch._core.checks.words import kind_of, renderings, shapes, shown
from ms2torch._core.devices import device
from ms2torch._core.tensor.dtype import UNSIGNED, from_torch, promote, promote_scalar
from ms2torch._core.tensor.tensor import wrap


class InputArray(np.ndarray):
    """An array among the inputs of an operator or a layer, which is no Tensor to it: its shape is that of a
    number (``rank`` 0), or cannot be told."""

    rank: int | None = None

    def __repr__(self) -> str:
        return repr(np.asarray(self).view(np.ndarray))


InputArray.__name__, InputArray.__qualname__, InputArray.__module__ = "ndarray", "ndarray", "numpy"


def as_input(array: np.ndarray, of_layer: bool) -> InputArray:
    seen = array.view(InputArray)
    seen.rank = None if of_layer else 0
    return seen


def _tensor(x):
    x = getattr(x, "_t", x)                     # (one of a tuple)
    if x.__class__ is InputArray:
        x = torch.empty(()) if x.rank == 0 else None
    if not isinstance(x, (torch.Tensor, np.ndarray)):
        raise TypeError("no tensor")
    return x


def num(x):
    """A plain number."""
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        raise TypeError("no number")
    return x


def count(x) -> int:
    """The length of a sequence."""
    if not isinstance(x, (tuple, list)):
        raise TypeError("no sequence")
    return len(x)


def _dtype(x) -> str:
    if not isinstance(x, torch.Tensor):
        raise TypeError("no tensor")
    # MindSpore's lists of dtypes are a CPU's: elsewhere bfloat16 is right where float16 is.
    elsewhere = x.dtype is torch.bfloat16 and not device.has_cpu_kernels()
    return from_torch(torch.float16 if elsewhere else x.dtype)._text


def _rendered(how: str):
    return lambda x: renderings(x)[how]


def _text(x) -> str:
    return shown(x) if isinstance(x, (tuple, list)) else str(wrap(x) if isinstance(x, torch.Tensor) else x)


def _positive(x) -> bool:
    return isinstance(x, int) and not isinstance(x, bool) and x > 0


def positives(x, number: int) -> bool:
    """Whether this is a positive whole number, or ``number`` of them in a tuple."""
    return _positive(x) or (isinstance(x, tuple) and len(x) == number and all(map(_positive, x)))


_TYPES = {"int": int, "float": float, "bool": bool, "str": str, "tuple": tuple, "list": list,
          "Tensor": torch.Tensor, "None": type(None)}


def of_types(x, *names) -> bool:
    """Whether a value is of one of these types; a bool is no int."""
    return isinstance(x, tuple(_TYPES[n] for n in names)) and (not isinstance(x, bool) or "bool" in names)


def promoted(*tensors) -> str:
    """The dtype that two tensors have in common."""
    return from_torch(torch.promote_types(*(_tensor(x).dtype for x in tensors)))._text


def common(x, y) -> str:
    """The dtype in which an operator computes two tensors, or a tensor and a number."""
    if not isinstance(x, torch.Tensor):
        x, y = y, x
    y = y.item() if isinstance(y, np.generic) else y
    if isinstance(y, torch.Tensor):
        return from_torch(promote(x, y)[0].dtype)._text
    if not isinstance(y, (bool, int, float)):
        raise TypeError("no number")
    return from_torch(promote_scalar(_tensor(x), y)[0].dtype)._text


def apart(x, y) -> bool:
    """Whether two tensors have dtypes of which MindSpore makes no common one: an unsigned one of more than 8
    bits beside any other number."""
    dtypes = {_tensor(x).dtype, _tensor(y).dtype}
    return len(dtypes) > 1 and not dtypes.isdisjoint(UNSIGNED) and torch.bool not in dtypes


def array_word(x) -> str:
    """The dtype of what mindspore.numpy makes of a tensor or a number."""
    if isinstance(x, torch.Tensor):
        return from_torch(x.dtype)._text
    return {bool: "Bool", int: "Int32", float: "Float32"}[type(x)]


def unknown_to_numpy(*values) -> bool:
    """Whether values of two dtypes, of which mindspore.numpy does not know one, need a common one."""
    words = {array_word(x) for x in values}
    return len(words) > 1 and not words.isdisjoint(("BFloat16", "Complex64", "Complex128"))


def first_not(x, *names) -> int:
    """The place of the first item of a sequence that is of none of these types; far behind where there is
    none."""
    return next((k for k in range(count(x)) if not of_types(x[k], *names)), 1 << 30)


def first_unlike(x, right: str) -> int:
    """The place of the first item of a sequence, or a number's own, that is no int which is ``right``: "> 0",
    ">= 0", "" for any; far behind where there is none."""
    items = (x,) if of_types(x, "int") else x[:count(x)]
    return next((k for k, v in enumerate(items)
                 if not of_types(v, "int") or (right and v < (right == "> 0"))), 1 << 30)


def lesser(x, y) -> str:
    """The dtype of the one of two tensors that becomes another one in common."""
    common = promoted(x, y)
    return next(d for d in (from_torch(_tensor(t).dtype)._text for t in (x, y)) if d != common)


def broadcast(*tensors) -> bool:
    """Whether tensors, of which numbers are some, have shapes that broadcast."""
    sizes = [tuple(x.shape) for x in tensors if isinstance(x, (torch.Tensor, np.ndarray))]
    return all(len({n for n in places if n != 1}) <= 1
               for places in zip_longest(*map(reversed, sizes), fillvalue=1))


def beyond(index, x, axis: int) -> bool:
    """Whether a tensor of indices is longer than ``x`` along another axis than ``axis``."""
    sizes = [tuple(_tensor(t).shape) for t in (index, x)]
    return any(n > m for k, (n, m) in enumerate(zip(*sizes, strict=True)) if k != axis % len(sizes[0]))


def _sized(how: str):
    return lambda x: shapes(tuple(_tensor(x).shape))[how]


# The numbers that MindSpore's core has for dtypes.
_IDS = {"Bool": 30, "Int8": 32, "Int16": 33, "Int32": 34, "Int64": 35, "UInt8": 37, "UInt16": 38,
        "UInt32": 39, "UInt64": 40, "Float16": 42, "Float32": 43, "Float64": 44, "Complex64": 51,
        "Complex128": 52}

WORDS = {
    "core": core,
    "type_id": lambda x: _IDS[_dtype(x)],
    "rank": lambda x: _tensor(x).ndim,
    "on_ascend": lambda: device.wanted == "Ascend",
    # As they come: while a graph is exported sizes may be open, and a plain int would fix them.
    "dim": lambda x, k: _tensor(x).shape[k],
    "size": lambda x: math.prod(_tensor(x).shape),
    "num": num,
    "count": count,
    "item": lambda x, k: num(x[k] if count(x) else None),
    "map_len": lambda x: [count(n) for n in x],
    "part": lambda x, k: x if of_types(x, "int") else x[k],
    "least": lambda x: min(map(num, x)) if count(x) else num(None),
    "inside": lambda x: {kind_of(v) for v in x} if count(x) else set(),
    "dtype": _dtype,
    "of": kind_of,
    "shape": _sized("shape"), "tuple": _sized("tuple"), "vector": _sized("vector"), "dims": _sized("dims"),
    "rest": lambda x: str(list(_tensor(x).shape[1:])),
    "printed": lambda x: repr(wrap(_tensor(x))).replace("value= ", "value="),
    "text": _text, "lower": lambda x: from_torch(_tensor(x).dtype)._text.lower(),
    "is_float": lambda x: _tensor(x).dtype.is_floating_point,
    "plain": lambda x: f"({', '.join(map(str, _tensor(x).shape))})", "lowered": str.lower,
    "upper": str.upper,
    "is_number": lambda x: isinstance(x, (int, float, np.generic)),
    "sized": lambda x: torch.tensor(x) if isinstance(x, (int, float, complex, np.generic)) else _tensor(x),
    "joined": lambda indices, x: str((*_tensor(indices).shape, *_tensor(x).shape[1:])),
    "positives": positives, "broadcast": broadcast, "of_types": of_types, "promoted": promoted,
    "common": common, "array_word": array_word, "unknown_to_numpy": unknown_to_numpy,
    "unsigned": lambda x: _tensor(x).dtype in UNSIGNED,
    "apart": apart, "first_not": first_not, "first_unlike": first_unlike, "beyond": beyond, "lesser": lesser,
    "tuple_": tuple, "set": set,
    "of_enum": lambda x: not isinstance(x, str) or listed(x),
    **{f.__name__: f for f in (len, abs, min, max, all, any, isinstance, int, float, bool, str, list)},
    **{how: _rendered(how) for how in ("word", "kind", "call", "cls", "type", "object", "typed", "repr",
                                       "compiled")},
}


_HOLE = re.compile(rf"\{{(-?(?:{'|'.join(WORDS)})\([^{{}}]*)\}}")
_BUILTINS = {"__import__": __import__}            # (numpy prints by an import)
# What an expression raises about arguments that it does not fit.
UNTOLD = (TypeError, IndexError, NameError, AttributeError, KeyError, ValueError)


def variable_name(place: str) -> str:
    """The name of an argument in expressions."""
    return f"a{place}" if place.isdigit() else place.replace("@", "own_").replace("*", "more")


@cache
def _compiled(expression: str):
    return compile(expression, expression, "eval")


def evaluate(expression: str, values: dict):
    """The value of an expression for arguments by `variable_name`; LookupError where they have none."""
    try:
        return eval(_compiled(expression), {"__builtins__": _BUILTINS, **values, **WORDS})
    except UNTOLD:
        raise LookupError(expression) from None


def holds(condition: str, values: dict) -> bool:
    try:
        return bool(evaluate(condition, values))
    except LookupError:
        return False


def fill(words: str, values: dict) -> str:
    """A template with the values of its expressions; LookupError where one has none."""
    return _HOLE.sub(lambda hole: str(evaluate(hole[1], values)), words)
