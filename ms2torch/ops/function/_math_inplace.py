"""Tensor methods that write in place: ``add_``, ``mul_``, ``clamp_`` ...

The result is cast to the tensor's own dtype, and the tensor itself comes back. MindSpore's CPU backend
leaves the tensor as it was (its documentation and its other devices write): ms2torch writes everywhere.
"""

from __future__ import annotations

import inspect

from ms2torch._core import mode
from ms2torch._core.operators.failed_calls import form_error
from ms2torch._core.operators.registry import METHODS, method
from ms2torch._core.tensor.tensor import Tensor, wrap

# These put what is asked for into METHODS.
from . import (  # noqa: F401
    _math_binary,
    _math_many,
    _math_quotients,
    _math_sums,
    _math_unary,
    _nn_activation,
    clip_func,
    linalg_func,
)

_NAMES = (
    "add",
    "sub",
    "mul",
    "div",
    "floor_divide",
    "remainder",
    "exp",
    "log",
    "floor",
    "sign",
    "tanh",
    "sigmoid",
    "clamp",
    "erfinv",
    "addmm",
)


def _written(name):
    takes = inspect.signature(METHODS[name])

    def write(self: Tensor, *args, **kwargs) -> Tensor:
        try:
            value = METHODS[name](self, *args, **kwargs)._t
        except TypeError as err:
            raise form_error(f"Tensor.{name}_", takes, args, kwargs) or err from None
        opened = mode.differentiation
        if opened is not None and not hasattr(self, "_rest") and opened.was_given(self):
            # PyNative mode computes it and leaves an input of what is differentiated as it is.
            return wrap(value.to(self._t.dtype).broadcast_to(self._t.shape))
        self._write(lambda t: t.copy_(value.broadcast_to(t.shape)))
        return self

    write.__name__ = f"{name}_"
    write.__signature__ = takes
    write.__doc__ = f"``{name}``, written into the tensor itself (``Tensor.{name}_``)."
    return write


for _name in _NAMES:
    method(_written(_name), name=f"{_name}_", on_tensors=True)
