"""Transforms through phases: stretching time, shifting pitch, finding the phases that a spectrogram lost."""

from __future__ import annotations

import math

import numpy as np

from ..core.errors import syntax_error
from ..core.validator_helpers import (
    check_non_negative_int32,
    check_pos_float32,
    check_pos_int32,
    type_check,
)
from ..transforms.operation import OperationError, RandomOperation
from ._base import (
    AudioTensorOperation,
    check_int32,
    check_int32_not_zero,
    check_non_negative_float32,
    complex_pairs,
    single,
)
from ._spectral import check_windows, framed, resampled, to_frequencies, to_time
from .utils import WindowType

__all__ = ["GriffinLim", "PhaseVocoder", "PitchShift", "TimeStretch"]


def stretched(found: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """Complex frames, (..., freq, time), ``rate`` times as fast; ``advance`` is each frequency's phase per
    frame."""
    if rate == 1.0:
        return found
    times = np.arange(math.ceil(found.shape[-1] / rate) + 1, dtype=np.float32) * np.float32(rate)
    times = times[times < found.shape[-1]].astype(np.float64)
    part = times % 1.0
    first = np.angle(found[..., :1])
    found = np.pad(found, [(0, 0)] * (found.ndim - 1) + [(0, 2)])
    here, after = found[..., times.astype(int)], found[..., times.astype(int) + 1]
    turn = np.angle(after) - np.angle(here) - advance
    turn = turn - 2 * math.pi * np.round(turn / (2 * math.pi)) + advance
    phase = np.cumsum(np.concatenate([first, turn[..., :-1]], -1), -1)
    return (part * np.abs(after) + (1 - part) * np.abs(here)) * np.exp(1j * phase)


def _advance(hop: int, count: int) -> np.ndarray:
    return np.linspace(0, math.pi * hop, count)[:, None]


def _as_pairs(found: np.ndarray, dtype) -> np.ndarray:
    return np.stack([found.real, found.imag], -1).astype(dtype)


class PhaseVocoder(AudioTensorOperation):
    """A spectrogram of complex numbers, (..., freq, time, 2), ``rate`` times as fast at the same pitch.

    (``mindspore.dataset.audio.PhaseVocoder``.) ``phase_advance``, (freq, 1), is what each frequency turns
    per frame.
    """

    def __init__(self, rate, phase_advance):
        type_check(rate, (int, float), "rate")
        check_pos_float32(rate, "rate")
        type_check(phase_advance, (np.ndarray,), "phase_advance")
        super().__init__()
        self.rate, self.phase_advance = rate, phase_advance

    def _compute(self, wave):
        given, wave = wave.dtype, complex_pairs(self, wave, 3)
        wrong = "PhaseVocoder: invalid parameter, "
        if self.phase_advance.ndim != 2 or self.phase_advance.shape[1] != 1:
            raise OperationError(f"{wrong}'phase_advance' should be in shape of <freq, 1>.")
        if self.phase_advance.shape[0] != wave.shape[-3]:
            raise OperationError(
                f"{wrong}'first dimension of 'phase_advance'' should be equal to 'freq dimension length of "
                "input tensor', but got: first dimension of 'phase_advance' "
                f"{self.phase_advance.shape[0]} while freq dimension length of input tensor {wave.shape[-3]}."
            )
        if self.phase_advance.dtype != given:
            raise OperationError(
                f"{wrong}data type of phase_advance should be equal to data type of input tensor, but got: "
                f"data type of phase_advance {self.phase_advance.dtype} while data type of input tensor "
                f"{given}."
            )
        return _as_pairs(
            stretched(wave[..., 0] + 1j * wave[..., 1], self.rate, self.phase_advance), wave.dtype
        )


class TimeStretch(AudioTensorOperation):
    """A spectrogram of complex numbers, (..., freq, time, 2), ``fixed_rate`` times as fast at the same pitch.

    (``mindspore.dataset.audio.TimeStretch``.)
    """

    def __init__(self, hop_length=None, n_freq=201, fixed_rate=None):
        if hop_length is not None:
            type_check(hop_length, (int,), "hop_length")
            check_pos_int32(hop_length, "hop_length")
        type_check(n_freq, (int,), "n_freq")
        check_pos_int32(n_freq, "n_freq")
        if fixed_rate is not None:
            type_check(fixed_rate, (int, float), "fixed_rate")
            check_pos_float32(fixed_rate, "fixed_rate")
        super().__init__()
        self.n_freq, self.fixed_rate = n_freq, 1 if fixed_rate is None else fixed_rate
        self.hop_length = n_freq - 1 if hop_length is None else hop_length

    def _compute(self, wave):
        wave = complex_pairs(self, wave, 3)
        if self.fixed_rate == 1:                     # as it is, but for an axis more, as in MindSpore
            return wave[None] if wave.ndim == 3 else wave
        # row after row takes the next of n_freq advances, whatever the number of rows
        rows = np.arange(wave[..., 0, 0].size).reshape(wave.shape[:-2]) % self.n_freq
        advance = _advance(self.hop_length, self.n_freq)[rows]
        found = stretched(wave[..., 0] + 1j * wave[..., 1], self.fixed_rate, advance)
        return _as_pairs(found, wave.dtype)


class PitchShift(AudioTensorOperation):
    """The signal, (..., time), ``n_steps`` steps higher, of which ``bins_per_octave`` make an octave.

    (``mindspore.dataset.audio.PitchShift``.)
    """

    def __init__(
        self,
        sample_rate,
        n_steps,
        bins_per_octave=12,
        n_fft=512,
        win_length=None,
        hop_length=None,
        window=WindowType.HANN,
    ):
        check_non_negative_int32(sample_rate, "sample_rate")
        check_int32(n_steps, "n_steps")
        type_check(bins_per_octave, (int,), "bins_per_octave ")        # (two spaces, as MindSpore has them)
        check_int32_not_zero(bins_per_octave, "bins_per_octave")
        check_windows(n_fft, None, None, window=window)
        check_windows(n_fft, win_length, hop_length)
        super().__init__()
        self.sample_rate, self.n_steps, self.bins_per_octave = sample_rate, n_steps, bins_per_octave
        self.n_fft, self.win_length, self.window = n_fft, n_fft if win_length is None else win_length, window
        self.hop_length = self.win_length // 4 if hop_length is None else hop_length

    def _compute(self, wave):
        wave = self._checked(wave)
        length = wave.shape[-1]
        rate = single(2.0 ** single(-self.n_steps / self.bins_per_octave))
        shape = framed(self.window, self.win_length, self.n_fft)
        found = to_frequencies(wave, shape, self.hop_length)
        found = stretched(found, rate, _advance(self.hop_length, found.shape[-2]))
        slow = to_time(found, shape, self.hop_length, round(single(length / rate)))
        shifted = resampled(slow, int(single(self.sample_rate / rate)), self.sample_rate)[..., :length]
        missing = length - shifted.shape[-1]
        return np.pad(shifted, [(0, 0)] * (wave.ndim - 1) + [(0, missing)]).astype(wave.dtype)


class GriffinLim(RandomOperation, AudioTensorOperation):
    """A signal, (..., time), that has the given spectrogram, (..., freq, frames), after Griffin and Lim.

    (``mindspore.dataset.audio.GriffinLim``.) With ``rand_init`` the phases start from random numbers.
    """

    def __init__(
        self,
        n_fft=400,
        n_iter=32,
        win_length=None,
        hop_length=None,
        window_type=WindowType.HANN,
        power=2.0,
        momentum=0.99,
        length=None,
        rand_init=True,
    ):
        for name, value in (("n_fft", n_fft), ("n_iter", n_iter)):
            type_check(value, (int,), name)
            check_pos_int32(value, name)
        for name, value in (("win_length", win_length), ("hop_length", hop_length)):
            if value is not None:
                type_check(value, (int,), name)
                check_non_negative_int32(value, name)
        if win_length is not None and win_length > n_fft:
            raise ValueError(
                "Input win_length should be no more than n_fft, but got win_length: "
                f"{win_length} and n_fft: {n_fft}."
            )
        type_check(window_type, (WindowType,), "window_type")
        type_check(power, (int, float), "power")
        check_pos_float32(power, "power")
        type_check(momentum, (int, float), "momentum")
        check_non_negative_float32(momentum, "momentum")
        if length is not None:
            type_check(length, (int,), "length")
            check_non_negative_int32(length, "length")
        type_check(rand_init, (bool,), "rand_init")
        super().__init__()
        self.n_fft, self.n_iter, self.win_length = n_fft, n_iter, win_length or n_fft
        self.hop_length, self.window_type = hop_length or self.win_length // 2, window_type
        self.power, self.momentum, self.length, self.rand_init = power, momentum, length or 0, rand_init

    def _check_whole(self):
        if self.momentum >= 1:
            raise syntax_error("GriffinLim: momentum equal to or greater than 1 can be unstable, but got: "
                               f"{self.momentum:f}")

    def _draw(self, stream, wave):
        wave = self._checked(wave, 2)
        if wave.shape[-2] != self.n_fft // 2 + 1:
            raise OperationError(
                "GriffinLim: the frequency of the input should equal to n_fft / 2 + 1"
            )
        sizes = wave.astype(np.float64) ** (1 / self.power)
        shape = framed(self.window_type, self.win_length, self.n_fft)
        momentum = single(self.momentum)
        keep = momentum / (1 + 2 * momentum)  # MindSpore takes m / (1 + m) twice
        phases, last = np.ones(wave.shape, complex), np.zeros(wave.shape, complex)
        if self.rand_init:
            drawn = np.array([stream.real() for _ in range(2 * wave.size)])
            turned = (*wave.shape[:-2], wave.shape[-1], wave.shape[-2])          # frame after frame
            phases = (drawn[1::2] + 1j * drawn[::2]).reshape(turned).swapaxes(-1, -2)
        for _ in range(self.n_iter):
            signal = to_time(sizes * phases, shape, self.hop_length, None)
            built = to_frequencies(signal, shape, self.hop_length)
            phases = built - last * keep
            phases = phases / (np.abs(phases) + 1e-16)
            last = built
        found = to_time(sizes * phases, shape, self.hop_length, self.length or None).astype(wave.dtype)
        return found.reshape(-1, found.shape[-1]) if found.ndim > 2 else found
