"""The random streams of MindSpore's CPU operators, bit for bit.

MindSpore's kernels run C++'s own engines under libstdc++'s distributions: ``minstd_rand0`` for normals,
dropout masks, samples and shuffles, ``mt19937`` for uniforms, integers and permutations. One operator
instance has one stream for each input shape, which its calls continue; two instances with equal seeds give
equal values.

On CUDA, where MindSpore has other kernels, and for what has no stream here (Dropout2D and 3D, which draw
their seed from the system there; gamma, poisson, categorical), torch's generators serve instead.
"""

from __future__ import annotations

import math
import secrets
from functools import lru_cache

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.random.rng import kernel_seed, kernel_seeds

# ---- engines ---------------------------------------------------------------------------------------------

_PRIME = 2**31 - 1
_RUN = 1 << 14
# Up to here a division is faster than the folding of bits; what small calls of a stream draw together.
_FEW, _SHARED = 1 << 10, 1 << 12
_ONE, _BITS, _MODULUS = np.uint64(1), np.uint64(31), np.uint64(_PRIME)
_NOTHING = np.empty(0, np.uint64)


def _powers() -> np.ndarray:
    """16807^1 ... 16807^_RUN mod 2^31 - 1: one multiplication reaches any element of a run."""
    power, found = 1, np.empty(_RUN, np.uint64)
    for i in range(_RUN):
        power = power * 16807 % _PRIME
        found[i] = power
    return found


