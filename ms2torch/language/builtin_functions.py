"""Builtin functions as graph mode's language defines them, where that differs from Python.

What Python makes lazily (``map``, ``zip``, ``range``) is a tuple or a list here.
"""

from __future__ import annotations

import operator

import numpy as np

from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.language.arithmetic import OPERATIONS, single
from ms2torch.language.mapping import map_, refuse_dynamic, type_name
from ms2torch.language.printing import print_
from ms2torch.language.results import of_python

AMBIGUOUS = "The truth value of an array with more than one element is ambiguous."


def zip_(*sequences):
    """``zip``: a tuple of tuples."""
    return tuple(walked_zip(*sequences))


def walked_zip(*sequences):
    """``zip`` where it is only walked over."""
    if not sequences:
        raise RuntimeError("The zip operator must have at least 1 argument, but the size of arguments is 0.")
    refuse_dynamic("zip", sequences)
    return zip(*sequences, strict=False)


def unexpected(keyword: str):
    """What a builtin says of an argument by name."""
    raise RuntimeError(f"Got an unexpected keyword argument '{keyword}'")


def filter_(function, sequence):
    """``filter``: a list."""
    if function is None:
        raise ValueError("The object is not callable. Please check code.")
    return [v for v in sequence if function(v)]


def not_enumerable(kind: str) -> Exception:
    """The error of an ``enumerate`` over something of the class ``kind``."""
    if kind == "NoneType":
        return AttributeError("'NoneType' object has no attribute '__len__'")
    return TypeError("'For 'enumerate', the 'first input' should be tuple or list or tensor, but got "
                     f"<class '{kind}'>.'")


def walked_enumerate(sequence, start=0):
    """``enumerate`` where it is only walked over."""
    if not isinstance(sequence, (tuple, list, Tensor, str, dict)) and not hasattr(sequence, "__iter__"):
        raise not_enumerable(type(sequence).__name__)
    if isinstance(start, Tensor):
        walked_range(start)
    if isinstance(start, bool) or not isinstance(start, int):
        raise TypeError(f"'For 'enumerate', the 'start' should be a const int number, but got {start}.'")
    refuse_dynamic("zip", (sequence,))
    return enumerate(sequence, start)


def enumerate_(sequence, start=0):
    """``enumerate``: a tuple of pairs."""
    return tuple(walked_enumerate(sequence, start))


def abstract_text(value) -> str:
    """A value as MindSpore's compiler sees it."""
    if value is None:
        return "AbstractNone(Value: None)"
    if isinstance(value, Tensor):
        shape = ", ".join(map(str, value.shape))
        return (f"AbstractTensor(shape: ({shape}), element: AbstractScalar(Type: {value.dtype}, Value: "
                "ValueAny, Shape: NoShape), value_ptr: 0x0, value: ValueAny)")
    shown = {bool: lambda v: str(v).lower(), float: "{:g}".format}.get(type(value), str)(value)
    return f"AbstractScalar(Type: {type_name(value)}, Value: {shown}, Shape: NoShape)"


def range_(*limits):
    """``range``: a tuple of ints."""
    return tuple(walked_range(*limits))


def walked_range(*limits):
    """``range`` where it is only walked over; no Tensor and no float may be a limit."""
    if not 1 <= len(limits) <= 3:
        raise RuntimeError(f"For 'make_range', the input size should within [1, 3] but got{len(limits)}")
    if any(isinstance(limit, (np.ndarray, np.integer)) for limit in limits):
        limits = tuple(map(operator.index, limits))             # (Python's own range is called with them)
    for place, limit in enumerate(limits):
        if isinstance(limit, bool) or not isinstance(limit, int):
            raise TypeError(f"For 'make_range', the {place}th input should be a int scalar but got "
                            f"{abstract_text(limit)}")
    if len(limits) == 3 and limits[2] == 0:
        raise RuntimeError("For 'range', the argument 'step' could not be 0.")
    return range(*limits)


def _one(value, separator: str):
    """The number in a Tensor or an array of one element; ``value`` itself otherwise."""
    if isinstance(value, Tensor):
        t = value._t
        if t.numel() != 1:
            shape = ", ".join(map(str, t.shape))
            raise ValueError(
                "'Can not convert Tensor with more than one element to Scalar, while the data's shape is"
                f"{separator}: ({shape})'"
            )
        return t.item()
    return value.item() if isinstance(value, np.ndarray) and value.size == 1 else value


