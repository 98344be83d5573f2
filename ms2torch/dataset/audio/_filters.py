"""Recursive filters: the second-order ones of the audio equalizer's cookbook, and those of any order."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    check_float32,
    check_value,
    type_check,
    type_check_list,
)
from ..transforms.operation import OperationError
from ._base import AudioTensorOperation, check_int32_not_zero, check_number, single

__all__ = ["AllpassBiquad", "BandBiquad", "BandpassBiquad", "BandrejectBiquad", "BassBiquad", "Biquad",
           "DeemphBiquad", "EqualizerBiquad", "Filtfilt", "HighpassBiquad", "LFilter", "LowpassBiquad",
           "RiaaBiquad",
           "TrebleBiquad"]

_STEPS = 64                          # of a recursive filter, in one product; more than its order


def filtered(wave: np.ndarray, ahead, back, clamp: bool = True) -> np.ndarray:
    """y[n] = (sum of ``ahead[k] x[n-k]`` less that of ``back[k] y[n-k]``, k > 0) / ``back[0]``, along the
    last axis, with coefficients in the wave's dtype.

    With ``clamp`` the result is cut to [-1, 1]. MindSpore rounds each step of the recursion to Float32 where
    the wave is Float32; it is in double precision here, and rounded at the end.
    """
    kind = wave.dtype.type
    ahead, back = (_rounded(part, kind) for part in (ahead, back))
    ahead, past = ahead / back[0], back[1:] / back[0]
    flat = wave.reshape(-1, wave.shape[-1])
    result = ahead[0] * flat
    for lag, factor in enumerate(ahead[1:], 1):
        if lag < flat.shape[1]:
            result[:, lag:] += factor * flat[:, :flat.shape[1] - lag]
    if past.any():
        result = _one_by_one(result, past) if kind is np.float16 else fed_back(result, past)
    result = result.clip(-1, 1) if clamp else result
    return result.reshape(wave.shape).astype(kind)


def _rounded(coefficients, kind) -> np.ndarray:
    """As a cast from doubles rounds in C++: to half precision by way of Float32."""
    found = np.asarray(coefficients, np.float64)
    return (found.astype(np.float32) if kind is np.float16 else found).astype(kind)


def fed_back(waves: np.ndarray, past: np.ndarray) -> np.ndarray:
    """y[n] = ``waves[n]`` less the sum of ``past[k] y[n-1-k]``, of each row, in double precision."""
    kind = np.longdouble if waves.dtype == np.float64 else np.float64
    waves, past = waves.astype(np.float64), past.astype(np.float64)
    found = _by_blocks(waves, past, kind) if len(past) < _STEPS else None
    if found is None or not np.isfinite(found).all():       # an overflow times 0 would spread
        found = _one_by_one(waves, past)
    return found


def _by_blocks(waves: np.ndarray, past: np.ndarray, kind) -> np.ndarray:
    """`fed_back`, block by block.

    Within a block the recursion is a product with its impulse response. What a block hands on to the next are
    its last values, which make up those of the blocks behind it: of one block first, then of two, of four.
    """
    order, count = len(past), waves.shape[1]
    alone, before = _of_a_block(tuple(past.tolist()))
    padded = np.zeros((len(waves), -(-count // _STEPS) * _STEPS))
    padded[:, :count] = waves
    blocks = padded.reshape(len(waves), -1, _STEPS) @ alone.T
    # in ``kind``: near poles close to each other the last values of a block all but cancel
    last, step, reach = blocks[..., :-order - 1:-1].astype(kind), before[:-order - 1:-1].T.astype(kind), 1
    while reach < blocks.shape[1]:
        last[:, reach:] += last[:, :-reach] @ step
        step, reach = step @ step, 2 * reach
    blocks[:, 1:] += last[:, :-1].astype(np.float64) @ before.T
    return blocks.reshape(len(waves), -1)[:, :count]


@lru_cache(64)
def _of_a_block(past: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Of a block of `_STEPS` values: what it makes of what comes in, a matrix, and what it makes of the last
    values before it, the latest first, if nothing else comes in.
    """
    order, response = len(past), _one_by_one(np.eye(1, _STEPS), np.array(past))[0]
    lags = np.arange(_STEPS)[:, None] - np.arange(_STEPS)
    alone = np.where(lags >= 0, response[lags], 0.0)
    before = np.zeros((_STEPS, order))
    for k in range(order):
        fed = np.zeros(_STEPS)
        fed[:order - k] = -np.array(past[k:])
        before[:, k] = alone @ fed
    return alone, before


