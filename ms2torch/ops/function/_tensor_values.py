"""Tensor methods that read, set or choose values."""

from __future__ import annotations

import builtins

import numpy as np
import torch

from ms2torch._core import mode
from ms2torch._core.checks.calls import describe, failed_call, no_matching_form
from ms2torch._core.checks.words import renderings
from ms2torch._core.errors import final
from ms2torch._core.gradient import integers
from ms2torch._core.operators.registry import method
from ms2torch._core.operators.spelling import OMITTED
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, as_torch, wrap
from ms2torch._naming import generations

from ._array_index import chosen
from ._math_axis import unseen

# ---- values ------------------------------------------------------------------------------------------------


@method
@unseen("index")
def item(input, index=OMITTED):
    """The only element, a Python number; ValueError where there are more (``mindspore.Tensor.item``).

    Before 2.3 an ``index``, a number or one for each axis, chose among more; the result was a Tensor.
    """
    if index is not OMITTED and not generations.has_old_meaning("mindspore.Tensor.item"):
        raise TypeError("Tensor.item() takes 1 positional argument but 2 were given")
    if index is not OMITTED and index is not None:
        input = input[tuple(index)] if isinstance(index, (tuple, list)) else input.reshape(-1)[index]
    if input.numel() != 1:
        raise ValueError(f"The tensor should have only one element, but got {input.numel()}, more than one "
                         "element is ambiguous.")
    if generations.has_old_meaning("mindspore.Tensor.item"):
        return input.detach().reshape(()).clone()
    return input.item()


@method
def tolist(input):
    """The values as nested lists of Python numbers."""
    return input.tolist()


Tensor._item, Tensor._tolist = Tensor.item, Tensor.tolist  # as the compiled base class calls them


@method(on_tensors=True)
def itemset(self, *args):
    """A Tensor with one element replaced, at ``(index, value)``, or ``(value)`` where there is one.

    (``mindspore.Tensor.itemset``.) The Tensor itself stays as it is, unlike numpy's array.
    """
    if not args:
        raise ValueError("'Tensor.itemset()' must have at least one argument, but got None.")
    if len(args) == 1:
        if self.shape != (1,):
            raise IndexError("Only tensor which shape is (1,) support 1 arg that means omit index, but the "
                             f"tensor shape is {self.shape} and got 1 input.")
        index, new = (0,), args[0]
    else:
        if len(args) > 2:
            raise ValueError(f"'Tensor.itemset()' must have at most 2 argument, but got {len(args)}")
        index, new = args
        if isinstance(index, (builtins.bool, list)):
            raise TypeError("The index object cannot be interpreted as an integer")
        if isinstance(index, (builtins.int, np.integer)):
            if not -self.size <= index < self.size:
                raise IndexError(f"index {index} is out of bounds for axis 0 with size {self.size}")
            index = tuple(int(i) for i in np.unravel_index(index % self.size, self.shape))
        elif not isinstance(index, tuple):
            raise TypeError("The index object cannot be interpreted as an integer")
        elif len(index) != self.ndim:
            raise IndexError(f"Tuple index len({len(index)}) is not same to tensor dimension({self.ndim})")
        if not isinstance(new, (Tensor, builtins.int, builtins.float, np.generic)):
            given = renderings(new)["call"]
            raise TypeError(f'Failed calling Cast with "Cast()(input={given}, dtype=mindspore.dtype)".')
    changed = wrap(self._t.clone())
    changed[index] = new.item() if isinstance(new, np.generic) else new
    return changed


@method(on_tensors=True)
def assign_value(self, value):
    """Takes over the value of another Tensor, of any shape and dtype (``mindspore.Tensor.assign_value``)."""
    if not isinstance(value, Tensor):
        raise TypeError(f"For 'assign_value', the 'value' must be a Tensor, but got {type(value)}.")
    if mode.differentiation is None:
        self._t = value._t.detach().clone()
    else:
        mode.differentiation.take_over(self, value._t)
    return self


@method
def fill(input, value):
    """A Tensor of the same shape and dtype filled with a number (``mindspore.Tensor.fill``)."""
    if value is None:
        raise TypeError("tile() missing 2 required positional arguments: 'input' and 'dims'")
    if not isinstance(value, (builtins.int, builtins.float, builtins.bool)):
        raise failed_call(f"Cast()(input={describe(value)}, dtype=mindspore.dtype)",
                          "Cast()(input=<Number, Tensor>, dtype=<mindspore.dtype>)")
    return torch.full_like(input, value)


@method
def take(input, indices=None, axis=None, mode="clip", *, index=None):
    """Elements at indices, of all in order or along ``axis`` (``mindspore.Tensor.take``).

    Negative ones count from the end; what is out of range is moved to the end ("clip") or counted round
    ("wrap").
    """
    if indices is not None and index is not None:
        raise TypeError("take() got an unexpected keyword argument 'index'")
    indices = index if indices is None else indices
    if not isinstance(indices, torch.Tensor):
        raise TypeError("take(): argument 'indices' (position 1) must be Tensor, not "
                        f"{type(indices).__name__}.")
    if axis is None:
        input, axis = input.reshape(-1), 0
    n = input.shape[axis]
    indices = indices.long()
    if mode == "wrap":
        indices = indices.remainder(n)
    elif mode == "clip":
        indices = indices.clamp(max=n - 1)
        indices = torch.where(indices < -n, 0, torch.where(indices < 0, indices + n, indices))
    elif mode != "raise":
        raise ValueError("For 'Tensor.take', the argument 'mode' should be one of in ['raise', 'wrap', "
                         f"'clip'], but got {mode}.")
    shape = input.shape
    axis = axis % len(shape)
    return torch.index_select(input, axis, indices.reshape(-1)).reshape(
        shape[:axis] + indices.shape + shape[axis + 1:])