def float_(value=0.0):
    """``float``: also of a Tensor or an array of one element, whatever its shape."""
    return of_python(float(_one(value, "")))


def int_(value=0, *base):
    """``int``: also of a Tensor or an array of one element, whatever its shape."""
    return int(_one(value, " "), *base)


def float_of_constant(value=0.0):
    """``float`` of what no argument is in."""
    return float_(_single(value))


def int_of_constant(value=0, *base):
    """``int`` of what no argument is in."""
    return int_(_single(value), *base)


def _single(value):
    if isinstance(value, Tensor) and not isinstance(value, Parameter) and value._t.numel() != 1:
        raise ValueError("Only one element tensors can be converted to Python scalars")
    return value


def bool_(value=False):
    """``bool``: also of a Tensor or an array of one element, whatever its shape."""
    if isinstance(value, Tensor) and value._t.numel() != 1:
        raise ValueError(f"'{AMBIGUOUS}'")
    return bool(_one(value, ""))


def not_(value):
    """``not``; of a Tensor of one element a Tensor of its shape."""
    if isinstance(value, Tensor) and value._t.numel() == 1:
        return wrap(value._t == 0)
    return not value


def passes(value):
    """Whether a comprehension keeps an item under the condition ``value``: of numbers it keeps 1 alone."""
    if isinstance(value, (bool, Tensor)):
        return value
    if isinstance(value, (int, float)):
        return value == 1
    if isinstance(value, str):
        raise RuntimeError("Not support this condition value:")
    if value is None or isinstance(value, (tuple, list)):
        raise RuntimeError("The pointer[cond_value] is null.")
    return value


def comparable(values, name: str):
    """What ``max`` or ``min`` looks through: in its lists and tuples is no Tensor."""
    if isinstance(values, (tuple, list)) and any(map(_holds_tensor, values)):
        raise TypeError(f"'{name}() cannot support tensor in list or tuple nested now.'")
    return values


def _holds_tensor(value) -> bool:
    return isinstance(value, (tuple, list)) and any(isinstance(v, Tensor) or _holds_tensor(v) for v in value)


def round_(value, *digits):
    """``round``; of a Tensor element by element."""
    return value.round() if isinstance(value, Tensor) else of_python(round(value, *digits))


def abs_(value):
    """``abs``: a negative float is computed with, and so of 32 bits."""
    return single(-value) if value.__class__ is float and value < 0 else abs(value)


def sum_(values, start=0):
    """``sum``: added as a graph adds, floats in 32 bits."""
    for value in values:
        start = OPERATIONS["Add"](start, value)
    return start


def pow_(base, exponent, modulus=None):
    """``pow``; MindSpore takes a modulus and does nothing with it."""
    return OPERATIONS["Pow"](base, exponent)


def iter_(value):
    """``iter``: the sequence itself."""
    return list(value) if not isinstance(value, (tuple, list)) else value


def next_(values):
    """``next``: the first item and what follows."""
    return values[0], values[1:]


def view_(values):
    """What ``keys()``, ``values()`` or ``items()`` gave: tuples, and a list of items."""
    if isinstance(values, _ITEMS):
        return list(values)
    return tuple(values) if isinstance(values, _VIEWS) else values


_ITEMS, _VIEWS = type({}.items()), (type({}.keys()), type({}.values()))

# By Python's name; the rest of Python's builtins mean the same.
FUNCTIONS = {
    "print": print_,
    "map": map_,
    "zip": zip_,
    "filter": filter_,
    "enumerate": enumerate_,
    "range": range_,
    "float": float_,
    "int": int_,
    "bool": bool_,
    "round": round_,
    "abs": abs_,
    "pow": pow_,
    "iter": iter_,
    "next": next_,
}
# (``getattr`` and ``isinstance`` do something else with theirs.)
WITHOUT_KEYWORDS = FUNCTIONS.keys() - {"print", "enumerate"} | {
    "max", "min", "sum", "len", "list", "tuple", "str", "hasattr"}
OF_CONSTANTS = {"float": float_of_constant, "int": int_of_constant}
# Classes among them: only where they are called do they mean something else.
CLASSES = frozenset({"map", "zip", "filter", "enumerate", "range", "float", "int", "bool"})
