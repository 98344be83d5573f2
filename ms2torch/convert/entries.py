"""What a checkpoint holds, before any of it is read: names, dtypes, shapes, and how to get each tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch

from ms2torch._core.errors import BadInput as Bad  # noqa: F401 (what this package's parts raise)

MINDSPORE, TORCH = "mindspore", "torch"
SHOWN = {MINDSPORE: "MindSpore", TORCH: "PyTorch"}
# Names of optimizer state, on PyTorch's side: optimizer.state.<parameter>.<kind>, optimizer.<other>.
OPTIMIZER = "optimizer."
STATE = "optimizer.state."
# The key of safetensors' metadata, and of a state_dict's, under which a converted file remembers.
KEY = "ms2torch"
# Of a tensor's bytes, how many are in memory at once where nothing needs it whole.
PIECE = 1 << 24


@dataclass
class Entry:
    """One tensor of a file. ``shares`` names an earlier one whose memory it is.

    ``span`` gives the elements between two places, of all in their order, where the file can be read so.
    """

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    get: Callable[[], torch.Tensor]
    shares: str | None = None
    span: Callable[[int, int], torch.Tensor] | None = None

    @property
    def size(self) -> int:
        """Bytes."""
        return math.prod(self.shape) * self.dtype.itemsize

    def pieces(self, begin: int = 0, end: int | None = None) -> Iterator[torch.Tensor]:
        """The elements from ``begin`` to ``end``, in tensors of at most `PIECE` bytes where that can be."""
        end = math.prod(self.shape) if end is None else end
        if self.span is None or self.size <= PIECE:
            yield self.get().reshape(-1)[begin:end]
            return
        count = PIECE // self.dtype.itemsize
        for at in range(begin, end, count):
            yield self.span(at, min(at + count, end))


@dataclass
class Checkpoint:
    """A file, or a family of shards, opened.

    ``side`` is whose it is, None where its bytes do not say. ``strings`` are values that are no tensors,
    ``memory`` what a file that came from the other side remembers, ``container`` how a .pt file was nested,
    ``left`` names of things in it that are neither.
    """

    path: str
    side: str | None
    entries: dict[str, Entry]
    strings: dict[str, str] = field(default_factory=dict)
    memory: dict | None = None
    container: dict = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(e.size for e in self.entries.values() if e.shares is None)
