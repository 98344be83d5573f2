"""The random streams of MindSpore's C++ pipeline, to the bit: Mersenne twisters under libstdc++'s
distributions.

MindSpore's samplers and random transforms draw from ``std::mt19937``, its ``shuffle(buffer_size)`` from
``std::mt19937_64``, through ``std::shuffle`` and the ``std::*_distribution`` classes of GCC 7. Same seed,
same order holds only when those are followed draw by draw: the standard fixes the twisters, not the
distributions.
"""

from __future__ import annotations

import math
import os

import numpy as np

_BLOCK = 1024


def fresh_seed() -> int:
    """A seed from the system, for pipelines whose user set none."""
    return int.from_bytes(os.urandom(4), "little")


class MT19937:
    """``std::mt19937``: a stream of 32-bit words, with the distributions that the pipeline draws from it."""

    _span = 0xFFFFFFFF       # max() - min()

    def __init__(self, seed: int) -> None:
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again from ``seed``."""
        # numpy's legacy seeding is init_genrand, as in C++
        self._source = np.random.RandomState(seed & 0xFFFFFFFF)
        self._words = iter(())
        self._kept = None

    def __call__(self) -> int:
        for word in self._words:
            return word
        self._words = iter(self._source.randint(0, 1 << 32, _BLOCK, dtype=np.uint32).tolist())
        return next(self._words)

    def integer(self, low: int, high: int) -> int:
        """``std::uniform_int_distribution``: a whole number in [low, high]."""
        span = high - low
        if span == self._span:
            return self() + low
        scaling = self._span // (span + 1)
        past = scaling * (span + 1)
        while (word := self()) >= past:
            pass
        return word // scaling + low

    def real(self) -> float:
        """``std::generate_canonical<double, 53>``: a number in [0, 1) from two words."""
        low = self()
        value = (low + self() * 4294967296.0) / 18446744073709551616.0
        return value if value < 1.0 else math.nextafter(1.0, 0.0)

    def real32(self) -> float:
        """``std::generate_canonical<float, 24>``: a number in [0, 1) from one word, as float32."""
        value = np.float32(self()) / np.float32(4294967296.0)
        return float(value if value < 1 else np.nextafter(np.float32(1), np.float32(0)))

    def uniform(self, low: float, high: float) -> float:
        """``std::uniform_real_distribution<float>``, in float32 arithmetic."""
        a, b = np.float32(low), np.float32(high)
        return float(np.float32(self.real32()) * (b - a) + a)

    def chance(self, probability: float) -> bool:
        """``std::bernoulli_distribution``."""
        return self.real() < probability

    def shuffle(self, items: list) -> None:
        """``std::shuffle`` in place. Up to 65,535 items one draw places two of them, as libstdc++ does."""
        count = len(items)
        if count < 2:
            return
        integer = self.integer
        if self._span // count < count:
            for i in range(1, count):
                j = integer(0, i)
                items[i], items[j] = items[j], items[i]
            return
        first = 1
        if count % 2 == 0:
            j = integer(0, 1)
            items[1], items[j] = items[j], items[1]
            first = 2
        for i in range(first, count, 2):
            p, q = divmod(integer(0, (i + 1) * (i + 2) - 1), i + 2)
            items[i], items[p] = items[p], items[i]
            items[i + 1], items[q] = items[q], items[i + 1]

    def sample(self, count: int, among: int) -> list[int]:
        """``std::sample``: ``count`` of the first ``among`` numbers, in order; one draw decides over two."""
        chosen, number, left = [], 0, among
        while count and left >= 2:
            first, second = divmod(self.integer(0, left * (left - 1) - 1), left - 1)
            for drawn in (first, second):
                left -= 1
                if drawn < count:
                    chosen.append(number)
                    count -= 1
                number += 1
                if not count:
                    break
        if count:
            chosen += range(number, number + count)
        return chosen

    def weighted(self, weights: list[float], count: int) -> list[int]:
        """``std::discrete_distribution``: ``count`` positions drawn with replacement."""
        weights = np.asarray(weights, np.float64)
        sums = np.cumsum(weights / weights.sum())
        sums[-1] = 1.0
        return [int(np.searchsorted(sums, self.real(), side="left")) for _ in range(count)]

    def normal32(self, deviation: float) -> float:
        """``std::normal_distribution<float>`` around 0: drawn in pairs, of which the second is kept."""
        if self._kept is not None:
            value, self._kept = self._kept, None
            return float(value * np.float32(deviation))
        one, two = np.float32(1), np.float32(2)
        while True:
            x, y = two * np.float32(self.real32()) - one, two * np.float32(self.real32()) - one
            radius = x * x + y * y
            if 0 < radius <= 1:
                break
        # numpy's float32 logarithm is not always the nearest number, C's is
        factor = np.sqrt(-two * np.float32(math.log(radius)) / radius)
        self._kept = x * factor
        return float(y * factor * np.float32(deviation))

    def exponential(self) -> float:
        """``std::exponential_distribution<>(1)``."""
        return -math.log(1.0 - self.real())


class Gamma32:
    """``std::gamma_distribution<float>(alpha, 1)``, after Marsaglia and Tsang, in float32 arithmetic.

    Like C++'s it has a normal distribution of its own, which draws in pairs and keeps the second.
    """

    def __init__(self, alpha: float) -> None:
        one = np.float32(1)
        self.alpha = np.float32(alpha)
        self._a = (self.alpha + one if alpha < 1 else self.alpha) - one / np.float32(3)
        self._b = one / np.sqrt(np.float32(9) * self._a)
        self._kept = None

    def _normal(self, stream: MT19937) -> np.float32:
        outer, stream._kept = stream._kept, self._kept
        value = np.float32(stream.normal32(1))
        self._kept, stream._kept = stream._kept, outer
        return value

    def __call__(self, stream: MT19937) -> float:
        """The next number, of the words of ``stream``."""
        one, a = np.float32(1), self._a
        while True:
            normal = self._normal(stream)
            v = one + self._b * normal
            if v <= 0:
                continue
            v, uniform, n = v * v * v, stream.real32(), float(normal)
            if uniform <= 1 - 0.0331 * n * n * n * n or math.log(uniform) <= 0.5 * n * n + float(a) * (
                    1 - float(v) + math.log(v)):
                break
        if self.alpha >= 1:
            return float(a * v)
        uniform = stream.real32()
        while not uniform:
            uniform = stream.real32()
        return float(np.float32(uniform ** float(one / self.alpha)) * a * v)


class MinStd(MT19937):
    """``std::minstd_rand0``, libstdc++'s default engine, under the same distributions."""

    _span = 2147483645

    def seed(self, seed: int) -> None:
        self._state = (seed & 0xFFFFFFFF) % 2147483647 or 1
        self._kept = None

    def __call__(self) -> int:
        self._state = self._state * 16807 % 2147483647
        return self._state - 1


