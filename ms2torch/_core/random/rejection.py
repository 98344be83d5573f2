"""Numbers that are drawn until one is accepted: gamma's, Poisson's, and normal ones within bounds.

The streams of MindSpore's CPU kernels: each makes its words in another way, and keeps other ones for later.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch._core.devices.device import device
from ms2torch._core.random.distributions import doubles_normal
from ms2torch._core.random.engines import MT19937, MinStd
from ms2torch._core.random.philox_streams import Philox, PhiloxStream, block_doubles
from ms2torch._core.random.random_streams import Stream, drawn
from ms2torch._core.torch_private import standard_gamma

# ---- gamma -----------------------------------------------------------------------------------------------

_RESERVED = 256         # blocks of the counter for each number, of which it needs a few


class GammaStream(PhiloxStream):
    """The stream of a ``RandomGamma`` made with a seed pair; (0, 0) seeds it from the system."""

    __slots__ = ()

    def __reduce__(self):
        return GammaStream, (self.seed, self.seed2)

    @drawn
    def gamma(self, size, alpha: torch.Tensor) -> torch.Tensor:
        """Gamma(alpha, 1) of ``size`` and alpha's shape, in alpha's dtype."""
        shape, where = (*size, *alpha.shape), alpha.device
        if where.type != "cpu":
            found = standard_gamma(alpha.expand(shape).contiguous(), generator=self._engine(where, shape))
            return torch.where(alpha > 0, found, torch.where(alpha == 0, 0.0, torch.nan).to(found.dtype))
        engine, count = self._engine(Philox, shape), math.prod(shape)
        key, offset, at = engine.get_state()
        engine.set_state((key, offset, at + 4 * _RESERVED * count))
        each = np.repeat(alpha.detach().double().numpy().reshape(-1), math.prod(size))
        found = _gammas(each, key, offset, at // 4 + _RESERVED * np.arange(count, dtype=np.uint64))
        found = torch.from_numpy(found.reshape(alpha.numel(), -1).T.reshape(shape))
        return found.to(alpha.dtype)


def _gammas(alpha, key, offset, block):
    """Gamma(alpha, 1), double: each number from the words of its own ``block`` on (Marsaglia and Tsang)."""
    out = np.empty_like(alpha)
    less, place = alpha < 1, np.flatnonzero(alpha != 1)
    even = np.flatnonzero(alpha == 1)           # an exponential distribution
    out[even] = -np.log(1 - block_doubles(key, offset, block[even])[1])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        scale = alpha + np.where(less, 2 / 3, -1 / 3)
        cut = 1 / 3 / np.sqrt(scale)
        normal, uniform = np.full((2, alpha.size), np.nan)      # the second of a block, kept

        def words(places):
            found = block_doubles(key, offset, block[places])
            block[places] += np.uint64(1)
            return found

        def of_normal(places):
            found, normal[places] = normal[places], np.nan
            fresh = np.isnan(found)
            a, b = words(places[fresh])
            radius, angle = np.sqrt(-2 * np.log(np.maximum(a, 1e-7))), 2 * math.pi * b
            normal[places[fresh]], found[fresh] = np.sin(angle) * radius, np.cos(angle) * radius
            return found

        def of_uniform(places):
            found, uniform[places] = uniform[places], np.nan
            fresh = np.isnan(found)
            uniform[places[fresh]], found[fresh] = words(places[fresh])
            return found

        while place.size:
            x = of_normal(place)
            v = 1 + cut[place] * x
            far = v <= 0
            x, v, tried, waiting = x[~far], v[~far] ** 3, place[~far], place[far]
            u, s = of_uniform(tried), scale[tried]
            taken = (u < 1 - 0.0331 * (x * x) * (x * x)) | (
                np.log(u) < 0.5 * x * x + s * (1 - v + np.log(v)))
            done = tried[taken]
            out[done] = s[taken] * v[taken]
            small = done[less[done]]
            out[small] *= of_uniform(small) ** (1 / alpha[small])
            place = np.concatenate((waiting, tried[~taken]))
    return out


# ---- Poisson ---------------------------------------------------------------------------------------------


class PoissonStream(Stream):
    """The stream of a ``RandomPoisson`` made with a seed pair; (0, 0) seeds it from the system."""

    __slots__ = ()

    def __reduce__(self):
        return PoissonStream, (self.seed, self.seed2)

    def _start(self, kind, seed: int):
        # Between the seed and the engine MindSpore puts a step of another generator.
        return super()._start(kind, seed * 6364136223846793005 + 0xDA3E39CB94B95BDB)

    @drawn
    def poisson(self, size, rate: torch.Tensor) -> torch.Tensor:
        """Poisson(rate) of ``size`` and the rate's shape, double."""
        shape, where = (*size, *rate.shape), rate.device
        if where.type != "cpu":
            rates = rate.float().clamp_min(0).expand(shape).contiguous()
            return torch.poisson(rates, generator=self._engine(where, shape)).double()
        engine, count = self._engine(MT19937, shape), math.prod(size)
        rates = rate.detach().double().reshape(-1).tolist()
        found = np.array([[_poisson(r, engine.real) for _ in range(count)] for r in rates])
        return torch.from_numpy(found.reshape(len(rates), -1).T.reshape(shape))


