"""Writing to Parameters (``mindspore.ops.function.parameter_func``).

The result is the variable's new value, a plain Tensor; gradients are as ``_writing`` says.
"""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.checks.calls import describe, failed_call
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import op
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, as_torch

from ._writing import whole_of, write

__all__ = ["assign", "assign_add", "assign_sub"]


def fitting(variable: Tensor, value, name: str) -> torch.Tensor:
    """``value`` as a tensor that can go into ``variable``; MindSpore's errors where it cannot."""
    t = value._t if isinstance(value, Tensor) else _number(value, variable, name)
    variable = whole_of(variable)
    old = variable._t
    if old._is_view() and mode.differentiation is None and not mode.graph:
        raise _of_a_view(old, name)
    if t.dtype is not old.dtype and _dtype.common(old.dtype, t.dtype) is not old.dtype:
        raise _unfit(variable.dtype, _dtype.from_torch(t.dtype))
    if 0 in (t.ndim, old.ndim) and t.numel() == old.numel() and t.ndim != old.ndim:
        if name == "Assign":
            raise RuntimeError(f"For 'Assign', the 'x' and 'y' must have the same dimension, but got the "
                               f"dimension of 'x': {old.ndim} and the dimension of 'y': {t.ndim}")
        return t.reshape(old.shape)
    if t.ndim != old.ndim:
        raise ValueError(f"For '{name}','value' must have the same rank as 'variable'. But got 'value' rank: "
                         f"{t.ndim}, 'variable' rank: {old.ndim}.")
    if t.shape != old.shape:
        raise ValueError(f"For '{name}','value' must have the same shape as 'variable'. But got 'value' "
                         f"shape: ({', '.join(map(str, t.shape))}), 'variable' shape: "
                         f"({', '.join(map(str, old.shape))}).")
    return t


def _number(value, variable: Tensor, name: str) -> torch.Tensor:
    """A number as a tensor of a Parameter's dtype, to which its own kind, of whole numbers or fractions, must
    convert."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (bool, int, float)):
        raise final(failed_call(f"{name}()(variable=Tensor, value={describe(value)})",
                                f"{name}()(variable=<Tensor>, value=<Number, Tensor>)"))
    if value.__class__ is int and not -1 << 63 <= value < 1 << 63:
        raise final(RuntimeError("Unable to cast Python instance of type <class 'int'> to C++ type 'long'"))
    kind = _dtype.bool_ if value.__class__ is bool else _dtype.int64 if isinstance(value, int) else \
        _dtype.float32
    old = variable._t
    if old.dtype in _dtype.UNSIGNED and kind is not _dtype.bool_:
        raise final(TypeError(f"Type implicit conversion between Tensor[{kind}] and {variable.dtype} is not "
                              "supported."))
    if _dtype.promote_scalar(old, value)[0].dtype is not old.dtype:
        raise _unfit(variable.dtype, kind)
    return as_torch(value, variable.dtype)


def _unfit(old, new) -> TypeError:
    return final(TypeError(
        "Data type conversion is not supported for a 'Parameter', nor for the input tensor of an in-place "
        f"operator, so data type {old}, which cannot be converted to data type {new} automatically."))


def _of_a_view(t: torch.Tensor, name: str) -> RuntimeError:
    wrong = RuntimeError(
        f"Check view and inplace failed! Not support view input for inplace op {name}. Got input with "
        f"storage_info:TensorStorageInfo(shape={list(t.shape)}  strides={list(t.stride())}  "
        f"storage_offset={t.storage_offset()}  ori_shape={list(t._base.shape)}  "
        f"ori_strides={list(t._base.stride())}  is_contiguous={int(t.is_contiguous())})")
    wrong.asked = True                          # no table knows it better
    return wrong


@op(primitive="Assign", on_tensors=True)
def assign(variable, value):
    """Writes ``value`` into a Parameter and returns its value (``mindspore.ops.assign``).

    TypeError where the dtype does not convert, ValueError for another shape.
    """
    new = fitting(variable, value, "Assign").detach()
    return write(variable, lambda old: new.to(old.dtype, copy=True), own=True)


def _computed(operation, old: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    if old.dtype in _dtype.UNSIGNED:            # (torch lacks the kernels; Int64 wraps round as they would)
        return operation(old.to(torch.int64), value.to(torch.int64)).to(old.dtype)
    return operation(old, value)


@op(primitive="AssignAdd", on_tensors=True)
def assign_add(variable, value):
    """Adds ``value`` to a Parameter and returns its value (``mindspore.ops.assign_add``)."""
    value = fitting(variable, value, "AssignAdd")
    return write(variable, lambda old: _computed(torch.add, old, value.to(old.dtype)))


@op(primitive="AssignSub", on_tensors=True)
def assign_sub(variable, value):
    """Subtracts ``value`` from a Parameter and returns its value (``mindspore.ops.assign_sub``)."""
    value = fitting(variable, value, "AssignSub")
    if whole_of(variable)._t.dtype is torch.bool:
        raise TypeError("Select CPU operator[AssignSub] fail! Unsupported data type!")
    return write(variable, lambda old: _computed(torch.sub, old, value.to(old.dtype)))
