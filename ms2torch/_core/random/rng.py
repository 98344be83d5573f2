"""Seeds, and the bit streams that MindSpore's initial weights are made of.

The same ``set_seed`` gives the same bits as MindSpore on the CPU: weights here, operators (dropout masks,
normals, uniforms, ...) in ``random_streams``. Weights are Philox4x32-10 words under a 64-bit seed drawn from
numpy's global generator; an operator's stream starts from the pair of seeds that ``graph_seeds`` hands out.
"""

from __future__ import annotations

import math
import random

import numpy as np
import torch

from ms2torch._core import mode

MAX_INT32 = 2**31 - 1
DEFAULT_GRAPH_SEED = 87654321
# By how much an operator's seed moves on at each use.
SEED_STEP = 3528531795 ^ 3449720151

_global_seed: int | None = None
# (operator, seed it asked for) -> the seed that its next use gets.
kernel_seeds: dict[tuple[str, int], int] = {}


# ---- seeds ---------------------------------------------------------------------------------------------


def set_seed(seed: int) -> None:
    """Seed numpy, Python's generator, the operators, and torch for what has no MindSpore stream."""
    global _global_seed
    if not isinstance(seed, int):
        raise TypeError(f"The argument 'seed' must be type of int, but got {type(seed)}.")
    if isinstance(seed, bool) or seed < 0:
        raise _seed_error(seed, "global_seed")
    np.random.seed(seed)
    random.seed(seed)
    torch.manual_seed(seed)
    kernel_seeds.clear()
    _global_seed = seed


def get_seed() -> int | None:
    """The global seed, None where none was set."""
    return _global_seed


def _seed_error(seed, name: str) -> Exception:
    if not isinstance(seed, int):
        return TypeError(f"For '{name}', the 'seed' must be int, but got '{type(seed).__name__}'")
    kind = TypeError if isinstance(seed, bool) else ValueError
    return kind(f"For '{name}', the 'seed' must be int and must >= 0, but got '{seed}' with type "
                f"'{type(seed).__name__}'.")


def graph_seeds(op_seed: int | None, name: str) -> tuple[int, int]:
    """The seed pair for the next use of operator ``name`` that asked for ``op_seed`` (None: 0).

    (0, 0), a free choice, where neither a global nor an operator seed is set. Each use moves the operator's
    seed on, so that two uses differ and a program run again under ``set_seed`` repeats both.
    """
    overall = _global_seed
    if overall == 0:
        overall = DEFAULT_GRAPH_SEED
    elif overall is None:
        overall = 0
    if op_seed is None:
        op_seed = 0
    if overall == 0 and op_seed == 0:
        return 0, 0
    if isinstance(op_seed, float):
        raise TypeError(f"For '{name}', the 'seed' must be int, but got 'float'")
    if isinstance(op_seed, bool) or not isinstance(op_seed, int) or op_seed < 0:
        raise _seed_error(op_seed, name)
    current = kernel_seeds.get((name, op_seed), op_seed)
    kernel_seeds[name, op_seed] = current + SEED_STEP
    pair = overall % MAX_INT32, current % MAX_INT32
    if mode.tracing is not None:
        mode.tracing.seeds(pair, lambda: graph_seeds(op_seed, name))
    return pair


# ---- Philox4x32-10 ---------------------------------------------------------------------------------------

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_LOW = 0xFFFFFFFF
# Counters per pass: the working arrays stay in the cache.
_BLOCK = 1 << 13
_M0, _M1 = _MULTIPLIERS
_KERNEL_KEYS = tuple((0x3EC8F720 + i * _KEY_STEPS[0] & _LOW, 0x02461E29 + i * _KEY_STEPS[1] & _LOW)
                     for i in range(10))


