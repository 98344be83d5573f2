"""Effects after SoX: overdrive, phaser, flanger."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..core.validator_helpers import check_value, type_check
from ..transforms.operation import OperationError
from ._base import AudioTensorOperation, check_int32, check_int32_not_zero, single
from ._filters import fed_back
from .utils import Interpolation, Modulation

__all__ = ["Flanger", "Overdrive", "Phaser"]


def _check_in(values: dict) -> None:
    """Each of name: (value, smallest, largest)."""
    for name, (value, low, high) in values.items():
        type_check(value, (float, int), name)
        check_value(value, [low, high], name)


class Overdrive(AudioTensorOperation):
    """Distortion: louder by ``gain`` dB, bent by ``color`` (``mindspore.dataset.audio.Overdrive``).

    The memory that it adds is summed in double precision here, in the wave's there.
    """

    def __init__(self, gain=20.0, color=20.0):
        _check_in({"gain": (gain, 0, 100), "color": (color, 0, 100)})
        super().__init__()
        self.gain, self.color = gain, color

    def _compute(self, wave):
        wave = self._checked(wave)
        kind = wave.dtype.type
        loud = wave * kind(np.float32(math.exp(single(self.gain) * math.log(10) / 20)))
        loud = (loud + kind(np.float32(self.color) / np.float32(200))).clip(-1, 1)
        bent = (loud - (loud * loud * loud).astype(np.float64) / 3).astype(kind)
        flat = bent.reshape(-1, bent.shape[-1])
        varying = fed_back(np.diff(flat, prepend=kind(0)), np.array([-0.995])).astype(kind)
        mixed = wave * np.float64(0.5) + varying.reshape(wave.shape) * np.float64(0.75)
        return mixed.clip(-1, 1).astype(kind)


def _swing(kind: Modulation, count: int, low: float, high: float, phase: float) -> np.ndarray:
    """A period of ``count`` steps between two numbers, from ``phase`` on, in Float32."""
    place = (np.arange(count) + int(single(phase) / math.pi / 2 * count + 0.5)) % count
    if kind is Modulation.SINUSOIDAL:
        wave = ((np.sin(place * math.pi / count * 2) + 1) / 2).astype(np.float32)
    else:
        quarter, twice = 4 * place // count, (place * 2.0 / count).astype(np.float32)
        wave = np.select([quarter == 0, quarter == 3], [twice + 0.5, twice - 1.5], 1.5 - twice)
        wave = wave.astype(np.float32)
    low, high = np.float32(low), np.float32(high)
    return wave * (high - low) + low


def _whole(values: np.ndarray) -> np.ndarray:
    """Rounded, halves away from 0."""
    return np.where(values < 0, values - 0.5, values + 0.5).astype(int)


class Phaser(AudioTensorOperation):
    """The signal with itself, delayed by a swinging time (``mindspore.dataset.audio.Phaser``)."""

    def __init__(
        self, sample_rate, gain_in=0.4, gain_out=0.74, delay_ms=3.0, decay=0.4, mod_speed=0.5, sinusoidal=True
    ):
        check_int32(sample_rate, "sample_rate")
        _check_in(
            {
                "gain_in": (gain_in, 0, 1),
                "gain_out": (gain_out, 0, 1e9),
                "delay_ms": (delay_ms, 0, 5.0),
                "decay": (decay, 0, 0.99),
                "mod_speed": (mod_speed, 0.1, 2),
            }
        )
        type_check(sinusoidal, (bool,), "sinusoidal")
        super().__init__()
        self.sample_rate, self.gain_in, self.gain_out, self.delay_ms = (
            sample_rate,
            gain_in,
            gain_out,
            delay_ms,
        )
        self.decay, self.mod_speed, self.sinusoidal = decay, mod_speed, sinusoidal

    def _compute(self, wave):
        wave = self._checked(wave)
        flat = wave.reshape(-1, wave.shape[-1])
        length, period = (
            int(self.delay_ms * 0.001 * self.sample_rate + 0.5),
            int(self.sample_rate / self.mod_speed + 0.5),
        )
        kind = Modulation.SINUSOIDAL if self.sinusoidal else Modulation.TRIANGULAR
        # MindSpore keeps the gains in Float32, computes in the wave's dtype and hands out Float32.
        gains = np.array([self.gain_in, self.gain_out, self.decay], np.float32)
        gain_in, gain_out, decay = gains.astype(wave.dtype)
        out = _echoed(flat * gain_in, *_echoes(kind, period, length, flat.shape[1]), decay)
        out = (out * gain_out).clip(-1, 1).astype(np.float32)
        return out.reshape(wave.shape).astype(wave.dtype)


@lru_cache(4)
def _echoes(kind: Modulation, period: int, longest: int, count: int) -> tuple:
    """Where each sample's echo comes from, behind ``longest`` silent samples; and the ends of blocks whose
    echoes lie before them."""
    delays = _whole(_swing(kind, period, 1, longest, math.pi / 2))
    lags = longest - (delays[np.arange(count) % period] - 1) % longest
    sources = np.arange(longest, longest + count) - lags
    ends, begin = [], 0
    for place, source in enumerate(sources.tolist()):
        if source >= longest + begin:
            ends.append(place)
            begin = place
    return longest, sources, [*ends, count]


def _echoed(samples: np.ndarray, silence: int, sources: np.ndarray, ends: list, decay) -> np.ndarray:
    """Each sample with an earlier result, rounded as one after the other is."""
    out = np.zeros((len(samples), silence + samples.shape[1]), samples.dtype)
    results, begin = out[:, silence:], 0
    for end in ends:
        block = out[:, sources[begin:end]]
        block *= decay
        np.add(samples[:, begin:end], block, out=results[:, begin:end])
        begin = end
    return results


class Flanger(AudioTensorOperation):
    """The signal, (..., channel, time), with itself, delayed by a swinging time and fed back.

    (``mindspore.dataset.audio.Flanger``.)
    """

    _axes = "<..., channel, time>"

    def __init__(
        self,
        sample_rate,
        delay=0.0,
        depth=2.0,
        regen=0.0,
        width=71.0,
        speed=0.5,
        phase=25.0,
        modulation=Modulation.SINUSOIDAL,
        interpolation=Interpolation.LINEAR,
    ):
        check_int32_not_zero(sample_rate, "sample_rate")
        _check_in(
            {
                "delay": (delay, 0, 30),
                "depth": (depth, 0, 10),
                "regen": (regen, -95, 95),
                "width": (width, 0, 100),
                "speed": (speed, 0.1, 10),
                "phase": (phase, 0, 100),
            }
        )
        type_check(modulation, (Modulation,), "modulation")
        type_check(interpolation, (Interpolation,), "interpolation")
        super().__init__()
        self.sample_rate, self.delay, self.depth, self.regen, self.width = (
            sample_rate,
            delay,
            depth,
            regen,
            width,
        )
        self.speed, self.phase, self.modulation, self.interpolation = speed, phase, modulation, interpolation

    def _compute(self, wave):
        given, wave = wave.dtype, self._checked(wave, 2)
        kind, channels = wave.dtype.type, wave.shape[-2]
        one, rate = kind(1), kind(self.sample_rate)       # (numpy 1 makes doubles of plain numbers)
        if channels > 4:
            raise OperationError(
                "Flanger: the channel of input tensor does not match the requirement of operator. Expecting "
                f"tensor with channel less than or equal to 4. But got channel: {channels}")
        flat = wave.reshape(-1, channels, wave.shape[-1])
        regen, width, phase = (kind(single(x)) / kind(100) for x in (self.regen, self.width, self.phase))
        delay, depth = (kind(single(x)) / kind(1000) for x in (self.delay, self.depth))
        gain = kind(1.0 / float(one + width))
        width = width / (one + width) * (one - abs(regen))
        length = int(float((delay + depth) * rate) + 0.5) + 2
        period = int(np.float32(self.sample_rate) / np.float32(self.speed))
        swing = _swing(self.modulation, period, math.floor(float(delay * rate) + 0.5), length - 2.0,
                       3 * math.pi / 2).astype(kind)
        rows = np.arange(channels)
        shift = ((rows * period).astype(kind) * phase + 0.5).astype(int)
        if regen == 0:
            found = self._delayed(flat, swing[(np.arange(flat.shape[-1]) + shift[:, None]) % period], length)
            return (flat * gain + found * width).clip(-1, 1).reshape(wave.shape).astype(given)
        past, last = np.zeros((*flat.shape[:2], length), kind), np.zeros(flat.shape[:2], kind)
        out = np.empty_like(flat)
        head = 0
        for i in range(flat.shape[-1]):
            head = (head + length - 1) % length
            now = swing[(i + shift) % period]
            whole = now.astype(int)
            part = now - whole
            past[..., head] = flat[..., i] + last * regen
            a, b, c = (past[:, rows, (head + whole + k) % length] for k in range(3))
            found = last = self._between(a, b, c, part)
            out[..., i] = flat[..., i] * gain + found * width
        return out.clip(-1, 1).reshape(wave.shape).astype(given)

    def _delayed(self, waves, now, length: int):
        """Without feedback: what each sample (..., channel, time) finds ``now`` (channel, time) before it."""
        whole = now.astype(int)
        padded = np.concatenate([np.zeros((*waves.shape[:2], length), waves.dtype), waves], -1)
        places = np.arange(length, length + now.shape[1])
        rows = np.arange(len(now))[:, None]
        a, b, c = (padded[:, rows, places - (whole + k) % length] for k in range(3))
        return self._between(a, b, c, now - whole)

    def _between(self, a, b, c, part):
        """The value a part of the way from a to b; or on the parabola through a, b and c."""
        if self.interpolation is Interpolation.LINEAR:
            return a + (b - a) * part
        b, c = b - a, c - a
        bend = c * 0.5 - b
        return a + (bend * part + (b * 2 - c * 0.5)) * part
