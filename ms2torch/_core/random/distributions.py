"""libstdc++'s distributions, draw by draw: the standard fixes C++'s engines, not what is made of their words.

One number at a time they are methods of the engines (`Distributions`); many at once, functions over arrays.
Both give the same numbers from the same words, but that `normals` drops the second of a last pair.
"""

from __future__ import annotations

import math

import numpy as np

_BELOW_ONE = float(np.nextafter(np.float32(1), np.float32(0)))
_ONE, _TWO = np.float32(1), np.float32(2)

# C's logf, since the last bit of a float32 normal hangs on it: a polynomial about the nearest of 16 points.
# Table and coefficients are those of Arm's optimized-routines (MIT licence), which glibc and musl use.
_LOGF_INVERSE, _LOGF_LOG = np.array([[float.fromhex(x) for x in pair.split()] for pair in (
    "0x1.661ec79f8f3bep+0 -0x1.57bf7808caadep-2", "0x1.571ed4aaf883dp+0 -0x1.2bef0a7c06ddbp-2",
    "0x1.49539f0f010bp+0 -0x1.01eae7f513a67p-2", "0x1.3c995b0b80385p+0 -0x1.b31d8a68224e9p-3",
    "0x1.30d190c8864a5p+0 -0x1.6574f0ac07758p-3", "0x1.25e227b0b8eap+0 -0x1.1aa2bc79c81p-3",
    "0x1.1bb4a4a1a343fp+0 -0x1.a4e76ce8c0e5ep-4", "0x1.12358f08ae5bap+0 -0x1.1973c5a611cccp-4",
    "0x1.0953f419900a7p+0 -0x1.252f438e10c1ep-5", "0x1p+0 0x0p+0",
    "0x1.e608cfd9a47acp-1 0x1.aa5aa5df25984p-5", "0x1.ca4b31f026aap-1 0x1.c5e53aa362eb4p-4",
    "0x1.b2036576afce6p-1 0x1.526e57720db08p-3", "0x1.9c2d163a1aa2dp-1 0x1.bc2860d22477p-3",
    "0x1.886e6037841edp-1 0x1.1058bc8a07ee1p-2", "0x1.767dcf5534862p-1 0x1.4043057b6ee09p-2")]).T
