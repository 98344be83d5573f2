"""Spectrograms, mel scales and resampling."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..core.datatypes import named
from ..core.validator_helpers import (
    INT32_MAX,
    check_float32,
    check_non_negative_int32,
    check_pos_int32,
    check_value,
    type_check,
)
from ..transforms.operation import OperationError
from ._base import (
    AudioTensorOperation,
    check_not_negative,
    check_positive_number,
    complex_pairs,
    single,
    steps,
)
from .utils import BorderType, MelType, NormType, ResampleMethod, WindowType

__all__ = ["ComputeDeltas", "InverseSpectrogram", "MelScale", "Resample", "Spectrogram"]

_PADS = {BorderType.CONSTANT: "constant", BorderType.EDGE: "edge", BorderType.REFLECT: "reflect",
         BorderType.SYMMETRIC: "symmetric"}


def window(kind: WindowType, length: int) -> np.ndarray:
    """A periodic window of ``length`` samples, in Float32, as MindSpore has it for all dtypes."""
    if length == 1:
        return np.ones(1, np.float32)
    turn = 2 * math.pi * np.arange(length) / length
    ramp = (2 * np.arange(length, dtype=np.float32) / np.float32(length)).astype(np.float64) - 1
    make = {WindowType.HANN: lambda: 0.5 - 0.5 * np.cos(turn),
            WindowType.HAMMING: lambda: single(0.54) - single(0.46) * np.cos(turn),
            WindowType.BARTLETT: lambda: 1 - np.abs(ramp),
            WindowType.BLACKMAN: lambda: single(0.42) - 0.5 * np.cos(turn) + single(0.08) * np.cos(2 * turn),
            WindowType.KAISER: lambda: np.i0(12 * np.sqrt(1 - ramp ** 2)) / np.i0(12.0)}
    return make[kind]().astype(np.float32)


@lru_cache(64)
def framed(kind: WindowType, win_length: int, n_fft: int) -> np.ndarray:
    """A window of ``win_length`` in the middle of ``n_fft`` zeros."""
    shape = np.zeros(n_fft, np.float32)
    left = (n_fft - win_length) // 2
    shape[left:left + win_length] = window(kind, win_length)
    shape.flags.writeable = False
    return shape


def to_frequencies(wave: np.ndarray, shape: np.ndarray, hop: int, center=True, pad_mode=BorderType.REFLECT,
                   normalized=False, onesided=True) -> np.ndarray:
    """The short-time Fourier transform of (..., time) under the window ``shape``: complex (..., freq,
    frames)."""
    n_fft = len(shape)
    if center:
        wave = np.pad(wave, [(0, 0)] * (wave.ndim - 1) + [(n_fft // 2, n_fft // 2)], mode=_PADS[pad_mode])
    if wave.shape[-1] < n_fft:
        raise OperationError(f"Spectrogram: n_fft should be more than 0 and less than {wave.shape[-1]}, but "
                             f"got n_fft: {n_fft}.")
    if hop == 0:
        raise OperationError("Spectrogram: hop_length can not be zero.")
    frames = np.lib.stride_tricks.sliding_window_view(wave, n_fft, -1)[..., ::hop, :]
    found = np.moveaxis(np.fft.rfft((frames * shape).astype(np.float64)), -1, -2)
    if not onesided:                                 # mirrored, not conjugated, as MindSpore does
        found = np.concatenate([found, found[..., n_fft - n_fft // 2 - 1:0:-1, :]], -2)
    return found / math.sqrt((shape * shape).sum(dtype=np.float64)) if normalized else found


def to_time(found: np.ndarray, shape: np.ndarray, hop: int, length: int | None, center=True) -> np.ndarray:
    """The inverse of `to_frequencies`, ``length`` samples long: overlapping frames, weighed by their
    windows; of (..., freq, frames), freq being n_fft / 2 + 1."""
    n_fft = len(shape)
    if n_fft != 2 * (found.shape[-2] - 1):
        raise OperationError("GriffinLim: the frequency of the input should equal to n_fft / 2 + 1")
    frames = np.fft.irfft(np.moveaxis(found, -2, -1), n_fft) * shape
    count = frames.shape[-2]
    total = np.zeros((*frames.shape[:-2], n_fft + hop * (count - 1)))
    weight, squares = np.zeros(total.shape[-1], np.float32), shape * shape
    for i in range(count):
        total[..., i * hop:i * hop + n_fft] += frames[..., i, :]
        weight[i * hop:i * hop + n_fft] += squares
    start = n_fft // 2 if center else 0
    rest = total.shape[-1] - 2 * start if center else hop * (count - 1)
    end = min(start + (rest if length is None else length), total.shape[-1])
    weight = np.where(weight > np.finfo(np.float32).tiny, weight, np.float32(1))
    total = total[..., start:end] / weight[start:end]
    if length is not None and total.shape[-1] < length:
        total = np.pad(total, [(0, 0)] * (total.ndim - 1) + [(0, length - total.shape[-1])])
    return total


def check_windows(n_fft, win_length, hop_length, pad=0, window=WindowType.HANN) -> None:
    check_pos_int32(n_fft, "n_fft")
    for name, value in (("win_length", win_length), ("hop_length", hop_length)):
        if value is not None:
            check_pos_int32(value, name)
    if win_length is not None and win_length > n_fft:
        raise ValueError("Input win_length should be no more than n_fft, but got win_length: "
                         f"{win_length} and n_fft: {n_fft}.")
    type_check(pad, (int,), "pad")
    check_non_negative_int32(pad, "pad")
    type_check(window, (WindowType,), "window")


class Spectrogram(AudioTensorOperation):
    """Frames of a signal, (..., time), in the frequency domain: (..., freq, frames).

    (``mindspore.dataset.audio.Spectrogram``.) ``power`` 1 gives magnitudes, 2 powers, 0 complex numbers
    (..., freq, frames, 2).
    """

    _arrays_alone = False

    def __init__(self, n_fft=400, win_length=None, hop_length=None, pad=0, window=WindowType.HANN, power=2.0,
                 normalized=False, center=True, pad_mode=BorderType.REFLECT, onesided=True):
        check_windows(n_fft, win_length, hop_length, pad, window)
        check_not_negative(power, "power", (int, float))
        for name, value in (("normalized", normalized), ("center", center), ("onesided", onesided)):
            type_check(value, (bool,), name)
        type_check(pad_mode, (BorderType,), "pad_mode")
        super().__init__()
        self.n_fft, self.win_length = n_fft, win_length or n_fft
        self.hop_length = hop_length or self.win_length // 2
        self.pad, self.window, self.power, self.normalized = pad, window, power, normalized
        self.center, self.pad_mode, self.onesided = center, pad_mode, onesided

    def _check_kind(self, wave, axes, kinds):
        if wave.dtype.kind in "US":
            raise OperationError("Spectrogram: input tensor type should be int, float or double, but got: "
                                 f"{named(wave.dtype)}")
        if wave.ndim == 0:
            raise OperationError("Spectrogram: input tensor is not in shape of <..., time>.")
        super()._check_kind(wave, axes, kinds)

    def _compute(self, wave):
        wave = self._checked(wave)
        kind = wave.dtype.type
        wave = np.pad(wave, [(0, 0)] * (wave.ndim - 1) + [(self.pad, self.pad)])
        found = to_frequencies(wave, framed(self.window, self.win_length, self.n_fft), self.hop_length,
                               self.center, self.pad_mode, self.normalized, self.onesided)
        if self.power == 0:
            return np.stack([found.real, found.imag], -1).astype(kind)
        return (np.abs(found) ** single(self.power)).astype(kind)


class InverseSpectrogram(AudioTensorOperation):
    """The signal, (..., time), of a spectrogram of complex numbers, (..., freq, frames, 2).

    (``mindspore.dataset.audio.InverseSpectrogram``.)
    """

    def __init__(self, length=None, n_fft=400, win_length=None, hop_length=None, pad=0,
                 window=WindowType.HANN, normalized=False, center=True, pad_mode=BorderType.REFLECT,
                 onesided=True):
        if length is not None:
            check_non_negative_int32(length, "length")
        check_windows(n_fft, None, None, window=window)
        for name, value in (("normalized", normalized), ("center", center)):
            type_check(value, (bool,), name)
        type_check(pad_mode, (BorderType,), "pad_mode")
        type_check(onesided, (bool,), "onesided")
        check_non_negative_int32(pad, "pad")
        check_windows(n_fft, win_length, hop_length)
        super().__init__()
        self.length, self.n_fft, self.win_length = length or 0, n_fft, win_length or n_fft
        self.hop_length = hop_length or self.win_length // 2
        self.pad, self.window, self.normalized = pad, window, normalized
        self.center, self.pad_mode, self.onesided = center, pad_mode, onesided

    def _compute(self, wave):
        wave, shape = complex_pairs(self, wave, 3, "time"), framed(self.window, self.win_length, self.n_fft)
        if self.pad and not self.length:                     # MindSpore cuts the padding off a known length
            raise OperationError("Cannot reshape, Number of elements do not match")
        if self.normalized:
            wave = wave * wave.dtype.type(np.sqrt((shape * shape).cumsum(dtype=np.float32)[-1]))
        pairs = wave[..., 0] + 1j * wave[..., 1]
        if not self.onesided:
            pairs = pairs[..., :self.n_fft // 2 + 1, :]
        found = to_time(pairs, shape, self.hop_length, self.length + 2 * self.pad if self.length else None,
                        self.center)
        if self.length and self.pad:                     # Float32 in MindSpore, whatever the dtype
            return found[..., self.pad:-self.pad].astype(np.float32)
        return found.astype(wave.dtype)


def _to_mel(hertz: float, kind: MelType) -> float:
    if kind is MelType.HTK:
        return 2595.0 * math.log10(1.0 + hertz / 700.0)
    return 15.0 + math.log(hertz / 1000.0) / (math.log(6.4) / 27.0) if hertz >= 1000 else hertz * 3 / 200


def _to_hertz(mels: np.ndarray, kind: MelType) -> np.ndarray:
    if kind is MelType.HTK:
        return 700.0 * (10.0 ** (mels / 2595.0) - 1.0)
    return np.where(mels >= 15, 1000.0 * np.exp(math.log(6.4) / 27.0 * (mels - 15.0)), mels * 200 / 3)


def triangles(frequencies: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Filters over the frequencies, which rise from one corner to the next and fall to the one after it."""
    widths = np.diff(corners)
    slopes = corners[None] - frequencies[:, None]
    return np.maximum(0, np.minimum(-slopes[:, :-2] / widths[:-1], slopes[:, 2:] / widths[1:]))