class MT19937_64:
    """``std::mt19937_64``: a stream of 64-bit words."""

    _N, _M = 312, 156
    _UPPER, _LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
    _MATRIX = np.uint64(0xB5026F5AA96619E9)

    def __init__(self, seed: int) -> None:
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again from ``seed``."""
        state = [seed & 0xFFFFFFFFFFFFFFFF]
        for i in range(1, self._N):
            previous = state[-1]
            state.append((6364136223846793005 * (previous ^ (previous >> 62)) + i) & 0xFFFFFFFFFFFFFFFF)
        self._state = np.array(state, np.uint64)
        self._words = iter(())

    def __call__(self) -> int:
        for word in self._words:
            return word
        self._words = iter(self._twist().tolist())
        return next(self._words)

    def _twist(self) -> np.ndarray:
        state, m = self._state, self._M
        one = np.uint64(1)

        def mixed(here, after):
            x = (here & self._UPPER) | (after & self._LOWER)
            return (x >> one) ^ np.where(x & one, self._MATRIX, np.uint64(0))

        state[:m] = state[m:] ^ mixed(state[:m], state[1:m + 1])
        state[m:-1] = state[:m - 1] ^ mixed(state[m:-1], state[m + 1:])
        state[-1] = state[m - 1] ^ mixed(state[-1:], state[:1])[0]
        x = state.copy()
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        return x ^ (x >> np.uint64(43))
