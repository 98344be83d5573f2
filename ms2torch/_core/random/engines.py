"""C++'s random engines, word by word: ``minstd_rand0``, ``mt19937``, ``mt19937_64``.

An engine gives its words many at once (`draw`) or one at a time (a call), and numbers in the distributions of
`Distributions`. The words come in one order, however they are asked for.
"""

from __future__ import annotations

import math

import numpy as np

from ms2torch._core.random.distributions import Distributions

_FIRST, _BLOCK = 32, 1024            # words that calls draw together, first and later
_spare: list[np.random.RandomState] = []     # of streams that have ended: making one takes long
_NOTHING = np.empty(0, np.uint64)


class Engine(Distributions):
    """A stream of words less the smallest possible one, in [0, range]."""

    __slots__ = ("_block", "_ready")     # the words that calls will give, the last one first

    def __init__(self, seed: int) -> None:
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again from ``seed``."""
        self._ready, self._kept, self._block = [], None, _FIRST
        self._begin(seed)

    def __call__(self) -> int:
        try:
            return self._ready.pop()
        except IndexError:
            self._ready = self._words(self._block)[::-1].tolist()
            self._block = _BLOCK
            return self._ready.pop()

    def draw(self, count: int) -> np.ndarray:
        """The next ``count`` words, as uint64."""
        if self._ready:
            self._unread()
        return self._words(count)

    def _unread(self) -> None:
        words, self._ready = np.array(self._ready[::-1], np.uint64), []
        self.give_back(words)

    def give_back(self, words: np.ndarray) -> None:
        """Words drawn too many: the next ones are these again."""
        raise NotImplementedError

    def _begin(self, seed: int) -> None:
        raise NotImplementedError

    def _words(self, count: int) -> np.ndarray:
        raise NotImplementedError

    def get_state(self) -> tuple:
        """What `set_state` takes to give the same words again."""
        if self._ready:
            self._unread()
        return self._position(), self._kept

    def set_state(self, state: tuple) -> None:
        position, self._kept = state
        self._ready = []
        self._go_to(position)


# ---- minstd_rand0 ------------------------------------------------------------------------------------------

_PRIME = 2**31 - 1
_RUN = 1 << 14
# Up to here a division is faster than the folding of bits; what small calls of a stream draw together.
_FEW, _SHARED = 1 << 10, 1 << 12
_ONE, _BITS, _MODULUS = np.uint64(1), np.uint64(31), np.uint64(_PRIME)


def _powers() -> np.ndarray:
    """16807^1 ... 16807^_RUN mod 2^31 - 1: one multiplication reaches any element of a run."""
    power, found = 1, np.empty(_RUN, np.uint64)
    for i in range(_RUN):
        power = power * 16807 % _PRIME
        found[i] = power
    return found


class MinStd(Engine):
    """``std::minstd_rand0``, libstdc++'s default engine: x <- 16807 x mod 2^31 - 1."""

    __slots__ = ("_ahead", "_at", "_state")
    range, span = _PRIME - 2, 2.0**31
    _table: np.ndarray | None = None

    def _begin(self, seed: int) -> None:
        self._go_to(seed % _PRIME or 1)

    def _go_to(self, position: int) -> None:
        # Outputs drawn before they were asked for, and the place of the next of them.
        self._state, self._ahead, self._at = position, _NOTHING, 0

    def real(self) -> float:
        low, outputs = self(), self.range + 1.0
        return min((low + self() * outputs) / outputs**2, math.nextafter(1.0, 0.0))

    def _position(self) -> int:
        return self._back(0)

    def _back(self, count: int) -> int:
        """The state ``count`` outputs before the next one."""
        count += self._ahead.size - self._at
        return self._state * pow(16807, -count, _PRIME) % _PRIME if count else self._state

    def rewind(self, count: int) -> None:
        """Go ``count`` words back."""
        if self._ready:
            self._unread()
        self._go_to(self._back(count))

    def give_back(self, words: np.ndarray) -> None:
        self.rewind(len(words))

    def _words(self, count: int) -> np.ndarray:
        if self._ahead.size:
            self._go_to(self._back(0))
        out = self._outputs(count)
        out -= _ONE
        return out

    def outputs(self, count: int) -> np.ndarray:
        """The next ``count`` words plus one, as uint64 in [1, range + 1]; small calls share one pass."""
        if self._ready:
            self._unread()
        end = self._at + count
        if end > self._ahead.size:
            if count > _FEW:
                self._go_to(self._back(0))
                return self._outputs(count)
            # A stream that is used once, as those of ops.dropout, draws for itself alone.
            size = count * (_SHARED // count) if self._ahead.size else count
            self._go_to(self._back(0))
            self._ahead, end = self._outputs(size), count
        words = self._ahead[self._at : end]
        self._at = end
        return words

    def _outputs(self, count: int) -> np.ndarray:
        if MinStd._table is None:
            MinStd._table = _powers()
        if count <= _FEW:
            out = MinStd._table[:count] * np.uint64(self._state) % _MODULUS
            if count:
                self._state = int(out[-1])
            return out
        out = np.empty(count, np.uint64)
        scratch = np.empty(min(count, _RUN), np.uint64)
        for start in range(0, count, _RUN):
            part = out[start : start + _RUN]
            high = scratch[: part.size]
            np.multiply(MinStd._table[: part.size], np.uint64(self._state), out=part)
            # 2^31 is 1 modulo the prime, so the high bits add to the low ones.
            np.right_shift(part, _BITS, out=high)
            np.bitwise_and(part, _MODULUS, out=part)
            np.add(part, high, out=part)
            np.subtract(part, _MODULUS, out=high)
            np.minimum(part, high, out=part)
            self._state = int(part[-1])
        return out


# ---- mt19937 -----------------------------------------------------------------------------------------------


class MT19937(Engine):
    """``std::mt19937``, 32-bit words; numpy's legacy generator is it too, its seeding included."""

    __slots__ = ("_left", "_source")
    range, span = 2**32 - 1, 2.0**32

    def _begin(self, seed: int) -> None:
        if getattr(self, "_source", None) is None:
            self._source = _spare.pop() if _spare else np.random.RandomState(0)
        self._source.seed(seed & 0xFFFFFFFF)
        self._left = _NOTHING

    def __del__(self):
        if getattr(self, "_source", None) is not None:
            _spare.append(self._source)

    def _position(self) -> tuple:
        return self._source.get_state(), self._left

    def _go_to(self, position: tuple) -> None:
        self._source.set_state(position[0])
        self._left = position[1]

    def _words(self, count: int) -> np.ndarray:
        left, self._left = self._left[:count], self._left[count:]
        if left.size == count:
            return left
        new = np.frombuffer(self._source.bytes(4 * (count - left.size)), "<u4").astype(np.uint64)
        return np.concatenate((left, new)) if left.size else new

    def give_back(self, words: np.ndarray) -> None:
        self._left = np.concatenate((words, self._left))


class MT19937_64(Engine):
    """``std::mt19937_64``, 64-bit words."""

    __slots__ = ("_left", "_state")
    range, span = 2**64 - 1, 2.0**64
    _N, _M = 312, 156
    _UPPER, _LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
    _MATRIX = np.uint64(0xB5026F5AA96619E9)

    def _begin(self, seed: int) -> None:
        state = [seed & 0xFFFFFFFFFFFFFFFF]
        for i in range(1, self._N):
            previous = state[-1]
            state.append((6364136223846793005 * (previous ^ (previous >> 62)) + i) & 0xFFFFFFFFFFFFFFFF)
        self._state, self._left = np.array(state, np.uint64), _NOTHING

    def _position(self) -> tuple:
        return self._state.copy(), self._left

    def _go_to(self, position: tuple) -> None:
        self._state, self._left = position[0].copy(), position[1]

    def _words(self, count: int) -> np.ndarray:
        found = [self._left]
        while sum(part.size for part in found) < count:
            found.append(self._twist())
        words = np.concatenate(found)
        self._left = words[count:]
        return words[:count]

    def give_back(self, words: np.ndarray) -> None:
        self._left = np.concatenate((words, self._left))

    def _twist(self) -> np.ndarray:
        """The next 312 words."""
        state, m = self._state, self._M

        def mixed(here, after):
            x = (here & self._UPPER) | (after & self._LOWER)
            return (x >> _ONE) ^ np.where(x & _ONE, self._MATRIX, np.uint64(0))

        state[:m] = state[m:] ^ mixed(state[:m], state[1:m + 1])
        state[m:-1] = state[:m - 1] ^ mixed(state[m:-1], state[m + 1:])
        state[-1] = state[m - 1] ^ mixed(state[-1:], state[:1])[0]
        x = state.copy()
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        return x ^ (x >> np.uint64(43))
