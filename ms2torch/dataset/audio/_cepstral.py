"""Mel and linear filter banks over spectrograms, and the cepstral coefficients that come of them."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.random.engines import MT19937

from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import (
    INT32_MAX,
    check_non_negative_int32,
    check_pos_float32,
    check_pos_int32,
    type_check,
)
from ..transforms.operation import OperationError, RandomOperation
from ._base import (
    AudioTensorOperation,
    check_non_negative_float32,
    check_not_negative,
    check_positive_number,
    steps,
)
from ._levels import AmplitudeToDB
from ._spectral import MelScale, Spectrogram, mel_filters, triangles
from .utils import BorderType, MelType, NormMode, NormType, WindowType

__all__ = [
    "LFCC",
    "MFCC",
    "InverseMelScale",
    "MelSpectrogram",
    "create_dct",
    "linear_fbanks",
    "melscale_fbanks",
]


def create_dct(n_mfcc, n_mels, norm=NormMode.NONE):
    """The matrix of a discrete cosine transform of kind 2, (n_mels, n_mfcc), float32
    (``mindspore.dataset.audio.create_dct``).
    """
    for name, value, kind in (("n_mfcc", n_mfcc, int), ("n_mels", n_mels, int), ("norm", norm, NormMode)):
        if not isinstance(value, kind):
            raise with_public_classes(TypeError(f"{name} with value {value} is not of type {kind}, but got "
                                                f"{type(value)}."))
    for name, value in (("n_mfcc", n_mfcc), ("n_mels", n_mels)):
        if value <= 0:
            raise ValueError(f"{name} must be greater than 0, but got {value}.")
        if value > INT32_MAX:
            raise TypeError("create_dct(): incompatible function arguments.")
    return _dct(n_mfcc, n_mels, norm)


def _dct(n_mfcc: int, n_mels: int, norm: NormMode) -> np.ndarray:
    angles = (math.pi / n_mels * (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc)).astype(np.float32)
    matrix = np.cos(angles.astype(np.float64)).astype(np.float32)
    if norm is NormMode.NONE:
        return matrix * np.float32(2)
    matrix[:, :1] *= np.float32(1 / math.sqrt(2))
    return matrix * np.float32(math.sqrt(2 / n_mels))


def _check_banks(n_freqs, f_min, f_max, count, count_name: str, sample_rate) -> None:
    type_check(n_freqs, (int,), "n_freqs")
    check_non_negative_int32(n_freqs, "n_freqs")
    type_check(f_min, (int, float), "f_min")
    check_non_negative_float32(f_min, "f_min")
    type_check(f_max, (int, float), "f_max")
    check_pos_float32(f_max, "f_max")
    if f_min > f_max:
        raise ValueError(
            f"Input f_min should be no more than f_max, but got f_min: {f_min} and f_max: {f_max}."
        )
    for name, value in ((count_name, count), ("sample_rate", sample_rate)):
        type_check(value, (int,), name)
        check_pos_int32(value, name)


def linear_fbanks(n_freqs, f_min, f_max, n_filter, sample_rate):
    """Triangular filters at equal distances, (n_freqs, n_filter), float32
    (``mindspore.dataset.audio.linear_fbanks``).
    """
    _check_banks(n_freqs, f_min, f_max, n_filter, "n_filter", sample_rate)
    return _linear(n_freqs, f_min, f_max, n_filter, sample_rate)


def _linear(n_freqs, low, high, count, rate) -> np.ndarray:
    return triangles(steps(0, rate / 2, n_freqs, np.float32), steps(low, high, count + 2, np.float32))


def melscale_fbanks(n_freqs, f_min, f_max, n_mels, sample_rate, norm=NormType.NONE, mel_type=MelType.HTK):
    """Triangular filters at equal distances on the mel scale, (n_freqs, n_mels), float32
    (``mindspore.dataset.audio.melscale_fbanks``).
    """
    _check_banks(n_freqs, f_min, f_max, n_mels, "n_mels", sample_rate)
    type_check(norm, (NormType,), "norm")
    type_check(mel_type, (MelType,), "mel_type")
    return mel_filters(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type).copy()


class MelSpectrogram(AudioTensorOperation):
    """`Spectrogram`, then `MelScale` (``mindspore.dataset.audio.MelSpectrogram``)."""

    def __init__(
        self,
        sample_rate=16000,
        n_fft=400,
        win_length=None,
        hop_length=None,
        f_min=0.0,
        f_max=None,
        pad=0,
        n_mels=128,
        window=WindowType.HANN,
        power=2.0,
        normalized=False,
        center=True,
        pad_mode=BorderType.REFLECT,
        onesided=True,
        norm=NormType.NONE,
        mel_scale=MelType.HTK,
    ):
        check_non_negative_int32(sample_rate, "sample_rate")
        check_pos_int32(n_fft, "n_fft")
        check_non_negative_int32(n_mels, "n_mels")
        type_check(f_min, (float,), "f_min")
        if f_max is not None:
            type_check(f_max, (float, int), "f_max")
            check_non_negative_float32(f_max, "f_max")
            if f_min > f_max:
                raise ValueError(
                    f"f_max should be greater than or equal to f_min, but got f_min: {f_min} and f_max: "
                    f"{f_max}."
                )
        elif f_min >= sample_rate // 2:
            raise ValueError(
                "MelSpectrogram: sample_rate // 2 should be greater than f_min when f_max is set to None, "
                f"but got f_min: {f_min}."
            )
        type_check(norm, (NormType,), "norm")
        type_check(mel_scale, (MelType,), "mel_type")
        check_pos_float32(power, "power")
        super().__init__()
        self._frames = Spectrogram(
            n_fft, win_length, hop_length, pad, window, power, normalized, center, pad_mode, onesided
        )
        self.sample_rate, self.n_fft, self.n_mels, self.f_min = sample_rate, n_fft, n_mels, f_min
        self.f_max = sample_rate // 2 if f_max is None else f_max
        self.win_length, self.hop_length = self._frames.win_length, self._frames.hop_length
        self.pad, self.window, self.power, self.normalized = pad, window, power, normalized
        self.center, self.pad_mode, self.onesided = center, pad_mode, onesided
        self.norm, self.mel_scale = norm, mel_scale

    def _compute(self, wave):
        if wave.ndim and self.n_fft >= 2 * wave.shape[-1]:
            raise OperationError("MelSpectrogram: Padding size should be less than the corresponding input "
                                 "dimension.")
        frames = self._frames._compute(wave)
        filters = mel_filters(
            frames.shape[-2], self.f_min, self.f_max, self.n_mels, self.sample_rate, self.norm, self.mel_scale
        )
        return (filters.T.astype(np.float64) @ frames.astype(np.float64)).astype(frames.dtype)


_FRAMES = {
    "n_fft": 400,
    "pad": 0,
    "window": WindowType.HANN,
    "power": 2.0,
    "normalized": False,
    "center": True,
    "pad_mode": BorderType.REFLECT,
    "onesided": True,
}


# What a user's settings have to have, in the order in which MindSpore reads them.
_SPECTRAL = ("window", "pad_mode", "n_fft", "win_length", "pad", "power", "hop_length", "normalized",
             "center", "onesided")
_MEL = ("n_fft", "win_length", "hop_length", "f_min", "f_max", "pad", "power", "normalized", "center",
        "onesided", "window", "pad_mode", "norm", "mel_scale", "n_mels")


def _need(settings: dict, names: tuple) -> None:
    for name in names:
        settings[name]


def _check_mel(given: dict, sample_rate: int) -> None:
    """What `MFCC` asks of its settings, in MindSpore's order."""
    check_pos_int32(given["n_fft"], "n_fft")
    # of one whose frequencies and filters `MelScale` takes
    type_check(given["n_mels"], (int,), "n_mels")
    MelScale(given["n_mels"], sample_rate, given["f_min"], given["f_max"], norm=given["norm"],
             mel_type=given["mel_scale"])
    check_not_negative(given["power"], "power", (int, float))
    for name, kind in (("window", WindowType), ("normalized", bool), ("center", bool),
                       ("pad_mode", BorderType), ("onesided", bool)):
        type_check(given[name], (kind,), name)
    check_non_negative_int32(given["pad"], "pad")
    if given["hop_length"] is not None:
        check_pos_int32(given["hop_length"], "hop_length")
    if given["win_length"] is not None:
        check_non_negative_int32(given["win_length"], "win_length")


