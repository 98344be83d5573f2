"""Functions of users applied along axes or by condition (``mindspore.numpy``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators.registry import lowered
from ms2torch._core.tensor.tensor import lower, wrap

from .utils import arrays, as_array

__all__ = ["apply_along_axis", "apply_over_axes", "choose", "piecewise"]


@lowered
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """``func1d`` of every 1-d slice along ``axis``; its results take the axis' place.

    MindSpore: ``mindspore.numpy.apply_along_axis``.
    """
    if not arr.ndim:
        raise ValueError("Tensor.ndim should be greater than 0")
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
    for axis in [axes] if isinstance(axes, int) else axes:
        axis = axis % max(a.ndim, 1)
        result = lower(func(wrap(a), axis))
        if result.ndim not in (a.ndim, a.ndim - 1):
            raise ValueError("function is not returning a tensor of the correct shape")
        a = result if result.ndim == a.ndim else result.unsqueeze(axis)
    return a


@arrays(1)
def choose(a, choices, mode="clip"):
    """Elements of ``choices[a]``, place by place; ``mode`` "raise", "wrap" or "clip" treats numbers beyond.

    MindSpore: ``mindspore.numpy.choose``.
    """
    if isinstance(choices, torch.Tensor):
        choices = choices.unbind(0)
    elif isinstance(choices, (int, float)):
        choices = [choices]
    a, *choices = torch.broadcast_tensors(a, *(as_array(c) for c in choices))
    stacked, count = torch.stack(choices), len(choices)
    if mode == "raise":
        if ((a < 0) | (a >= count)).any():
            raise ValueError("invalid entry in choice array")
    elif mode == "wrap":
        a = a % count
    elif mode == "clip":
        a = a.clamp(0, count - 1)
    else:
        raise ValueError("invalid mode for take. Must be one of 'raise', 'wrap', 'clip'")
    return stacked.gather(0, a.long().unsqueeze(0)).squeeze(0)


@lowered
def piecewise(x, condlist, funclist, *args, **kw):
    """Values or functions of ``x`` where their conditions hold, the first that does counting; one more is for
    where none does.

    MindSpore: ``mindspore.numpy.piecewise``. (Functions see all of ``x``, as there.)
    """
    x = as_array(x)
    if isinstance(condlist, torch.Tensor):
        conditions = list(condlist.unbind(0)) if condlist.ndim > x.ndim else [condlist]
    else:
        conditions = [as_array(c) for c in condlist]
        if len({c.ndim for c in conditions}) > 1:
            shapes = ", ".join(f"[const vector]{{{', '.join(map(str, (1, *c.shape)))}}}" for c in conditions)
            raise ValueError(f"For primitive[Concat], element rank must be same(shapes are "
                             f"[const vector]{{{shapes}}})!")
    count = len(conditions)
    if len(funclist) not in (count, count + 1):
        raise ValueError(f"with {count} condition(s), either {count} or {count + 1} functions are expected")
    if callable(funclist[0]):
        values = [as_array(lower(f(wrap(x), *args, **kw))) for f in funclist]
    elif any(map(callable, funclist)):
        raise TypeError("Expect input to be array like.")
    else:
        values = [as_array(f) for f in funclist]
    result = values[count] if len(values) > count else torch.zeros((), dtype=values[0].dtype, device=x.device)
    result = result.to(values[0].dtype).expand(x.shape)
    for condition, value in reversed(list(zip(conditions, values[:count], strict=True))):
        result = torch.where(condition.bool(), value.to(result.dtype), result)
    return result