def _one_by_one(waves: np.ndarray, past: np.ndarray) -> np.ndarray:
    """`fed_back`, a value at a time, each step rounded to the dtype."""
    halves = waves.dtype == np.float16
    factors, found = list(past) if halves else past.tolist(), []
    for values in map(list, waves) if halves else waves.tolist():
        for n in range(len(values)):
            for lag, factor in enumerate(factors[:n], 1):
                values[n] -= factor * values[n - lag]
        found.append(values)
    return np.array(found, waves.dtype).reshape(waves.shape)


class _LFilter(AudioTensorOperation):
    """A filter by the coefficients of its difference equation."""

    def __init__(self, a_coeffs, b_coeffs, clamp=True):
        for name, values in (("a_coeffs", a_coeffs), ("b_coeffs", b_coeffs)):
            type_check(values, (list, tuple), name)
            type_check_list(values, (float, int), name)
            for number, value in enumerate(values):
                check_float32(value, f"{name}[{number}]")
        if len(a_coeffs) != len(b_coeffs):
            raise ValueError("The size of a_coeffs should be the same as that of b_coeffs.")
        type_check(clamp, (bool,), "clamp")
        super().__init__()
        self.a_coeffs, self.b_coeffs, self.clamp = a_coeffs, b_coeffs, clamp

    def _compute(self, wave):
        return filtered(self._floating(wave), *self._coefficients(), self.clamp)

    def _coefficients(self):
        if not self.a_coeffs:
            raise OperationError("lfilter: a_coeffs can not be an empty vector.", "Syntax error.")
        if single(self.a_coeffs[0]) == 0:
            raise OperationError("lfilter: a_coeffs[0] can not be equal to zero, but got: 0.000000",
                                 "Syntax error.")
        return np.array(self.b_coeffs, np.float32), np.array(self.a_coeffs, np.float32)


class LFilter(_LFilter):
    """A filter of any order (``mindspore.dataset.audio.LFilter``): ``b_coeffs`` over ``a_coeffs``, lowest
    delay first.
    """


class Filtfilt(_LFilter):
    """`LFilter` forward and then backward, which leaves phases as they are
    (``mindspore.dataset.audio.Filtfilt``)."""

    def _compute(self, wave):
        b, a = self._coefficients()
        return filtered(filtered(self._floating(wave), b, a, False)[..., ::-1], b, a, self.clamp)[..., ::-1]


class Biquad(AudioTensorOperation):
    """A second-order filter by its coefficients (``mindspore.dataset.audio.Biquad``)."""

    _arrays_alone = False

    def __init__(self, b0, b1, b2, a0, a1, a2):
        for name, value in zip(("b0", "b1", "b2", "a0", "a1", "a2"), (b0, b1, b2, a0, a1, a2), strict=True):
            type_check(value, (float, int), name)
            if name == "a0" and (value == 0 or abs(value) > FLOAT_MAX_INTEGER):
                raise ValueError("Input a0 is not within the required interval of [-16777216, 0) and (0, "
                                 "16777216].")
            check_float32(value, name)
        super().__init__()
        self.b, self.a = (b0, b1, b2), (a0, a1, a2)

    def _compute(self, wave):
        b, a = np.array(self.b, np.float32), np.array(self.a, np.float32)
        if a[0] == 0:
            raise OperationError("Biquad: a0 can not be equal to zero, but got: 0.000000", "Syntax error.")
        return filtered(self._floating(wave), b, a)


class _Cookbook(AudioTensorOperation):
    """A filter around a frequency: a subclass gives its coefficients for the angle and the width."""

    def __init__(self, sample_rate, frequency, quality, name="central_freq"):
        check_int32_not_zero(sample_rate, "sample_rate")
        check_number(frequency, name)
        type_check(quality, (float, int), "Q")
        check_value(quality, [0, 1], "Q", True)
        super().__init__()
        self.sample_rate, self.quality = sample_rate, quality
        setattr(self, name, frequency)
        self._angle = 2 * math.pi * single(frequency) / sample_rate
        self._alpha = math.sin(self._angle) / 2 / single(quality)

    def _coefficients(self) -> tuple[tuple, tuple]:
        """(b, a)."""
        raise NotImplementedError

    def _compute(self, wave):
        return filtered(self._floating(wave), *self._coefficients())


class LowpassBiquad(_Cookbook):
    """Let what is below ``cutoff_freq`` pass (``mindspore.dataset.audio.LowpassBiquad``)."""

    def __init__(self, sample_rate, cutoff_freq, Q=0.707):
        super().__init__(sample_rate, cutoff_freq, Q, "cutoff_freq")

    def _coefficients(self):
        c, alpha = math.cos(self._angle), self._alpha
        return ((1 - c) / 2, 1 - c, (1 - c) / 2), (1 + alpha, -2 * c, 1 - alpha)


