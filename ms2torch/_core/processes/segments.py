"""A sum over processes straight from the summands' memory, on the CPU.

Gloo's all-reduce works in place, so gradients that must stay as they are would be copied first; where the
processes share a machine's cores that copy costs a fifth of the whole. Here each rank adds up one segment: it
gets that segment from every other rank, and sends them the sum. That is as many bytes on the wire as a ring
takes, every sum is made once, so all ranks have the same bits, and the result is the only new memory.
"""

from __future__ import annotations

import torch
import torch.distributed as dist

from ms2torch._core.processes.distributed import Group

SMALLEST = 512 * 2**10      # bytes; below, several in one bucket are better
CHUNK = 16 * 2**20          # bytes; parts of a larger one are added while others are on the wire
MOST = 8                    # processes; with more, a ring has fewer messages
# Programs' own messages have tags too.
_TAG = 2**30


def applies(t: torch.Tensor, group: Group) -> bool:
    """Whether a sum of tensors like ``t`` is made here."""
    return (t.device.type == "cpu" and group.size <= MOST and t.is_floating_point()
            and t.numel() * t.element_size() >= SMALLEST)


class Sum:
    """The sum of ``t``, times ``scale``, into ``out``, both contiguous and flat; ``number`` tells several
    that are under way apart. It begins at once; `add`, then `end`."""

    def __init__(self, t: torch.Tensor, out: torch.Tensor, group: Group, scale: float, number: int) -> None:
        self._group, self._scale, self._tag = group, scale, _TAG + 2 * number
        self._parts, self._out = t.tensor_split(group.size), out.tensor_split(group.size)
        mine = self._parts[group.rank]
        self._theirs = [torch.empty_like(mine) if r != group.rank else mine for r in range(group.size)]
        self._others = [r for r in range(group.size) if r != group.rank]
        self._coming = [self._receive(self._theirs[r], r, 0) for r in self._others]
        self._going = [self._send(self._parts[r], r, 0) for r in self._others]

    def _send(self, t, rank: int, phase: int):
        return dist.isend(t, self._group.world_rank(rank), self._group.handle, self._tag + phase)

    def _receive(self, t, rank: int, phase: int):
        return dist.irecv(t, self._group.world_rank(rank), self._group.handle, self._tag + phase)

    def add(self) -> None:
        """Add up this rank's segment, in the order of ranks, and send it to the others."""
        for work in self._coming:
            work.wait()
        mine = self._out[self._group.rank]
        torch.add(self._theirs[0], self._theirs[1], out=mine)
        for part in self._theirs[2:]:
            mine.add_(part)
        if self._scale != 1.0:
            mine.mul_(self._scale)
        self._theirs = []
        self._coming = [self._receive(self._out[r], r, 1) for r in self._others]
        self._going += [self._send(mine, r, 1) for r in self._others]

    def end(self) -> None:
        """Until everything has arrived here and left."""
        for work in (*self._coming, *self._going):
            work.wait()


def start_sum(t: torch.Tensor, group: Group, scale: float, number: int) -> tuple[torch.Tensor, list[Sum]]:
    """(the memory in which the sum of ``t`` comes to be, the sums of its chunks); ``number`` is the first of
    as many as there are chunks."""
    out = torch.empty_like(t, memory_format=torch.contiguous_format)
    flats = t.contiguous().view(-1), out.view(-1)
    chunks = zip(*(flat.split(CHUNK // t.element_size()) for flat in flats), strict=True)
    return out, [Sum(a, b, group, scale, number + i) for i, (a, b) in enumerate(chunks)]