@lru_cache(16)
def mel_filters(n_stft: int, low: float, high: float, n_mels: int, rate: int, norm: NormType,
                kind: MelType, dtype=np.float32) -> np.ndarray:
    """Triangular filters, (n_stft, n_mels), computed in ``dtype``."""
    mels = steps(_to_mel(single(low), kind), _to_mel(single(high), kind), n_mels + 2, dtype)
    corners = _to_hertz(mels.astype(np.float64), kind).astype(dtype)
    filters = triangles(steps(0, rate / 2, n_stft, dtype), corners)
    if norm is NormType.SLANEY:
        filters *= dtype(2.0) / (corners[2:] - corners[:-2])
    filters.flags.writeable = False
    return filters


class MelScale(AudioTensorOperation):
    """A spectrogram, (..., freq, time), on ``n_mels`` steps of the mel scale.

    (``mindspore.dataset.audio.MelScale``).
    """

    def __init__(self, n_mels=128, sample_rate=16000, f_min=0.0, f_max=None, n_stft=201, norm=NormType.NONE,
                 mel_type=MelType.HTK):
        for name, value in (("n_mels", n_mels), ("sample_rate", sample_rate), ("n_stft", n_stft)):
            check_pos_int32(value, name)
        type_check(f_min, (int, float), "f_min")
        check_float32(f_min, "f_min")
        if f_max is not None:
            check_positive_number(f_max, "f_max", (int, float))
        if f_min >= (sample_rate // 2 if f_max is None else f_max):
            raise ValueError("MelScale: f_max should be greater than f_min.")
        type_check(norm, (NormType,), "norm")
        type_check(mel_type, (MelType,), "mel_type")
        super().__init__()
        self.n_mels, self.sample_rate, self.f_min, self.n_stft = n_mels, sample_rate, f_min, n_stft
        self.f_max, self.norm, self.mel_type = sample_rate // 2 if f_max is None else f_max, norm, mel_type

    def _compute(self, wave):
        if self.n_stft == 1:
            raise OperationError("MelScale: n_stft can not be 1.")
        if wave.ndim >= 2 and wave.shape[-2] != self.n_stft:
            raise OperationError(f"MelScale: invalid parameter, 'n_stft' should be equal to 'freq', but got: "
                                 f"n_stft {self.n_stft} while freq {wave.shape[-2]}.")
        wave = self._checked(wave, 2)
        filters = mel_filters(self.n_stft, self.f_min, self.f_max, self.n_mels, self.sample_rate, self.norm,
                              self.mel_type, wave.dtype.type)
        return (filters.T.astype(np.float64) @ wave.astype(np.float64)).astype(wave.dtype)


class ComputeDeltas(AudioTensorOperation):
    """The slope of a spectrogram along time, over ``win_length`` frames
    (``mindspore.dataset.audio.ComputeDeltas``)."""

    def __init__(self, win_length=5, pad_mode=BorderType.EDGE):
        type_check(pad_mode, (BorderType,), "pad_mode")
        type_check(win_length, (int,), "win_length")
        check_value(win_length, (3, INT32_MAX), "win_length")
        super().__init__()
        self.win_length, self.pad_mode = win_length, pad_mode

    def _compute(self, wave):
        wave = self._checked(wave, 2)
        n = (self.win_length - 1) // 2
        around = [(0, 0)] * (wave.ndim - 1) + [(n, n)]
        padded = np.pad(wave.astype(np.float64), around, mode=_PADS[self.pad_mode])
        length = wave.shape[-1]
        slope = sum(k * (padded[..., n + k:n + k + length] - padded[..., n - k:n - k + length])
                    for k in range(1, n + 1))
        return (slope / (n * (n + 1) * (2 * n + 1) / 3)).astype(wave.dtype)


class Resample(AudioTensorOperation):
    """A signal, (..., time), at another rate, by a windowed sinc (``mindspore.dataset.audio.Resample``)."""

    def __init__(self, orig_freq=16000, new_freq=16000, resample_method=ResampleMethod.SINC_INTERPOLATION,
                 lowpass_filter_width=6, rolloff=0.99, beta=None):
        check_positive_number(orig_freq, "orig_freq")
        check_positive_number(new_freq, "new_freq")
        type_check(resample_method, (ResampleMethod,), "resample_method")
        check_pos_int32(lowpass_filter_width, "lowpass_filter_width")
        type_check(rolloff, (float,), "rolloff")
        check_value(rolloff, [0, 1.0], "rolloff", True, False)
        super().__init__()
        self.orig_freq, self.new_freq, self.resample_method = orig_freq, new_freq, resample_method
        self.lowpass_filter_width, self.rolloff = lowpass_filter_width, rolloff
        self.beta = 14.769656459379492 if beta is None else beta

    def _compute(self, wave):
        if self.orig_freq == self.new_freq:                  # anything
            return wave
        if self.orig_freq < 1 or self.new_freq < 1:
            wrong = "'des_freq' can not" if self.new_freq < 1 else "'orig_freq_prime' cannot"
            raise OperationError(f"Resample: invalid parameter, {wrong} be zero.")
        beta = None if self.resample_method is ResampleMethod.SINC_INTERPOLATION else self.beta
        return resampled(self._checked(wave), self.orig_freq, self.new_freq, self.lowpass_filter_width,
                         self.rolloff, beta)


@lru_cache(64)
def _kernels(old: int, new: int, width: int, rolloff: float, beta: float | None):
    """A filter for each of the ``new`` phases, (new, taps), and where in its block it starts."""
    base = single(min(old, new) * single(rolloff))
    reach = width * old / base
    first = np.ceil(np.arange(new) * (old / new) - reach).astype(np.int64)
    at = (first[:, None] + np.arange(math.ceil(2 * reach) + 1)) / old - np.arange(new)[:, None] / new
    at = (at * base).clip(-width, width)
    if beta is None:
        shape = np.cos(at * math.pi / width / 2) ** 2
    else:
        beta = single(beta)
        shape = np.i0(beta * np.sqrt((1 - (at / width) ** 2).clip(0))) / single(np.i0(beta))
    return np.sinc(at) * shape * single(base / old), first


def resampled(wave: np.ndarray, old, new, width: int = 6, rolloff: float = 0.99, beta: float | None = None):
    """(..., time) at another rate, by a sinc under a cosine window, or a Kaiser window with ``beta``; at the
    same rate what the window leaves of it."""
    common = math.gcd(int(old), int(new))
    old, new = int(old) // common, int(new) // common
    kernels, first = _kernels(old, new, width, rolloff, beta)
    length, taps, before = wave.shape[-1], kernels.shape[1], -int(first[0])
    blocks = -(-length // old)
    padded = np.pad(wave.reshape(-1, length).astype(np.float64), [(0, 0), (before, taps + 2 * old)])
    views = np.lib.stride_tricks.sliding_window_view(padded, taps, -1)
    found = np.empty((len(padded), blocks, new))
    if new <= blocks:                                        # of phases or blocks, the loop is over the fewer
        for phase, start in enumerate((first + before).tolist()):
            found[:, :, phase] = views[:, start:start + blocks * old:old] @ kernels[phase]
    else:
        for block in range(blocks):
            found[:, block] = (views[:, first + before + block * old] * kernels).sum(-1)
    found = found.reshape(len(padded), -1)[:, :math.ceil(new * length / old)]
    return found.reshape(*wave.shape[:-1], -1).astype(wave.dtype)