class HighpassBiquad(_Cookbook):
    """Let what is above ``cutoff_freq`` pass (``mindspore.dataset.audio.HighpassBiquad``)."""

    def __init__(self, sample_rate, cutoff_freq, Q=0.707):
        super().__init__(sample_rate, cutoff_freq, Q, "cutoff_freq")

    def _coefficients(self):
        c, alpha = math.cos(self._angle), self._alpha
        return ((1 + c) / 2, -1 - c, (1 + c) / 2), (1 + alpha, -2 * c, 1 - alpha)


class AllpassBiquad(_Cookbook):
    """Let everything pass, and turn phases around ``central_freq``
    (``mindspore.dataset.audio.AllpassBiquad``)."""

    def __init__(self, sample_rate, central_freq, Q=0.707):
        super().__init__(sample_rate, central_freq, Q)

    def _coefficients(self):
        c, alpha = math.cos(self._angle), self._alpha
        return (1 - alpha, -2 * c, 1 + alpha), (1 + alpha, -2 * c, 1 - alpha)


class BandpassBiquad(_Cookbook):
    """Let what is around ``central_freq`` pass (``mindspore.dataset.audio.BandpassBiquad``)."""

    def __init__(self, sample_rate, central_freq, Q=0.707, const_skirt_gain=False):
        type_check(const_skirt_gain, (bool,), "const_skirt_gain")
        super().__init__(sample_rate, central_freq, Q)
        self.const_skirt_gain = const_skirt_gain

    def _coefficients(self):
        angle = single(self._angle)              # MindSpore has all of these in Float32, for all dtypes
        c, half = math.cos(angle), single(math.sin(angle)) / 2
        alpha = single(half / single(self.quality))
        peak = half if self.const_skirt_gain else alpha
        return np.array((peak, 0.0, -peak), np.float32), np.array((1 + alpha, -2 * c, 1 - alpha), np.float32)


class BandrejectBiquad(_Cookbook):
    """Take away what is around ``central_freq`` (``mindspore.dataset.audio.BandrejectBiquad``)."""

    def __init__(self, sample_rate, central_freq, Q=0.707):
        super().__init__(sample_rate, central_freq, Q)

    def _coefficients(self):
        c, alpha = math.cos(self._angle), self._alpha
        return (1.0, -2 * c, 1.0), (1 + alpha, -2 * c, 1 - alpha)


class BandBiquad(_Cookbook):
    """SoX's band filter around ``central_freq``, for tones or ``noise``.

    (``mindspore.dataset.audio.BandBiquad``).
    """

    def __init__(self, sample_rate, central_freq, Q=0.707, noise=False):
        type_check(noise, (bool,), "noise")
        super().__init__(sample_rate, central_freq, Q)
        self.noise = noise

    def _coefficients(self):
        width = single(single(self.central_freq) / single(self.quality))
        a2 = math.exp(-2 * math.pi * width / self.sample_rate)
        a1 = -4 * a2 / (1 + a2) * math.cos(self._angle)
        if self.noise:
            square = ((1 + a2) * (1 + a2) - a1 * a1) * (1 - a2) / (1 + a2)
            b0 = math.sqrt(square) if square >= 0 else math.nan          # at a rate below 0
        else:
            b0 = math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2)
        return (b0, 0.0, 0.0), (1.0, a1, a2)


class _Shelf(_Cookbook):
    """A shelf of the equalizer."""

    def __init__(self, sample_rate, gain, central_freq=100.0, Q=0.707):
        check_number(gain, "gain")
        super().__init__(sample_rate, central_freq, Q)
        self.gain = gain
        self._strength = math.exp(single(single(gain) / 40) * math.log(10))

    def _coefficients(self):
        strength, c = self._strength, math.cos(self._angle)
        root = 2 * math.sqrt(strength) * self._alpha
        low, high = (strength - 1) * c, (strength + 1) * c
        b = (strength * (strength + 1 - low + root), 2 * strength * (strength - 1 - high),
             strength * (strength + 1 - low - root))
        a = (strength + 1 + low + root, -2 * (strength - 1 + high), strength + 1 + low - root)
        return [value / a[0] for value in b], [value / a[0] for value in a]


class BassBiquad(_Shelf):
    """Raise or lower what is below ``central_freq`` by ``gain`` dB
    (``mindspore.dataset.audio.BassBiquad``)."""