_19, _23 = np.int32(19), np.int32(23)       # typed, so that numpy 1 too keeps single numbers int32
_LOGF_POLYNOMIAL = tuple(
    float.fromhex(x) for x in ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2"))


def logf(x):
    """The logarithm of positive normal float32 numbers, to the bit as C's logf gives it."""
    bits = x.view(np.int32)
    offset = bits - np.int32(0x3F330000)
    point, exponent = (offset >> _19) & 15, offset >> _23
    r = (bits - (exponent << _23)).view(np.float32) * _LOGF_INVERSE[point] - 1.0
    a, b, c = _LOGF_POLYNOMIAL
    square = r * r
    tail = a * square + (b * r + c)
    return (tail * square + (_LOGF_LOG[point] + exponent * math.log(2.0) + r)).astype(np.float32)


def _polar(x, y, r2):
    """The two normals of a point in the circle (Marsaglia's polar method), the first to be given first."""
    factor = np.sqrt(-_TWO * logf(r2) / r2)
    return y * factor, x * factor


class Distributions:
    """The distributions that draw one number at a time from an engine, which is called for each word."""

    __slots__ = ("_kept",)      # the second normal of a pair
    range: int                  # C++'s max() - min(): words are given less the smallest
    span: float                 # one more, as float32: a power of two

    def __call__(self) -> int:
        """The next word."""
        raise NotImplementedError

    def below(self, size: int) -> int:
        """A whole number in [0, size): a word is divided; one in the last, short share is drawn again."""
        share = self.range // size
        end = share * size
        while (word := self()) >= end:
            pass
        return word // share

    def integer(self, low: int, high: int) -> int:
        """``std::uniform_int_distribution``: a whole number in [low, high]."""
        span = high - low
        return (self() if span == self.range else self.below(span + 1)) + low

    def real(self) -> float:
        """``std::generate_canonical<double, 53>`` of 32-bit words: a number in [0, 1) from two of them."""
        low = self()
        value = (low + self() * 4294967296.0) / 18446744073709551616.0
        return value if value < 1.0 else math.nextafter(1.0, 0.0)

    def real32(self) -> float:
        """``std::generate_canonical<float, 24>``: a number in [0, 1) from one word, as float32."""
        value = float(np.float32(self())) / self.span
        return value if value < 1 else _BELOW_ONE

    def uniform(self, low: float, high: float) -> float:
        """``std::uniform_real_distribution<float>``, in float32 arithmetic."""
        a, b = np.float32(low), np.float32(high)
        return float(np.float32(self.real32()) * (b - a) + a)

    def chance(self, probability: float) -> bool:
        """``std::bernoulli_distribution``."""
        return self.real() < probability

    def exponential(self) -> float:
        """``std::exponential_distribution<>(1)``."""
        return -math.log(1.0 - self.real())

    def normal32(self, deviation: float = 1.0) -> float:
        """``std::normal_distribution<float>`` around 0: drawn in pairs, of which the second is kept."""
        if self._kept is not None:
            value, self._kept = self._kept, None
            return float(value * np.float32(deviation))
        while True:
            x, y = _TWO * np.float32(self.real32()) - _ONE, _TWO * np.float32(self.real32()) - _ONE
            r2 = x * x + y * y
            if 0 < r2 <= 1:
                break
        value, self._kept = _polar(x, y, r2)
        return float(value * np.float32(deviation))

    def weighted(self, weights: list[float], count: int) -> list[int]:
        """``std::discrete_distribution``: ``count`` positions drawn with replacement."""
        weights = np.asarray(weights, np.float64)
        sums = np.cumsum(weights / weights.sum())
        sums[-1] = 1.0
        return [int(np.searchsorted(sums, self.real(), side="left")) for _ in range(count)]

    def shuffle(self, items: list) -> None:
        """``std::shuffle`` in place; one draw places two items while their places fit into a word."""
        count = len(items)
        if count < 2:
            return
        below = self.below
        if self.range // count < count:
            for i in range(1, count):
                j = below(i + 1)
                items[i], items[j] = items[j], items[i]
            return
        first = 1
        if count % 2 == 0:
            j = below(2)
            items[1], items[j] = items[j], items[1]
            first = 2
        for i in range(first, count, 2):
            p, q = divmod(below((i + 1) * (i + 2)), i + 2)
            items[i], items[p] = items[p], items[i]
            items[i + 1], items[q] = items[q], items[i + 1]

    def sample(self, count: int, among: int) -> list[int]:
        """``std::sample``: ``count`` of the first ``among`` numbers, in order; one draw decides over two."""
        chosen, number, left = [], 0, among
        while count and left >= 2:
            first, second = divmod(self.below(left * (left - 1)), left - 1)
            for drawn in (first, second):
                left -= 1
                if drawn < count:
                    chosen.append(number)
                    count -= 1
                number += 1
                if not count:
                    break
        if count:                                # the last one of an odd number, which draws all the same
            self.below(left)
            chosen.append(number)
        return chosen


class Gamma32:
    """``std::gamma_distribution<float>(alpha, 1)``, after Marsaglia and Tsang, in float32 arithmetic.

    Like C++'s it has a normal distribution of its own, which draws in pairs and keeps the second.
    """

    def __init__(self, alpha: float) -> None:
        self.alpha = np.float32(alpha)
        self._a = (self.alpha + _ONE if alpha < 1 else self.alpha) - _ONE / np.float32(3)
        self._b = _ONE / np.sqrt(np.float32(9) * self._a)
        self._kept = None

    def _normal(self, engine: Distributions) -> np.float32:
        outer, engine._kept = engine._kept, self._kept
        value = np.float32(engine.normal32())
        self._kept, engine._kept = engine._kept, outer
        return value

    def __call__(self, engine: Distributions) -> float:
        """The next number, of the words of ``engine``."""
        a = self._a
        while True:
            normal = self._normal(engine)
            v = _ONE + self._b * normal
            if v <= 0:
                continue
            v, uniform, n = v * v * v, np.float32(engine.real32()), float(normal)
            if float(uniform) <= 1 - 0.0331 * n * n * n * n or float(logf(uniform)) <= (
                    0.5 * n * n + float(a) * (1 - float(v) + float(logf(v)))):
                break
        if self.alpha >= 1:
            return float(a * v)
        uniform = engine.real32()
        while not uniform:
            uniform = engine.real32()
        return float(np.float32(uniform) ** (_ONE / self.alpha) * a * v)


# ---- many at once ------------------------------------------------------------------------------------------


def floats(engine, count: int) -> np.ndarray:
    """``count`` of ``generate_canonical<float, 24>``: one word each, float32 in [0, 1)."""
    u = engine.draw(count).astype(np.float32)
    u /= np.float32(engine.range + 1)
    return np.minimum(u, _BELOW_ONE, out=u)


def doubles(engine, count: int) -> np.ndarray:
    """``count`` of ``generate_canonical<double, 53>`` of 32-bit words: two each, the second one leading."""
    words = engine.draw(2 * count).astype(np.float64)
    return np.minimum((words[0::2] + words[1::2] * 2.0**32) * 2.0**-64, np.nextafter(1.0, 0.0))


def integers(engine, count: int, low: int, high: int) -> np.ndarray:
    """``count`` integers in [low, high)."""
    size = high - low
    share = engine.range // size
    found, missing = [], count
    while missing:
        words = engine.draw(missing + missing // 8 * (share == 1) + 1)
        good = np.flatnonzero(words < np.uint64(share * size))[:missing]
        used = int(good[-1]) + 1 if good.size == missing else words.size
        engine.give_back(words[used:])
        found.append(words[good] // np.uint64(share))
        missing -= good.size
    return np.concatenate(found or [np.empty(0, np.uint64)]).astype(np.int64) + low


def normals(engine, count: int) -> np.ndarray:
    """``count`` of N(0, 1) in float32; a call uses whole pairs."""
    found, missing = [], -(-count // 2)
    while missing:
        # A try lies in the circle with probability pi/4.
        xy = floats(engine, 2 * (missing + missing * 2 // 7 + 8)) * _TWO - _ONE
        x, y = xy[0::2], xy[1::2]
        r2 = x * x + y * y
        good = np.flatnonzero((r2 <= 1) & (r2 != 0))[:missing]
        if good.size == missing:
            engine.rewind(xy.size - 2 * (int(good[-1]) + 1))
        found.append(np.stack(_polar(x[good], y[good], r2[good]), axis=1).reshape(-1))
        missing -= good.size
    return np.concatenate(found or [np.empty(0, np.float32)])[:count]


def doubles_normal(engine, count: int) -> np.ndarray:
    """``count`` of ``std::normal_distribution<double>`` of 31-bit words; a call uses whole pairs."""
    found, missing, outputs = [], -(-count // 2), engine.range + 1.0
    while missing:
        tries = missing + missing * 2 // 7 + 8
        words = engine.draw(4 * tries).astype(np.float64)
        x, y = (2 * np.minimum((words[0::2] + words[1::2] * outputs) / outputs**2, np.nextafter(1.0, 0.0))
                - 1).reshape(-1, 2).T
        r2 = x * x + y * y
        good = np.flatnonzero((r2 <= 1) & (r2 != 0))[:missing]
        if good.size == missing:
            engine.rewind(4 * (tries - int(good[-1]) - 1))
        factor = np.sqrt(-2 * np.log(r2[good]) / r2[good])
        found.append(np.stack((y[good] * factor, x[good] * factor), axis=1).reshape(-1))
        missing -= good.size
    return np.concatenate(found or [np.empty(0)])[:count]


def permutation(engine, count: int) -> np.ndarray:
    """0 ... count-1 shuffled."""
    order = list(range(count))
    engine.shuffle(order)
    return np.array(order, np.int64)