def _completed(given, more: dict) -> dict:
    """A user's settings of the spectrogram with what they leave out."""
    settings = {} if given is None else given
    for name, value in {**_FRAMES, **more}.items():
        settings.setdefault(name, value)
    settings.setdefault("win_length", settings["n_fft"])
    settings.setdefault("hop_length", settings["win_length"] // 2)
    return settings


def _coefficients(levels: np.ndarray, log: bool, count: int, norm: NormMode) -> np.ndarray:
    """The cosine transform of logarithms or decibels, (..., filters, time); always float32."""
    levels = np.log(levels + levels.dtype.type(1e-6)) if log else AmplitudeToDB()._compute(levels)
    return (_dct(count, levels.shape[-2], norm).T.astype(np.float64) @ levels).astype(np.float32)


def _check_kind(dct_type) -> None:
    if dct_type != 2:
        raise ValueError(f"Input dct_type must be 2, but got : {dct_type}.")


class MFCC(AudioTensorOperation):
    """Cepstral coefficients on the mel scale: (..., n_mfcc, frames) of (..., time).

    (``mindspore.dataset.audio.MFCC``.) ``melkwargs`` are arguments of `MelSpectrogram`; all of them, if any.
    """

    def __init__(
        self, sample_rate=16000, n_mfcc=40, dct_type=2, norm=NormMode.ORTHO, log_mels=False, melkwargs=None
    ):
        check_non_negative_int32(sample_rate, "sample_rate")
        type_check(log_mels, (bool,), "log_mels")
        type_check(norm, (NormMode,), "norm")
        check_non_negative_int32(n_mfcc, "n_mfcc")
        _check_kind(dct_type)
        if melkwargs is not None:
            type_check(melkwargs, (dict,), "melkwargs")
            _need(melkwargs, _MEL)
            _check_mel(melkwargs, sample_rate)
            if melkwargs["n_mels"] < n_mfcc:
                raise ValueError(
                    "Input n_mels should be greater than or equal to n_mfcc, but got n_mfcc: "
                    f"{n_mfcc} and n_mels: {melkwargs['n_mels']}."
                )
        super().__init__()
        self.sample_rate, self.n_mfcc, self.dct_type, self.norm = sample_rate, n_mfcc, dct_type, norm
        self.log_mels = log_mels
        self.melkwargs = _completed(
            melkwargs,
            {
                "f_min": 0.0,
                "f_max": sample_rate // 2,
                "n_mels": 128,
                "norm": NormType.NONE,
                "mel_scale": MelType.HTK,
            },
        )

    def _check_whole(self):
        given = self.melkwargs
        for name, kind in (("win_length", "int"), ("hop_length", "int"), ("f_max", "float")):
            if given[name] is None:
                raise RuntimeError("Unable to cast Python instance of type <class 'NoneType'> to C++ type "
                                   f"'{kind}'")
        if given["win_length"] > given["n_fft"]:
            raise pipeline_error("MFCC: win_length must be less than or equal to n_fft, but got win_length: "
                                 f"{given['win_length']}, n_fft: {given['n_fft']}")
        if given["power"] == 0:
            raise syntax_error("MFCC: 'power' must be greater than 0, got: 0")

    @cached_property
    def _mels(self):
        given = self.melkwargs
        return MelSpectrogram(self.sample_rate, **{**given, "f_min": float(given["f_min"]),
                                                   "win_length": given["win_length"] or None})

    def _compute(self, wave):
        return _coefficients(self._mels._compute(wave), self.log_mels, self.n_mfcc, self.norm)


class LFCC(AudioTensorOperation):
    """Cepstral coefficients on the linear scale: (..., n_lfcc, frames) of (..., time).

    (``mindspore.dataset.audio.LFCC``.) ``speckwargs`` are arguments of `Spectrogram`; all of them, if any.
    """

    def __init__(
        self,
        sample_rate=16000,
        n_filter=128,
        n_lfcc=40,
        f_min=0.0,
        f_max=None,
        dct_type=2,
        norm=NormMode.ORTHO,
        log_lf=False,
        speckwargs=None,
    ):
        type_check(sample_rate, (int,), "sample_rate")
        check_non_negative_int32(sample_rate, "sample_rate")
        for name, value in (("n_filter", n_filter), ("n_lfcc", n_lfcc)):
            type_check(value, (int,), name)
            check_pos_int32(value, name)
        type_check(log_lf, (bool,), "log_lf")
        type_check(norm, (NormMode,), "norm")
        type_check(f_min, (int, float), "f_min")
        check_non_negative_float32(f_min, "f_min")
        if f_max is not None:
            type_check(f_max, (int, float), "f_max")
            check_non_negative_float32(f_max, "f_max")
            if f_min > f_max:
                raise ValueError(
                    f"f_max should be greater than or equal to f_min, but got f_min: {f_min} and f_max: "
                    f"{f_max}."
                )
        elif f_min >= sample_rate // 2:
            raise ValueError(
                "Input sample_rate // 2 should be greater than f_min when f_max is set to None, but got "
                f"f_min: {f_min} and sample_rate: {sample_rate}."
            )
        _check_kind(dct_type)
        if speckwargs is not None:
            type_check(speckwargs, (dict,), "speckwargs")
            _need(speckwargs, _SPECTRAL)
            n_fft, win_length = speckwargs["n_fft"], speckwargs["win_length"]
            if n_fft < n_lfcc:
                raise ValueError(
                    "n_fft should be greater than or equal to n_lfcc, but got n_fft: "
                    f"{n_fft} and n_lfcc: {n_lfcc}."
                )
            if win_length > n_fft:
                raise ValueError(
                    "win_length must be less than or equal to n_fft, but got win_length: "
                    f"{win_length} and n_fft: {n_fft}."
                )
        super().__init__()
        self.sample_rate, self.n_filter, self.n_lfcc, self.f_min = sample_rate, n_filter, n_lfcc, f_min
        self.f_max = sample_rate // 2 if f_max is None else f_max
        self.dct_type, self.norm, self.log_lf = dct_type, norm, log_lf
        self.speckwargs = _completed(speckwargs, {})
        self._frames = Spectrogram(**self.speckwargs)

    def _compute(self, wave):
        frames = self._frames._compute(wave)
        filters = _linear(frames.shape[-2], self.f_min, self.f_max, self.n_filter, self.sample_rate)
        levels = (filters.T.astype(np.float64) @ frames.astype(np.float64)).astype(frames.dtype)
        return _coefficients(levels, self.log_lf, self.n_lfcc, self.norm)


class InverseMelScale(RandomOperation, AudioTensorOperation):
    """A spectrogram, (..., n_stft, time), that has the given mel spectrogram, (..., n_mels, time).

    (``mindspore.dataset.audio.InverseMelScale``.) It is sought by descent from random numbers, until the loss
    is below ``tolerance_loss`` or changes less than ``tolerance_change``.
    """

    def __init__(
        self,
        n_stft,
        n_mels=128,
        sample_rate=16000,
        f_min=0.0,
        f_max=None,
        max_iter=100000,
        tolerance_loss=1e-5,
        tolerance_change=1e-8,
        sgdargs=None,
        norm=NormType.NONE,
        mel_type=MelType.HTK,
    ):
        scale = MelScale(n_mels, sample_rate, f_min, f_max, n_stft, norm, mel_type)
        type_check(max_iter, (int,), "max_iter")
        check_pos_int32(max_iter, "max_iter")
        check_positive_number(tolerance_loss, "tolerance_loss", (int, float))
        check_positive_number(tolerance_change, "tolerance_change", (int, float))
        if sgdargs is not None:
            for name in ("sgd_lr", "sgd_momentum"):
                type_check(sgdargs[name], (int, float), name)
                check_non_negative_float32(sgdargs[name], name)
        super().__init__()
        self.n_stft, self.n_mels, self.sample_rate, self.f_min, self.f_max = (
            n_stft,
            n_mels,
            sample_rate,
            f_min,
            scale.f_max,
        )
        self.max_iter, self.tolerance_loss, self.tolerance_change = max_iter, tolerance_loss, tolerance_change
        self.sgdargs = {"sgd_lr": 0.1, "sgd_momentum": 0.9} if sgdargs is None else sgdargs
        self.norm, self.mel_type = norm, mel_type

    def _draw(self, stream: MT19937, wave):
        wave = self._checked(wave, 2)
        if wave.shape[-2] != self.n_mels:
            raise OperationError(
                f"InverseMelScale: the mels of the input should be n_mels: {self.n_mels}, but got "
                f"{wave.shape[-2]}."
            )
        filters = mel_filters(
            self.n_stft, self.f_min, self.f_max, self.n_mels, self.sample_rate, self.norm, self.mel_type
        ).astype(np.float64)
        wanted = wave.reshape(-1, *wave.shape[-2:]).astype(np.float64)
        drawn = stream.real32 if wave.dtype == np.float32 else stream.real
        found = np.array([drawn() for _ in range(len(wanted) * self.n_stft * wanted.shape[-1])])
        found = found.reshape(len(wanted), self.n_stft, -1)
        for channel, mels in enumerate(wanted):
            found[channel] = self._sought(found[channel], mels, filters)
        return found.reshape(*(wave.shape[:-2] or (1,)), self.n_stft, found.shape[-1]).astype(wave.dtype)

    def _sought(self, found, mels, filters):
        """Of one channel, from random numbers. MindSpore's steps have no momentum, whatever ``sgdargs``
        say."""
        last, rate = math.inf, self.sgdargs["sgd_lr"] / mels.shape[-1]
        for _ in range(self.max_iter):
            missing = mels - filters.T @ found
            loss = (missing**2).mean()
            if loss < self.tolerance_loss or abs(last - loss) < self.tolerance_change:
                break
            found = found + rate * (filters @ missing)
            last = loss
        return np.maximum(found, 0)