class TrebleBiquad(_Shelf):
    """Raise or lower what is above ``central_freq`` by ``gain`` dB.

    (``mindspore.dataset.audio.TrebleBiquad``).
    """

    def __init__(self, sample_rate, gain, central_freq=3000, Q=0.707):
        super().__init__(sample_rate, gain, central_freq, Q)

    def _coefficients(self):
        f = np.float32                           # MindSpore has all of these in Float32, for all dtypes
        angle, a = single(self._angle), f(self._strength)
        alpha, c = f(math.sin(angle)) / f(2) / f(self.quality), f(math.cos(angle))
        return _above(a, f(2) * np.sqrt(a) * alpha, c)


def _above(strength, root, c) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients that raise what is above a frequency, in the numbers' dtype."""
    one = type(strength)(1)
    low, high, both = (strength - one) * c, (strength + one) * c, one + one
    b = (strength * (strength + one + low + root), -both * strength * (strength - one + high),
         strength * (strength + one + low - root))
    return np.array(b), np.array((strength + one - low + root, both * (strength - one - high),
                                  strength + one - low - root))


class EqualizerBiquad(_Cookbook):
    """Raise or lower what is around ``center_freq`` by ``gain`` dB
    (``mindspore.dataset.audio.EqualizerBiquad``)."""

    def __init__(self, sample_rate, center_freq, gain, Q=0.707):
        check_number(gain, "gain")
        super().__init__(sample_rate, center_freq, Q)
        self.gain = gain

    def _coefficients(self):
        c, alpha = math.cos(self._angle), self._alpha
        strength = math.exp(single(self.gain) / 40 * math.log(10))
        return (1 + alpha * strength, -2 * c, 1 - alpha * strength), (1 + alpha / strength, -2 * c,
                                                                      1 - alpha / strength)


class DeemphBiquad(AudioTensorOperation):
    """A compact disc's de-emphasis, for 44,100 or 48,000 samples a second.

    (``mindspore.dataset.audio.DeemphBiquad``).
    """

    _of = {44100: (5283.0, 0.4845, -9.477), 48000: (5356.0, 0.479, -9.62)}

    def __init__(self, sample_rate):
        type_check(sample_rate, (int,), "sample_rate")
        if sample_rate not in self._of:
            raise ValueError(f"Input sample_rate should be 44100 or 48000, but got {sample_rate}.")
        super().__init__()
        self.sample_rate = sample_rate

    def _compute(self, wave):
        center, slope, gain = self._of[self.sample_rate]
        angle, strength = 2 * math.pi * center / self.sample_rate, math.exp(gain / 40 * math.log(10))
        alpha = math.sin(angle) / 2 * math.sqrt((strength + 1 / strength) * (1 / slope - 1) + 2)
        b, a = _above(strength, 2 * math.sqrt(strength) * alpha, math.cos(angle))
        return filtered(self._floating(wave), b, a)


class RiaaBiquad(AudioTensorOperation):
    """A record player's equalization (``mindspore.dataset.audio.RiaaBiquad``)."""

    _zeros = {44100: (-0.2014898, 0.9233820), 48000: (-0.1766069, 0.9321590), 88200: (-0.1168735, 0.9648312),
              96000: (-0.1141486, 0.9676817)}
    _poles = {44100: (0.7083149, 0.9924091), 48000: (0.7396325, 0.9931330), 88200: (0.8590646, 0.9964002),
              96000: (0.8699137, 0.9966946)}

    def __init__(self, sample_rate):
        type_check(sample_rate, (int,), "sample_rate")
        if sample_rate not in self._zeros:
            raise ValueError("sample_rate should be one of [44100, 48000, 88200, 96000], but got "
                             f"{sample_rate}.")
        super().__init__()
        self.sample_rate = sample_rate

    def _compute(self, wave):
        # MindSpore computes these in Float32 for all dtypes
        b, a = (np.array([1, -(x + y), x * y], np.float32) for x, y in (
            np.array(roots[self.sample_rate], np.float32) for roots in (self._zeros, self._poles)))
        angle = np.float32(2 * math.pi * 1000 / self.sample_rate)           # 1 kHz keeps its level
        angles = -angle * np.arange(3, dtype=np.float32)
        turns = np.cos(angles), np.sin(angles)
        levels = [sum((part * turn).sum(dtype=np.float32)**2 for turn in turns) for part in (b, a)]
        return filtered(self._floating(wave), b * (np.float32(1) / np.sqrt(levels[0] / levels[1])), a)
