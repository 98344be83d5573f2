"""Replay buffers that the host keeps: by priority, and a fair sample of all that ever came."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.random.replaying import HostStream
from ms2torch._core.tensor.dtype import to_torch
from ms2torch._core.tensor.tensor import Tensor, wrap

# What stands for a priority that is not above 0.
_LEAST = 1e-7


class Ring:
    """``capacity`` rows of Tensors in places; the oldest makes room for what is pushed into a full one."""

    def __init__(self, capacity: int, shapes, kinds) -> None:
        self.capacity, self.shapes = capacity, [tuple(shape) for shape in shapes]
        self.columns = [torch.zeros((capacity, *shape), dtype=to_torch(kind), device=device())
                        for shape, kind in zip(self.shapes, kinds, strict=True)]
        self.size = self._next = 0

    def push(self, owner: str, row) -> int:
        """Put a row to its place, which is given."""
        place = self._next
        self.write(owner, place, row)
        self._next = (place + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)
        return place

    def write(self, owner: str, place: int, row) -> None:
        if len(row) != len(self.columns):
            raise ValueError(f"For '{owner}', a transition must be {len(self.columns)} Tensors, but got "
                             f"{len(row)}.")
        for i, (column, value) in enumerate(zip(self.columns, row, strict=True)):
            if not isinstance(value, Tensor) or value._t.dtype is not column.dtype:
                got = value.dtype if isinstance(value, Tensor) else type(value).__name__
                raise TypeError(f"For '{owner}', Tensor {i} of a transition must be of "
                                f"{wrap(column).dtype}, but got {got}.")
            if value._t.numel() != column[place].numel():
                raise ValueError(f"For '{owner}', the shape of Tensor {i} of a transition must be "
                                 f"{self.shapes[i]}, but got {value.shape}.")
        for column, value in zip(self.columns, row, strict=True):
            column[place] = value._t.detach().reshape(column.shape[1:])

    def rows(self, places: np.ndarray) -> tuple[Tensor, ...]:
        at = torch.from_numpy(places).to(self.columns[0].device) if self.columns else None
        return tuple(wrap(column[at]) for column in self.columns)

    def need(self, owner: str) -> None:
        """The error of a buffer without rows that is sampled."""
        if not self.size:
            raise RuntimeError(f"For '{owner}', the buffer that is sampled is empty.")


class Priorities:
    """Prioritized experience replay: a row is drawn with a probability in proportion to priority**alpha.

    A new row has the highest priority so far. A batch takes one row of each of as many equal shares of the
    sum; the weights, (size * probability)**-beta, are divided by the greatest of all rows.
    """

    def __init__(self, capacity: int, alpha: float, shapes, kinds, seed0: int, seed1: int) -> None:
        self.ring, self.alpha = Ring(capacity, shapes, kinds), alpha
        self.powers = np.zeros(capacity)
        self.highest = 1.0
        self.stream = HostStream(seed0, seed1)

    def push(self, owner: str, row) -> None:
        self.powers[self.ring.push(owner, row)] = self.highest

    def update(self, owner: str, indices: Tensor, priorities: Tensor) -> None:
        places, given = indices.asnumpy().reshape(-1), priorities.asnumpy().reshape(-1)
        if places.shape != given.shape:
            raise ValueError(f"For '{owner}', 'indices' and 'priorities' must be as many, but got "
                             f"{places.size} and {given.size}.")
        if ((places < 0) | (places >= self.ring.size)).any():
            raise IndexError(f"For '{owner}', 'indices' must be in [0, {self.ring.size}), but got "
                             f"{places.tolist()}.")
        powers = given.astype(np.float64) ** self.alpha
        powers = np.where(powers > 0, powers, _LEAST)
        self.powers[places] = powers
        self.highest = max(self.highest, powers.max(initial=0.0))

    def sample(self, owner: str, count: int, beta: float):
        self.ring.need(owner)
        powers = self.powers[:self.ring.size]
        sums = np.cumsum(powers)
        marks = (np.arange(count) + self.stream.fractions(count)) / count * sums[-1]
        places = np.minimum(np.searchsorted(sums, marks, side="right"), len(sums) - 1)
        weights = (powers.min() / powers[places]) ** beta
        where = device()
        return (wrap(torch.from_numpy(places.astype(np.int64)).to(where)),
                wrap(torch.from_numpy(weights.astype(np.float32)).to(where)), *self.ring.rows(places))


class Reservoir:
    """Random sampling with a reservoir: of all rows that came, each is there with the same probability."""

    def __init__(self, capacity: int, shapes, kinds, seed0: int, seed1: int) -> None:
        self.ring, self.came = Ring(capacity, shapes, kinds), 0
        self.stream = HostStream(seed0, seed1)

    def push(self, owner: str, row) -> None:
        if self.came < self.ring.capacity:
            self.ring.push(owner, row)
        else:
            place = int(self.stream.places(1, self.came + 1)[0])
            if place < self.ring.capacity:
                self.ring.write(owner, place, row)
        self.came += 1

    def sample(self, owner: str, count: int):
        self.ring.need(owner)
        return self.ring.rows(self.stream.places(count, self.ring.size))
