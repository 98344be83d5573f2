"""Transforms of loudness: gains, fades, decibels, companding."""

from __future__ import annotations

import math

import numpy as np

from ..core.validator_helpers import check_non_negative_int32, check_pos_int32, check_value, type_check
from ..transforms.operation import OperationError, RandomOperation
from ._base import (
    AudioTensorOperation,
    check_not_negative,
    check_number,
    check_positive_number,
    complex_pairs,
    single,
    steps,
)
from .utils import DensityFunction, FadeShape, GainType, ScaleType

__all__ = ["AmplitudeToDB", "Angle", "ComplexNorm", "Contrast", "DBToAmplitude", "DCShift", "Dither", "Fade",
           "Gain", "Magphase", "MuLawDecoding", "MuLawEncoding", "Vol"]


class AmplitudeToDB(AudioTensorOperation):
    """Powers or magnitudes in decibels over ``ref_value``, at most ``top_db`` below the loudest.

    (``mindspore.dataset.audio.AmplitudeToDB``.)
    """

    def __init__(self, stype=ScaleType.POWER, ref_value=1.0, amin=1e-10, top_db=80.0):
        type_check(stype, (ScaleType,), "stype")
        for name, value in (("ref_value", ref_value), ("amin", amin), ("top_db", top_db)):
            check_positive_number(value, name, (int, float))
        super().__init__()
        self.stype, self.ref_value, self.amin, self.top_db = stype, ref_value, amin, top_db

    def _compute(self, wave):
        wave = self._checked(wave, 2)
        kind = wave.dtype.type
        factor = 10.0 if self.stype is ScaleType.POWER else 20.0
        # MindSpore's kernel takes amin for the reference alone: what is below 1e-10 counts as that
        level = kind(factor) * np.log10(np.maximum(wave, kind(np.float32(1e-10))))
        level -= kind(factor * single(math.log10(max(single(self.amin), single(self.ref_value)))))
        # the loudest of each (channel, freq, time)
        flat = level.reshape(-1, *level.shape[-3:]) if level.ndim > 2 else level[None]
        loudest = np.fmax.reduce(flat.reshape(len(flat), -1), 1)
        floor = (loudest - kind(self.top_db)).reshape(-1, *[1] * (flat.ndim - 1))
        return np.maximum(flat, floor).reshape(level.shape)


class Dither(RandomOperation, AudioTensorOperation):
    """Rounded to 16 bits after a little noise (``mindspore.dataset.audio.Dither``); ``noise_shaping`` adds
    each sample's error to the next.

    The noise is MindSpore's. TPDF: a triangle over the time. RPDF: for all samples the value of one that is
    drawn. GPDF: for all the sum of seven that are drawn, each of which becomes the sum so far before it can
    be drawn again. (MindSpore leaves these sums in the array that it was given; here it stays as it was.)
    """

    def __init__(self, density_function=DensityFunction.TPDF, noise_shaping=False):
        type_check(density_function, (DensityFunction,), "density_function")
        type_check(noise_shaping, (bool,), "noise_shaping")
        super().__init__()
        self.density_function, self.noise_shaping = density_function, noise_shaping
        self.random = density_function is not DensityFunction.TPDF

    def _draw(self, stream, wave):
        wave = self._checked(wave)
        kind, scaled = wave.dtype.type, wave * wave.dtype.type(32766)
        if self.density_function is DensityFunction.TPDF:
            noise = (1 - np.abs(np.arange(wave.shape[-1]) * (2 / wave.shape[-1]) - 1)).astype(kind)
        else:
            wave, noise = self._drawn(stream, wave.reshape(-1, wave.shape[-1]), wave.shape)
        scaled += noise
        dithered = np.trunc(scaled)
        dithered += np.copysign(abs(scaled - dithered) >= 0.5, scaled)    # halves away from zero
        dithered /= kind(32768)
        if self.noise_shaping:
            error = dithered - wave
            dithered[..., 1:] += error[..., :-1]
        return dithered

    def _drawn(self, stream, rows, shape):
        """The wave, as the draws leave it, and its noise."""
        def place():
            # (Among one none is drawn.)
            return tuple(stream.integer(0, n - 1) if n > 1 else 0 for n in rows.shape)

        noise = rows[place()]
        if self.density_function is DensityFunction.RPDF:
            return rows.reshape(shape), noise
        rows = rows.copy()
        for _ in range(6):
            at = place()
            rows[at] += noise
            noise = rows[at]
        return rows.reshape(shape), noise