def philox(counter: tuple, key: tuple[int, int]) -> tuple:
    """Ten Philox4x32 rounds over four 32-bit words, ints or uint64 arrays (Salmon et al., SC 2011)."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    word = np.uint64 if isinstance(c0, np.ndarray) else int
    m0, m1, low, half = word(_MULTIPLIERS[0]), word(_MULTIPLIERS[1]), word(_LOW), word(32)
    for _ in range(10):
        p0, p1 = c0 * m0, c2 * m1
        c0, c1, c2, c3 = (p1 >> half) ^ c1 ^ word(k0), p1 & low, (p0 >> half) ^ c3 ^ word(k1), p0 & low
        k0, k1 = (k0 + _KEY_STEPS[0]) & _LOW, (k1 + _KEY_STEPS[1]) & _LOW
    return c0, c1, c2, c3


def kernel_seed(seed: int, seed2: int) -> int:
    """The 64-bit seed that MindSpore's CPU kernels make of a seed pair that is not (0, 0).

    `philox` written out: each use of an operator like ``ops.dropout`` passes here.
    """
    c0, c1, c2, c3 = seed & _LOW, seed >> 32, seed2 & _LOW, seed2 >> 32
    for k0, k1 in _KERNEL_KEYS:
        p0, p1 = c0 * _M0, c2 * _M1
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & _LOW, p0 >> 32 ^ c3 ^ k1, p0 & _LOW
    return c0 | c1 << 32


def _fill(out: np.ndarray, distribution, seed: int | None = None) -> None:
    """Fill ``out`` in C order; ``distribution`` maps uint32 words, a multiple of 4, to as many values."""
    seed = _weight_seed() if seed is None else seed
    low, high = seed & _LOW, seed >> 32
    flat = out.reshape(-1)
    for start in range(0, flat.size, 4 * _BLOCK):
        part = flat[start : start + 4 * _BLOCK]
        n = np.arange(start // 4, start // 4 + -(-part.size // 4), dtype=np.uint64)
        words = np.stack(philox((n, np.uint64(0), np.uint64(low), np.uint64(high)), (low, high)), axis=1)
        part[:] = distribution(words.astype(np.uint32).reshape(-1))[: part.size]
    if not np.shares_memory(flat, out):
        out[...] = flat.reshape(out.shape)


# ---- the distributions of initial weights ----------------------------------------------------------------
# MindSpore takes the parameters as float32, computes in float64 and rounds once to float32.


def _weight_seed() -> int:
    """The seed of the next weight: one draw from numpy's global generator."""
    return int(np.random.randint(low=1, high=1 << 63, dtype=np.int64))


def _single(x: float) -> float:
    return float(np.float32(x))


def fill_uniform(out: np.ndarray, low: float, high: float, seed: int | None = None) -> None:
    """Fill float32 ``out`` with U(low, high)."""
    low = _single(low)
    span = _single(high) - low
    _fill(out, lambda words: words * (span / 2**32) + low, seed)


def fill_normal(out: np.ndarray, mean: float, sigma: float, seed: int | None = None) -> None:
    """Fill float32 ``out`` with N(mean, sigma^2): Box-Muller, cosine first, from 23-bit fractions."""
    mean, sigma = _single(mean), _single(sigma)
    # Both constants are float32 in MindSpore too.
    smallest, turn = _single(1e-7), 2 * _single(3.1415926)

    def normals(words: np.ndarray) -> np.ndarray:
        u = ((words & np.uint32(0x7FFFFF)) / 2.0**23).reshape(-1, 2)
        radius = np.sqrt(-2.0 * np.log(np.maximum(u[:, 0], smallest)))
        angle = turn * u[:, 1]
        return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1).reshape(-1) * sigma + mean

    _fill(out, normals, seed)


def fill_truncated_normal(out: np.ndarray, low: float, high: float, mean: float, sigma: float,
                          seed: int | None = None) -> None:
    """Fill float32 ``out`` with N(mean, sigma^2) cut to [low, high], by inverting the distribution."""
    low, high, mean, sigma = map(_single, (low, high, mean, sigma))
    # MindSpore's square root of 2 is a float32; ndtri's is exact, hence the scale.
    root = _single(math.sqrt(2.0))
    scale = root / math.sqrt(2.0)

    def below(x: float) -> float:
        return 0.5 * math.erfc(-(x - mean) / sigma / root)

    first, span = below(low), below(high) - below(low)

    def normals(words: np.ndarray) -> np.ndarray:
        share = first + words * 2.0**-32 * span
        deviations = torch.special.ndtri(torch.from_numpy(share)).numpy() * scale
        # beyond what a double tells from 0 and 1 MindSpore's inverse has these
        deviations = np.where(share >= 1, 5.29470396, np.where(share <= 0, -14.17018509, deviations))
        return deviations * sigma + mean

    _fill(out, normals, seed)
