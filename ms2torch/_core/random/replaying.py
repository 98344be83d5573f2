"""The random numbers of replay buffers."""

from __future__ import annotations

import numpy as np

from ms2torch._core.random.distributions import doubles, integers
from ms2torch._core.random.engines import MT19937
from ms2torch._core.random.random_streams import Stream, _start


class ReplayStream(Stream):
    """The stream of ``BufferSample``: the engine starts from the operator's own seed."""

    __slots__ = ()

    def __reduce__(self):
        return ReplayStream, (self.seed, self.seed2)

    def _engine(self, kind, shape: tuple):
        if self.seed and (kind, shape) not in self._engines:
            self._engines[kind, shape] = _start(kind, self.seed)
        return super()._engine(kind, shape)


class HostStream(Stream):
    """The stream of a buffer that a handle names: one for all who draw from it, in a graph or not. Its
    numbers are numpy's, for they choose places on the host."""

    __slots__ = ()

    def __reduce__(self):
        return HostStream, (self.seed, self.seed2)

    def fractions(self, count: int) -> np.ndarray:
        """``count`` of U(0, 1), float64."""
        return doubles(self._engine(MT19937, ()), count)

    def places(self, count: int, size: int) -> np.ndarray:
        """``count`` integers in [0, size)."""
        return integers(self._engine(MT19937, ()), count, 0, size)
