"""MindSpore's voice activity detector, which finds none."""

from __future__ import annotations

import math

import numpy as np

from ..core.validator_helpers import check_float32, check_pos_float32, check_pos_int32, type_check
from ..transforms.operation import OperationError
from ._base import AudioTensorOperation, check_non_negative_float32

__all__ = ["Vad"]


class Vad(AudioTensorOperation):
    """The end of (..., time), as long as what a detector would keep (``mindspore.dataset.audio.Vad``).

    MindSpore documents SoX's detector, which drops what comes before the first speech. What its C++ measures
    is zero for every signal: with a positive ``trigger_level`` nothing is ever found, and what is left is the
    last ``search_time + pre_trigger_time + measure_duration`` seconds; with another one, all of it, or the
    last ``pre_trigger_time`` seconds. The same samples come out here. Where speech is to be found, use
    ``torchaudio.functional.vad`` in a function of the program's own.

    Raises:
        RuntimeError: no frequency lies between the filters' limits or the lifters', or nothing is searched.
    """

    def __init__(self, sample_rate, trigger_level=7.0, trigger_time=0.25, search_time=1.0, allowed_gap=0.25,
                 pre_trigger_time=0.0, boot_time=0.35, noise_up_time=0.1, noise_down_time=0.01,
                 noise_reduction_amount=1.35, measure_freq=20.0, measure_duration=None,
                 measure_smooth_time=0.4, hp_filter_freq=50.0, lp_filter_freq=6000.0, hp_lifter_freq=150.0,
                 lp_lifter_freq=2000.0):
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        for name, value in given.items():
            if name == "measure_duration" and not value:
                continue
            type_check(value, (int,) if name == "sample_rate" else (int, float), name)
            _RANGES.get(name, check_non_negative_float32)(value, name)
            if name == "noise_down_time" and noise_up_time < noise_down_time:
                raise ValueError(
                    "Input noise_up_time should be greater than noise_down_time, but got noise_up_time: "
                    f"{noise_up_time} and noise_down_time: {noise_down_time}.")
        super().__init__()
        vars(self).update(given, measure_duration=measure_duration or 2.0 / measure_freq)

    def _compute(self, wave):
        wave = self._checked(wave)
        kind, size = wave.dtype.type, wave.shape[-1]
        seconds = {name: kind(np.float32(value)) for name, value in vars(self).items() if name in _NUMBERS}
        rate, often = kind(self.sample_rate), seconds["measure_freq"]
        length = int(rate * seconds["measure_duration"] + kind(0.5))
        searched = math.ceil(seconds["search_time"] * often) * int(rate / often + kind(0.5))
        kept = int(seconds["pre_trigger_time"] * rate + kind(0.5))
        self._check_bands(length, searched, **seconds)
        found = self.trigger_level <= 0 and size >= length
        begin = -kept if found else size - kept - searched - length
        return wave[..., max(begin + size, 0) if begin < 0 else begin :]

    def _check_bands(self, length, searched, **at) -> None:
        rate, transform = self.sample_rate, 16
        while transform < length:
            transform *= 2
        if not searched:
            raise OperationError("UpdateVadParams: the length of measures cannot be zero.")
        first = max(int(at["hp_filter_freq"] / rate * transform + 0.5), 1)
        last = min(int(at["lp_filter_freq"] / rate * transform + 0.5), transform // 2)
        self._check_band(first, last, "spectrum", "filter")
        first = math.ceil(rate * 0.5 / at["lp_lifter_freq"])
        last = min(math.floor(rate * 0.5 / at["hp_lifter_freq"]), transform // 4)
        self._check_band(first, last, "cepstrum", "lifter")

    @staticmethod
    def _check_band(first: int, last: int, what: str, kind: str) -> None:
        if last <= first:
            raise OperationError(f"Vad: the end of {what} must be greater than the start. Check if "
                                 f"`hp_{kind}_freq` is too large or `lp_{kind}_freq` is too small.")


_RANGES = {"sample_rate": check_pos_int32, "trigger_level": check_float32,
           **dict.fromkeys(("measure_freq", "hp_filter_freq", "lp_filter_freq", "hp_lifter_freq",
                            "lp_lifter_freq"), check_pos_float32)}
_NUMBERS = {"measure_freq", "measure_duration", "search_time", "pre_trigger_time", "hp_filter_freq",
            "lp_filter_freq", "hp_lifter_freq", "lp_lifter_freq"}