class Minstd:
    """C++'s ``minstd_rand0``: x <- 16807 x mod 2^31 - 1."""

    __slots__ = ("_ahead", "_at", "_state")
    # What one draw can give less one: C++'s max() - min().
    range = _PRIME - 2
    _table: np.ndarray | None = None

    def __init__(self, seed: int) -> None:
        self._state = seed % _PRIME or 1
        # Outputs drawn before they were asked for, and the place of the next of them.
        self._ahead, self._at = _NOTHING, 0

    def get_state(self) -> int:
        return self._back(0)

    def set_state(self, state: int) -> None:
        self._state, self._ahead, self._at = state, _NOTHING, 0

    def _back(self, count: int) -> int:
        """The state ``count`` outputs before the next one."""
        count += self._ahead.size - self._at
        return self._state * pow(16807, -count, _PRIME) % _PRIME if count else self._state

    def draw(self, count: int) -> np.ndarray:
        """The next ``count`` outputs less the smallest possible one, as uint64 in [0, range]."""
        if self._ahead.size:
            self.set_state(self._back(0))
        out = self._outputs(count)
        out -= _ONE
        return out

    def outputs(self, count: int) -> np.ndarray:
        """The next ``count`` outputs, as uint64 in [1, range + 1]; small calls share one pass."""
        end = self._at + count
        if end > self._ahead.size:
            if count > _FEW:
                self.set_state(self._back(0))
                return self._outputs(count)
            # A stream that is used once, as those of ops.dropout, draws for itself alone.
            size = count * (_SHARED // count) if self._ahead.size else count
            self.set_state(self._back(0))
            self._ahead, end = self._outputs(size), count
        words = self._ahead[self._at : end]
        self._at = end
        return words

    def _outputs(self, count: int) -> np.ndarray:
        if Minstd._table is None:
            Minstd._table = _powers()
        if count <= _FEW:
            out = Minstd._table[:count] * np.uint64(self._state) % _MODULUS
            if count:
                self._state = int(out[-1])
            return out
        out = np.empty(count, np.uint64)
        scratch = np.empty(min(count, _RUN), np.uint64)
        for start in range(0, count, _RUN):
            part = out[start : start + _RUN]
            high = scratch[: part.size]
            np.multiply(Minstd._table[: part.size], np.uint64(self._state), out=part)
            # 2^31 is 1 modulo the prime, so the high bits add to the low ones.
            np.right_shift(part, _BITS, out=high)
            np.bitwise_and(part, _MODULUS, out=part)
            np.add(part, high, out=part)
            np.subtract(part, _MODULUS, out=high)
            np.minimum(part, high, out=part)
            self._state = int(part[-1])
        return out

    def give_back(self, words: np.ndarray) -> None:
        """Words drawn too many: the next ``draw`` begins with them."""
        self.set_state(self._back(len(words)))

    def floats(self, count: int) -> np.ndarray:
        """``generate_canonical<float, 24>``: one draw each, float32 in [0, 1)."""
        u = self.draw(count).astype(np.float32)
        u *= np.float32(2.0**-31)
        return np.minimum(u, _BELOW_ONE, out=u)


_BELOW_ONE = np.nextafter(np.float32(1), np.float32(0))


class Twister:
    """C++'s ``mt19937``, which numpy's legacy generator also is."""

    __slots__ = ("left", "source")
    range = 2**32 - 1

    def __init__(self, seed: int) -> None:
        self.source = np.random.RandomState(seed & 0xFFFFFFFF)
        self.left = np.empty(0, np.uint64)

    def get_state(self) -> tuple:
        return self.source.get_state(), self.left

    def set_state(self, state: tuple) -> None:
        self.source.set_state(state[0])
        self.left = state[1]

    def draw(self, count: int) -> np.ndarray:
        """The next ``count`` outputs, as uint64 in [0, range]."""
        left, self.left = self.left[:count], self.left[count:]
        if left.size == count:
            return left
        new = np.frombuffer(self.source.bytes(4 * (count - left.size)), "<u4").astype(np.uint64)
        return np.concatenate((left, new)) if left.size else new

    def give_back(self, words: np.ndarray) -> None:
        """Words drawn too many: the next ``draw`` begins with them."""
        self.left = np.concatenate((words, self.left))

    def doubles(self, count: int) -> np.ndarray:
        """``generate_canonical<double, 53>``: two draws each, the second one leading."""
        words = self.draw(2 * count).astype(np.float64)
        return np.minimum((words[0::2] + words[1::2] * 2.0**32) * 2.0**-64, np.nextafter(1.0, 0.0))


# ---- distributions ---------------------------------------------------------------------------------------


def integers(engine: Twister, count: int, low: int, high: int) -> np.ndarray:
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


def normals(engine: Minstd, count: int) -> np.ndarray:
    """``count`` of N(0, 1) in float32: Marsaglia's polar method; a call uses whole pairs."""
    found, missing = [], -(-count // 2)
    while missing:
        # A try lies in the circle with probability pi/4.
        xy = engine.floats(2 * (missing + missing * 2 // 7 + 8)) * np.float32(2) - np.float32(1)
        x, y = xy[0::2], xy[1::2]
        r2 = x * x + y * y
        good = np.flatnonzero((r2 <= 1) & (r2 != 0))[:missing]
        if good.size == missing:
            engine.give_back(xy[2 * (int(good[-1]) + 1):])
        x, y, r2 = x[good], y[good], r2[good]
        factor = np.sqrt(np.float32(-2) * _logf(r2) / r2)
        found.append(np.stack((y * factor, x * factor), axis=1).reshape(-1))
        missing -= good.size
    return np.concatenate(found or [np.empty(0, np.float32)])[:count]


def permutation(engine, count: int) -> np.ndarray:
    """0 ... count-1 under libstdc++'s ``shuffle``, which takes two positions from one draw while they fit."""
    order = list(range(count))
    words = engine.draw(count + 16)
    pool, used = words.tolist(), 0

    def below(size: int) -> int:
        # A draw is divided; it is drawn again where it falls into the last, short share.
        nonlocal used
        share = engine.range // size
        while True:
            if used == len(pool):
                pool.extend(engine.draw(16).tolist())
            used += 1
            if pool[used - 1] < share * size:
                return pool[used - 1] // share

    start = 1
    if count and engine.range // count >= count:
        if count % 2 == 0:
            j = below(2)
            order[1], order[j] = order[j], order[1]
            start = 2
        for i in range(start, count, 2):
            first, second = divmod(below((i + 1) * (i + 2)), i + 2)
            order[i], order[first] = order[first], order[i]
            order[i + 1], order[second] = order[second], order[i + 1]
    else:
        for i in range(1, count):
            j = below(i + 1)
            order[i], order[j] = order[j], order[i]
    engine.give_back(np.array(pool[used:], np.uint64))
    return np.array(order, np.int64)


@lru_cache(256)
def _below(probability: float) -> np.uint64:
    """How many of Minstd's outputs count as less than ``probability`` when both are float32."""
    bound = np.float32(probability)
    low, high = 0, _PRIME
    while low < high:
        middle = (low + high) // 2
        if np.float32(middle) * np.float32(2.0**-31) < bound:
            low = middle + 1
        else:
            high = middle
    return np.uint64(low)


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
_LOGF_POLYNOMIAL = tuple(
    float.fromhex(x) for x in ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2"))


def _logf(x: np.ndarray) -> np.ndarray:
    """The logarithm of positive normal float32 numbers, to the bit as C's logf gives it."""
    bits = x.view(np.int32)
    offset = bits - np.int32(0x3F330000)
    point, exponent = (offset >> 19) & 15, offset >> 23
    r = (bits - (exponent << 23)).view(np.float32) * _LOGF_INVERSE[point] - 1.0
    a, b, c = _LOGF_POLYNOMIAL
    square = r * r
    tail = a * square + (b * r + c)
    return (tail * square + (_LOGF_LOG[point] + exponent * math.log(2.0) + r)).astype(np.float32)


# ---- taking draws back -----------------------------------------------------------------------------------

# While a journal is kept: the engines that were used since it began, with their states before.
_journal: dict | None = None


def begin_journal() -> tuple:
    """Note from here on what is drawn, so that `end_journal` can take it back; journals nest."""
    global _journal
    begun = _journal, dict(kernel_seeds)
    _journal = {}
    return begun


def end_journal(begun: tuple, take_back: bool) -> None:
    """End the journal that `begin_journal` began; with ``take_back`` streams and seeds are as they were."""
    global _journal
    outer, seeds = begun
    if take_back:
        for engine, state in _journal.values():
            engine.set_state(state)
        kernel_seeds.clear()
        kernel_seeds.update(seeds)
    elif outer is not None:
        for key, entry in _journal.items():
            outer.setdefault(key, entry)
    _journal = outer


# ---- streams ---------------------------------------------------------------------------------------------


def _start(kind, seed: int):
    return torch.Generator(kind).manual_seed(seed % 2**63) if isinstance(kind, torch.device) else kind(seed)


class Stream:
    """The random numbers of one operator instance made with the seed pair (seed, seed2).

    (0, 0) seeds it from the system, as MindSpore does. All methods give torch tensors on the device in use.
    A copy starts anew from the seeds, as that of a MindSpore operator does.
    """

    __slots__ = ("_engines", "seed", "seed2")

    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        self.seed, self.seed2 = int(seed), int(seed2)
        self._engines: dict = {}

    def __reduce__(self):
        return Stream, (self.seed, self.seed2)

    def _engine(self, kind, shape: tuple):
        """The engine for ``shape``: of class ``kind``, or torch's generator where ``kind`` is a device."""
        key = (kind, shape)
        engine = self._engines.get(key)
        if engine is None:
            seed = kernel_seed(self.seed, self.seed2) if self.seed or self.seed2 else secrets.randbits(32)
            engine = self._engines[key] = _start(kind, seed)
        if _journal is not None:
            _journal.setdefault((id(engine), key), (engine, engine.get_state()))
        return engine

    def keep(self, shape, probability: float) -> torch.Tensor:
        """Dropout's mask, bool: True with ``probability``. (MindSpore scales by float32(1/probability).)"""
        shape = tuple(shape)
        where = device()
        if where.type != "cpu":
            engine = self._engine(where, shape)
            return torch.rand(shape, device=where, generator=engine) < probability
        # One more than what ``draw`` gives, so "at most" is "less" here.
        words = self._engine(Minstd, shape).outputs(math.prod(shape))
        return torch.from_numpy((words <= _below(probability)).reshape(shape))

    def normal(self, shape) -> torch.Tensor:
        """N(0, 1), float32 (``StandardNormal``)."""
        shape = tuple(shape)
        where = device()
        if where.type != "cpu":
            return torch.randn(shape, device=where, generator=self._engine(where, shape))
        return torch.from_numpy(normals(self._engine(Minstd, shape), math.prod(shape))).reshape(shape)

    def laplace(self, shape) -> torch.Tensor:
        """Laplace(0, 1), float32 (``StandardLaplace``): the distribution inverted at U(-1, 1)."""
        shape = tuple(shape)
        where = device()
        if where.type != "cpu":
            u = torch.rand(shape, device=where, generator=self._engine(where, shape)) * 2 - 1
            return -u.sign() * torch.log1p(-u.abs())
        # The lower end is the first number above -1, so that the logarithm is finite.
        low = -_BELOW_ONE
        u = self._engine(Minstd, shape).floats(math.prod(shape)) * (np.float32(1) - low) + low
        values = -np.sign(u) * np.log1p(-np.abs(u).astype(np.float64)).astype(np.float32)
        return torch.from_numpy(values).reshape(shape)

    def uniform(self, shape) -> torch.Tensor:
        """U(0, 1), float32 (``UniformReal``)."""
        shape = tuple(shape)
        where = device()
        if where.type != "cpu":
            return torch.rand(shape, device=where, generator=self._engine(where, shape))
        values = self._engine(Twister, shape).doubles(math.prod(shape)).astype(np.float32)
        return torch.from_numpy(values).reshape(shape)

    def integers(self, shape, low: int, high: int) -> torch.Tensor:
        """Integers in [low, high), int32 (``UniformInt``). RuntimeError where high is not above low."""
        if high <= low:
            raise RuntimeError(f"For 'Random', invalid min/max values: ({low}/{high})")
        shape = tuple(shape)
        where = device()
        if where.type != "cpu":
            return torch.randint(low, high, shape, dtype=torch.int32, device=where,
                                 generator=self._engine(where, shape))
        values = integers(self._engine(Twister, shape), math.prod(shape), low, high).astype(np.int32)
        return torch.from_numpy(values).reshape(shape)

    def sample(self, weights: torch.Tensor, count: int) -> torch.Tensor:
        """``count`` positions a row drawn by weight with replacement, int32 (``Multinomial``); rows one after
        another from one stream."""
        where = weights.device
        if where.type != "cpu":
            engine = self._engine(where, (*weights.shape, count))
            return torch.multinomial(weights.float(), count, True, generator=engine).to(torch.int32)
        rows = weights.numpy().astype(np.float32).reshape(-1, weights.shape[-1])
        u = self._engine(Minstd, (*weights.shape, count)).floats(len(rows) * count).reshape(len(rows), count)
        totals = np.cumsum(rows, axis=1, dtype=np.float32)
        totals /= totals[:, -1:]
        found = np.stack([np.searchsorted(t, x, side="left") for t, x in zip(totals, u, strict=True)])
        return torch.from_numpy(found.astype(np.int32)).reshape(*weights.shape[:-1], count)

    def shuffle(self, shape) -> torch.Tensor:
        """The order that ``RandomShuffle`` brings the first axis of a tensor of ``shape`` into, int64."""
        shape = tuple(shape)
        where = device()
        if where.type != "cpu":
            return torch.randperm(shape[0], device=where, generator=self._engine(where, shape))
        return torch.from_numpy(permutation(self._engine(Minstd, shape), shape[0]))


def randperm(count: int, seed: int = 0, offset: int = 0) -> torch.Tensor:
    """``ops.randperm``'s permutation of 0 ... count-1, int64: the same at each call.

    ``offset`` goes before ``seed``; (-1, 0) draws a seed from the system.
    """
    start = secrets.randbits(32) if (seed, offset) == (-1, 0) else offset or seed
    if device().type != "cpu":
        return torch.randperm(count, device=device(), generator=_start(device(), start))
    return torch.from_numpy(permutation(Twister(start), count))
