"""Functions of users applied along axes or by condition (``mindspore.numpy``)."""

from __future__ import annotations

from types import FunctionType

import numpy as np
import torch

from ms2torch._core.checks.calls import failed_call
from ms2torch._core.checks.words import renderings
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.tensor.tensor import Tensor, lower, wrap

from .array_ops import chosen, stack
from .utils import arrays, as_array, common_shape, iterated, refusal, shared

__all__ = ["apply_along_axis", "apply_over_axes", "choose", "piecewise"]


@lowered
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """``func1d`` of every 1-d slice along ``axis``; its results take the axis' place.

    MindSpore: ``mindspore.numpy.apply_along_axis``.
    """
    if not arr.ndim:
        raise ValueError("Tensor.ndim should be greater than 0")
    if not arr.numel():
        raise IndexError("list index out of range")
    axis = axis % arr.ndim
    lines = arr.movedim(axis, -1)
    outer = lines.shape[:-1]
    results = [as_array(lower(func1d(wrap(line), *args, **kwargs)))
               for line in lines.reshape(-1, lines.shape[-1])]
    made = torch.stack(results).reshape(*outer, *results[0].shape)
    inner = results[0].ndim
    order = [*range(axis), *range(len(outer), len(outer) + inner), *range(axis, len(outer))]
    return made.permute(order)


@lowered
def apply_over_axes(func, a, axes):
    """``func(a, axis)`` for one axis after the other, kept as axes of length 1.

    MindSpore: ``mindspore.numpy.apply_over_axes``.
    """
    a = as_array(a)
    for axis in [axes] if isinstance(axes, int) else iterated(axes):
        result = lower(func(wrap(a), axis))
        if result.ndim != a.ndim:
            place = _new_axis(axis)
            if result.ndim != a.ndim - 1:
                raise ValueError("function is not returning a tensor of the correct shape")
            result = result.unsqueeze(place)
        a = result
    return a


def _new_axis(axis) -> int:
    """Where an axis goes back in, an int or a Tensor of one."""
    if isinstance(axis, np.integer) or (isinstance(axis, Tensor) and not axis.ndim):
        return int(axis)
    if axis.__class__ is not int:
        raise failed_call(f"ExpandDims()(input_x=Tensor, axis={renderings(lower(axis))['call']})",
                          "ExpandDims()(input_x=<Tensor>, axis=<Tensor, int>)")
    return axis


@arrays(1)
def choose(a, choices, mode="clip"):
    """Elements of ``choices[a]``, place by place; ``mode`` "wrap" or "clip" treats numbers beyond.

    MindSpore: ``mindspore.numpy.choose``.
    """
    if a.dtype not in (torch.int8, torch.int16, torch.int32, torch.int64):
        raise refusal(ValueError, "`a` should be an int array")
    if not a.ndim:
        raise refusal(ValueError, "input cannot be scalars")
    if isinstance(choices, torch.Tensor):
        choices = choices.unbind(0) if choices.ndim else [choices]
    elif isinstance(choices, (int, float)):
        choices = [choices]
    elif isinstance(choices, (bytes, set, range)):
        raise refusal(TypeError, "Expect input to be array like.")
    elif len(choices) == 1 and (isinstance(choices[0], (int, float)) or
                                (isinstance(choices[0], torch.Tensor) and not choices[0].ndim)):
        raise refusal(TypeError, "iteration over a 0-d tensor")
    choices = shared(*map(as_array, choices))
    common_shape(a.shape, *(c.shape for c in choices))
    a, *choices = torch.broadcast_tensors(a, *choices)
    stacked, count = torch.stack(choices), len(choices)
    if mode == "raise":
        raise refusal(NotImplementedError, '"raise" mode is not implemented')
    if mode == "wrap":
        a = a % count
    elif mode == "clip":
        a = a.clamp(0, count - 1)
    else:
        raise refusal(ValueError, 'invalid mode. Expected "raise", "wrap", or "clip"')
    return stacked.gather(0, a.long().unsqueeze(0)).squeeze(0)


@lowered
def piecewise(x, condlist, funclist, *args, **kw):
    """Values or functions of ``x`` where their conditions hold, the first that does counting; one more is for
    where none does.

    MindSpore: ``mindspore.numpy.piecewise``. (Functions see all of ``x``, as there.)
    """
    x, values = as_array(x), funclist
    if isinstance(funclist, (tuple, list)) and isinstance(funclist[0], FunctionType):
        values = [lower(f(wrap(x), *args, **kw)) for f in funclist]
    conditions, values = _stacked(condlist), _stacked(values)
    count, default = len(conditions), 0
    if len(funclist) == count + 1:
        values, default = values[:-1], values[-1]
    elif len(funclist) != count:
        raise refusal(ValueError, "the number of choices should be either equal to conditions or "
                      f"{count + 1}")
    return chosen(conditions, values, default)


def _stacked(arrays):
    """One array of some, along a new first axis."""
    if not isinstance(arrays, (tuple, list)):
        return torch.atleast_1d(as_array(arrays))
    parts = [as_array(a) for a in arrays]
    if len({p.ndim for p in parts}) > 1:
        shapes = ", ".join(f"[const vector]{{{', '.join(map(str, (1, *p.shape)))}}}" for p in parts)
        raise refusal(ValueError, "For primitive[Concat], element rank must be same(shapes are "
                      f"[const vector]{{{shapes}}})!")
    return stack.kernel(parts)
