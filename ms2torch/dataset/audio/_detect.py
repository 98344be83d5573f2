"""What a signal holds: pitch, the centre of its spectrum; and features normalized over a window."""

from __future__ import annotations

import math

import numpy as np

from ..core.validator_helpers import check_non_negative_int32, check_pos_float32, check_pos_int32, type_check
from ..transforms.operation import OperationError, TensorOperation
from ._base import AudioTensorOperation, check_int32_not_zero
from ._spectral import Spectrogram, check_windows
from .utils import WindowType

__all__ = ["DetectPitchFrequency", "SlidingWindowCmn", "SpectralCentroid"]


class SpectralCentroid(AudioTensorOperation):
    """The mean frequency of each frame of (..., time): (..., 1, frames)
    (``mindspore.dataset.audio.SpectralCentroid``).
    """

    __call__ = TensorOperation.__call__  # takes lists too

    def __init__(
        self, sample_rate, n_fft=400, win_length=None, hop_length=None, pad=0, window=WindowType.HANN
    ):
        type_check(sample_rate, (int,), "sample_rate")
        check_non_negative_int32(sample_rate, "sample_rate")
        check_windows(n_fft, win_length, hop_length, pad, window)
        super().__init__()
        self._frames = Spectrogram(n_fft, win_length, hop_length, pad, window, 1.0)
        self.sample_rate, self.n_fft, self.pad, self.window = sample_rate, n_fft, pad, window
        self.win_length, self.hop_length = self._frames.win_length, self._frames.hop_length

    def _compute(self, wave):
        frames = self._frames._compute(self._checked(wave))
        sizes = frames.astype(np.float64)
        frequencies = np.linspace(0, self.sample_rate // 2, sizes.shape[-2])[:, None]
        found = (frequencies * sizes).sum(-2, keepdims=True) / sizes.sum(-2, keepdims=True)
        return found.astype(frames.dtype)


class SlidingWindowCmn(AudioTensorOperation):
    """Features, (..., time, freq), less their mean over ``cmn_window`` frames, and with ``norm_vars`` by
    their
    deviation.

    (``mindspore.dataset.audio.SlidingWindowCmn``.) ``center`` puts the window around the frame, else it ends
    there.
    """

    def __init__(self, cmn_window=600, min_cmn_window=100, center=False, norm_vars=False):
        for name, value in (("cmn_window", cmn_window), ("min_cmn_window", min_cmn_window)):
            type_check(value, (int,), name)
            check_non_negative_int32(value, name)
        for name, value in (("center", center), ("norm_vars", norm_vars)):
            type_check(value, (bool,), name)
        super().__init__()
        self.cmn_window, self.min_cmn_window = cmn_window, min_cmn_window
        self.center, self.norm_vars = center, norm_vars

    def _window(self, frame: int, count: int) -> tuple[int, int]:
        if self.center:
            start = frame - self.cmn_window // 2
            end = start + self.cmn_window
        else:
            start, end = frame - self.cmn_window, frame + 1
        if start < 0:
            start, end = 0, end - start
        if not self.center and end > frame:
            end = max(frame + 1, self.min_cmn_window)
        if end > count:
            start, end = max(start - (end - count), 0), count
        return start, end

    def _compute(self, wave):
        wave = self._checked(wave, 2)
        values = wave.astype(np.float64)
        out = np.empty_like(values)
        for frame in range(values.shape[-2]):
            start, end = self._window(frame, values.shape[-2])
            part = values[..., start:end, :]
            out[..., frame, :] = values[..., frame, :] - part.mean(-2)
            if self.norm_vars:
                if end - start == 1:
                    out[..., frame, :] = 0
                else:
                    out[..., frame, :] /= np.sqrt((part**2).mean(-2) - part.mean(-2) ** 2)
        out = out.astype(wave.dtype)
        return out.squeeze() if wave.ndim == 2 and len(wave) == 1 else out       # one frame loses its axis


class DetectPitchFrequency(AudioTensorOperation):
    """The pitch of each stretch of ``frame_time`` seconds of (..., time), in Hz, by correlating it with what
    follows,
    and the median of ``win_length`` of them.

    (``mindspore.dataset.audio.DetectPitchFrequency``.)
    """

    _whole = ("freq_low", "freq_high")

    def __init__(self, sample_rate, frame_time=0.01, win_length=30, freq_low=85, freq_high=3400):
        check_int32_not_zero(sample_rate, "sample_rate")
        type_check(frame_time, (float, int), "frame_time")
        check_pos_float32(frame_time, "frame_time")
        type_check(win_length, (int,), "win_length")
        check_pos_int32(win_length, "win_length")
        for name, value in (("freq_low", freq_low), ("freq_high", freq_high)):
            type_check(value, (int, float), name)
            check_pos_float32(value, name)
        super().__init__()
        self.sample_rate, self.frame_time, self.win_length = sample_rate, frame_time, win_length
        self.freq_low, self.freq_high = freq_low, freq_high

    def _compute(self, wave):
        values = self._floating(wave).astype(np.float64)
        rate, size = self.sample_rate, math.ceil(self.sample_rate * self.frame_time)
        lags = math.ceil(rate / self.freq_low)
        count = math.ceil(values.shape[-1] / size)
        missing = lags + count * size - values.shape[-1]
        values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, missing)])
        here = np.stack([values[..., i * size : (i + 1) * size] for i in range(count)], -2)
        found = np.zeros((*here.shape[:-1], lags))
        for lag in range(1, lags + 1):
            there = np.stack([values[..., i * size + lag : (i + 1) * size + lag] for i in range(count)], -2)
            norms = (1e-9 + np.linalg.norm(here, axis=-1)) ** 2 * (1e-9 + np.linalg.norm(there, axis=-1)) ** 2
            found[..., lag - 1] = (here * there).sum(-1) / norms
        first = math.ceil(rate / self.freq_high)
        best = found[..., first:].argmax(-1) + first
        best_half = found[..., first : lags // 2].argmax(-1) + first
        better = np.take_along_axis(found, best_half[..., None], -1) > 0.99 * np.take_along_axis(
            found, best[..., None], -1
        )
        places = np.where(better[..., 0], best_half, best) + 1
        before = (self.win_length - 1) // 2
        padded = np.concatenate([np.repeat(places[..., :1], before, -1), places], -1)
        count = padded.shape[-1] - self.win_length + 1
        if count < 0:
            raise OperationError("Failed to create empty tensor, tensor shape is unknown.")
        if count == 0:
            return np.zeros((*padded.shape[:-1], 0), np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.win_length, -1)
        middle = np.sort(windows, -1)[..., (self.win_length - 1) // 2]
        return (rate / (1e-9 + middle)).astype(np.float32)