class DBToAmplitude(AudioTensorOperation):
    """``ref * 10 ** (0.1 * power * decibels)`` (``mindspore.dataset.audio.DBToAmplitude``)."""

    def __init__(self, ref, power):
        check_number(ref, "ref")
        check_number(power, "power")
        super().__init__()
        self.ref, self.power = ref, power

    def _compute(self, wave):
        wave = self._checked(wave)
        kind = wave.dtype.type
        levels = np.power(10.0, wave.astype(np.float64) * 0.1)
        return (single(self.ref) * np.power(levels, single(self.power))).astype(kind)


class Gain(AudioTensorOperation):
    """Louder by ``gain_db`` decibels (``mindspore.dataset.audio.Gain``)."""

    def __init__(self, gain_db=1.0):
        check_number(gain_db, "gain_db")
        super().__init__()
        self.gain_db = gain_db

    def _compute(self, wave):
        wave = self._checked(wave)
        return wave if self.gain_db == 0 else wave * wave.dtype.type(10 ** (single(self.gain_db) / 20))


class Vol(AudioTensorOperation):
    """Times ``gain``, an amplitude, a power or decibels, cut to [-1, 1] (``mindspore.dataset.audio.Vol``)."""

    def __init__(self, gain, gain_type=GainType.AMPLITUDE):
        type_check(gain, (int, float), "gain")
        type_check(gain_type, (GainType,), "gain_type")
        check = {GainType.AMPLITUDE: check_not_negative, GainType.POWER: check_positive_number,
                 GainType.DB: check_number}[gain_type]
        check(gain, "gain")
        super().__init__()
        self.gain, self.gain_type = gain, gain_type

    def _compute(self, wave):
        wave = self._checked(wave)
        factor = single(self.gain)
        decibels = {GainType.POWER: lambda: 10 * math.log10(factor), GainType.DB: lambda: factor}
        if self.gain_type is not GainType.AMPLITUDE:
            factor = 10 ** (decibels[self.gain_type]() / 20)
        return (wave * wave.dtype.type(factor)).clip(-1, 1)


class DCShift(AudioTensorOperation):
    """Add ``shift``, and soften what then comes near 1 by ``limiter_gain``.

    (``mindspore.dataset.audio.DCShift``).
    """

    def __init__(self, shift, limiter_gain=None):
        type_check(shift, (float, int), "shift")
        check_value(shift, [-2.0, 2.0], "shift")
        if limiter_gain is not None:
            type_check(limiter_gain, (float, int), "limiter_gain")
        super().__init__()
        self.shift, self.limiter_gain = shift, shift if limiter_gain is None else limiter_gain

    def _compute(self, wave):
        wave, kind = self._checked(wave), wave.dtype.type if wave.dtype == np.float64 else np.float32
        gain, shift = np.float32(self.limiter_gain), np.float32(self.shift)
        shifted = (wave + kind(shift)).clip(-1, 1)
        if gain == shift or shift == 0:
            return shifted
        limit = np.float32(1.0 - float(abs(shift) - gain))
        left, limit, gain, shift = (kind(part) for part in (1 - limit, limit, gain, shift))
        if shift > 0:
            soft = ((wave - limit) * gain / left + limit + shift).clip(None, limit)
            return np.where(wave > limit, soft, shifted)
        # MindSpore adds the limit here too, where SoX subtracts it
        soft = ((wave + limit) * gain / left + limit + shift).clip(-limit)
        return np.where(wave < -limit, soft, shifted)


class Contrast(AudioTensorOperation):
    """Compression that makes sound louder, as SoX does it (``mindspore.dataset.audio.Contrast``)."""

    def __init__(self, enhancement_amount=75.0):
        type_check(enhancement_amount, (float, int), "enhancement_amount")
        check_value(enhancement_amount, [0, 100], "enhancement_amount")
        super().__init__()
        self.enhancement_amount = enhancement_amount

    def _compute(self, wave):
        wave = self._checked(wave)
        kind = wave.dtype.type
        angle = (wave.astype(np.float64) * (math.pi / 2)).astype(kind)
        amount = kind(kind(np.float32(self.enhancement_amount)) / kind(750))
        return np.sin(angle + amount * np.sin(angle * kind(4)))


