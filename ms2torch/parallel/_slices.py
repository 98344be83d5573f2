"""Which part of a parameter each device holds, by its layout; any layout's parts from any other's.

A layout (`_strategy_file.ParallelLayouts`) has a matrix of devices, row by row, and for each dimension the
axes of the matrix that split it. An optimizer may split the first dimension further: among the devices that
would hold the same part, in neighbouring groups of ``opt_weight_shard_size``.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import torch

from ._strategy_file import ParallelLayouts


class Lying(NamedTuple):
    """A layout in numbers: the matrix; for each dimension its axes, counted from the left, the first one
    major; how many optimizer parts the first dimension's parts have; the stages that hold the parameter; how
    far apart the devices of an optimizer's parts are, or 0."""

    matrix: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]
    optimizer: int = 1
    stages: tuple[int, ...] = (0,)
    step: int = 0

    @property
    def devices(self) -> int:
        return math.prod(self.matrix)

    def parts(self) -> list[int]:
        """In how many parts each dimension is."""
        found = [math.prod(self.matrix[a] for a in axes) for axes in self.axes]
        if found:
            found[0] *= self.optimizer
        return found

    def places(self, rank: int) -> tuple[int, ...]:
        """Which part of each dimension the device ``rank`` holds."""
        coordinates = []
        for size in reversed(self.matrix):
            rank, here = divmod(rank, size)
            coordinates.insert(0, here)
        found = []
        for axes in self.axes:
            at = 0
            for axis in axes:
                at = at * self.matrix[axis] + coordinates[axis]
            found.append(at)
        if self.optimizer > 1 and found:
            found[0] = found[0] * self.optimizer + self._in_optimizer(coordinates)
        return tuple(found)

    def _in_optimizer(self, coordinates) -> int:
        """Which of the optimizer's parts: by the axes that split nothing, the last one first."""
        used = {axis for axes in self.axes for axis in axes}
        free = [a for a, n in enumerate(self.matrix) if a not in used and n > 1]
        if not free:
            raise ValueError(f"The device_matrix {list(self.matrix)} and tensor_map {list(self.axes)} cannot "
                             "sharding opt_shard")
        at, weight, left = 0, 1, self.optimizer
        for axis in reversed(free):
            size = math.gcd(left, self.matrix[axis])
            at += coordinates[axis] % size * weight
            weight *= size
            left //= size
            if left == 1:
                break
        return at

    def doubtful(self) -> list[int]:
        """The devices that hold the optimizer's parts by its step, where by the matrix, which alone is read
        (as in MindSpore), some of them hold the same part."""
        group = list(range(0, self.optimizer * self.step, self.step)) if self.step > 0 else []
        if len(group) < 2 or group[-1] >= self.devices:
            return []
        without = self._replace(optimizer=1)
        if len({without.places(device) for device in group}) > 1:
            return []
        return group if len({self.places(device) for device in group}) < len(group) else []

    def region(self, rank: int, shape) -> tuple[slice, ...]:
        """What the device ``rank`` holds of a parameter of this whole ``shape``."""
        return tuple(slice(at * (n // count), (at + 1) * (n // count))
                     for n, count, at in zip(shape, self.parts(), self.places(rank), strict=True))


def sharding_of(layout: ParallelLayouts, stages=(0,)) -> Lying:
    """The layout of one parameter in numbers; ValueError where it has no matrix or map."""
    try:
        matrix = tuple(layout.dev_matrix[0].dim)
        maps = [one.dim for one in layout.tensor_map]
    except IndexError as err:
        raise ValueError(f"{err}. Convert layout strategy to list failed, please make sure that strategy "
                         "matches the node_strategy.proto, you can check whether 'train_strategy_filename' "
                         "is correct.") from err
    # One map with a place for each dimension, or a map for each dimension with several places.
    dims = [one for one in maps if one] if len(maps) > 1 else [[place] for place in maps[0]]
    axes = tuple(tuple(len(matrix) - 1 - p for p in places if p != -1) for places in dims)
    size = layout.opt_weight_shard_size
    if size == -1:
        used = {axis for places in axes for axis in places}
        size = math.prod(n for a, n in enumerate(matrix) if a not in used)
    step = layout.opt_weight_shard_step
    return Lying(matrix, axes, max(size, 1) if step else 1, tuple(stages), step)


def by_parameter(layouts: dict[str, ParallelLayouts], rank: int | None = None) -> dict[str, Lying]:
    """The layouts of a strategy file; of a merged one, whose names begin with their stage, the one that
    ``rank`` (or the first stage) has."""
    found: dict[str, Lying] = {}
    for name, layout in layouts.items():
        stage = 0
        if "-" in name:
            text, name = name.split("-")
            stage = int(text)
        one = sharding_of(layout, (stage,))
        if name in found:
            stages = (*found[name].stages, stage)
            mine = (stage > 0) == (rank // one.devices > 0) if rank is not None else stage <= min(stages)
            one = (one if mine else found[name])._replace(stages=stages)
        found[name] = one
    return found


def whole_shape(shape, source: Lying | None) -> tuple[int, ...]:
    """The shape of a whole parameter of which a device holds ``shape``."""
    return tuple(shape) if source is None else tuple(
        n * count for n, count in zip(shape, source.parts(), strict=True))


def source_ranks(rank: int, source: Lying, target: Lying | None) -> set[int]:
    """The devices of ``source`` that MindSpore asks for what the device ``rank`` of ``target`` gets.

    A dimension's part is a number of prime digits. As far as the leading digits are the same on both, only
    the own part is asked for; from the first that differs on, all.
    """
    own = rank % source.devices
    whole = target or Lying((1,), ((),) * len(source.axes))
    ranks = range(max(source.devices, whole.devices))
    digits = [_digits(source, r % source.devices) for r in ranks]
    others = [_digits(whole, r % whole.devices) for r in ranks]
    fixed = []
    for d in range(len(source.axes)):
        mine, theirs = (zip(*(one[d] for one in ranked), strict=True) for ranked in (digits, others))
        alike = [a == b for a, b in zip(mine, theirs, strict=False)]
        fixed.append(alike.index(False) if False in alike else len(alike))
    replicas = _replicas(source)
    return {device for device in range(source.devices)
            if replicas[device] == replicas[own]
            and all(a[:n] == b[:n] for a, b, n in zip(digits[device], digits[own], fixed, strict=True))}


def _digits(one: Lying, rank: int) -> list[list[tuple[int, int]]]:
    """For each dimension the prime digits of the part that a device holds: (prime, digit), major first."""
    found = []
    for count, at in zip(one.parts(), one.places(rank), strict=True):
        here = []
        for prime in _primes(count):
            count //= prime
            digit, at = divmod(at, count)
            here.append((prime, digit))
        found.append(here)
    return found


def _primes(n: int) -> list[int]:
    found, p = [], 2
    while n > 1:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    return found


def _replicas(one: Lying) -> list[int]:
    """Of each device, which of those with the same part it is."""
    seen: Counter = Counter()
    found = []
    for rank in range(one.devices):
        places = one.places(rank)
        found.append(seen[places])
        seen[places] += 1
    return found


def slice_for_rank(rank: int, held: dict[int, torch.Tensor], source: Lying | None,
                   target: Lying | None) -> torch.Tensor:
    """What the device ``rank`` of ``target`` gets, from what devices of ``source`` hold."""
    if source is None:
        source = Lying((1,), ((),) * next(iter(held.values())).ndim)
    shape = whole_shape(next(iter(held.values())).shape, source)
    wanted = target.region(rank, shape) if target else tuple(slice(0, n) for n in shape)
    out = next(iter(held.values())).new_empty([one.stop - one.start for one in wanted])
    missing, seen = out.numel(), set()
    for device, t in sorted(held.items()):
        if source.places(device) in seen:
            continue
        seen.add(source.places(device))
        region = source.region(device, shape)
        common = [(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(region, wanted, strict=True)]
        if any(start >= stop for start, stop in common):
            continue
        into = tuple(slice(a - w.start, b - w.start) for (a, b), w in zip(common, wanted, strict=True))
        of = tuple(slice(a - r.start, b - r.start) for (a, b), r in zip(common, region, strict=True))
        out[into] = t[of]
        missing -= math.prod(b - a for a, b in common)
    if missing:
        raise ValueError(_missing(rank % source.devices, held, seen, source, wanted, shape))
    return out


def _missing(own: int, held, seen: set, source: Lying, wanted, shape) -> str:
    """Whose checkpoint lacks: the rank's own, or the first that has a part of what is ``wanted``."""
    if own not in held:
        return f"The checkpoint of rank {own} is missing."
    for device in range(source.devices):
        common = zip(source.region(device, shape), wanted, strict=True)
        if source.places(device) not in seen and all(max(a.start, b.start) < min(a.stop, b.stop)
                                                     for a, b in common):
            return f"The checkpoint file of rank {device} is missing."
    return f"The checkpoint of rank {own} is missing."
