"""Names of arguments that releases before 2.10 had: taken where such a release was chosen (``--api 2.0``),
with its products and quotients.

Each row was read off the signatures of 2.0.0; the meaning of the argument is that of the later name. Without
a release such a call is the TypeError that 2.10 raises.
"""

from __future__ import annotations

import functools

import numpy as np

from ms2torch._core import mode
from ms2torch._core.operators import arithmetic
from ms2torch._core.operators.tables import PRIMITIVES
from ms2torch._core.tensor.dtype import float64
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


_POOL = {"ksize": "kernel_size", "padding": "pad_mode"}
# Operator classes whose constructors had other names: taken where they are not the later release's error.
CLASSES = {
    **dict.fromkeys(("MaxPool", "AvgPool", "MaxPoolWithArgmax"), _POOL),
    "Roll": {"shift": "shifts", "axis": "dims"},
}
# The order of arguments before 2.0, by the names of it.
_ORDERS = {
    "interpolate": ("x", "roi", "scales", "sizes", "coordinate_transformation_mode", "mode"),
    "conv2d": ("inputs", "weight", "pad_mode", "padding", "stride", "dilation", "group"),
}


def _ordered(function, names: tuple[str, ...]):
    """``function``, whose arguments stand in the order of ``names``."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(**dict(zip(names, args, strict=False)), **kwargs)

    call.also, call.as_of_2_10 = getattr(function, "also", {}), function
    return call


def _avg_pool2d_before_2_0(function):
    @functools.wraps(function)
    def avg_pool2d(x, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
        return PRIMITIVES["AvgPool"](kernel_size, strides, pad_mode, data_format)(x)

    avg_pool2d.as_of_2_10 = function
    return avg_pool2d


def _with_a_number_first(function, primitive: str):
    @functools.wraps(function)
    def compare(*args, **kwargs):
        if len(args) == 2 and isinstance(args[0], (bool, int, float)):
            return PRIMITIVES[primitive]()(*args)
        return function(*args, **kwargs)

    compare.also = getattr(function, "also", {})
    compare.as_of_2_10 = getattr(function, "as_of_2_10", function)
    return compare


_COMPARED = {"eq": "Equal", "equal": "Equal", "less": "Less", "lt": "Less", "tensor_lt": "Less"}


def _earlier(function, name: str):
    if name in _COMPARED:
        return _with_a_number_first(function, _COMPARED[name])
    return _ordered(function, _ORDERS[name]) if name in _ORDERS else _avg_pool2d_before_2_0(function)


class _Counted(int):
    """``Tensor.size`` of 1.0: called, it is the number."""

    def __call__(self) -> int:
        return int(self)


def _with_doubles(init):
    """``Tensor.__init__``, where Python's floats make Float64."""

    @functools.wraps(init)
    def __init__(self, input_data=None, dtype=None, *args, **kwargs):
        if dtype is None and isinstance(input_data, (float, list, tuple)) \
                and np.asarray(input_data).dtype == np.float64:
            dtype = float64
        init(self, input_data, dtype, *args, **kwargs)

    return __init__


_init, _size = Tensor.__init__, Tensor.size


def _follow_tensors() -> None:
    """What was made of floats, and what ``size`` was."""
    mode.without_views = generations.has_old_meaning("mindspore.Tensor.view")
    doubles = generations.has_old_meaning("mindspore.Tensor")
    Tensor.__init__ = _with_doubles(_init) if doubles else _init
    called = generations.has_old_meaning("mindspore.Tensor.size")
    Tensor.size = property(lambda self: _Counted(self._t.numel())) if called else _size


def take_names_of_classes() -> None:
    """Have operator classes take their earlier names, or refuse them, as the chosen release says."""
    new = dict.fromkeys(CLASSES, generations.has_new_meaning("mindspore.ops.MaxPool"))
    new["Roll"] = generations.has_new_meaning("mindspore.ops.Roll")
    for name, names in CLASSES.items():
        cls = PRIMITIVES[name]
        plain = getattr(cls.__init__, "as_of_2_10", cls.__init__)
        cls.__init__ = plain if new[name] else _taking(plain, names)


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

    products = generations.has_old_meaning("mindspore.ops.mul")
    quotients = generations.has_old_meaning("mindspore.ops.Div")
    arithmetic.rank_0_counts = {*("Mul",) * products, *("Div", "TruncateDiv") * quotients}
    divide(whole=generations.has_old_meaning("mindspore.ops.div"))

    _follow_tensors()
    take_names_of_classes()
    takes_them = generation.api() < generation.LATEST
    for place, table in ((ops, FUNCTIONS), (functional, FUNCTIONS), (function, FUNCTIONS), (Tensor, METHODS)):
        for name in table.keys() & vars(place).keys():
            found = vars(place)[name]
            plain = getattr(found, "as_of_2_10", found)
            setattr(place, name, _taking(plain, table[name]) if takes_them else plain)
    old = {
        "interpolate": generations.has_old_meaning("mindspore.ops.interpolate"),
        "conv2d": generations.has_old_meaning("mindspore.ops.conv2d"),
        "avg_pool2d": generations.has_old_meaning("mindspore.ops.avg_pool2d"),
        **dict.fromkeys(_COMPARED, generations.has_old_meaning("mindspore.ops.Equal")),
    }
    for place in (ops, functional, function):
        for name in old.keys() & vars(place).keys():
            found = vars(place)[name]
            plain = found if name in FUNCTIONS else getattr(found, "as_of_2_10", found)
            setattr(place, name, _earlier(plain, name) if old[name] else plain)