class Fade(AudioTensorOperation):
    """Let the sound come and go over so many samples (``mindspore.dataset.audio.Fade``)."""

    def __init__(self, fade_in_len=0, fade_out_len=0, fade_shape=FadeShape.LINEAR):
        for name, value in (("fade_in_len", fade_in_len), ("fade_out_len", fade_out_len)):
            type_check(value, (int,), name)
            check_non_negative_int32(value, name)
        type_check(fade_shape, (FadeShape,), "fade_shape")
        super().__init__()
        self.fade_in_len, self.fade_out_len, self.fade_shape = fade_in_len, fade_out_len, fade_shape

    def _rise(self, count: int, kind) -> np.ndarray:
        """From 0 to 1 in ``count`` samples."""
        part = steps(0, 1, count, kind).astype(np.float64)
        shapes = {FadeShape.LINEAR: lambda: part, FadeShape.EXPONENTIAL: lambda: 2 ** (part - 1) * part,
                  FadeShape.LOGARITHMIC: lambda: np.log10(part + 0.1) + 1,
                  FadeShape.QUARTER_SINE: lambda: np.sin(part * math.pi / 2),
                  FadeShape.HALF_SINE: lambda: np.sin(part * math.pi - math.pi / 2) / 2 + 0.5}
        return shapes[self.fade_shape]().astype(kind)

    def _fall(self, count: int, kind) -> np.ndarray:
        """From 1 to 0 in ``count`` samples."""
        part = steps(0, 1, count, kind).astype(np.float64)
        shapes = {FadeShape.LINEAR: lambda: 1 - part, FadeShape.EXPONENTIAL: lambda: 2 ** -part * (1 - part),
                  FadeShape.LOGARITHMIC: lambda: np.log10(1.1 - part) + 1,
                  FadeShape.QUARTER_SINE: lambda: np.sin(part * math.pi / 2 + math.pi / 2),
                  FadeShape.HALF_SINE: lambda: np.sin(part * math.pi + math.pi / 2) / 2 + 0.5}
        return shapes[self.fade_shape]().astype(kind)

    def _compute(self, wave):
        if not self.fade_in_len and not self.fade_out_len:
            self._check_kind(wave, 1, "iufb")
            return wave
        wave = self._checked(wave)
        length = wave.shape[-1]
        for name, count in (("fade_in_len", self.fade_in_len), ("fade_out_len", self.fade_out_len)):
            if count > length:
                raise OperationError(
                    f"Fade: invalid parameter, '{name}' should be no greater than 'length of waveform', but "
                    f"got: {name} {count} while length of waveform {length}.")
        found, kind = wave.copy(), wave.dtype.type
        found[..., :self.fade_in_len] *= self._rise(self.fade_in_len, kind)
        found[..., length - self.fade_out_len:] *= self._fall(self.fade_out_len, kind)
        return found


def _check_channels(count) -> None:
    check_pos_int32(count, "quantization_channels")


class MuLawEncoding(AudioTensorOperation):
    """Samples in [-1, 1] as whole numbers, finer where it is quiet
    (``mindspore.dataset.audio.MuLawEncoding``)."""

    def __init__(self, quantization_channels=256):
        _check_channels(quantization_channels)
        super().__init__()
        self.quantization_channels = quantization_channels

    def _compute(self, wave):
        wave, mu = self._checked(wave), self.quantization_channels - 1
        kind = wave.dtype.type
        level = np.sign(wave) * np.log1p(kind(mu) * np.abs(wave)) / kind(math.log1p(mu))
        return ((level + 1) / 2 * mu + kind(0.5)).astype(np.int32)


class MuLawDecoding(AudioTensorOperation):
    """The samples that `MuLawEncoding` encoded (``mindspore.dataset.audio.MuLawDecoding``)."""

    def __init__(self, quantization_channels=256):
        _check_channels(quantization_channels)
        super().__init__()
        self.quantization_channels = quantization_channels

    def _compute(self, wave):
        wave, mu = self._checked(wave), self.quantization_channels - 1
        kind = wave.dtype.type
        level = wave / kind(mu) * kind(2) - kind(1)
        return np.sign(level) * np.expm1(np.abs(level) * kind(math.log1p(mu))) / kind(mu)


class Angle(AudioTensorOperation):
    """The angle of complex numbers, (..., 2) (``mindspore.dataset.audio.Angle``)."""

    def _compute(self, wave):
        wave = complex_pairs(self, wave)
        return np.arctan2(wave[..., 1], wave[..., 0])


class _ComplexNorm(AudioTensorOperation):
    """The magnitude of complex numbers, to a power."""

    def __init__(self, power=1.0):
        check_not_negative(power, "power", (int, float))
        super().__init__()
        self.power = power

    def _compute(self, wave):
        wave = complex_pairs(self, wave)
        return np.power((wave * wave).sum(-1), wave.dtype.type(0.5 * single(self.power)))


class ComplexNorm(_ComplexNorm):
    """The size of complex numbers, (..., 2), to a power (``mindspore.dataset.audio.ComplexNorm``)."""


class Magphase(_ComplexNorm):
    """The size of complex numbers, (..., 2), to a power, and their angle
    (``mindspore.dataset.audio.Magphase``)."""

    def _compute(self, wave):
        return super()._compute(wave), Angle()._compute(wave)
