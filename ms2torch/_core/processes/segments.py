"""A sum over processes straight from the summands' memory, on the CPU; and its parts, one on each rank.

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


class Scattered:
    """One segment of a sum: of the ranks' ``parts``, each for one rank, this rank's, times ``scale``, into
    ``mine``, all contiguous and flat; ``number`` tells several that are under way apart. It begins at once;
    `add`, then `end`."""

    def __init__(self, parts, mine: torch.Tensor, group: Group, scale: float, number: int) -> None:
        self._group, self._scale, self._tag, self._mine = group, scale, _TAG + 2 * number, mine
        own = parts[group.rank]
        self._theirs = [torch.empty_like(own) if r != group.rank else own for r in range(group.size)]
        self._others = [r for r in range(group.size) if r != group.rank]
        self._coming = [self._receive(self._theirs[r], r, 0) for r in self._others]
        self._going = [self._send(parts[r], r, 0) for r in self._others]

    def _send(self, t, rank: int, phase: int):
        return dist.isend(t, self._group.world_rank(rank), self._group.handle, self._tag + phase)

    def _receive(self, t, rank: int, phase: int):
        return dist.irecv(t, self._group.world_rank(rank), self._group.handle, self._tag + phase)

    def add(self) -> None:
        """Add up this rank's segment, in the order of ranks."""
        for work in self._coming:
            work.wait()
        torch.add(self._theirs[0], self._theirs[1], out=self._mine)
        for part in self._theirs[2:]:
            self._mine.add_(part)
        if self._scale != 1.0:
            self._mine.mul_(self._scale)
        self._theirs, self._coming = [], []

    def end(self) -> None:
        """Until everything has arrived here and left."""
        for work in (*self._coming, *self._going):
            work.wait()


class Sum(Scattered):
    """The whole sum of ``t``, into ``out``: each rank sends the others its segment."""

    def __init__(self, t: torch.Tensor, out: torch.Tensor, group: Group, scale: float, number: int) -> None:
        self._out = out.tensor_split(group.size)
        super().__init__(t.tensor_split(group.size), self._out[group.rank], group, scale, number)

    def add(self) -> None:
        super().add()
        self._coming = [self._receive(self._out[r], r, 1) for r in self._others]
        self._going += [self._send(self._mine, r, 1) for r in self._others]


def scatters(t: torch.Tensor, group: Group) -> bool:
    """Whether `scattered` is for ``t``: Gloo's own reduce-scatter copies the whole, sums it on every rank and
    takes a part of that, twice the bytes on the wire."""
    return t.device.type == "cpu" and 1 < group.size <= MOST and t.dtype is not torch.bool


def scattered(t: torch.Tensor, group: Group) -> torch.Tensor:
    """This rank's part, along axis 0, of the sum of ``t`` over the group."""
    out = t.new_empty((t.shape[0] // group.size, *t.shape[1:]))
    found = Scattered(t.contiguous().view(group.size, -1), out.view(-1), group, 1.0, 0)
    found.add()
    found.end()
    return out


def start_sum(t: torch.Tensor, group: Group, scale: float, number: int) -> tuple[torch.Tensor, list[Sum]]:
    """(the memory in which the sum of ``t`` comes to be, the sums of its chunks); ``number`` is the first of
    as many as there are chunks."""
    out = torch.empty_like(t, memory_format=torch.contiguous_format)
    flats = t.contiguous().view(-1), out.view(-1)
    chunks = zip(*(flat.split(CHUNK // t.element_size()) for flat in flats), strict=True)
    return out, [Sum(a, b, group, scale, number + i) for i, (a, b) in enumerate(chunks)]
