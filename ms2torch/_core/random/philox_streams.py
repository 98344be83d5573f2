"""Streams of Philox's words in the order of its counter, as the kernel of ``Uniform`` draws them."""

from __future__ import annotations

import math
import secrets

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.random.random_streams import Stream, drawn
from ms2torch._core.random.rng import philox

_LOW = 0xFFFFFFFF


class Philox:
    """The words of the key ``seed`` from the counter (0, ``offset``) on."""

    __slots__ = ("_at", "_offset", "_seed")

    def __init__(self, seed: int, offset: int = 0) -> None:
        self._seed, self._offset, self._at = seed % 2**64, offset % 2**64, 0

    def get_state(self) -> tuple[int, int, int]:
        return self._seed, self._offset, self._at

    def set_state(self, state: tuple[int, int, int]) -> None:
        self._seed, self._offset, self._at = state

    def words(self, count: int) -> np.ndarray:
        """The next ``count`` words, uint32; a block of the counter has four."""
        first, self._at = self._at, self._at + count
        blocks = np.arange(first // 4, -(-self._at // 4), dtype=np.uint64)
        found = block_words(self._seed, self._offset, blocks)
        return np.stack(found, 1).reshape(-1)[first % 4 :][:count].astype(np.uint32)


def block_words(key: int, offset: int, blocks: np.ndarray) -> list[np.ndarray]:
    """The four words of each of the ``blocks``, uint64."""
    high = [np.uint64(offset >> shift & _LOW) for shift in (0, 32)]
    return np.broadcast_arrays(*philox((blocks & np.uint64(_LOW), blocks >> np.uint64(32), *high),
                                       (key & _LOW, key >> 32)))


def block_doubles(key: int, offset: int, blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers in [0, 1) of each of the ``blocks``, of 52 bits."""
    a, b, c, d = block_words(key, offset, blocks)
    return tuple(((high & np.uint64(0xFFFFF)) << np.uint64(32) | low) * 2.0**-52
                 for high, low in ((a, b), (c, d)))


class PhiloxStream(Stream):
    """The stream of a ``Uniform`` made with a seed and an offset; (0, 0) seeds it from the system."""

    __slots__ = ()

    def _engine(self, kind, shape: tuple):
        if kind is Philox and (kind, shape) not in self._engines:
            free = not (self.seed or self.seed2)
            self._engines[kind, shape] = Philox(secrets.randbits(64) if free else self.seed, self.seed2)
        return super()._engine(kind, shape)

    def __reduce__(self):
        return PhiloxStream, (self.seed, self.seed2)

    @drawn
    def fractions(self, shape) -> torch.Tensor:
        """U(0, 1), float32: 23 bits of a word each."""
        shape, where = tuple(shape), device()
        if where.type != "cpu":
            return torch.rand(shape, device=where, generator=self._engine(where, shape))
        words = self._engine(Philox, shape).words(math.prod(shape))
        return torch.from_numpy((words & np.uint32(0x7FFFFF)) * np.float32(2.0**-23)).reshape(shape)


class _Again:
    """Philox's words from the first on at each use, after what the use before left of its last block."""

    __slots__ = ("_key", "_left")

    def __init__(self, key: int) -> None:
        self._key, self._left = key % 2**64, np.empty(0, np.uint32)

    def get_state(self) -> np.ndarray:
        return self._left

    def set_state(self, state: np.ndarray) -> None:
        self._left = state

    def words(self, count: int) -> np.ndarray:
        missing = max(count - self._left.size, 0)
        found = np.concatenate((self._left, Philox(self._key).words(-(-missing // 4) * 4)))
        self._left = found[count:]
        return found[:count]


class CoinStream(Stream):
    """The stream of ``Bernoulli`` with a seed that is not -1: MindSpore keeps one for all calls with a seed,
    an offset, which is no more than a name, and operands of a kind."""

    __slots__ = ()

    def __reduce__(self):
        return CoinStream, (self.seed, self.seed2)

    def _start(self, kind, seed: int):
        return _Again(self.seed) if kind is _Again else super()._start(kind, seed)

    @drawn
    def coins(self, shape, operands: tuple, chance) -> torch.Tensor:
        """True with ``chance``, a number or a tensor; ``operands`` says of which kind they are."""
        where = device()
        if where.type != "cpu":
            return torch.rand(shape, device=where, generator=self._engine(where, tuple(shape))) < chance
        words = self._engine(_Again, operands).words(math.prod(shape))
        return torch.from_numpy((words & np.uint32(0x7FFFFF)) * np.float32(2.0**-23)).reshape(shape) <= chance