@method
def choose(input, choices, mode="clip"):
    """In each place the element of that of ``choices`` whose number stands there, without its fraction.

    (``mindspore.Tensor.choose``.)
    """
    if mode == "raise":
        raise final(NotImplementedError('"raise" mode is not implemented'))
    if not input.ndim:
        rank = choices.ndim if isinstance(choices, torch.Tensor) else 1 + max(np.ndim(c) for c in choices)
        raise ValueError("For 'Tensor.choose', the original tensor and the argument 'choices' cannot be "
                         "scalars. Their dimensions should all be > 0, but got the original tensor's "
                         f"dimension 0, 'choices' dimension {rank}.")
    if isinstance(choices, torch.Tensor):       # (whole, to as many of the result's shape)
        shape = torch.broadcast_shapes(input.shape, choices.shape[1:])
        choices = _broadcast_choices(choices, (choices.shape[0], *shape))
    index, *choices = torch.broadcast_tensors(input.long(), *(
        c if isinstance(c, torch.Tensor) else as_torch(c) for c in choices))
    n = len(choices)
    index = index.remainder(n) if mode == "wrap" else index.clamp(0, n - 1)
    found = torch.stack(choices).gather(0, index.unsqueeze(0)).squeeze(0)
    # MindSpore looks up Int32s, whatever is given; the gradient passes through.
    return integers.cast(integers.cast(found, torch.int32), found.dtype)


def _broadcast_choices(choices, shape):
    try:
        return choices.broadcast_to(shape)
    except RuntimeError:
        told = [f"({', '.join(map(str, sizes))})" for sizes in (choices.shape, shape)]
        raise final(ValueError(
            "For 'BroadcastTo', in order to broadcast, each dimension pair must be equal or input dimension "
            f"is 1 or target dimension is -1. But got x_shape: {told[0]}, target shape: {told[1]}."
        )) from None


@method
def searchsorted(input, v, side="left", sorter=None):
    """Where each value would go into this sorted Tensor, Int32 (``mindspore.Tensor.searchsorted``)."""
    if side not in ("left", "right"):
        raise ValueError("For 'Tensor.searchsorted', the argument 'side' should be one of in ['left', "
                         f"'right'], but got {side}.")
    v = v if isinstance(v, torch.Tensor) else as_torch(v)
    return torch.searchsorted(input, v, right=side == "right", sorter=sorter, out_int32=True)


@method(name="select")
def _select(input, condition=None, y=None, *, dim=None, index=None):
    """``(condition, y)``: itself where true, else ``y``; ``(dim, index)``: one slice.

    (``mindspore.Tensor.select``.)
    """
    if isinstance(condition, torch.Tensor) and condition.ndim == 0 and isinstance(y, builtins.int) and \
            condition.dtype is not torch.bool and input.ndim:
        condition = builtins.int(condition)
    if isinstance(condition, (builtins.int, np.integer)):
        if isinstance(y, torch.Tensor) and y.ndim == 0:
            y = y.item()
        if not isinstance(y, (builtins.int, np.integer)):
            raise no_matching_form("select", condition, *(() if y is None else (y,)))
        dim, index = builtins.int(condition), builtins.int(y)
    if dim is not None:
        return torch.select(input, dim, index)
    if not isinstance(y, (torch.Tensor, builtins.int, builtins.float)):
        raise no_matching_form("select", *(v for v in (condition, y) if v is not None))
    for kind, dtype in ((builtins.int, torch.int32), (builtins.float, torch.float32)):
        if isinstance(y, kind) and input.dtype is not dtype:
            raise TypeError(f"For 'Tensor.select', if the argument 'y' is {kind.__name__}, then the tensor "
                            f"type should be {kind.__name__}32 but got {_dtype.from_torch(input.dtype)}")
    return chosen(condition, input, y)


@method(name="where")
def _where(input, condition, y):
    """Itself where ``condition`` is true, else ``y`` (``mindspore.Tensor.where``)."""
    return chosen(condition, input, y)


@method
def masked_scatter(input, mask, source):
    """With the elements of ``source`` one after another where ``mask`` is True."""
    return torch.masked_scatter(input, mask, source.to(input.dtype))


@method
def index_put(input, indices, values, accumulate=False):
    """With ``values`` at the places that the tensors in ``indices`` name, added where ``accumulate``."""
    for k, i in enumerate(indices):
        if i.dtype not in (torch.int32, torch.int64):
            raise TypeError(f"For primitive[IndexPut], the input argument[indices[{k}]:] must be a type of "
                            "{Tensor[Int32], Tensor[Int64]}, but got "
                            f"Tensor[{_dtype.from_torch(i.dtype)}].")
        if i.ndim != 1:
            raise ValueError(f"For primitive[IndexPut], the rank of indices[{k}] must be equal to 1, but got "
                             f"{i.ndim}.")
    return torch.index_put(input, [i.long() if i.dtype is torch.int32 else i for i in indices],
                           values.to(input.dtype), builtins.bool(accumulate))


@method
def index(input, indices):
    """The elements at the places that the tensors in ``indices`` name."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError("index(): argument 'indices' (position 1) must be tuple of Tensor, "
                        f"not {'Tensor' if isinstance(indices, torch.Tensor) else type(indices).__name__}.")
    return input[tuple(i.long() if i.dtype is torch.int32 else i for i in indices)]


@method
def fill_diagonal(input, fill_value, wrap=False):
    """With a number on the diagonal."""
    return input.clone().fill_diagonal_(fill_value, wrap)


__all__: list[str] = []