def _poisson(rate: float, real) -> float:
    """A number of Poisson(rate): Knuth's product of uniforms, from 10 on Hoermann's transformed rejection."""
    if rate < 10:
        found, product, least = 0.0, real(), math.exp(-rate)
        while product > least:
            found += 1
            product *= real()
        return found
    if not rate < math.inf:
        return rate
    log_rate, b = math.log(rate), 0.931 + 2.53 * math.sqrt(rate)
    a, inverse, inner = -0.059 + 0.02483 * b, 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = real() - 0.5, real()
        side = 0.5 - abs(u)
        if not side:
            continue
        found = math.floor((2 * a / side + b) * u + rate + 0.43)
        if side >= 0.07 and v <= inner:
            return float(found)
        if found < 0 or (side < 0.013 and v > side):
            continue
        most = -rate + found * log_rate - math.lgamma(found + 1)
        if math.log(v * inverse / (a / (side * side) + b)) <= most:
            return float(found)


# ---- normal numbers within bounds --------------------------------------------------------------------------

_TRIES = 1000


class BoundedStream(Stream):
    """The stream of a ``TruncatedNormal`` or ``ParameterizedTruncatedNormal``."""

    __slots__ = ()

    def __reduce__(self):
        return BoundedStream, (self.seed, self.seed2)

    @drawn
    def truncated(self, shape, dtype: torch.dtype) -> torch.Tensor:
        """N(0, 1) within two standard deviations."""
        where, count = device(), math.prod(shape)
        engine = self._engine(MinStd if where.type == "cpu" else where, tuple(shape))
        if where.type != "cpu":
            return torch.nn.init.trunc_normal_(torch.empty(shape, device=where), generator=engine).to(dtype)
        found, missing = [], count
        while missing > 0:
            before = engine.get_state()
            values = doubles_normal(engine, 2 * (missing // 2 + missing // 32 + 4))
            within = np.flatnonzero(np.abs(values) <= 2)[:missing]
            if within.size == missing:          # back to behind the last pair that was used
                engine.set_state(before)
                doubles_normal(engine, int(within[-1]) // 2 * 2 + 2)
            found.append(values[within])
            missing -= within.size
        return torch.from_numpy(np.concatenate(found).reshape(shape)).to(dtype)

    @drawn
    def within(self, shape, mean, deviation, low, high) -> torch.Tensor:
        """N(mean, deviation^2) between ``low`` and ``high``, of which a row of the first axis has its own."""
        bounds = [t.detach().expand(shape[0]).cpu().numpy() for t in (mean, deviation, low, high)]
        engine = self._engine(MinStd, tuple(shape))
        rows = [_row(engine, math.prod(shape[1:]), *row) for row in zip(*bounds, strict=True)]
        return torch.from_numpy(np.array(rows).reshape(shape)).to(mean.device)


def _row(engine: MinStd, count: int, mean, deviation, low, high) -> list:
    """``count`` numbers of a row in the dtype of its numbers: which way is shortest hangs on the bounds."""
    kind = type(mean)
    if low == -np.inf or high < mean:
        low, high, deviation = high, low, -deviation
    low, high = (low - mean) / deviation, (high - mean) / deviation
    with np.errstate(invalid="ignore"):         # of infinite bounds
        root = np.sqrt(low * low + kind(4))
        cutoff = kind(2) * np.exp(kind(0.5) + low * (low - root) / kind(4)) / (low + root)
    if (low < kind(-1.3) and high >= 0) or (high > kind(1.3) and low <= 0):
        told, draw = "randn", _of_normals(engine, kind, low, high)
    elif high - low < cutoff:
        told, draw = "uniform", _of_uniforms(engine, kind, low, high)
    else:
        told, draw = "exponential distribution", _of_exponentials(engine, kind, low, high)
    return [_accepted(draw, told) * deviation + mean for _ in range(count)]


def _accepted(draw, told: str):
    for _ in range(_TRIES):
        number, good = draw()
        if good:
            return number
    raise RuntimeError(f"For ParameterizedTruncatedNormal, {told} rejection sampler exceeded maximum "
                       "iterations.")


def _of_normals(engine, kind, low, high):
    kept: list = []

    def draw():
        if not kept:
            kept.extend(doubles_normal(engine, 2)[::-1])
        number = kind(kept.pop())
        return number, low <= number <= high

    return draw


def _of_uniforms(engine, kind, low, high):
    most = kind(0) if low < 0 else low * low

    def draw():
        number = kind(engine.real()) * (high - low) + low
        return number, kind(engine.real()) <= np.exp((most - number * number) / kind(2))

    return draw


def _of_exponentials(engine, kind, low, high):
    rate = (low + np.sqrt(low * low + kind(4))) / kind(2)

    def draw():
        number = -np.log(kind(engine.real())) / rate + low
        off = rate - number if low < rate else low - rate
        return number, kind(engine.real()) <= np.exp(-off * off / kind(2)) and number < high

    return draw
