"""ChannelShuffle (``mindspore.nn.layer.channel_shuffle``)."""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch._core.tensor.tensor import wrap
from ms2torch.ops.function._array_pad import channel_shuffle

from ..cell import Cell

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Cell):
    """Splits channels into ``groups`` and interleaves them (``mindspore.nn.ChannelShuffle``)."""

    def __init__(self, groups) -> None:
        super().__init__()
        if groups is not True:                                  # MindSpore takes it for 1
            check.check_value_type("groups", groups, [int], self.cls_name)
            check.check_positive_int(groups, "groups", self.cls_name)
        self.groups = groups

    def construct(self, x):
        t = x._t
        if t.ndim < 3:
            raise ValueError(f"For '{self.cls_name}', the in_shape must have at least 3 dims, but got "
                             f"{t.ndim}.")
        if t.shape[1] % self.groups:
            raise ValueError(f"For '{self.cls_name}', number of channels must be divisible by groups, "
                             f"but got {t.shape[1]} channels and {self.groups} groups.")
        return wrap(channel_shuffle.kernel(t, self.groups))
