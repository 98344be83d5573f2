"""Candidates among classes, drawn evenly or by the logarithm of their rank, as MindSpore's CPU kernels do."""

from __future__ import annotations

import math

import torch

from ms2torch._core.random.engines import MinStd
from ms2torch._core.random.philox_streams import Philox, PhiloxStream
from ms2torch._core.random.random_streams import Stream, drawn

# The key of all samplers by rank; their seed is the counter's upper half.
_RANK_KEY = 87654321
# Words that a call by rank moves the counter on for each class, however many it read.
_PER_CLASS = 2048


class EvenStream(Stream):
    """The stream of ``UniformCandidateSampler``."""

    __slots__ = ()

    def __reduce__(self):
        return EvenStream, (self.seed, self.seed2)

    @drawn
    def classes(self, count: int, size: int, unique: bool, banned: tuple) -> torch.Tensor:
        """``count`` of ``size`` classes without the ``banned`` ones; the last number: how many it took."""
        engine = self._engine(MinStd, (count,))
        return _picked(lambda: engine.integer(0, size - 1), count, unique, frozenset(banned))


class RankStream(PhiloxStream):
    """The stream of ``LogUniformCandidateSampler``, made with its seed."""

    __slots__ = ()

    def __init__(self, seed: int = 0, seed2: int | None = None) -> None:
        super().__init__(*((_RANK_KEY, seed) if seed2 is None else (seed, seed2)))

    def __reduce__(self):
        return RankStream, (self.seed, self.seed2)

    @drawn
    def classes(self, count: int, size: int, unique: bool) -> torch.Tensor:
        engine, width = self._engine(Philox, (count,)), math.log(size + 1)
        key, offset, at = engine.get_state()

        def one() -> int:
            high, low = engine.words(2).tolist()
            fraction = ((high & 0xFFFFF) << 32 | low) / 2.0**52
            return (int(math.exp(fraction * width)) - 1) % size

        found = _picked(one, count, unique, frozenset())
        engine.set_state((key, offset, at + _PER_CLASS * count))
        return found


def _picked(draw, count: int, unique: bool, banned: frozenset) -> torch.Tensor:
    found: list[int] = []
    seen, tries = set(banned), 0
    while len(found) < count:
        tries += 1
        one = draw()
        if one in seen:
            continue
        if unique:
            seen.add(one)
        found.append(one)
    return torch.tensor([*found, tries])
