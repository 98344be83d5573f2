"""TimeDistributed (``mindspore.nn.layer.timedistributed``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.operators.registry import Primitive
from ms2torch._core.tensor.tensor import wrap

from ..cell import Cell

__all__ = ["TimeDistributed"]


class TimeDistributed(Cell):
    """Applies ``layer`` to every slice along ``time_axis`` (``mindspore.nn.TimeDistributed``).

    With ``reshape_with_axis`` the slices go through it at once, joined with that axis.
    """

    def __init__(self, layer, time_axis, reshape_with_axis=None) -> None:
        if not isinstance(layer, (Cell, Primitive)):
            raise TypeError(f"For 'TimeDistributed', the type of 'layer' must be Cell or Primitive, "
                            f"but got {type(layer).__name__}.")
        super().__init__()
        check.check_is_int(time_axis, "time_axis", self.cls_name)
        if reshape_with_axis is not None:
            check.check_is_int(reshape_with_axis, "reshape_with_axis", self.cls_name)
        self.layer, self.time_axis, self.reshape_with_axis = layer, time_axis, reshape_with_axis

    def construct(self, inputs):
        t = inputs._t
        axis = self.time_axis % t.ndim
        parts = [self.layer(wrap(part))._t for part in t.unbind(axis)]
        return wrap(torch.stack(parts, axis))
