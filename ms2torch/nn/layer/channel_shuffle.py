"""ChannelShuffle (``mindspore.nn.layer.channel_shuffle``)."""

from __future__ import annotations

from ms2torch._core.checks.words import renderings
from ms2torch.ops import reshape

from ..cell import Cell

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Cell):
    """Splits channels into ``groups`` and interleaves them (``mindspore.nn.ChannelShuffle``)."""

    def __init__(self, groups) -> None:
        super().__init__()
        if not isinstance(groups, int):
            raise TypeError("For ChannelShuffle, the param `groups` must be int, but got "
                            f"{renderings(groups)['cls']}.")
        if groups < 1:
            raise ValueError("For ChannelShuffle, the param `groups` must be larger than 0, but got "
                             f"{groups}.")
        self.groups = groups

    def construct(self, x):
        shape = x.shape
        if 0 in shape:
            return x.copy()
        split = reshape(x, (shape[0], self.groups, shape[1] // self.groups, -1))
        return reshape(split.swapaxes(1, 2), shape)
