"""TimeDistributed (``mindspore.nn.layer.timedistributed``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.checks.calls import type_name
from ms2torch._core.operators.registry import Primitive
from ms2torch._core.tensor.tensor import Tensor, wrap

from ..cell import Cell

__all__ = ["TimeDistributed"]


class TimeDistributed(Cell):
    """Applies ``layer`` to every slice along ``time_axis`` (``mindspore.nn.TimeDistributed``).

    With ``reshape_with_axis`` the slices go through it at once: the time axis is moved beside that axis, and
    the layer sees the two as one; its output has both again, where they were moved to.
    """

    def __init__(self, layer, time_axis, reshape_with_axis=None) -> None:
        if not isinstance(layer, (Cell, Primitive)):
            raise TypeError("For 'TimeDistributed', the 'layer' must be Cell or Primitive instance, but got "
                            f"type: {type_name(layer)}.")
        super().__init__()
        check.check_is_int(time_axis, "time_axis", self.cls_name)
        if reshape_with_axis is not None:
            check.check_is_int(reshape_with_axis, "reshape_with_axis", self.cls_name)
        self.layer, self.time_axis, self.reshape_with_axis = layer, time_axis, reshape_with_axis

    def construct(self, inputs):
        self._need_tensor(inputs)
        t = inputs._t
        if t.ndim < 3:
            raise ValueError(f"For '{self.cls_name}', the inputs shape must be at least 3D, "
                             f"but got {t.ndim}.")
        axis = self.time_axis % t.ndim
        if self.reshape_with_axis is not None:
            return self._joined(t, axis, self.reshape_with_axis % t.ndim)
        parts = [self.layer(wrap(part))._t for part in t.unbind(axis)]
        return wrap(torch.stack(parts, axis))

    def _joined(self, t, axis: int, joined: int):
        beside = t.ndim - 2 if joined == t.ndim - 1 else joined + 1 if axis > joined else joined - 1
        if beside < 0:
            raise ValueError("For 'Transpose', size of perm should equal to rank of x, but got "
                             f"{2 * t.ndim - 1} and {t.ndim}!")
        first, (low, high) = min(beside, joined), sorted((beside, axis))
        order = list(range(t.ndim))
        order.insert(low, order.pop(high))
        moved = t.permute(order)
        flat = moved.flatten(first, first + 1)
        made = self.layer(wrap(flat))
        self._need_tensor(made)
        out = made._t
        if first >= out.ndim or flat.shape[first] != out.shape[first]:
            raise ValueError(
                f"For '{self.cls_name}', the 'reshape_with_axis' is invalid in the input and output. The "
                "'reshape_pos' must be less than the length of 'outputs_shape', and the "
                "'inputs_shape[reshape_pos]' must be equal to 'outputs_shape[reshape_pos]', but got "
                f"'reshape_pos': {first}, 'inputs_shape': {tuple(flat.shape)}, 'outputs_shape': "
                f"{tuple(out.shape)}. You may try pass parameters without 'reshape_with_axis'.")
        return wrap(out.unflatten(first, moved.shape[first:first + 2]))

    def _need_tensor(self, value) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"For '{self.cls_name}', the inputs and outputs must be a Tensor.")
